// The forward transform, and the inverse one of what it gives.
module bench_transform #(
    parameter int unsigned LOG_N = 6,
    parameter int unsigned LOG_P = 3,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic                          clk_i,
    input  logic [LOG_N-LOG_P-1:0]        phase_i,
    input  logic [2**LOG_P*HIGH-1:0] x_i,
    output logic [2**LOG_P*HIGH-1:0] value_o,
    output logic [2**LOG_P*HIGH-1:0] back_o
);
  localparam int unsigned P = 2 ** LOG_P;
  localparam int unsigned LOG_T = LOG_N - LOG_P;

  logic [HIGH-1:0] x[P], value[P], back[P];
  always_comb begin
    for (int i = 0; i < P; i = i + 1) begin
      x[i] = x_i[i*HIGH+:HIGH];
      value_o[i*HIGH+:HIGH] = value[i];
      back_o[i*HIGH+:HIGH] = back[i];
    end
  end
  ntt_forward #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_forward (
      .clk_i, .phase_i, .x_i(x), .y_o(value));
  ntt_inverse #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_inverse (
      .clk_i, .phase_i(phase_i - LOG_T'(ntru_pkg::transform_clocks(LOG_N, LOG_P))), .x_i(value), .y_o(back));

endmodule
