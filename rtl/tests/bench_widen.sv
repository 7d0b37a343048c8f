// Torus words of LANES residues at a time.
module bench_widen #(
    parameter int unsigned LANES = 64,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic                  clk_i,
    input  logic [LANES*HIGH-1:0] x_i,
    output logic [LANES*64-1:0]   word_o
);

  for (genvar i = 0; i < LANES; i++) begin : gen_lane
    widen #(.HIGH(HIGH), .LOW(LOW)) u_widen (
        .clk_i, .enable_i(1'b1), .x_i(x_i[i*HIGH+:HIGH]), .word_o(word_o[i*64+:64]));
  end

endmodule
