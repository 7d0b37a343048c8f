// The results of a batch as LWE ciphertexts under the coefficients of the secret, to an AXI stream of torus words: of
// the accumulator c, mask word 0 is -c_0/Q, word j is c_(N-j)/Q, and the body is 0.
//
// Results come P coefficients a clock, lane p with coefficient p*T + t; they are kept until they have left, a word a
// clock, so that the next batch's last step waits for a stream that is slow.
module extract #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14,
    parameter int unsigned SLOTS = 12
) (
    input  logic clk_i,
    input  logic rst_ni,

    output logic                          ready_o,  // there is a place for a batch
    input  logic                          take_i,   // a batch begins its last step
    input  logic                          write_i,
    input  logic                          used_i,   // there is a ciphertext in this slot
    input  logic [$clog2(SLOTS)-1:0]      slot_i,
    input  logic [LOG_N-LOG_P-1:0]        phase_i,  // t
    input  logic [2**LOG_P-1:0][HIGH-1:0] x_i,

    output logic [63:0] m_tdata_o,
    output logic        m_tlast_o,
    output logic        m_tvalid_o,
    input  logic        m_tready_i
);
  localparam int unsigned LOG_T = LOG_N - LOG_P;
  localparam int unsigned SLOT_BITS = $clog2(SLOTS);
  localparam int unsigned ADDRESS_BITS = $clog2(SLOTS * 2 ** LOG_T);
  localparam int unsigned WIDEN_CLOCKS = 5;

  // A batch is here from its last step on; its ciphertexts are complete one after the other.
  logic held_q, slot_done, batch_done, advance, reading, last_word;
  logic [SLOT_BITS:0] complete_q, read_q;
  logic all_complete_q;
  assign ready_o = !held_q;
  assign slot_done = write_i && phase_i == '1;
  assign batch_done = all_complete_q && read_q == complete_q;

  // Word 0 is coefficient 0, word j coefficient N - j, word N the body.
  logic [LOG_N:0] word_q;
  logic [LOG_N-1:0] coefficient;
  assign coefficient = -word_q[LOG_N-1:0];
  assign last_word = word_q[LOG_N];
  assign advance = m_tready_i || !m_tvalid_o;
  assign reading = read_q != complete_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      complete_q <= '0;
      all_complete_q <= 1'b0;
      read_q <= '0;
      word_q <= '0;
    end else if (batch_done) begin
      held_q <= 1'b0;
      complete_q <= '0;
      all_complete_q <= 1'b0;
      read_q <= '0;
    end else begin
      if (take_i) held_q <= 1'b1;
      if (slot_done && used_i) complete_q <= complete_q + (SLOT_BITS + 1)'(1);
      if (slot_done && slot_i == SLOT_BITS'(SLOTS - 1)) all_complete_q <= 1'b1;
      if (advance && reading) begin
        word_q <= last_word ? '0 : word_q + (LOG_N + 1)'(1);
        if (last_word) read_q <= read_q + (SLOT_BITS + 1)'(1);
      end
    end
  end

  // The memory, the lane, the torus element, the sign.
  logic [2**LOG_P-1:0][HIGH-1:0] words[SLOTS*2**LOG_T];
  logic [2**LOG_P-1:0][HIGH-1:0] row_q;
  logic [LOG_P-1:0] lane_q;
  logic [HIGH-1:0] x_q;
  logic [63:0] word;
  always_ff @(posedge clk_i) begin
    if (write_i) words[ADDRESS_BITS'({slot_i, phase_i})] <= x_i;
    if (advance) begin
      row_q <= words[ADDRESS_BITS'({read_q[SLOT_BITS-1:0], coefficient[LOG_T-1:0]})];
      lane_q <= coefficient[LOG_N-1:LOG_T];
      x_q <= row_q[lane_q];
    end
  end
  widen #(.HIGH(HIGH), .LOW(LOW)) u_widen (.clk_i, .enable_i(advance), .x_i(x_q), .word_o(word));

  // Beside it: a word is there, it is the first, it is the body.
  logic [WIDEN_CLOCKS+1:0][2:0] tag_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) tag_q <= '0;
    else if (advance)
      tag_q <= {tag_q[WIDEN_CLOCKS:0], {reading && !batch_done, word_q == '0, last_word}};
  end
  logic valid, is_first, is_body;
  assign {valid, is_first, is_body} = tag_q[WIDEN_CLOCKS+1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) m_tvalid_o <= 1'b0;
    else if (advance) m_tvalid_o <= valid;
    if (advance) begin
      m_tdata_o <= is_body ? 64'd0 : is_first ? -word : word;
      m_tlast_o <= is_body;
    end
  end

`ifndef SYNTHESIS
  logic [63:0] held_word_q;
  logic waiting_q;
  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && m_tvalid_o && !m_tready_i;
    held_word_q <= m_tdata_o;
    if (rst_ni) begin
      assert (!write_i || held_q) else $error("a result without a place");
      if (waiting_q) assert (m_tvalid_o && m_tdata_o == held_word_q) else $error("a word changed while it waited");
    end
  end
`endif

endmodule
