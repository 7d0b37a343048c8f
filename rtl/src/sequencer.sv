// The order of work: of a batch step after step, of a step ciphertext after ciphertext, of a ciphertext T clocks.
//
// A step begins when the phase comes to 0 and all that it needs is there: its keys; for the first step a batch of
// exponents; for the last one a place for the results. Nothing else decides when something happens, and no value that
// is encrypted or that depends on one.
module sequencer #(
    parameter int unsigned LOG_T = 4,
    parameter int unsigned SLOTS = 12,
    parameter int unsigned STEPS = 320
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic batch_ready_i,
    input  logic key_ready_i,
    input  logic result_ready_i,
    output logic batch_take_o,
    output logic key_take_o,
    output logic result_take_o,

    output logic [LOG_T-1:0]         phase_o,   // counts all clocks modulo T
    output logic                     active_o,  // a word of a ciphertext begins its step
    output logic [$clog2(SLOTS)-1:0] slot_o,
    output logic [$clog2(STEPS)-1:0] step_o,
    output logic                     batch_o    // the batch's parity
);
  localparam int unsigned SLOT_BITS = $clog2(SLOTS);
  localparam int unsigned STEP_BITS = $clog2(STEPS);

  if (SLOTS < 2 || STEPS < 2) begin : gen_refused
    $error("%0d ciphertexts of %0d steps: at least two of each are needed", SLOTS, STEPS);
  end

  logic [STEP_BITS-1:0] next_step;
  logic boundary, finished, go;
  assign finished = active_o && slot_o == SLOT_BITS'(SLOTS - 1);
  assign boundary = phase_o == '1 && (!active_o || finished);
  assign next_step = !finished ? step_o : step_o == STEP_BITS'(STEPS - 1) ? '0 : step_o + STEP_BITS'(1);
  assign go = boundary && key_ready_i && (next_step != '0 || batch_ready_i)
              && (next_step != STEP_BITS'(STEPS - 1) || result_ready_i);
  assign key_take_o = go;
  assign batch_take_o = go && next_step == '0;
  assign result_take_o = go && next_step == STEP_BITS'(STEPS - 1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_o <= '0;
      active_o <= 1'b0;
      slot_o <= '0;
      step_o <= '0;
      batch_o <= 1'b0;
    end else begin
      phase_o <= phase_o + LOG_T'(1);
      if (boundary) begin
        active_o <= go;
        slot_o <= '0;
        step_o <= next_step;
        if (finished && step_o == STEP_BITS'(STEPS - 1)) batch_o <= !batch_o;
      end else if (phase_o == '1) begin
        slot_o <= slot_o + SLOT_BITS'(1);
      end
    end
  end

endmodule
