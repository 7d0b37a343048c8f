// The accumulator that a rotation starts from, P coefficients a clock: X^(-body) times the polynomial whose
// coefficients are all 1/8, in units of 1/Q. Coefficient j is 1/8 where (j + body) mod 2N is below N, and -1/8
// elsewhere.
//
// Lane p has coefficient p*T + t at clock t. Latency: 1.
module sign_table #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic                   clk_i,
    input  logic [LOG_N-LOG_P-1:0] phase_i,  // t
    input  logic [LOG_N:0]         body_i,
    output logic [HIGH-1:0]        x_o[2**LOG_P]
);
  localparam int unsigned P = 2 ** LOG_P;
  localparam int unsigned LOG_T = LOG_N - LOG_P;
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);
  localparam logic [63:0] EIGHTH = (Q + 64'd4) / 64'd8;

  // (j + body)/T, modulo 2P.
  logic [LOG_P:0] first, place;
  logic [HIGH-1:0] x[P];
  assign first = (LOG_P + 1)'((body_i + (LOG_N + 1)'(phase_i)) >> LOG_T);
  always_comb begin
    for (int p = 0; p < P; p = p + 1) begin
      place = first + (LOG_P + 1)'(p);
      x[p] = place[LOG_P] ? HIGH'(Q - EIGHTH) : HIGH'(EIGHTH);
    end
  end
  always_ff @(posedge clk_i) x_o <= x;

endmodule
