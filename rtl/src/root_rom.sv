// The roots of one level of a transform, one for each of its LANES butterflies, at index i of its blocks that follow
// each other in a lane. Butterfly k is of block (k >> LOG_SHARED)*2^LOG_DEPTH + i, whose root is number 2^LEVEL + block
// in the library's order: number j is BASE^reversed(j), where BASE is a root of unity of order 2N, or its inverse.
//
// Latency: 1; constants where LOG_DEPTH is 0.
module root_rom #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter int unsigned LEVEL = 0,
    parameter int unsigned LANES = 32,
    parameter int unsigned LOG_SHARED = 5,
    parameter int unsigned LOG_DEPTH = 0,
    parameter logic [63:0] BASE = 64'd1
) (
    input  logic                                        clk_i,
    input  logic [(LOG_DEPTH > 0 ? LOG_DEPTH : 1)-1:0] index_i,
    output logic [HIGH-1:0]                             root_o[LANES]
);
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);

  function automatic logic [LANES-1:0][HIGH-1:0] roots_at(input int unsigned index);
    for (int unsigned k = 0; k < LANES; k = k + 1) begin
      roots_at[k] = HIGH'(ntru_pkg::power(
          BASE, 64'(ntru_pkg::reversed(2 ** LEVEL + (k >> LOG_SHARED) * 2 ** LOG_DEPTH + index, LOG_N)), Q));
    end
  endfunction

  logic [LANES-1:0][HIGH-1:0] word;
  if (LOG_DEPTH == 0) begin : gen_constant
    localparam logic [LANES-1:0][HIGH-1:0] ROOTS = roots_at(0);
    assign word = ROOTS;
    logic unused;
    assign unused = ^{clk_i, index_i};
  end else begin : gen_table
    logic [LANES-1:0][HIGH-1:0] words[2**LOG_DEPTH];
    initial begin
      for (int unsigned i = 0; i < 2 ** LOG_DEPTH; i = i + 1) words[i] = roots_at(i);
    end
    always_ff @(posedge clk_i) word <= words[index_i];
  end

  always_comb begin
    for (int k = 0; k < LANES; k = k + 1) root_o[k] = word[k];
  end

endmodule
