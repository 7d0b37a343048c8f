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

  logic [HIGH-1:0] a_q[LANES], b_q[LANES], c_q[LANES], c_q2[LANES];
  logic [2*HIGH-1:0] product[LANES], product_q[LANES], sum[LANES], sum_q[LANES];

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) product[i] = (2 * HIGH)'(a_q[i]) * (2 * HIGH)'(b_q[i]);
  end
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) sum[i] = product_q[i] + (2 * HIGH)'(c_q2[i]);
  end

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    c_q <= c_i;
    product_q <= product;
    c_q2 <= c_q;
    sum_q <= sum;
  end

  solinas_reduce #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .WIDTH(2 * HIGH)) u_reduce (
      .clk_i, .x_i(sum_q), .residue_o);

endmodule
