// A residue as a torus element of 64 bits: the nearest to x/Q, floor((x*2^64 + floor(Q/2))/Q).
//
// With 2^64 = C*Q + R it is x*C + floor((x*R + floor(Q/2))/Q), and the quotient of a number of L bits is that of its
// product with a reciprocal of L + HIGH bits, which is exact.
//
// Latency: 5 clocks in which `enable_i` is set.
module widen #(
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW  = 14
) (
    input  logic            clk_i,
    input  logic            enable_i,
    input  logic [HIGH-1:0] x_i,
    output logic [63:0]     word_o
);
  localparam int unsigned L = 2 * HIGH + 1;
  localparam int unsigned SHIFT = L + HIGH;
  localparam logic [127:0] Q = 128'(ntru_pkg::prime(HIGH, LOW));
  localparam logic [63-HIGH+1:0] C = (65 - HIGH)'((128'd1 << 64) / Q);
  localparam logic [HIGH-1:0] R = HIGH'((128'd1 << 64) % Q);
  localparam logic [L:0] RECIPROCAL = (L + 1)'((128'd1 << SHIFT) / Q + 128'd1);

  logic [HIGH-1:0] x_q;
  logic [63:0] main_q, main_q2, main_q3;
  logic [L-1:0] rest_q;
  logic [2*L:0] product_q, product_q2;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      x_q <= x_i;
      main_q <= 64'(x_q) * 64'(C);
      rest_q <= L'(x_q) * L'(R) + L'(Q / 2);
      main_q2 <= main_q;
      product_q <= (2 * L + 1)'(rest_q) * (2 * L + 1)'(RECIPROCAL);
      main_q3 <= main_q2;
      product_q2 <= product_q;
      word_o <= main_q3 + 64'(product_q2 >> SHIFT);
    end
  end

endmodule
