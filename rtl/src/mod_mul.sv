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

  logic [HIGH-1:0] a_q[LANES], b_q[LANES];
  logic [2*HIGH-1:0] product[LANES], product_q[LANES], product_q2[LANES];

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) product[i] = (2 * HIGH)'(a_q[i]) * (2 * HIGH)'(b_q[i]);
  end

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    product_q <= product;
    product_q2 <= product_q;
  end

  solinas_reduce #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .WIDTH(2 * HIGH)) u_reduce (
      .clk_i, .x_i(product_q2), .residue_o);

endmodule
