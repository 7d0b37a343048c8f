// Digits of two ciphertexts: those of one are read by rows of the key switch while those of the other come. A row has
// one digit of each of the DEGREE coefficients of a block.
//
// Latency of reads: 1.
module switch_digits #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned DEGREE = 32,
    parameter int unsigned SWITCH_DIGITS = 12,
    parameter int unsigned SWITCH_LOG2_BASE = 1
) (
    input  logic clk_i,
    input  logic rst_ni,

    output logic             ready_o,
    input  logic             valid_i,
    input  logic [LOG_N-1:0] index_i,
    input  logic [SWITCH_DIGITS-1:0][SWITCH_LOG2_BASE:0] digits_i,
    input  logic             last_i,  // the body
    input  logic [31:0]      body_i,
    input  logic             flush_i,

    output logic                                    filled_o,   // a ciphertext is here
    input  logic                                    release_i,  // it was read for the last time
    output logic [31:0]                             body_o,
    output logic                                    flush_o,
    input  logic [LOG_N-$clog2(DEGREE)-1:0]         block_i,
    input  logic [$clog2(SWITCH_DIGITS)-1:0]        digit_i,
    output logic [DEGREE-1:0][SWITCH_LOG2_BASE:0]   row_o
);
  localparam int unsigned LOG_DEGREE = $clog2(DEGREE);

  if (2 ** LOG_DEGREE != DEGREE || LOG_DEGREE >= LOG_N) begin : gen_refused
    $error("blocks of %0d don't suit %0d coefficients", DEGREE, 2 ** LOG_N);
  end

  logic [1:0] filled_q;
  logic [1:0][31:0] bodies_q;
  logic [1:0] flush_q;
  logic write_bank_q, read_bank_q, filled;
  assign filled = valid_i && last_i;
  assign ready_o = filled_q != 2'd2;
  assign filled_o = filled_q != 2'd0;
  assign body_o = bodies_q[read_bank_q];
  assign flush_o = flush_q[read_bank_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      filled_q <= 2'd0;
      write_bank_q <= 1'b0;
      read_bank_q <= 1'b0;
    end else begin
      filled_q <= filled_q + 2'(filled) - 2'(release_i);
      if (filled) write_bank_q <= !write_bank_q;
      if (release_i) read_bank_q <= !read_bank_q;
    end
    if (filled) begin
      bodies_q[write_bank_q] <= body_i;
      flush_q[write_bank_q] <= flush_i;
    end
  end

  logic [$clog2(SWITCH_DIGITS)-1:0] digit_q;
  always_ff @(posedge clk_i) digit_q <= digit_i;

  for (genvar r = 0; r < DEGREE; r++) begin : gen_coefficient
    logic [SWITCH_DIGITS-1:0][SWITCH_LOG2_BASE:0] words[2**(LOG_N-LOG_DEGREE+1)];
    logic [SWITCH_DIGITS-1:0][SWITCH_LOG2_BASE:0] word_q;
    always_ff @(posedge clk_i) begin
      if (valid_i && !last_i && index_i[LOG_DEGREE-1:0] == LOG_DEGREE'(r))
        words[{write_bank_q, index_i[LOG_N-1:LOG_DEGREE]}] <= digits_i;
      word_q <= words[{read_bank_q, block_i}];
    end
    assign row_o[r] = word_q[digit_q];
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!valid_i || filled_q < 2'd2) else $error("digits for a ciphertext that has no place");
      assert (!release_i || filled_o) else $error("a ciphertext is released that is not there");
    end
  end
`endif

endmodule
