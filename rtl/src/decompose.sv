// The approximate gadget decomposition of LANES residues: DROPPED low bits are rounded away, and what is left is DIGITS
// signed digits in base 2^LOG2_BASE, which are given as residues.
//
// With u_i = 2^(DROPPED + i*LOG2_BASE) and y_i the residue nearest to zero over u_i, rounded (upwards at ties), the
// last digit is y_(DIGITS-1), and each other one y_i - 2^LOG2_BASE * y_(i+1). What the roundings carry cancels: a digit
// is its own bits as a signed number, plus the bit below them.
//
// Latency: ntru_pkg::DECOMPOSE_CLOCKS (2).
module decompose #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter int unsigned DIGITS = 6,
    parameter int unsigned LOG2_BASE = 3,
    parameter int unsigned DROPPED = 2
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] x_i[LANES],
    output logic [HIGH-1:0] digit_o[DIGITS][LANES]
);
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);
  localparam int unsigned REACH = DROPPED + DIGITS * LOG2_BASE;
  // A residue nearest to zero, its sign as far as the digits reach, and a zero below its lowest bit.
  localparam int unsigned WIDTH = (REACH > HIGH ? REACH : HIGH) + 1;

  if (REACH + 1 < HIGH || REACH + 1 > HIGH + LOG2_BASE) begin : gen_refused
    $error("%0d digits of %0d bits above %0d don't reach the prime's %0d bits, or reach too far",
           DIGITS, LOG2_BASE, DROPPED, HIGH);
  end

  logic [WIDTH-1:0] centred[LANES], centred_q[LANES];
  always_comb begin
    for (int lane = 0; lane < LANES; lane = lane + 1)
      centred[lane] = ((WIDTH)'(x_i[lane]) - (64'(x_i[lane]) > Q / 2 ? WIDTH'(Q) : '0)) << 1;
  end
  always_ff @(posedge clk_i) centred_q <= centred;

  for (genvar i = 0; i < DIGITS; i++) begin : gen_digit
    // The last digit has what is left.
    localparam int unsigned UNIT = DROPPED + i * LOG2_BASE;
    localparam int unsigned BITS = i + 1 < DIGITS ? LOG2_BASE : WIDTH - 1 - UNIT;
    logic signed [BITS:0] digit;
    logic [HIGH-1:0] residue[LANES], residue_q[LANES];
    always_comb begin
      for (int lane = 0; lane < LANES; lane = lane + 1) begin
        digit = (BITS + 1)'($signed(centred_q[lane][UNIT+1+:BITS])) + $signed((BITS + 1)'(centred_q[lane][UNIT]));
        residue[lane] = HIGH'(digit) + (digit[BITS] ? HIGH'(Q) : '0);
      end
    end
    always_ff @(posedge clk_i) residue_q <= residue;
    assign digit_o[i] = residue_q;
  end

endmodule
