// One coefficient of a product with a row of the key switch: the sum of DEGREE words, each times its small signed
// digit, modulo 2^32. Words from NEGATIVE on have the digit as it is, those below its negative.
//
// Latency: 2 + log2 of DEGREE. A negative term is its complement, and their number is added in the end.
module switch_dot #(
    parameter int unsigned DEGREE = 32,
    parameter int unsigned SWITCH_LOG2_BASE = 1,
    parameter int unsigned NEGATIVE = 0
) (
    input  logic                                  clk_i,
    input  logic [DEGREE-1:0][31:0]               word_i,
    input  logic [DEGREE-1:0][SWITCH_LOG2_BASE:0] digit_i,
    output logic [31:0]                           sum_o
);
  localparam int unsigned LEVELS = $clog2(DEGREE);

  if (SWITCH_LOG2_BASE < 1 || SWITCH_LOG2_BASE > 2) begin : gen_refused
    $error("digits of %0d bits need multipliers", SWITCH_LOG2_BASE);
  end

  logic [LEVELS:0][DEGREE-1:0][31:0] sum_q;
  logic [LEVELS:0][LEVELS:0] negatives_q;
  logic [DEGREE-1:0][31:0] term;
  logic [DEGREE-1:0] negative;
  logic [LEVELS:0] negatives;

  for (genvar r = 0; r < DEGREE; r++) begin : gen_term
    logic two;
    // For bits two, a digit of +-2: its lowest bit is clear, and it is not zero.
    assign two = digit_i[r] != '0 && !digit_i[r][0];
    assign negative[r] = digit_i[r] != '0 && (digit_i[r][SWITCH_LOG2_BASE] ^ (r < NEGATIVE));
    assign term[r] = digit_i[r] == '0 ? '0 : (two ? {word_i[r][30:0], 1'b0} : word_i[r]) ^ {32{negative[r]}};
  end
  always_comb begin
    negatives = '0;
    for (int r = 0; r < DEGREE; r = r + 1) negatives = negatives + (LEVELS + 1)'(negative[r]);
  end

  always_ff @(posedge clk_i) begin
    sum_q <= '0;
    sum_q[0] <= term;
    negatives_q <= {negatives_q[LEVELS-1:0], negatives};
    for (int level = 0; level < LEVELS; level = level + 1) begin
      for (int i = 0; i < DEGREE >> (level + 1); i = i + 1)
        sum_q[level+1][i] <= sum_q[level][2*i] + sum_q[level][2*i+1];
    end
    sum_o <= sum_q[LEVELS][0] + 32'(negatives_q[LEVELS]);
  end

endmodule
