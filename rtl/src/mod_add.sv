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
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);

  logic [HIGH+1:0] sum, less_q;
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      sum = {2'b00, a_i[i]} + {2'b00, b_i[i]};
      less_q = sum - (HIGH + 2)'(Q);
      residue_o[i] = less_q[HIGH+1] ? sum[HIGH-1:0] : less_q[HIGH-1:0];
    end
  end

endmodule
