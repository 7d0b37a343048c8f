// The forward transform of a polynomial of N coefficients, P of them a clock: y[i] = sum_j x[j]*psi^((2*rev(i)+1)*j).
//
// Order at the input: lane p has coefficient p*T + t at clock t. The levels of the largest distances are between lanes;
// those of distances below T exchange the lowest bit of the lane with a bit of the clock, from the highest to the
// lowest. Order at the output: lanes 2p and 2p+1 have values 2*(p*T + t) and 2*(p*T + t) + 1 of the library's order. It
// is what ntt_inverse takes, so that nothing is ever reordered.
//
// Latency: ntru_pkg::transform_clocks, 7*LOG_N + T - 1. A polynomial may follow another without a gap.
module ntt_forward #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) (
    input  logic                   clk_i,
    input  logic [LOG_N-LOG_P-1:0] phase_i,  // t of what is at the input
    input  logic [HIGH-1:0]        x_i[2**LOG_P],
    output logic [HIGH-1:0]        y_o[2**LOG_P]
);
  localparam int unsigned P = 2 ** LOG_P;
  localparam int unsigned LOG_T = LOG_N - LOG_P;
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);
  localparam logic [63:0] PSI = ntru_pkg::root(LOG_N, Q);

  transform_check #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_check ();

  // Of each level the words before it, pairs of lanes side by side, the roots, and the words after it.
  for (genvar level = 0; level < LOG_N; level++) begin : gen_level
    localparam int unsigned LOG_DISTANCE = level < LOG_P ? LOG_P - 1 - level : 0;
    logic [HIGH-1:0] x[P], y[P], side0[P/2], side1[P/2], pair0[P/2], pair1[P/2], root[P/2], result0[P/2], result1[P/2];
    if (level == 0) begin : gen_input
      assign x = x_i;
    end else begin : gen_previous
      assign x = gen_level[level-1].y;
    end
    always_comb begin
      for (int k = 0; k < P / 2; k = k + 1) begin
        y[ntru_pkg::first_of_pair(k, LOG_DISTANCE)] = result0[k];
        y[ntru_pkg::first_of_pair(k, LOG_DISTANCE)+2**LOG_DISTANCE] = result1[k];
      end
    end

    always_comb begin
      for (int k = 0; k < P / 2; k = k + 1) begin
        side0[k] = x[ntru_pkg::first_of_pair(k, LOG_DISTANCE)];
        side1[k] = x[ntru_pkg::first_of_pair(k, LOG_DISTANCE)+2**LOG_DISTANCE];
      end
    end

    if (level < LOG_P) begin : gen_lanes
      assign pair0 = side0;
      assign pair1 = side1;
      root_rom #(
          .LOG_N(LOG_N), .HIGH(HIGH), .LOW(LOW), .LEVEL(level), .LANES(P / 2), .LOG_SHARED(LOG_P - 1 - level),
          .BASE(PSI)
      ) u_roots (.clk_i, .index_i(1'b0), .root_o(root));
    end else begin : gen_clocks
      // Exchange `EXCHANGE` of the clock's bits, from 1 on. The roots' table is read a clock ahead.
      localparam int unsigned EXCHANGE = level - LOG_P + 1;
      localparam int unsigned DEPTH = 1 << (LOG_T - EXCHANGE);
      localparam int unsigned BEFORE =
          ntru_pkg::BUTTERFLY_CLOCKS * level + (1 << LOG_T) - (1 << (LOG_T - EXCHANGE + 1));
      logic [LOG_T-1:0] arriving;
      logic [EXCHANGE-1:0] next;
      assign arriving = phase_i - LOG_T'(BEFORE);
      assign next = EXCHANGE'((arriving - LOG_T'(DEPTH) + LOG_T'(1)) >> (LOG_T - EXCHANGE));
      commutator #(.LANES(P / 2), .WIDTH(HIGH), .DEPTH(DEPTH)) u_commutator (
          .clk_i, .second_i(arriving[LOG_T-EXCHANGE]), .x0_i(side0), .x1_i(side1), .y0_o(pair0),
          .y1_o(pair1));
      root_rom #(
          .LOG_N(LOG_N), .HIGH(HIGH), .LOW(LOW), .LEVEL(level), .LANES(P / 2), .LOG_SHARED(0), .LOG_DEPTH(EXCHANGE),
          .BASE(PSI)
      ) u_roots (.clk_i, .index_i(next), .root_o(root));
    end
    butterfly_forward #(.LANES(P / 2), .HIGH(HIGH), .LOW(LOW)) u_butterflies (
        .clk_i, .x0_i(pair0), .x1_i(pair1), .root_i(root), .y0_o(result0), .y1_o(result1));
  end
  assign y_o = gen_level[LOG_N-1].y;

endmodule
