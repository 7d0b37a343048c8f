// One step of a rotation, by itself.
module bench_step #(
    parameter int unsigned LOG_N = 6,
    parameter int unsigned LOG_P = 3,
    parameter int unsigned HIGH = 20,
    parameter int unsigned DIGITS = 6
) (
    input  logic                              clk_i,
    input  logic [LOG_N-LOG_P-1:0]            phase_i,
    input  logic [2**LOG_P*HIGH-1:0]          x_i,
    input  logic [2*LOG_N+1:0]                exponent_i,
    input  logic [DIGITS*4*2**LOG_P*HIGH-1:0] key_i,
    output logic [2**LOG_P*HIGH-1:0]          x_o
);
  localparam int unsigned P = 2 ** LOG_P;

  logic [HIGH-1:0] x[P], out[P];
  logic [LOG_N:0] exponent[2];
  always_comb begin
    for (int i = 0; i < P; i = i + 1) begin
      x[i] = x_i[i*HIGH+:HIGH];
      x_o[i*HIGH+:HIGH] = out[i];
    end
    exponent[0] = exponent_i[LOG_N:0];
    exponent[1] = exponent_i[2*LOG_N+1:LOG_N+1];
  end
  step #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .DIGITS(DIGITS)) u_step (
      .clk_i, .phase_i, .x_i(x), .exponent_i(exponent), .key_i, .x_o(out));

endmodule
