// Exponents of one-hot blocks, relative to their block's first one: since a block's bits sum to 1, X^(a_0) of every
// block can be moved to the body, so that one key of a step isn't turned. Of a block a_0, a_1, ... come out
// a_1 - a_0, a_2 - a_0, ..., and of the body the body less all a_0, modulo 2N.
//
// Latency: 0.
module relative_exponents #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned BLOCK = 8
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic           valid_i,
    input  logic [LOG_N:0] exponent_i,
    input  logic           last_i,  // the body

    output logic           valid_o,
    output logic [LOG_N:0] exponent_o
);
  localparam int unsigned BITS = $clog2(BLOCK);

  if (BLOCK < 4 || 2 ** BITS != BLOCK) begin : gen_refused
    $error("blocks of %0d bits: a power of two from 4 on is needed", BLOCK);
  end

  logic [BITS-1:0] place_q;
  logic [LOG_N:0] first_q, sum_q;
  assign valid_o = valid_i && (last_i || place_q != '0);
  assign exponent_o = exponent_i - (last_i ? sum_q : first_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q <= '0;
      sum_q <= '0;
    end else if (valid_i) begin
      place_q <= last_i ? '0 : place_q + BITS'(1);
      if (last_i) sum_q <= '0;
      else if (place_q == '0) sum_q <= sum_q + exponent_i;
    end
    if (valid_i && place_q == '0) first_q <= exponent_i;
  end

endmodule
