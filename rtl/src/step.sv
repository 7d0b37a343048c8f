// One step of a blind rotation, P coefficients a clock: the accumulator's digits times the bundle of the step's keys.
//
//     decompose - forward transforms ------ multiply-accumulate - inverse transform
//                                                    |
//     exponents - powers of the root - bundle of the keys
//
// Clock 0 has the first coefficients; those of the accumulator that follows may come T clocks later. Exponents and keys
// are taken late: exponents from clock ntru_pkg::bundle_clock less MONOMIAL_CLOCKS on, for all of a polynomial's
// clocks, keys from clock ntru_pkg::bundle_clock on.
//
// Latency: ntru_pkg::step_clocks less 1.
module step #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter int unsigned DIGITS = 6,
    parameter int unsigned LOG2_BASE = 3,
    parameter int unsigned DROPPED = 2,
    parameter int unsigned BLOCK = 0,  // bits of a one-hot block of the small secret, or 0: two bits with four keys
    localparam int unsigned EXPONENTS = ntru_pkg::step_exponents(BLOCK),
    localparam int unsigned KEYS = ntru_pkg::step_keys(BLOCK)
) (
    input  logic                                                clk_i,
    input  logic [LOG_N-LOG_P-1:0]                              phase_i,  // t of what is at the input
    input  logic [HIGH-1:0]                                     x_i[2**LOG_P],
    input  logic [LOG_N:0]                                      exponent_i[EXPONENTS],
    input  logic [DIGITS-1:0][KEYS-1:0][2**LOG_P-1:0][HIGH-1:0] key_i,
    output logic [HIGH-1:0]                                     x_o[2**LOG_P]
);
  localparam int unsigned P = 2 ** LOG_P;
  localparam int unsigned LOG_T = LOG_N - LOG_P;

  // The clock at which a stage has its operands.
  localparam int unsigned FORWARD_AT = ntru_pkg::DECOMPOSE_CLOCKS;
  localparam int unsigned MONOMIALS_AT = ntru_pkg::bundle_clock(LOG_N, LOG_P, BLOCK) - ntru_pkg::MONOMIAL_CLOCKS;
  localparam int unsigned INVERSE_AT =
      FORWARD_AT + ntru_pkg::transform_clocks(LOG_N, LOG_P) + ntru_pkg::accumulate_clocks(DIGITS);

  // Digits and their transforms.
  logic [HIGH-1:0] digit[DIGITS][P], transformed[DIGITS][P];
  decompose #(
      .LANES(P), .HIGH(HIGH), .LOW(LOW), .DIGITS(DIGITS), .LOG2_BASE(LOG2_BASE), .DROPPED(DROPPED)
  ) u_decompose (.clk_i, .x_i, .digit_o(digit));
  for (genvar i = 0; i < DIGITS; i++) begin : gen_forward
    ntt_forward #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_forward (
        .clk_i, .phase_i(phase_i - LOG_T'(FORWARD_AT)), .x_i(digit[i]), .y_o(transformed[i]));
  end

  // Products with the bundle.
  logic [HIGH-1:0] monomial[EXPONENTS][P], turn[EXPONENTS][P], row[DIGITS][P], sum[P], zero[P];
  monomials #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW), .EXPONENTS(EXPONENTS)) u_monomials (
      .clk_i, .phase_i(phase_i - LOG_T'(MONOMIALS_AT)), .exponent_i, .value_o(monomial));
  for (genvar e = 0; e < EXPONENTS; e++) begin : gen_turn
    // Of two bits, the first one's power is for the second product.
    delay_line #(.LANES(P), .WIDTH(HIGH), .DEPTH(BLOCK == 0 && e == 0 ? ntru_pkg::MULTIPLY_CLOCKS : 0)) u_turn (
        .clk_i, .d_i(monomial[e]), .q_o(turn[e]));
  end
  for (genvar i = 0; i < DIGITS; i++) begin : gen_row
    logic [HIGH-1:0] keys[KEYS][P];
    always_comb begin
      for (int k = 0; k < KEYS; k = k + 1) begin
        for (int p = 0; p < P; p = p + 1) keys[k][p] = key_i[i][k][p];
      end
    end
    if (BLOCK == 0) begin : gen_pair
      bundle_pair #(.LANES(P), .HIGH(HIGH), .LOW(LOW)) u_bundle (
          .clk_i, .x_i(turn), .key_i(keys), .bundle_o(row[i]));
    end else begin : gen_block
      bundle_block #(.LANES(P), .HIGH(HIGH), .LOW(LOW), .BLOCK(BLOCK)) u_bundle (
          .clk_i, .x_i(turn), .key_i(keys), .bundle_o(row[i]));
    end
  end
  assign zero = '{default: '0};
  multiply_accumulate #(.LANES(P), .HIGH(HIGH), .LOW(LOW), .PRODUCTS(DIGITS)) u_accumulate (
      .clk_i, .a_i(transformed), .b_i(row), .c_i(zero), .sum_o(sum));

  ntt_inverse #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_inverse (
      .clk_i, .phase_i(phase_i - LOG_T'(INVERSE_AT)), .x_i(sum), .y_o(x_o));

endmodule
