// LANES butterflies of the forward transform: (x_0 + w*x_1, x_0 - w*x_1) mod Q.
//
// Latency: ntru_pkg::BUTTERFLY_CLOCKS (7).
module butterfly_forward #(
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

  logic [HIGH-1:0] straight[LANES], turned[LANES], sum[LANES], difference[LANES];

  mod_mul #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_mul (
      .clk_i, .a_i(x1_i), .b_i(root_i), .residue_o(turned));
  delay_line #(.LANES(LANES), .WIDTH(HIGH), .DEPTH(ntru_pkg::MULTIPLY_CLOCKS)) u_straight (
      .clk_i, .d_i(x0_i), .q_o(straight));
  mod_add #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_add (.a_i(straight), .b_i(turned), .residue_o(sum));
  mod_sub #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_sub (.a_i(straight), .b_i(turned), .residue_o(difference));

  always_ff @(posedge clk_i) begin
    y0_o <= sum;
    y1_o <= difference;
  end

endmodule
