// Powers of psi, the root of unity of order 2N, at two places: psi^exponent, or its negative by the exponent's highest
// bit, which is given beside it.
//
// Latency: 1. One block RAM with two ports for N = 1024.
module monomial_rom #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter logic [63:0] PSI = 64'd1
) (
    input  logic            clk_i,
    input  logic [LOG_N:0]  exponent_i[2],
    output logic [HIGH-1:0] power_o[2],   // psi^(exponent mod N)
    output logic            negated_o[2]  // exponent >= N
);
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);

  (* rom_style = "block" *)
  logic [HIGH-1:0] powers[2**LOG_N];
  initial begin : fill
    logic [63:0] power;
    power = 64'd1;
    for (int i = 0; i < 2 ** LOG_N; i = i + 1) begin
      powers[i] = HIGH'(power);
      power = (power * PSI) % Q;
    end
  end

  always_ff @(posedge clk_i) begin
    power_o[0] <= powers[exponent_i[0][LOG_N-1:0]];
    power_o[1] <= powers[exponent_i[1][LOG_N-1:0]];
    negated_o[0] <= exponent_i[0][LOG_N];
    negated_o[1] <= exponent_i[1][LOG_N];
  end

endmodule
