// Exponents of two batches: one is rotated while the other is filled, ciphertext by ciphertext. A batch is ready when
// it is full, or after a ciphertext that came with `flush`.
//
// Latency of reads: 1.
module exponent_buffer #(
    parameter int unsigned LOG_N   = 10,
    parameter int unsigned LWE_DIM = 640,
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
    input  logic [$clog2(LWE_DIM/2)-1:0] step_i,
    output logic [LOG_N:0]           pair_o[2],      // a, b
    input  logic                     body_bank_i,
    input  logic [$clog2(SLOTS)-1:0] body_slot_i,
    output logic [LOG_N:0]           body_o,        // without latency
    output logic                     used_o,        // the batch has this ciphertext, without latency
    input  logic                     take_i         // a batch begins
);
  localparam int unsigned SLOT_BITS = $clog2(SLOTS);
  localparam int unsigned STEPS = LWE_DIM / 2;
  localparam int unsigned STEP_BITS = $clog2(STEPS);

  if (LWE_DIM % 2 != 0 || LWE_DIM < 4) begin : gen_refused
    $error("two bits a step: a dimension of %0d is not even, or too small", LWE_DIM);
  end

  logic [2*LOG_N+1:0] pairs[2*SLOTS*STEPS];
  logic [LOG_N:0] bodies[2*SLOTS];

  logic [1:0] ready_q, free_q;  // batches
  logic [1:0][SLOT_BITS:0] count_q;
  logic bank_q, odd_q, end_of_batch;
  logic [SLOT_BITS-1:0] slot_q;
  logic [STEP_BITS-1:0] step_q;
  logic [LOG_N:0] first_q;

  // Places in the memories.
  function automatic logic [SLOT_BITS:0] slot_at(input logic bank, input logic [SLOT_BITS-1:0] slot);
    slot_at = (SLOT_BITS + 1)'(slot) + (bank ? (SLOT_BITS + 1)'(SLOTS) : '0);
  endfunction
  localparam int unsigned PAIR_BITS = $clog2(2 * SLOTS * STEPS);
  function automatic logic [PAIR_BITS-1:0] pair_at(
      input logic bank, input logic [SLOT_BITS-1:0] slot, input logic [STEP_BITS-1:0] step);
    pair_at = PAIR_BITS'(slot_at(bank, slot)) * PAIR_BITS'(STEPS) + PAIR_BITS'(step);
  endfunction

  assign ready_o = free_q != 2'd0;
  assign batch_ready_o = ready_q != 2'd0;
  assign end_of_batch = valid_i && body_i && (flush_i || slot_q == SLOT_BITS'(SLOTS - 1));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_q <= 2'd0;
      free_q <= 2'd2;
      bank_q <= 1'b0;
      slot_q <= '0;
      step_q <= '0;
      odd_q <= 1'b0;
      count_q <= '0;
    end else begin
      ready_q <= ready_q + 2'(end_of_batch) - 2'(take_i);
      free_q <= free_q + 2'(release_i) - 2'(end_of_batch);
      if (valid_i) begin
        odd_q <= !odd_q && !body_i;
        if (body_i) step_q <= '0;
        else if (odd_q) step_q <= step_q + STEP_BITS'(1);
        if (body_i) slot_q <= end_of_batch ? '0 : slot_q + SLOT_BITS'(1);
      end
      if (end_of_batch) begin
        bank_q <= !bank_q;
        count_q[bank_q] <= (SLOT_BITS + 1)'(slot_q) + (SLOT_BITS + 1)'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !odd_q) first_q <= exponent_i;
    if (valid_i && odd_q) pairs[pair_at(bank_q, slot_q, step_q)] <= {exponent_i, first_q};
    if (valid_i && body_i) bodies[slot_at(bank_q, slot_q)] <= exponent_i;
    {pair_o[1], pair_o[0]} <= pairs[pair_at(bank_i, slot_i, step_i)];
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
