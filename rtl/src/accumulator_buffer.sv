// The accumulators of the ciphertexts that share the pipeline: a memory of P coefficients a word, T words each.
//
// Latency of reads: 1; what is written is read from the next clock on.
module accumulator_buffer #(
    parameter int unsigned LOG_T = 4,
    parameter int unsigned SLOTS = 12,
    parameter int unsigned WIDTH = 1280
) (
    input  logic                              clk_i,
    input  logic                              write_i,
    input  logic [$clog2(SLOTS * 2**LOG_T)-1:0] write_at_i,
    input  logic [WIDTH-1:0]                  d_i,
    input  logic [$clog2(SLOTS * 2**LOG_T)-1:0] read_at_i,
    output logic [WIDTH-1:0]                  q_o
);

  logic [WIDTH-1:0] words[SLOTS*2**LOG_T];

  always_ff @(posedge clk_i) begin
    if (write_i) words[write_at_i] <= d_i;
    q_o <= words[read_at_i];
  end

endmodule
