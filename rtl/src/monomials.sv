// The transforms of X^a and X^b, P values a clock in the order of ntt_forward: value i is psi^((2*rev(i) +
// 1)*exponent).
//
// Lanes 2p and 2p+1 have i = 2*(p*T + t) and one more, for which the exponent of psi is
//
//     (2*rev(p) + 1)*exponent + P*rev(t)*exponent,
//
// and N*exponent more: the second lane has the first one's value, negated for odd exponents. So a table of powers of
// psi serves two lanes.
//
// Latency: ntru_pkg::MONOMIAL_CLOCKS (4): products with the exponents, their sum, the table, the sign.
module monomials #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic                   clk_i,
    input  logic [LOG_N-LOG_P-1:0] phase_i,               // t
    input  logic [LOG_N:0]         exponent_i[2],         // a, b
    output logic [HIGH-1:0]        value_o[2][2**LOG_P]   // of X^a, of X^b
);
  localparam int unsigned PAIRS = 2 ** (LOG_P - 1);
  localparam int unsigned LOG_T = LOG_N - LOG_P;
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);
  localparam logic [63:0] PSI = ntru_pkg::root(LOG_N, Q);

  // rev(t)*exponent modulo 2T, and whether exponents are odd.
  logic [LOG_T:0] late[2], late_q[2];
  logic [1:0] odd_q, odd_q2, odd_q3;
  always_comb begin
    for (int e = 0; e < 2; e = e + 1) begin
      late[e] = '0;
      for (int k = 0; k < LOG_T; k = k + 1) begin
        if (phase_i[k]) late[e] = late[e] + (exponent_i[e][LOG_T:0] << (LOG_T - 1 - k));
      end
    end
  end
  always_ff @(posedge clk_i) begin
    late_q <= late;
    odd_q <= {exponent_i[1][0], exponent_i[0][0]};
    odd_q2 <= odd_q;
    odd_q3 <= odd_q2;
  end

  for (genvar p = 0; p < PAIRS; p++) begin : gen_pair
    localparam int unsigned FACTOR = 2 * ntru_pkg::reversed(p, LOG_P - 1) + 1;
    logic [LOG_N:0] early[2], early_q[2], place[2], place_q[2];
    logic [HIGH-1:0] power[2], negative[2], value[4], value_q[4];
    logic negated[2];

    // Shifts and sums: the factor is a constant of few bits.
    always_comb begin
      for (int e = 0; e < 2; e = e + 1) begin
        early[e] = '0;
        for (int k = 0; k < LOG_P; k = k + 1) begin
          if (FACTOR[k]) early[e] = early[e] + (exponent_i[e] << k);
        end
        place[e] = early_q[e] + {late_q[e], LOG_P'(0)};
      end
    end
    always_ff @(posedge clk_i) begin
      early_q <= early;
      place_q <= place;
    end

    monomial_rom #(.LOG_N(LOG_N), .HIGH(HIGH), .LOW(LOW), .PSI(PSI)) u_rom (
        .clk_i, .exponent_i(place_q), .power_o(power), .negated_o(negated));

    always_comb begin
      for (int e = 0; e < 2; e = e + 1) begin
        negative[e] = HIGH'(Q) - power[e];
        value[2*e] = negated[e] ? negative[e] : power[e];
        value[2*e+1] = negated[e] ^ odd_q3[e] ? negative[e] : power[e];
      end
    end
    always_ff @(posedge clk_i) value_q <= value;
    assign value_o[0][2*p] = value_q[0];
    assign value_o[0][2*p+1] = value_q[1];
    assign value_o[1][2*p] = value_q[2];
    assign value_o[1][2*p+1] = value_q[3];
  end

endmodule
