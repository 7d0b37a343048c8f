// Blind rotation of SLOTS ciphertexts that take turns in one pipeline, in which each has T clocks a step: accumulators,
// or the table at first, go through `step` with keys and exponents, and back to the accumulators, or out at last.
//
// A step's clocks are numbered from the read of the accumulator. What a stage knows of the word before it, its time in
// the step, its ciphertext, comes from the sequencer by a delay; the time alone is the sequencer's phase less the
// stage's number, since phases never stop.
module blind_rotation #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter int unsigned DIGITS = 6,
    parameter int unsigned LOG2_BASE = 3,
    parameter int unsigned DROPPED = 2,
    parameter int unsigned LWE_DIM = 640,
    parameter int unsigned BLOCK = 0,
    parameter int unsigned SLOTS = ntru_pkg::slots(LOG_N, LOG_P, DIGITS),
    parameter int unsigned KEY_BEATS = ntru_pkg::key_beats(LOG_N, LOG_P, DIGITS, BLOCK),
    localparam int unsigned KEYS = ntru_pkg::step_keys(BLOCK)
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [DIGITS/KEY_BEATS*KEYS*2**LOG_P*HIGH-1:0] s_key_tdata_i,
    input  logic                                           s_key_tvalid_i,
    output logic                                           s_key_tready_o,

    output logic           ready_o,  // there is a place for a ciphertext's exponents
    input  logic           valid_i,
    input  logic [LOG_N:0] exponent_i,
    input  logic           body_i,
    input  logic           flush_i,

    input  logic                          result_ready_i,
    output logic                          result_take_o,
    output logic                          result_write_o,
    output logic                          result_used_o,
    output logic [$clog2(SLOTS)-1:0]      result_slot_o,
    output logic [LOG_N-LOG_P-1:0]        result_phase_o,
    output logic [2**LOG_P-1:0][HIGH-1:0] result_o
);
  localparam int unsigned P = 2 ** LOG_P;
  localparam int unsigned LOG_T = LOG_N - LOG_P;
  localparam int unsigned STEP_BLOCK = ntru_pkg::step_bits(BLOCK);
  localparam int unsigned STEPS = LWE_DIM / STEP_BLOCK;
  localparam int unsigned EXPONENTS = ntru_pkg::step_exponents(BLOCK);
  localparam int unsigned SLOT_BITS = $clog2(SLOTS);
  localparam int unsigned STEP_BITS = $clog2(STEPS);
  localparam int unsigned ADDRESS_BITS = $clog2(SLOTS * 2 ** LOG_T);

  // The clock of a step at which a stage has its operands.
  localparam int unsigned DECOMPOSE_AT = 1;
  localparam int unsigned WRITE_AT = ntru_pkg::step_clocks(LOG_N, LOG_P, DIGITS);
  localparam int unsigned BUNDLE_AT = DECOMPOSE_AT + ntru_pkg::bundle_clock(LOG_N, LOG_P, BLOCK);
  localparam int unsigned MONOMIALS_AT = BUNDLE_AT - ntru_pkg::MONOMIAL_CLOCKS;

  if (SLOTS * 2 ** LOG_T <= WRITE_AT) begin : gen_slots_refused
    $error("%0d ciphertexts of %0d clocks don't fill a pipeline of %0d", SLOTS, 2 ** LOG_T, WRITE_AT + 1);
  end
  if (LWE_DIM % STEP_BLOCK != 0) begin : gen_dimension_refused
    $error("%0d bits a step don't suit a dimension of %0d", STEP_BLOCK, LWE_DIM);
  end

  // The sequencer, and what it says at later stages.
  logic batch_ready, key_ready, batch_take, key_take, active, batch;
  logic [LOG_T-1:0] phase;
  logic [SLOT_BITS-1:0] slot;
  logic [STEP_BITS-1:0] step;
  sequencer #(.LOG_T(LOG_T), .SLOTS(SLOTS), .STEPS(STEPS)) u_sequencer (
      .clk_i, .rst_ni,
      .batch_ready_i(batch_ready), .key_ready_i(key_ready), .result_ready_i,
      .batch_take_o(batch_take), .key_take_o(key_take), .result_take_o,
      .phase_o(phase), .active_o(active), .slot_o(slot), .step_o(step), .batch_o(batch));

  logic used, used_now;
  assign used = active && used_now;

  // A clock before the monomials: the read of exponents.
  localparam int unsigned EXPONENTS_AT = MONOMIALS_AT - 1;
  logic [STEP_BITS+SLOT_BITS+1:0] early_in[1], early[1];
  logic early_active, early_batch;
  logic [SLOT_BITS-1:0] early_slot;
  logic [STEP_BITS-1:0] early_step;
  delay_line #(.WIDTH(STEP_BITS + SLOT_BITS + 2), .DEPTH(EXPONENTS_AT)) u_early (
      .clk_i, .d_i(early_in), .q_o(early));
  assign early_in[0] = {active && rst_ni, batch, slot, step};
  assign {early_active, early_batch, early_slot, early_step} = early[0];

  // Its last clock of all ends the keys of the step, and that of the last step the batch.
  localparam int unsigned KEYS_AT = BUNDLE_AT - 1;
  logic [1:0] last_read[1], released[1];
  logic key_bank, step_read, batch_read, step_released, batch_released;
  assign step_read = early_active && early_slot == SLOT_BITS'(SLOTS - 1) && phase - LOG_T'(EXPONENTS_AT) == '1;
  assign batch_read = step_read && early_step == STEP_BITS'(STEPS - 1);
  assign last_read[0] = {batch_read, step_read};
  delay_line #(.WIDTH(2), .DEPTH(KEYS_AT - EXPONENTS_AT)) u_released (.clk_i, .d_i(last_read), .q_o(released));
  assign {batch_released, step_released} = released[0] & {2{rst_ni}};

  // The parity of steps over all batches.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) key_bank <= 1'b0;
    else if (step_released) key_bank <= !key_bank;
  end

  logic [LOG_N:0] exponent[EXPONENTS];
  logic [LOG_N:0] body;
  exponent_buffer #(.LOG_N(LOG_N), .STEPS(STEPS), .EXPONENTS(EXPONENTS), .SLOTS(SLOTS)) u_exponents (
      .clk_i, .rst_ni,
      .ready_o, .valid_i, .exponent_i, .body_i, .flush_i,
      .batch_ready_o(batch_ready), .take_i(batch_take), .release_i(batch_released),
      .bank_i(early_batch), .slot_i(early_slot), .step_i(early_step), .exponent_o(exponent),
      .body_bank_i(batch), .body_slot_i(slot), .body_o(body), .used_o(used_now));

  logic [DIGITS-1:0][KEYS-1:0][P-1:0][HIGH-1:0] key;
  key_buffer #(
      .LOG_T(LOG_T), .LOG_P(LOG_P), .HIGH(HIGH), .DIGITS(DIGITS), .BEATS(KEY_BEATS), .KEYS(KEYS)
  ) u_keys (
      .clk_i, .rst_ni,
      .s_tdata_i(s_key_tdata_i), .s_tvalid_i(s_key_tvalid_i), .s_tready_o(s_key_tready_o),
      .ready_o(key_ready), .take_i(key_take), .release_i(step_released),
      .bank_i(key_bank), .phase_i(phase - LOG_T'(KEYS_AT)), .key_o(key));

  // Accumulators: those of the first step are tables.
  logic [P-1:0][HIGH-1:0] out_word, stored_word;
  logic [HIGH-1:0] table_x[P], x[P], out[P];
  logic first_q, write, last_write, used_write;
  logic [SLOT_BITS-1:0] write_slot;
  logic [LOG_T-1:0] write_phase;
  accumulator_buffer #(.LOG_T(LOG_T), .SLOTS(SLOTS), .WIDTH(P * HIGH)) u_accumulators (
      .clk_i,
      .write_i(write && !last_write), .write_at_i(ADDRESS_BITS'({write_slot, write_phase})), .d_i(out_word),
      .read_at_i(ADDRESS_BITS'({slot, phase})), .q_o(stored_word));
  sign_table #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_table (
      .clk_i, .phase_i(phase), .body_i(body), .x_o(table_x));
  always_ff @(posedge clk_i) first_q <= step == '0;
  always_comb begin
    for (int p = 0; p < P; p = p + 1) begin
      x[p] = first_q ? table_x[p] : stored_word[p];
      out_word[p] = out[p];
    end
  end

  step #(
      .LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW), .DIGITS(DIGITS), .LOG2_BASE(LOG2_BASE), .DROPPED(DROPPED),
      .BLOCK(BLOCK)
  ) u_step (
      .clk_i, .phase_i(phase - LOG_T'(DECOMPOSE_AT)), .x_i(x), .exponent_i(exponent), .key_i(key), .x_o(out));

  // Back to the accumulators, or out.
  logic [SLOT_BITS+2:0] late_in[1], late[1];
  delay_line #(.WIDTH(SLOT_BITS + 3), .DEPTH(WRITE_AT)) u_late (.clk_i, .d_i(late_in), .q_o(late));
  assign late_in[0] = {active && rst_ni, used, step == STEP_BITS'(STEPS - 1), slot};
  assign {write, used_write, last_write, write_slot} = late[0];
  assign write_phase = phase - LOG_T'(WRITE_AT);
  assign result_write_o = write && last_write && rst_ni;
  assign result_used_o = used_write;
  assign result_slot_o = write_slot;
  assign result_phase_o = write_phase;
  assign result_o = out_word;

endmodule
