// The bundle of the four keys of a step, LANES values of one row: X^a*(X^b*k_0 + k_1) + (X^b*k_2 + k_3) mod Q. Of two
// secret bits s and t, keys hide s*t, s*(1 - t), (1 - s)*t and (1 - s)*(1 - t), one of which is 1.
//
// Latency: ntru_pkg::BUNDLE_CLOCKS (12). X^a is taken ntru_pkg::MULTIPLY_CLOCKS (6) later than the rest.
module bundle #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] x_a_i[LANES],
    input  logic [HIGH-1:0] x_b_i[LANES],
    input  logic [HIGH-1:0] key_i[4][LANES],
    output logic [HIGH-1:0] bundle_o[LANES]
);

  logic [HIGH-1:0] inner[2][LANES];
  for (genvar k = 0; k < 2; k++) begin : gen_inner
    mod_muladd #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_turn (
        .clk_i, .a_i(key_i[2*k]), .b_i(x_b_i), .c_i(key_i[2*k+1]), .residue_o(inner[k]));
  end
  mod_muladd #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW)) u_turn (
      .clk_i, .a_i(inner[0]), .b_i(x_a_i), .c_i(inner[1]), .residue_o(bundle_o));

endmodule
