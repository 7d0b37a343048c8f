// LANES products with a sum, a*b + c of residues, 2*HIGH bits each, with one multiplier of a chip or two for each of
// them.
//
// A DSP48E2 multiplies 27 bits by 18 as signed numbers. With SPLIT the low 18 bits of b, taken as such, leave 3 above
// them, which count from 0 to 4. Their multiple of a is a single sum, and goes with c to the adder that follows the
// multiplier. Without SPLIT there are two multipliers for each product, and no such sum.
//
// Latency: ntru_pkg::PRODUCT_CLOCKS (3): operands, both parts, their sum. A multiplier of a chip has all of these
// registers in it, those of the multiple's operands excepted.
module product #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter bit          SPLIT = 1'b1
) (
    input  logic              clk_i,
    input  logic [HIGH-1:0]   a_i[LANES],
    input  logic [HIGH-1:0]   b_i[LANES],
    input  logic [HIGH-1:0]   c_i[LANES],
    output logic [2*HIGH-1:0] sum_o[LANES]
);
  localparam int unsigned FACTOR = 18;

  logic [HIGH-1:0] a_q[LANES], c_q[LANES];
  logic [2*HIGH-1:0] part[LANES], part_q[LANES], rest[LANES], rest_q[LANES], sum[LANES];

  if (SPLIT) begin : gen_split
    logic signed [FACTOR-1:0] low_q[LANES];
    logic [2:0] top[LANES], top_q[LANES];
    logic [HIGH+2:0] multiple;

    if (HIGH > FACTOR + 2) begin : gen_refused
      $error("%0d bits times %0d don't fit a multiplier", HIGH, HIGH);
    end

    always_comb begin
      for (int i = 0; i < LANES; i = i + 1) begin
        top[i] = 3'(((FACTOR + 3)'(b_i[i]) + (FACTOR + 3)'(2 ** (FACTOR - 1))) >> FACTOR);
        part[i] = (2 * HIGH)'($signed({1'b0, a_q[i]}) * low_q[i]);
        multiple = ((HIGH + 3)'(a_q[i]) & {(HIGH + 3) {top_q[i][0]}})
            + (top_q[i][2] ? (HIGH + 3)'(a_q[i]) << 2 : ((HIGH + 3)'(a_q[i]) << 1) & {(HIGH + 3) {top_q[i][1]}});
        rest[i] = ((2 * HIGH)'(multiple) << FACTOR) + (2 * HIGH)'(c_q[i]);
      end
    end
    always_ff @(posedge clk_i) begin
      top_q <= top;
      for (int i = 0; i < LANES; i = i + 1) low_q[i] <= $signed(FACTOR'(b_i[i]));
    end
  end else begin : gen_whole
    logic [HIGH-1:0] b_q[LANES];
    always_ff @(posedge clk_i) b_q <= b_i;
    always_comb begin
      for (int i = 0; i < LANES; i = i + 1) begin
        part[i] = (2 * HIGH)'(a_q[i]) * (2 * HIGH)'(b_q[i]);
        rest[i] = (2 * HIGH)'(c_q[i]);
      end
    end
  end

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) sum[i] = part_q[i] + rest_q[i];
  end
  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    c_q <= c_i;
    part_q <= part;
    rest_q <= rest;
    sum_o <= sum;
  end

endmodule
