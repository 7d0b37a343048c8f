// LANES times a*b mod Q, of residues below Q = 2^HIGH - 2^LOW + 1.
//
// Latency: ntru_pkg::MULTIPLY_CLOCKS (6): operands, product twice, and three of the reduction.
module mod_mul #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] a_i[LANES],
    input  logic [HIGH-1:0] b_i[LANES],
    output logic [HIGH-1:0] residue_o[LANES]
);

  logic [2*HIGH-1:0] product[LANES], product_q[LANES];

  product #(.LANES(LANES), .HIGH(HIGH)) u_product (.clk_i, .a_i, .b_i, .product_o(product));
  always_ff @(posedge clk_i) product_q <= product;
  solinas_reduce #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .WIDTH(2 * HIGH)) u_reduce (
      .clk_i, .x_i(product_q), .residue_o);

endmodule
