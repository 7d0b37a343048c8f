// Gates on encrypted bits: two ciphertexts and a gate's number go in, the gate's bootstrapped result comes out. Linear
// part, key switch, modulus switch, blind rotation of SLOTS ciphertexts in turns, extraction: each to the bit that of
// the library.
//
// Streams (AXI, one word a beat):
//   s_gate    words of both inputs, N of the mask and the body; tuser has the gate, and whether a batch ends with it.
//   s_switch  the key of the key switch, once, in the order of `key_switch`.
//   s_key     the bootstrapping key, for each batch once more, in the order of `key_buffer`; rows are divided by N.
//   m_result  words of results, N of the mask and the body, in the gates' order.
//
// A reset lasts RESET_CLOCKS or more, in which no stream has valid words: what knows the order of work is cleared, and
// what follows it by a delay leaves the pipeline.
module accelerator #(
    parameter int unsigned LOG_N = 10,            // log2 of the degree N
    parameter int unsigned LOG_P = 6,             // log2 of the coefficients of a clock
    parameter int unsigned HIGH = 20,             // the prime is 2^HIGH - 2^LOW + 1
    parameter int unsigned LOW = 14,
    parameter int unsigned DIGITS = 6,            // digits of accumulators
    parameter int unsigned LOG2_BASE = 3,
    parameter int unsigned DROPPED = 2,
    parameter int unsigned LWE_DIM = 640,         // the small dimension n
    parameter int unsigned BLOCK = 0,             // bits of which one is 1, a step's; 0: any bits, two a step
    parameter int unsigned SWITCH_DEGREE = 32,    // the key switch: degree of its ring, digits, polynomials of a clock
    parameter int unsigned SWITCH_DIGITS = 12,
    parameter int unsigned SWITCH_LOG2_BASE = 1,
    parameter int unsigned SWITCH_POLYS = 2,
    parameter int unsigned SLOTS /*verilator public*/ = ntru_pkg::slots(LOG_N, LOG_P, DIGITS),
    parameter int unsigned KEY_BEATS = ntru_pkg::key_beats(LOG_N, LOG_P, DIGITS, BLOCK),
    localparam int unsigned KEYS = ntru_pkg::step_keys(BLOCK)
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [127:0]     s_gate_tdata_i,
    input  logic [4:0]       s_gate_tuser_i,
    input  logic             s_gate_tlast_i,
    input  logic             s_gate_tvalid_i,
    output logic             s_gate_tready_o,

    input  logic [SWITCH_POLYS*SWITCH_DEGREE*32-1:0] s_switch_tdata_i,
    input  logic                                     s_switch_tvalid_i,
    output logic                                     s_switch_tready_o,

    input  logic [DIGITS/KEY_BEATS*KEYS*2**LOG_P*HIGH-1:0] s_key_tdata_i,
    input  logic                                           s_key_tvalid_i,
    output logic                                           s_key_tready_o,

    output logic [63:0] m_result_tdata_o,
    output logic        m_result_tlast_o,
    output logic        m_result_tvalid_o,
    input  logic        m_result_tready_i
);
  localparam int unsigned RESET_CLOCKS /*verilator public*/ = ntru_pkg::step_clocks(LOG_N, LOG_P, DIGITS) + 1;
  localparam int unsigned BLOCK_BITS = LOG_N - $clog2(SWITCH_DEGREE);
  localparam int unsigned DIGIT_BITS = $clog2(SWITCH_DIGITS);

  // The linear part, and its digits.
  logic digits_ready, digits_valid, digits_last, digits_flush;
  logic [LOG_N-1:0] digits_index;
  logic [SWITCH_DIGITS-1:0][SWITCH_LOG2_BASE:0] digits;
  logic [31:0] digits_body;
  gate_input #(
      .LOG_N(LOG_N), .SWITCH_DIGITS(SWITCH_DIGITS), .SWITCH_LOG2_BASE(SWITCH_LOG2_BASE)
  ) u_input (
      .clk_i, .rst_ni,
      .s_tdata_i(s_gate_tdata_i), .s_tuser_i(s_gate_tuser_i), .s_tlast_i(s_gate_tlast_i),
      .s_tvalid_i(s_gate_tvalid_i), .s_tready_o(s_gate_tready_o),
      .ready_i(digits_ready), .valid_o(digits_valid), .index_o(digits_index), .digits_o(digits),
      .last_o(digits_last), .body_o(digits_body), .flush_o(digits_flush));

  logic filled, released, switch_flush;
  logic [31:0] switch_body;
  logic [BLOCK_BITS-1:0] block;
  logic [DIGIT_BITS-1:0] digit;
  logic [SWITCH_DEGREE-1:0][SWITCH_LOG2_BASE:0] row;
  switch_digits #(
      .LOG_N(LOG_N), .DEGREE(SWITCH_DEGREE), .SWITCH_DIGITS(SWITCH_DIGITS), .SWITCH_LOG2_BASE(SWITCH_LOG2_BASE)
  ) u_digits (
      .clk_i, .rst_ni,
      .ready_o(digits_ready), .valid_i(digits_valid), .index_i(digits_index), .digits_i(digits),
      .last_i(digits_last), .body_i(digits_body), .flush_i(digits_flush),
      .filled_o(filled), .release_i(released), .body_o(switch_body), .flush_o(switch_flush),
      .block_i(block), .digit_i(digit), .row_o(row));

  // Key switch and modulus switch.
  logic exponents_ready, word_valid, word_last, word_flush, exponent_valid, exponent_last, exponent_flush;
  logic [31:0] word;
  logic [LOG_N:0] exponent;
  key_switch #(
      .LOG_N(LOG_N), .LWE_DIM(LWE_DIM), .DEGREE(SWITCH_DEGREE), .SWITCH_DIGITS(SWITCH_DIGITS),
      .SWITCH_LOG2_BASE(SWITCH_LOG2_BASE), .POLYS(SWITCH_POLYS)
  ) u_switch (
      .clk_i, .rst_ni,
      .s_key_tdata_i(s_switch_tdata_i), .s_key_tvalid_i(s_switch_tvalid_i), .s_key_tready_o(s_switch_tready_o),
      .filled_i(filled), .release_o(released), .body_i(switch_body), .flush_i(switch_flush),
      .block_o(block), .digit_o(digit), .row_i(row),
      .ready_i(exponents_ready), .valid_o(word_valid), .word_o(word), .last_o(word_last), .flush_o(word_flush));
  modulus_switch #(.LOG_N(LOG_N), .LWE_DIM(LWE_DIM), .LOG2_MEAN(BLOCK == 0 ? 1 : $clog2(BLOCK))) u_modulus (
      .clk_i, .rst_ni,
      .valid_i(word_valid), .word_i(word), .last_i(word_last), .flush_i(word_flush),
      .valid_o(exponent_valid), .exponent_o(exponent), .last_o(exponent_last), .flush_o(exponent_flush));
  logic step_exponent_valid;
  logic [LOG_N:0] step_exponent;
  if (BLOCK == 0) begin : gen_pairs
    assign {step_exponent_valid, step_exponent} = {exponent_valid, exponent};
  end else begin : gen_blocks
    relative_exponents #(.LOG_N(LOG_N), .BLOCK(BLOCK)) u_relative (
        .clk_i, .rst_ni,
        .valid_i(exponent_valid), .exponent_i(exponent), .last_i(exponent_last),
        .valid_o(step_exponent_valid), .exponent_o(step_exponent));
  end

  // Blind rotation and extraction.
  logic result_ready, result_take, result_write, result_used;
  logic [$clog2(SLOTS)-1:0] result_slot;
  logic [LOG_N-LOG_P-1:0] result_phase;
  logic [2**LOG_P-1:0][HIGH-1:0] result;
  blind_rotation #(
      .LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW), .DIGITS(DIGITS), .LOG2_BASE(LOG2_BASE),
      .DROPPED(DROPPED), .LWE_DIM(LWE_DIM), .BLOCK(BLOCK), .SLOTS(SLOTS), .KEY_BEATS(KEY_BEATS)
  ) u_rotation (
      .clk_i, .rst_ni,
      .s_key_tdata_i, .s_key_tvalid_i, .s_key_tready_o,
      .ready_o(exponents_ready), .valid_i(step_exponent_valid), .exponent_i(step_exponent), .body_i(exponent_last),
      .flush_i(exponent_flush),
      .result_ready_i(result_ready), .result_take_o(result_take), .result_write_o(result_write),
      .result_used_o(result_used), .result_slot_o(result_slot), .result_phase_o(result_phase), .result_o(result));
  extract #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW), .SLOTS(SLOTS)) u_extract (
      .clk_i, .rst_ni,
      .ready_o(result_ready), .take_i(result_take), .write_i(result_write), .used_i(result_used),
      .slot_i(result_slot), .phase_i(result_phase), .x_i(result),
      .m_tdata_o(m_result_tdata_o), .m_tlast_o(m_result_tlast_o), .m_tvalid_o(m_result_tvalid_o),
      .m_tready_i(m_result_tready_i));

`ifndef SYNTHESIS
  logic resetting_q;
  logic [$clog2(RESET_CLOCKS+1)-1:0] reset_q;
  always_ff @(posedge clk_i) begin
    resetting_q <= !rst_ni;
    if (rst_ni) reset_q <= '0;
    else if (32'(reset_q) != RESET_CLOCKS) reset_q <= reset_q + 1'b1;
    if (rst_ni && resetting_q)
      assert (32'(reset_q) == RESET_CLOCKS) else $error("a reset of %0d clocks is too short", reset_q);
  end
`endif

endmodule
