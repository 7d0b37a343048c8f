// Exponents of two batches: one is rotated while the other is filled, ciphertext by ciphertext, EXPONENTS for a step. A batch is ready when
// it is full, or after a ciphertext that came with `flush`.
//
// Latency of reads: 1.
module exponent_buffer #(
    parameter int unsigned LOG_N   = 10,
    parameter int unsigned STEPS   = 320,
    parameter int unsigned EXPONENTS = 2,
    parameter int unsigned SLOTS   = 12
) (
    input  logic clk_i,
    input  logic rst_ni,

    // A ciphertext's exponents: the mask's in their order, then the body's, which ends it.
    output logic           ready_o,
    input  logic           valid_i,
    input  logic [LOG_N:0] exponent_i,
    input  logic           body_i,   // this is the body's exponent
    input  logic           flush_i,  // with the body's

    output logic                     batch_ready_o,
    input  logic                     release_i,     // a batch is read to its end
    input  logic                     bank_i,        // the batch's parity
    input  logic [$clog2(SLOTS)-1:0] slot_i,
    input  logic [$clog2(STEPS)-1:0] step_i,
    output logic [LOG_N:0]           exponent_o[EXPONENTS],
    input  logic                     body_bank_i,
    input  logic [$clog2(SLOTS)-1:0] body_slot_i,
    output logic [LOG_N:0]           body_o,        // without latency
    output logic                     used_o,        // the batch has this ciphertext, without latency
    input  logic                     take_i         // a batch begins
);
  localparam int unsigned SLOT_BITS = $clog2(SLOTS);
  localparam int unsigned STEP_BITS = $clog2(STEPS);
  localparam int unsigned PLACE_BITS = $clog2(EXPONENTS);

  if (EXPONENTS < 2 || STEPS < 2) begin : gen_refused
    $error("%0d steps of %0d exponents: at least two of each are needed", STEPS, EXPONENTS);
  end

  logic [EXPONENTS-1:0][LOG_N:0] rows[2*SLOTS*STEPS];
  logic [LOG_N:0] bodies[2*SLOTS];

  logic [1:0] ready_q, free_q;  // batches
  logic [1:0][SLOT_BITS:0] count_q;
  logic bank_q, end_of_row, end_of_batch;
  logic [SLOT_BITS-1:0] slot_q;
  logic [STEP_BITS-1:0] step_q;
  logic [PLACE_BITS-1:0] place_q;
  logic [EXPONENTS-1:0][LOG_N:0] row, read_q;  // a step's, the newest exponent last
  logic [EXPONENTS-1:1][LOG_N:0] row_q;

  // Places in the memories.
  function automatic logic [SLOT_BITS:0] slot_at(input logic bank, input logic [SLOT_BITS-1:0] slot);
    slot_at = (SLOT_BITS + 1)'(slot) + (bank ? (SLOT_BITS + 1)'(SLOTS) : '0);
  endfunction
  localparam int unsigned ROW_BITS = $clog2(2 * SLOTS * STEPS);
  function automatic logic [ROW_BITS-1:0] row_at(
      input logic bank, input logic [SLOT_BITS-1:0] slot, input logic [STEP_BITS-1:0] step);
    row_at = ROW_BITS'(slot_at(bank, slot)) * ROW_BITS'(STEPS) + ROW_BITS'(step);
  endfunction

  assign ready_o = free_q != 2'd0;
  assign batch_ready_o = ready_q != 2'd0;
  assign row = {exponent_i, row_q};
  assign end_of_row = valid_i && !body_i && place_q == PLACE_BITS'(EXPONENTS - 1);
  assign end_of_batch = valid_i && body_i && (flush_i || slot_q == SLOT_BITS'(SLOTS - 1));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_q <= 2'd0;
      free_q <= 2'd2;
      bank_q <= 1'b0;
      slot_q <= '0;
      step_q <= '0;
      place_q <= '0;
      count_q <= '0;
    end else begin
      ready_q <= ready_q + 2'(end_of_batch) - 2'(take_i);
      free_q <= free_q + 2'(release_i) - 2'(end_of_batch);
      if (valid_i) begin
        place_q <= body_i || end_of_row ? '0 : place_q + PLACE_BITS'(1);
        if (body_i) step_q <= '0;
        else if (end_of_row) step_q <= step_q + STEP_BITS'(1);
        if (body_i) slot_q <= end_of_batch ? '0 : slot_q + SLOT_BITS'(1);
      end
      if (end_of_batch) begin
        bank_q <= !bank_q;
        count_q[bank_q] <= (SLOT_BITS + 1)'(slot_q) + (SLOT_BITS + 1)'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !body_i) row_q <= row[EXPONENTS-1:1];
    if (end_of_row) rows[row_at(bank_q, slot_q, step_q)] <= row;
    if (valid_i && body_i) bodies[slot_at(bank_q, slot_q)] <= exponent_i;
    read_q <= rows[row_at(bank_i, slot_i, step_i)];
  end
  always_comb begin
    for (int k = 0; k < EXPONENTS; k = k + 1) exponent_o[k] = read_q[k];
  end

  assign body_o = bodies[slot_at(body_bank_i, body_slot_i)];
  assign used_o = (SLOT_BITS + 1)'(body_slot_i) < count_q[body_bank_i];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!valid_i || ready_o) else $error("exponents for a batch that has no place");
      assert (!take_i || batch_ready_o) else $error("a batch begins that is not ready");
      assert (!release_i || free_q < 2'd2) else $error("more batches are released than there are");
    end
  end
`endif

endmodule
