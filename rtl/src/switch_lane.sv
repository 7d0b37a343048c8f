// One coefficient of the key switch: the sum of a group's products, row after row, and then a place in the line of words
// that leave.
//
// Latency: that of `switch_dot` to the row's product, and 1 to the line.
module switch_lane #(
    parameter int unsigned DEGREE = 32,
    parameter int unsigned SWITCH_LOG2_BASE = 1,
    parameter int unsigned NEGATIVE = 0
) (
    input  logic                                  clk_i,
    input  logic [DEGREE-1:0][31:0]               word_i,
    input  logic [DEGREE-1:0][SWITCH_LOG2_BASE:0] digit_i,
    input  logic                                  first_i,    // the product is a group's first one
    input  logic                                  last_i,     // its last one: the sum goes to the line
    input  logic [31:0]                           behind_i,   // the next word of the line
    output logic [31:0]                           leaving_o
);

  logic [31:0] dot, sum, sum_q;
  switch_dot #(.DEGREE(DEGREE), .SWITCH_LOG2_BASE(SWITCH_LOG2_BASE), .NEGATIVE(NEGATIVE)) u_dot (
      .clk_i, .word_i, .digit_i, .sum_o(dot));
  assign sum = dot + (first_i ? 32'd0 : sum_q);
  always_ff @(posedge clk_i) begin
    sum_q <= sum;
    leaving_o <= last_i ? sum : behind_i;
  end

endmodule
