// LANES products a*b of residues, 2*HIGH bits each.
//
// Latency: ntru_pkg::PRODUCT_CLOCKS (2): operands, product. A multiplier of a chip has both registers in it.
module product #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH  = 20
) (
    input  logic              clk_i,
    input  logic [HIGH-1:0]   a_i[LANES],
    input  logic [HIGH-1:0]   b_i[LANES],
    output logic [2*HIGH-1:0] product_o[LANES]
);

  logic [HIGH-1:0] a_q[LANES], b_q[LANES];
  logic [2*HIGH-1:0] product[LANES];

  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) product[i] = (2 * HIGH)'(a_q[i]) * (2 * HIGH)'(b_q[i]);
  end

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    product_o <= product;
  end

endmodule
