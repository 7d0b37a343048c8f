// Digits of LANES residues at a time.
module bench_decompose #(
    parameter int unsigned LANES = 64,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter int unsigned DIGITS = 6,
    parameter int unsigned LOG2_BASE = 3,
    parameter int unsigned DROPPED = 2
) (
    input  logic                         clk_i,
    input  logic [LANES*HIGH-1:0]        x_i,
    output logic [LANES*DIGITS*HIGH-1:0] digit_o
);

  logic [HIGH-1:0] x[LANES], digit[DIGITS][LANES];
  always_comb begin
    for (int i = 0; i < LANES; i = i + 1) begin
      x[i] = x_i[i*HIGH+:HIGH];
      for (int k = 0; k < DIGITS; k = k + 1) digit_o[(i*DIGITS+k)*HIGH+:HIGH] = digit[k][i];
    end
  end
  decompose #(
      .LANES(LANES), .HIGH(HIGH), .LOW(LOW), .DIGITS(DIGITS), .LOG2_BASE(LOG2_BASE), .DROPPED(DROPPED)
  ) u_decompose (.clk_i, .x_i(x), .digit_o(digit));

endmodule
