// Residues of LANES integers below 2^WIDTH modulo Q = 2^HIGH - 2^LOW + 1.
//
// With G = HIGH - LOW, low part l and chunks h_j of G bits from bit HIGH on, 2^(HIGH + G*j) is congruent to
// 2^LOW - (1 + 2^G + ... + 2^(G*j)), so that
//
//     x = l + 2^LOW * S_0 - sum_j 2^(G*j) * S_j,    S_j = h_j + h_(j+1) + ...
//
// modulo Q. A multiple of Q keeps that positive; what it has above bit HIGH, at most HEADROOM, is folded once more, and
// one conditional subtraction is left.
//
// Latency: ntru_pkg::REDUCE_CLOCKS (3).
module solinas_reduce #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14,
    parameter int unsigned WIDTH = 40
) (
    input  logic             clk_i,
    input  logic [WIDTH-1:0] x_i[LANES],
    output logic [ HIGH-1:0] residue_o[LANES]
);
  localparam int unsigned G = HIGH - LOW;
  localparam int unsigned CHUNKS = (WIDTH - HIGH + G - 1) / G;
  localparam int unsigned PADDED = HIGH + CHUNKS * G;
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);

  // The largest chunk j of a number of WIDTH bits.
  function automatic logic [63:0] largest_chunk(input int unsigned j);
    int unsigned bits;
    bits = WIDTH - HIGH - G * j;
    largest_chunk = (64'd1 << (bits < G ? bits : G)) - 64'd1;
  endfunction

  // The largest S_j.
  function automatic logic [63:0] largest_sum(input int unsigned first);
    largest_sum = 64'd0;
    for (int j = 0; j < CHUNKS; j = j + 1) begin
      if (j >= first) largest_sum = largest_sum + largest_chunk(j);
    end
  endfunction

  // The largest number that is subtracted.
  function automatic logic [63:0] largest_minus();
    largest_minus = 64'd0;
    for (int j = 0; j < CHUNKS; j = j + 1) largest_minus = largest_minus + (largest_sum(j) << (G * j));
  endfunction

  localparam logic [63:0] LIFT = ((largest_minus() + Q - 64'd1) / Q) * Q;
  localparam logic [63:0] LARGEST = (64'd1 << HIGH) - 64'd1 + (largest_sum(0) << LOW) + LIFT;
  localparam logic [63:0] HEADROOM = LARGEST >> HIGH;
  localparam int unsigned LIFTED = $clog2(LARGEST + 1);

  // What is above bit HIGH, folded: a table of few words costs less than their differences.
  function automatic logic [2**(LIFTED-HIGH)-1:0][HIGH:0] folds();
    for (int unsigned h = 0; h < 2 ** (LIFTED - HIGH); h = h + 1) folds[h] = (HIGH + 1)'((h << LOW) - h);
  endfunction
  localparam logic [2**(LIFTED-HIGH)-1:0][HIGH:0] FOLDS = folds();

  if (LOW == 0 || LOW >= HIGH || HIGH > 31) begin : gen_form_refused
    $error("Q = 2^%0d - 2^%0d + 1 has no Solinas form here", HIGH, LOW);
  end
  if (WIDTH <= HIGH || WIDTH > 60) begin : gen_width_refused
    $error("%0d bits can't be reduced to %0d", WIDTH, HIGH);
  end
  if ((64'd1 << HIGH) + HEADROOM * ((64'd1 << LOW) - 64'd1) > 2 * Q) begin : gen_range_refused
    $error("%0d bits need more than one subtraction of Q = %0d", WIDTH, Q);
  end

  // Both sums; their difference above zero; the fold.
  logic [PADDED-1:0] padded;
  logic [LIFTED-1:0] chunk_sum;
  logic [LIFTED-1:0] plus[LANES], minus[LANES], plus_q[LANES], minus_q[LANES], lifted[LANES], lifted_q[LANES];
  logic [HIGH:0] folded;
  logic over;
  logic [HIGH-1:0] residue[LANES];

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      padded = PADDED'(x_i[i]);
      minus[i] = '0;
      chunk_sum = '0;
      for (int j = CHUNKS - 1; j >= 0; j = j - 1) begin
        chunk_sum = chunk_sum + LIFTED'(padded[HIGH+j*G+:G]);
        minus[i] = minus[i] + (chunk_sum << (G * j));
      end
      plus[i] = LIFTED'(padded[HIGH-1:0]) + (chunk_sum << LOW);
    end
  end

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) lifted[i] = plus_q[i] + LIFTED'(LIFT) - minus_q[i];
  end

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      folded = {1'b0, lifted_q[i][HIGH-1:0]} + FOLDS[lifted_q[i][LIFTED-1:HIGH]];
      // Less Q is 2^LOW - 1 more, modulo 2^HIGH.
      over = folded[HIGH] || (&folded[HIGH-1:LOW] && folded[LOW-1:0] != '0);
      residue[i] = folded[HIGH-1:0] + (over ? HIGH'(2 ** LOW - 1) : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    plus_q <= plus;
    minus_q <= minus;
    lifted_q <= lifted;
    residue_o <= residue;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < LANES; i = i + 1)
      assert (64'(residue_o[i]) < Q) else $error("%0d is no residue", residue_o[i]);
  end
`endif

endmodule
