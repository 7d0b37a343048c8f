// The linear part of gates. It takes the words of two ciphertexts on the torus, masks and then bodies, and the gate's
// number, and gives the digits of the negated combination's mask for the key switch, and its body rounded to 32 bits.
//
// Numbers are the library's, in the order of `Gate::ALL`: and, nand, or, nor, xor, xnor, and with the first, with the
// second input negated, or likewise.
//
// A digit of a word is its own bits as a signed number, plus the bit below them. Latency: 2.
module gate_input #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned SWITCH_DIGITS = 12,
    parameter int unsigned SWITCH_LOG2_BASE = 1
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [1:0][63:0] s_tdata_i,
    input  logic [4:0]       s_tuser_i,  // the gate's number, and above it whether a batch ends with it
    input  logic             s_tlast_i,
    input  logic             s_tvalid_i,
    output logic             s_tready_o,

    input  logic             ready_i,    // there is a place for a ciphertext's digits
    output logic             valid_o,
    output logic [LOG_N-1:0] index_o,
    output logic [SWITCH_DIGITS-1:0][SWITCH_LOG2_BASE:0] digits_o,
    output logic             last_o,     // the body comes, and the ciphertext ends
    output logic [31:0]      body_o,
    output logic             flush_o
);

  if (SWITCH_DIGITS * SWITCH_LOG2_BASE > 62) begin : gen_refused
    $error("%0d digits of %0d bits are not in a word", SWITCH_DIGITS, SWITCH_LOG2_BASE);
  end

  // What a gate adds, in eighths, and its factors.
  logic [2:0] eighths;
  logic [1:0] negated;
  logic doubled;
  always_comb begin
    unique case (s_tuser_i[3:0])
      4'd0: {eighths, negated, doubled} = {-3'sd1, 2'b00, 1'b0};
      4'd1: {eighths, negated, doubled} = {3'sd1, 2'b11, 1'b0};
      4'd2: {eighths, negated, doubled} = {3'sd1, 2'b00, 1'b0};
      4'd3: {eighths, negated, doubled} = {-3'sd1, 2'b11, 1'b0};
      4'd4: {eighths, negated, doubled} = {3'sd2, 2'b00, 1'b1};
      4'd5: {eighths, negated, doubled} = {-3'sd2, 2'b11, 1'b1};
      4'd6: {eighths, negated, doubled} = {-3'sd1, 2'b01, 1'b0};
      4'd7: {eighths, negated, doubled} = {-3'sd1, 2'b10, 1'b0};
      4'd8: {eighths, negated, doubled} = {3'sd1, 2'b01, 1'b0};
      default: {eighths, negated, doubled} = {3'sd1, 2'b10, 1'b0};
    endcase
  end

  logic [63:0] sum, word_q;
  assign sum = (negated[0] ? -s_tdata_i[0] : s_tdata_i[0]) + (negated[1] ? -s_tdata_i[1] : s_tdata_i[1]);

  logic take, taken_q, last_q, flush_q, body;
  logic [LOG_N-1:0] index, index_q;
  // A body is known to the digits' buffer two clocks after it was taken.
  assign s_tready_o = ready_i && !(taken_q && last_q) && !(valid_o && last_o);
  assign take = s_tvalid_i && s_tready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index <= '0;
      body <= 1'b0;
      taken_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      taken_q <= take;
      valid_o <= taken_q;
      if (take) begin
        index <= index + LOG_N'(1);
        body <= index == '1 && !body;
      end
      if (take && body) index <= '0;
    end
  end

  logic [63:0] negative;
  assign negative = -word_q;
  always_ff @(posedge clk_i) begin
    word_q <= (doubled ? sum << 1 : sum) + (body ? {eighths, 61'd0} : 64'd0);
    index_q <= index;
    last_q <= body;
    flush_q <= s_tuser_i[4];
    index_o <= index_q;
    last_o <= last_q;
    flush_o <= flush_q;
    body_o <= 32'((word_q + 64'h8000_0000) >> 32);
    for (int i = 0; i < SWITCH_DIGITS; i = i + 1) begin
      digits_o[i] <= (SWITCH_LOG2_BASE + 1)'($signed(negative[63-i*SWITCH_LOG2_BASE-:SWITCH_LOG2_BASE]))
                     + (SWITCH_LOG2_BASE + 1)'(negative[63-(i+1)*SWITCH_LOG2_BASE]);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && take) begin
      assert (s_tlast_i == body) else $error("a ciphertext ends with word %0d", index);
      assert (s_tuser_i[3:0] < 4'd10) else $error("there is no gate %0d", s_tuser_i[3:0]);
    end
  end
`else
  logic unused;
  assign unused = s_tlast_i;
`endif

endmodule
