// The bootstrapping key's streamer: it takes the keys of steps from an AXI stream, ahead by up to two steps, and gives
// them to every ciphertext of a batch, all rows of P values a clock.
//
// A clock's rows come in BEATS beats, rows in order; of a row its KEYS keys, of a key its lanes. While one step's keys
// are read, those of the next are written to the other bank; where they are not there in time, `ready_o` stays low and
// the pipeline waits.
//
// Latency of reads: 1.
module key_buffer #(
    parameter int unsigned LOG_T  = 4,
    parameter int unsigned LOG_P  = 6,
    parameter int unsigned HIGH   = 20,
    parameter int unsigned DIGITS = 6,
    parameter int unsigned BEATS  = 6,
    parameter int unsigned KEYS   = 4
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [DIGITS/BEATS*KEYS*2**LOG_P*HIGH-1:0] s_tdata_i,
    input  logic                                       s_tvalid_i,
    output logic                                       s_tready_o,

    output logic ready_o,    // the next step's keys are here
    input  logic take_i,     // a step begins
    input  logic release_i,  // a step's keys were read for the last time

    input  logic                                         bank_i,   // the step's parity
    input  logic [LOG_T-1:0]                             phase_i,  // t
    output logic [DIGITS-1:0][KEYS-1:0][2**LOG_P-1:0][HIGH-1:0] key_o
);
  localparam int unsigned WIDTH = DIGITS / BEATS * KEYS * 2 ** LOG_P * HIGH;
  localparam int unsigned BEAT_BITS = BEATS > 1 ? $clog2(BEATS) : 1;

  if (BEATS == 0 || DIGITS % BEATS != 0) begin : gen_refused
    $error("%0d rows don't come in %0d beats", DIGITS, BEATS);
  end

  logic [1:0] filled_q, free_q;  // steps
  logic [BEAT_BITS-1:0] beat_q;
  logic [LOG_T-1:0] clock_q;
  logic bank_q, write, step_done;

  assign s_tready_o = free_q != 2'd0;
  assign ready_o = filled_q != 2'd0;
  assign write = s_tvalid_i && s_tready_o;
  assign step_done = write && beat_q == BEAT_BITS'(BEATS - 1) && clock_q == '1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      filled_q <= 2'd0;
      free_q <= 2'd2;
      beat_q <= '0;
      clock_q <= '0;
      bank_q <= 1'b0;
    end else begin
      filled_q <= filled_q + 2'(step_done) - 2'(take_i);
      free_q <= free_q + 2'(release_i) - 2'(step_done);
      if (write) begin
        beat_q <= beat_q == BEAT_BITS'(BEATS - 1) ? '0 : beat_q + BEAT_BITS'(1);
        if (beat_q == BEAT_BITS'(BEATS - 1)) clock_q <= clock_q + LOG_T'(1);
        if (step_done) bank_q <= !bank_q;
      end
    end
  end

  for (genvar beat = 0; beat < BEATS; beat++) begin : gen_rows
    logic [WIDTH-1:0] words[2**(LOG_T+1)];
    always_ff @(posedge clk_i) begin
      if (write && beat_q == BEAT_BITS'(beat)) words[{bank_q, clock_q}] <= s_tdata_i;
      key_o[beat*(DIGITS/BEATS)+:DIGITS/BEATS] <= words[{bank_i, phase_i}];
    end
  end

`ifndef SYNTHESIS
  logic [WIDTH-1:0] held_q;
  logic waiting_q;
  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && s_tvalid_i && !s_tready_o;
    held_q <= s_tdata_i;
    if (rst_ni) begin
      assert (!take_i || ready_o) else $error("a step begins without keys");
      assert (!release_i || free_q < 2'd2) else $error("more keys are released than there are");
      if (waiting_q) assert (s_tvalid_i && s_tdata_i == held_q) else $error("a beat changed before it was taken");
    end
  end
`endif

endmodule
