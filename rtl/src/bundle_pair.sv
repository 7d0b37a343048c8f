// The bundle of the four keys of two bits, LANES values of one row: X^a*(X^b*k_0 + k_1) + (X^b*k_2 + k_3) mod Q. Of
// secret bits s and t, keys hide s*t, s*(1 - t), (1 - s)*t and (1 - s)*(1 - t), one of which is 1.
//
// Latency: ntru_pkg::bundle_clocks (12): the inner sums, and the outer one.
module bundle_pair #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] x_i[2][LANES],    // X^a, which is taken MULTIPLY_CLOCKS later than the rest, and X^b
    input  logic [HIGH-1:0] key_i[4][LANES],
    output logic [HIGH-1:0] bundle_o[LANES]
);

  logic [HIGH-1:0] factor[3][1][LANES], turn[3][1][LANES], addend[3][LANES], sum[3][LANES];
  always_comb begin
    for (int k = 0; k < 2; k = k + 1) begin
      factor[k][0] = key_i[2*k];
      turn[k][0] = x_i[1];
      addend[k] = key_i[2*k+1];
    end
    factor[2][0] = sum[0];
    turn[2][0] = x_i[0];
    addend[2] = sum[1];
  end
  for (genvar k = 0; k < 3; k++) begin : gen_turn
    multiply_accumulate #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .PRODUCTS(1), .ADDEND(1'b1)) u_turn (
        .clk_i, .a_i(factor[k]), .b_i(turn[k]), .c_i(addend[k]), .sum_o(sum[k]));
  end
  assign bundle_o = sum[2];

endmodule
