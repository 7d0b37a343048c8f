// Exchanges the lowest bit of the lane with one bit of the clock, for LANES pairs of lanes: of a pair with words a_t
// and b_t, where bit log2(DEPTH) of t is 0 or 1, comes first a_t beside a_(t+DEPTH), and then b_t beside b_(t+DEPTH).
//
//     lane 0 ----------- \ / ---- delay ---- lane 0
//                         X                            crossed in the second half of the clocks
//     lane 1 --- delay -- / \ -------------- lane 1
//
// Two of it are the identity. Latency: DEPTH.
module commutator #(
    parameter int unsigned LANES = 1,
    parameter int unsigned WIDTH = 20,
    parameter int unsigned DEPTH = 1
) (
    input  logic             clk_i,
    input  logic             second_i,  // the clock's bit of the words at the input
    input  logic [WIDTH-1:0] x0_i[LANES],
    input  logic [WIDTH-1:0] x1_i[LANES],
    output logic [WIDTH-1:0] y0_o[LANES],
    output logic [WIDTH-1:0] y1_o[LANES]
);

  logic [WIDTH-1:0] late[LANES], upper[LANES];

  delay_line #(.LANES(LANES), .WIDTH(WIDTH), .DEPTH(DEPTH)) u_before (.clk_i, .d_i(x1_i), .q_o(late));
  assign upper = second_i ? late : x0_i;
  delay_line #(.LANES(LANES), .WIDTH(WIDTH), .DEPTH(DEPTH)) u_after (.clk_i, .d_i(upper), .q_o(y0_o));
  assign y1_o = second_i ? x0_i : late;

endmodule
