// LANES times (a*b + c) mod Q, of residues below Q = 2^HIGH - 2^LOW + 1.
//
// Latency: ntru_pkg::MULTIPLY_CLOCKS (6): operands, product, sum, and three of the reduction.
module mod_muladd #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] a_i[LANES],
    input  logic [HIGH-1:0] b_i[LANES],
    input  logic [HIGH-1:0] c_i[LANES],
    output logic [HIGH-1:0] residue_o[LANES]
);

  logic [HIGH-1:0] late_c[LANES];
  logic [2*HIGH-1:0] product[LANES], sum[LANES], sum_q[LANES];

  product #(.LANES(LANES), .HIGH(HIGH)) u_product (.clk_i, .a_i, .b_i, .product_o(product));
  delay_line #(.LANES(LANES), .WIDTH(HIGH), .DEPTH(ntru_pkg::PRODUCT_CLOCKS)) u_c (
      .clk_i, .d_i(c_i), .q_o(late_c));
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) sum[i] = product[i] + (2 * HIGH)'(late_c[i]);
  end
  always_ff @(posedge clk_i) sum_q <= sum;
  solinas_reduce #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .WIDTH(2 * HIGH)) u_reduce (
      .clk_i, .x_i(sum_q), .residue_o);

endmodule
