// LANES times a - b mod Q, of residues below Q = 2^HIGH - 2^LOW + 1.
//
// Combinational.
module mod_sub #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic [HIGH-1:0] a_i[LANES],
    input  logic [HIGH-1:0] b_i[LANES],
    output logic [HIGH-1:0] residue_o[LANES]
);
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);

  logic [HIGH:0] difference;
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      difference = {1'b0, a_i[i]} - {1'b0, b_i[i]};
      residue_o[i] = difference[HIGH-1:0] + (difference[HIGH] ? HIGH'(Q) : '0);
    end
  end

endmodule
