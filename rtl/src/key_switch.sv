// The key switch of LWE ciphertexts from N coefficients to LWE_DIM over the ring of DEGREE, to the bit that of the
// library: digits of a block times the row's polynomials, of which POLYS are taken a clock, and the constant
// coefficient of what comes out, as an LWE sample.
//
// With digits d_r of a block, mask coefficient m of a polynomial A is sum_(r>=m) d_r*A[r-m] - sum_(r<m)
// d_r*A[DEGREE+r-m], and the body is that with m = 0. All rows of a group of POLYS polynomials follow one another, and
// then the next group's; bodies are a group of their own. So a ciphertext takes rows*(groups + 1) clocks and a few to
// fill and drain.
//
// The words of a group leave one a clock while the next group is summed.
module key_switch #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LWE_DIM = 640,
    parameter int unsigned DEGREE = 32,
    parameter int unsigned SWITCH_DIGITS = 12,
    parameter int unsigned SWITCH_LOG2_BASE = 1,
    parameter int unsigned POLYS = 2
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [POLYS*DEGREE*32-1:0] s_key_tdata_i,
    input  logic                       s_key_tvalid_i,
    output logic                       s_key_tready_o,

    input  logic                                  filled_i,
    output logic                                  release_o,
    input  logic [31:0]                           body_i,
    input  logic                                  flush_i,
    output logic [LOG_N-$clog2(DEGREE)-1:0]       block_o,
    output logic [$clog2(SWITCH_DIGITS)-1:0]      digit_o,
    input  logic [DEGREE-1:0][SWITCH_LOG2_BASE:0] row_i,

    input  logic        ready_i,  // there is a place for a ciphertext
    output logic        valid_o,
    output logic [31:0] word_o,   // mask, then body
    output logic        last_o,   // the body
    output logic        flush_o
);
  localparam int unsigned LOG_DEGREE = $clog2(DEGREE);
  localparam int unsigned BLOCK_BITS = LOG_N - LOG_DEGREE;
  localparam int unsigned DIGIT_BITS = $clog2(SWITCH_DIGITS);
  localparam int unsigned ROWS = 2 ** BLOCK_BITS * SWITCH_DIGITS;
  localparam int unsigned GROUPS = (LWE_DIM / DEGREE + POLYS - 1) / POLYS;
  localparam int unsigned GROUP_BITS = $clog2(GROUPS + 1);
  localparam int unsigned DEPTH = ROWS * (GROUPS + 1);
  localparam int unsigned LANES = POLYS * DEGREE;
  localparam int unsigned DOT_CLOCKS = 2 + LOG_DEGREE;

  if (LWE_DIM % DEGREE != 0) begin : gen_dimension_refused
    $error("blocks of %0d don't suit a dimension of %0d", DEGREE, LWE_DIM);
  end
  if (LANES > ROWS) begin : gen_rows_refused
    $error("%0d words don't leave while %0d rows are summed", LANES, ROWS);
  end

  // The place in the key, row by row.
  logic busy_q, last_digit, last_row, last_group, draining;
  logic [BLOCK_BITS-1:0] block_q;
  logic [DIGIT_BITS-1:0] digit_q;
  logic [GROUP_BITS-1:0] group_q;
  logic [$clog2(DEPTH)-1:0] at_q;
  logic [LANES-1:0][31:0] key_word;
  logic loaded, begins, ends, ended_q;
  assign last_digit = digit_q == DIGIT_BITS'(SWITCH_DIGITS - 1);
  assign last_row = last_digit && block_q == '1;
  assign last_group = group_q == GROUP_BITS'(GROUPS);
  assign begins = !busy_q && !ended_q && !draining && filled_i && ready_i && loaded;
  assign ends = busy_q && last_row && last_group;

  switch_key #(.WIDTH(LANES * 32), .DEPTH(DEPTH)) u_key (
      .clk_i, .rst_ni,
      .s_tdata_i(s_key_tdata_i), .s_tvalid_i(s_key_tvalid_i), .s_tready_o(s_key_tready_o),
      .loaded_o(loaded), .at_i(at_q), .word_o(key_word));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      ended_q <= 1'b0;
    end else begin
      if (begins) busy_q <= 1'b1;
      if (ends) busy_q <= 1'b0;
      ended_q <= ends;
    end
    if (begins || !rst_ni) begin
      block_q <= '0;
      digit_q <= '0;
      group_q <= '0;
      at_q <= '0;
    end else if (busy_q) begin
      digit_q <= last_digit ? '0 : digit_q + DIGIT_BITS'(1);
      if (last_digit) block_q <= block_q + BLOCK_BITS'(1);
      if (last_row) group_q <= group_q + GROUP_BITS'(1);
      at_q <= at_q + 1'b1;
    end
  end
  assign block_o = block_q;
  assign digit_o = digit_q;
  // The row of the last clock is read with it.
  assign release_o = ended_q;

  // What the products are of: the first row of a group, the last, the group of bodies.
  logic first, first_q, row_last_q, body_q;
  logic [DOT_CLOCKS:0][2:0] tag_q;
  assign first = busy_q && digit_q == '0 && block_q == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) tag_q <= '0;
    else tag_q <= {tag_q[DOT_CLOCKS-1:0], {first, busy_q && last_row, ends}};
  end
  assign {first_q, row_last_q, body_q} = tag_q[DOT_CLOCKS];

  // Sums of all lanes, and the line in which they leave.
  logic [LANES:0][31:0] leaving;
  assign leaving[LANES] = 32'd0;
  for (genvar lane = 0; lane < LANES; lane++) begin : gen_lane
    localparam int unsigned M = lane % DEGREE;
    logic [DEGREE-1:0][31:0] words;
    for (genvar r = 0; r < DEGREE; r++) begin : gen_word
      assign words[r] = key_word[lane/DEGREE*DEGREE+(r+DEGREE-M)%DEGREE];
    end
    switch_lane #(.DEGREE(DEGREE), .SWITCH_LOG2_BASE(SWITCH_LOG2_BASE), .NEGATIVE(M)) u_lane (
        .clk_i, .word_i(words), .digit_i(row_i), .first_i(first_q), .last_i(row_last_q),
        .behind_i(leaving[lane+1]), .leaving_o(leaving[lane]));
  end

  // Words that are still to leave.
  logic [$clog2(LANES+1)-1:0] left_q;
  logic leaving_body_q, flush_q;
  logic [31:0] small_body_q;
  logic [$clog2(LWE_DIM+1)-1:0] mask_left_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= '0;
      leaving_body_q <= 1'b0;
      mask_left_q <= '0;
    end else begin
      if (begins) mask_left_q <= ($clog2(LWE_DIM + 1))'(LWE_DIM);
      else if (valid_o && !last_o) mask_left_q <= mask_left_q - 1'b1;
      if (row_last_q) begin
        leaving_body_q <= body_q;
        left_q <= body_q ? 1 : ($clog2(LANES + 1))'(LANES);
      end else if (left_q != '0) begin
        left_q <= left_q - 1'b1;
      end
    end
    if (begins) begin
      small_body_q <= body_i;
      flush_q <= flush_i;
    end
  end

  // The last group may be of fewer polynomials.
  assign valid_o = left_q != '0 && (leaving_body_q || mask_left_q != '0);
  assign last_o = leaving_body_q;
  assign flush_o = flush_q;
  assign word_o = leaving[0] + (leaving_body_q ? small_body_q : 32'd0);
  // From the last row until a clock after the body has left: by then `ready_i` counts this ciphertext.
  logic draining_q, left_last_q;
  always_ff @(posedge clk_i) begin
    left_last_q <= valid_o && last_o;
    if (!rst_ni) draining_q <= 1'b0;
    else if (ends) draining_q <= 1'b1;
    else if (left_last_q) draining_q <= 1'b0;
  end
  assign draining = draining_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && row_last_q) assert (left_q <= 1) else $error("%0d words are still to leave", left_q);
  end
`endif

endmodule
