// One step of a rotation, by itself.
module bench_step #(
    parameter int unsigned LOG_N = 6,
    parameter int unsigned LOG_P = 3,
    parameter int unsigned HIGH = 20,
    parameter int unsigned DIGITS = 6,
    parameter int unsigned LOG2_BASE = 3,
    parameter int unsigned DROPPED = 2,
    parameter int unsigned BLOCK = 0,
    localparam int unsigned EXPONENTS = ntru_pkg::step_exponents(BLOCK),
    localparam int unsigned KEYS = ntru_pkg::step_keys(BLOCK)
) (
    input  logic                                 clk_i,
    input  logic [LOG_N-LOG_P-1:0]               phase_i,
    input  logic [2**LOG_P*HIGH-1:0]             x_i,
    input  logic [EXPONENTS*(LOG_N+1)-1:0]       exponent_i,
    input  logic [DIGITS*KEYS*2**LOG_P*HIGH-1:0] key_i,
    output logic [2**LOG_P*HIGH-1:0]             x_o
);
  localparam int unsigned P = 2 ** LOG_P;

  logic [HIGH-1:0] x[P], out[P];
  logic [LOG_N:0] exponent[EXPONENTS];
  always_comb begin
    for (int i = 0; i < P; i = i + 1) begin
      x[i] = x_i[i*HIGH+:HIGH];
      x_o[i*HIGH+:HIGH] = out[i];
    end
    for (int e = 0; e < EXPONENTS; e = e + 1) exponent[e] = exponent_i[e*(LOG_N+1)+:LOG_N+1];
  end
  step #(
      .LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .DIGITS(DIGITS), .LOG2_BASE(LOG2_BASE), .DROPPED(DROPPED),
      .BLOCK(BLOCK)
  ) u_step (
      .clk_i, .phase_i, .x_i(x), .exponent_i(exponent), .key_i, .x_o(out));

endmodule
