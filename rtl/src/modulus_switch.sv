// The modulus switch, from torus words of 32 bits to exponents modulo 2N: each word of the mask is rounded, and the
// body is corrected by what the roundings added, times the mean of the secret's bits, 2^-LOG2_MEAN, before it is rounded
// as well.
//
// Latency: 1.
module modulus_switch #(
    parameter int unsigned LOG_N   = 10,
    parameter int unsigned LWE_DIM = 640,
    parameter int unsigned LOG2_MEAN = 1  // log2 of the bits of which one is 1 in the mean
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic        valid_i,
    input  logic [31:0] word_i,
    input  logic        last_i,  // the body
    input  logic        flush_i,

    output logic           valid_o,
    output logic [LOG_N:0] exponent_o,
    output logic           last_o,
    output logic           flush_o
);
  localparam int unsigned SHIFT = 31 - LOG_N;
  localparam int unsigned SUM_BITS = SHIFT + $clog2(LWE_DIM) + 1;

  // What rounding adds, upwards at ties: the bits that it clears, as a signed number, negated.
  logic signed [SHIFT:0] added;
  logic signed [SUM_BITS-1:0] added_q;
  logic [31:0] corrected;
  logic [LOG_N:0] rounded;
  assign added = -(SHIFT + 1)'($signed(word_i[SHIFT-1:0]));
  assign corrected = last_i ? word_i + 32'($signed(added_q) >>> LOG2_MEAN) : word_i;
  assign rounded = corrected[31:SHIFT] + (LOG_N + 1)'(corrected[SHIFT-1]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      added_q <= '0;
      valid_o <= 1'b0;
    end else begin
      valid_o <= valid_i;
      if (valid_i) added_q <= last_i ? '0 : added_q + SUM_BITS'(added);
    end
    exponent_o <= rounded;
    last_o <= last_i;
    flush_o <= flush_i;
  end

endmodule
