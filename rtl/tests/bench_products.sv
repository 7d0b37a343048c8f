// Products and their sums with a third operand, LANES at a time.
module bench_products #(
    parameter int unsigned LANES = 64,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic                  clk_i,
    input  logic [LANES*HIGH-1:0] a_i,
    input  logic [LANES*HIGH-1:0] b_i,
    input  logic [LANES*HIGH-1:0] c_i,
    output logic [LANES*HIGH-1:0] sum_o,      // a*b + c
    output logic [LANES*HIGH-1:0] again_o     // a*b + c from a product and an addition
);

  logic [HIGH-1:0] a[1][LANES], b[1][LANES], c[LANES], late_c[LANES], sum[LANES], product[LANES], again[LANES];
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      a[0][i] = a_i[i*HIGH+:HIGH];
      b[0][i] = b_i[i*HIGH+:HIGH];
      c[i] = c_i[i*HIGH+:HIGH];
      sum_o[i*HIGH+:HIGH] = sum[i];
      again_o[i*HIGH+:HIGH] = again[i];
    end
  end
  multiply_accumulate #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .PRODUCTS(1), .ADDEND(1'b1)) u_sum (
      .clk_i, .a_i(a), .b_i(b), .c_i(c), .sum_o(sum));
  mod_mul #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_mul (
      .clk_i, .a_i(a[0]), .b_i(b[0]), .residue_o(product));
  delay_line #(.LANES(LANES), .WIDTH(HIGH), .DEPTH(ntru_pkg::MULTIPLY_CLOCKS)) u_c (.clk_i, .d_i(c), .q_o(late_c));
  mod_add #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_add (.a_i(product), .b_i(late_c), .residue_o(again));

endmodule
