// The transforms of X^e for EXPONENTS exponents e, P values a clock in the order of ntt_forward: value i is
// psi^((2*rev(i) + 1)*e).
//
// Lanes 2p and 2p+1 have i = 2*(p*T + t) and one more, for which the exponent of psi is
//
//     (2*rev(p) + 1)*e + P*rev(t)*e,
//
// and N*e more: the second lane has the first one's value, negated for odd exponents. So a table of powers of psi, with
// two ports, serves two lanes and two exponents.
//
// Latency: ntru_pkg::MONOMIAL_CLOCKS (4): products with the exponents, their sum, the table, the sign.
module monomials #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14,
    parameter int unsigned EXPONENTS = 2
) (
    input  logic                   clk_i,
    input  logic [LOG_N-LOG_P-1:0] phase_i,               // t
    input  logic [LOG_N:0]         exponent_i[EXPONENTS],
    output logic [HIGH-1:0]        value_o[EXPONENTS][2**LOG_P]
);
  localparam int unsigned PAIRS = 2 ** (LOG_P - 1);
  localparam int unsigned LOG_T = LOG_N - LOG_P;
  localparam int unsigned TABLES = (EXPONENTS + 1) / 2;
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);
  localparam logic [63:0] PSI = ntru_pkg::root(LOG_N, Q);

  // rev(t)*exponent modulo 2T, and whether exponents are odd.
  logic [LOG_T:0] late[EXPONENTS], late_q[EXPONENTS];
  logic [EXPONENTS-1:0] odd, odd_q, odd_q2, odd_q3;
  always_comb begin
    for (int e = 0; e < EXPONENTS; e = e + 1) begin
      odd[e] = exponent_i[e][0];
      late[e] = '0;
      for (int k = 0; k < LOG_T; k = k + 1) begin
        if (phase_i[k]) late[e] = late[e] + (exponent_i[e][LOG_T:0] << (LOG_T - 1 - k));
      end
    end
  end
  always_ff @(posedge clk_i) begin
    late_q <= late;
    odd_q <= odd;
    odd_q2 <= odd_q;
    odd_q3 <= odd_q2;
  end

  for (genvar p = 0; p < PAIRS; p++) begin : gen_pair
    localparam int unsigned FACTOR = 2 * ntru_pkg::reversed(p, LOG_P - 1) + 1;
    logic [LOG_N:0] early[EXPONENTS], early_q[EXPONENTS], place[2*TABLES], place_q[2*TABLES];
    logic [HIGH-1:0] power[2*TABLES], negative[EXPONENTS], value[2*EXPONENTS], value_q[2*EXPONENTS];
    logic negated[2*TABLES];

    // Shifts and sums: the factor is a constant of few bits.
    always_comb begin
      place = '{default: '0};
      for (int e = 0; e < EXPONENTS; e = e + 1) begin
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

    for (genvar i = 0; i < TABLES; i++) begin : gen_table
      monomial_rom #(.LOG_N(LOG_N), .HIGH(HIGH), .LOW(LOW), .PSI(PSI)) u_rom (
          .clk_i, .exponent_i(place_q[2*i:2*i+1]), .power_o(power[2*i:2*i+1]), .negated_o(negated[2*i:2*i+1]));
    end

    always_comb begin
      for (int e = 0; e < EXPONENTS; e = e + 1) begin
        negative[e] = HIGH'(Q) - power[e];
        value[2*e] = negated[e] ? negative[e] : power[e];
        value[2*e+1] = negated[e] ^ odd_q3[e] ? negative[e] : power[e];
      end
    end
    always_ff @(posedge clk_i) value_q <= value;
    for (genvar e = 0; e < EXPONENTS; e++) begin : gen_value
      assign value_o[e][2*p] = value_q[2*e];
      assign value_o[e][2*p+1] = value_q[2*e+1];
    end
  end

endmodule
