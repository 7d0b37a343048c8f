// N times the inverse of ntt_forward, P values a clock: the factor is the keys' (they are stored divided by N).
//
// It takes values in the order that ntt_forward gives, and gives coefficients in the order that ntt_forward takes. The
// levels of distances below T are followed by exchanges of the lowest bit of the lane with a bit of the clock, from the
// lowest to the highest; those of the largest distances are between lanes.
//
// Latency: ntru_pkg::transform_clocks, 7*LOG_N + T - 1. A polynomial may follow another without a gap.
module ntt_inverse #(
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
  localparam logic [63:0] PSI_INVERSE = ntru_pkg::inverse(ntru_pkg::root(LOG_N, Q), Q);

  transform_check #(.LOG_N(LOG_N), .LOG_P(LOG_P), .HIGH(HIGH), .LOW(LOW)) u_check ();

  // Step s undoes level LOG_N - 1 - s: the words before it, pairs of lanes side by side, the roots, the words after it.
  for (genvar s = 0; s < LOG_N; s++) begin : gen_step
    localparam int unsigned LEVEL = LOG_N - 1 - s;
    localparam int unsigned LOG_DISTANCE = LEVEL < LOG_P ? LOG_P - 1 - LEVEL : 0;
    logic [HIGH-1:0] x[P], y[P], side0[P/2], side1[P/2], pair0[P/2], pair1[P/2], root[P/2], result0[P/2], result1[P/2];
    if (s == 0) begin : gen_input
      assign x = x_i;
    end else begin : gen_previous
      assign x = gen_step[s-1].y;
    end
    always_comb begin
      for (int k = 0; k < P / 2; k = k + 1) begin
        pair0[k] = x[ntru_pkg::first_of_pair(k, LOG_DISTANCE)];
        pair1[k] = x[ntru_pkg::first_of_pair(k, LOG_DISTANCE)+2**LOG_DISTANCE];
      end
    end
    always_comb begin
      for (int k = 0; k < P / 2; k = k + 1) begin
        y[ntru_pkg::first_of_pair(k, LOG_DISTANCE)] = side0[k];
        y[ntru_pkg::first_of_pair(k, LOG_DISTANCE)+2**LOG_DISTANCE] = side1[k];
      end
    end

    butterfly_inverse #(.LANES(P / 2), .HIGH(HIGH), .LOW(LOW)) u_butterflies (
        .clk_i, .x0_i(pair0), .x1_i(pair1), .root_i(root), .y0_o(result0), .y1_o(result1));
    if (LEVEL < LOG_P) begin : gen_lanes
      assign side0 = result0;
      assign side1 = result1;
      root_rom #(
          .LOG_N(LOG_N), .HIGH(HIGH), .LOW(LOW), .LEVEL(LEVEL), .LANES(P / 2), .LOG_SHARED(LOG_P - 1 - LEVEL),
          .BASE(PSI_INVERSE)
      ) u_roots (.clk_i, .index_i(1'b0), .root_o(root));
    end else begin : gen_clocks
      // Before exchange `EXCHANGE`, the clock's bits of this level's blocks are as after that of ntt_forward. The
      // butterfly takes its root a clock after the words, which the table's latency makes good.
      localparam int unsigned EXCHANGE = LEVEL - LOG_P + 1;
      localparam int unsigned DEPTH = 1 << (LOG_T - EXCHANGE);
      localparam int unsigned BEFORE = ntru_pkg::BUTTERFLY_CLOCKS * s + DEPTH - 1;
      logic [LOG_T-1:0] arriving, leaving;
      logic [EXCHANGE-1:0] now;
      assign arriving = phase_i - LOG_T'(BEFORE);
      assign now = EXCHANGE'(arriving >> (LOG_T - EXCHANGE));
      assign leaving = arriving - LOG_T'(ntru_pkg::BUTTERFLY_CLOCKS);
      root_rom #(
          .LOG_N(LOG_N), .HIGH(HIGH), .LOW(LOW), .LEVEL(LEVEL), .LANES(P / 2), .LOG_SHARED(0), .LOG_DEPTH(EXCHANGE),
          .BASE(PSI_INVERSE)
      ) u_roots (.clk_i, .index_i(now), .root_o(root));
      commutator #(.LANES(P / 2), .WIDTH(HIGH), .DEPTH(DEPTH)) u_commutator (
          .clk_i, .second_i(leaving[LOG_T-EXCHANGE]), .x0_i(result0), .x1_i(result1), .y0_o(side0),
          .y1_o(side1));
    end
  end
  assign y_o = gen_step[LOG_N-1].y;

endmodule
