// LANES times a + b mod Q, of residues below Q = 2^HIGH - 2^LOW + 1.
//
// Combinational.
module mod_add #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic [HIGH-1:0] a_i[LANES],
    input  logic [HIGH-1:0] b_i[LANES],
    output logic [HIGH-1:0] residue_o[LANES]
);

  // Less Q is 2^LOW - 1 more, modulo 2^HIGH.
  logic [HIGH:0] sum;
  logic over;
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      sum = {1'b0, a_i[i]} + {1'b0, b_i[i]};
      over = sum[HIGH] || (&sum[HIGH-1:LOW] && sum[LOW-1:0] != '0);
      residue_o[i] = sum[HIGH-1:0] + (over ? HIGH'(2 ** LOW - 1) : '0);
    end
  end

endmodule
