// LANES products a*b mod Q, of residues below Q = 2^HIGH - 2^LOW + 1: a sum of one product, for butterflies. Of a
// chip's multipliers these take two each: with one each, LUTs would be what a chip has too few of.
//
// Latency: ntru_pkg::MULTIPLY_CLOCKS (6).
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

  logic [HIGH-1:0] a[1][LANES], b[1][LANES], zero[LANES];
  assign a[0] = a_i;
  assign b[0] = b_i;
  assign zero = '{default: '0};
  multiply_accumulate #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .PRODUCTS(1), .SPLIT(1'b0)) u_product (
      .clk_i, .a_i(a), .b_i(b), .c_i(zero), .sum_o(residue_o));

endmodule
