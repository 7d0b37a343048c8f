// LANES butterflies of the inverse transform: (x_0 + x_1, w*(x_0 - x_1)) mod Q.
//
// Latency: ntru_pkg::BUTTERFLY_CLOCKS (7). The root is taken a clock after the operands.
module butterfly_inverse #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] x0_i[LANES],
    input  logic [HIGH-1:0] x1_i[LANES],
    input  logic [HIGH-1:0] root_i[LANES],
    output logic [HIGH-1:0] y0_o[LANES],
    output logic [HIGH-1:0] y1_o[LANES]
);

  logic [HIGH-1:0] sum[LANES], difference[LANES], difference_q[LANES];

  mod_add #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_add (.a_i(x0_i), .b_i(x1_i), .residue_o(sum));
  mod_sub #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_sub (.a_i(x0_i), .b_i(x1_i), .residue_o(difference));

  always_ff @(posedge clk_i) difference_q <= difference;

  delay_line #(.LANES(LANES), .WIDTH(HIGH), .DEPTH(ntru_pkg::BUTTERFLY_CLOCKS)) u_sum (
      .clk_i, .d_i(sum), .q_o(y0_o));
  mod_mul #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_mul (
      .clk_i, .a_i(difference_q), .b_i(root_i), .residue_o(y1_o));

endmodule
