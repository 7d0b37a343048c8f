// The bundle of the keys of a block of BLOCK bits, LANES values of one row: k_0 + X^(e_1)*k_1 + X^(e_2)*k_2 + ... mod
// Q, which is reduced once. Keys hide the block's bits, one of which is 1; exponents are relative to the block's first
// one (`relative_exponents`), whose key isn't turned.
//
// Latency: ntru_pkg::bundle_clocks, 6 + log2 of the block.
module bundle_block #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14,
    parameter int unsigned BLOCK = 8
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] x_i[BLOCK-1][LANES],
    input  logic [HIGH-1:0] key_i[BLOCK][LANES],
    output logic [HIGH-1:0] bundle_o[LANES]
);

  logic [HIGH-1:0] turned[BLOCK-1][LANES];
  always_comb begin
    for (int k = 0; k < BLOCK - 1; k = k + 1) turned[k] = key_i[k+1];
  end
  multiply_accumulate #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .PRODUCTS(BLOCK - 1), .ADDEND(1'b1)) u_sum (
      .clk_i, .a_i(turned), .b_i(x_i), .c_i(key_i[0]), .sum_o(bundle_o));

endmodule
