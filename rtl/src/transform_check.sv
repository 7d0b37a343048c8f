// What both transforms need of their parameters. It is no circuit.
module transform_check #(
    parameter int unsigned LOG_N = 10,
    parameter int unsigned LOG_P = 6,
    parameter int unsigned HIGH  = 20,
    parameter int unsigned LOW   = 14
) ();
  localparam logic [63:0] Q = ntru_pkg::prime(HIGH, LOW);
  localparam logic [63:0] PSI = ntru_pkg::root(LOG_N, Q);

  if (LOG_P < 1 || LOG_P >= LOG_N) begin : gen_lanes_refused
    $error("%0d lanes don't suit %0d coefficients", 2 ** LOG_P, 2 ** LOG_N);
  end
  if (PSI == 64'd0 || (PSI * ntru_pkg::inverse(PSI, Q)) % Q != 64'd1) begin : gen_root_refused
    $error("%0d is no prime with roots of unity of order %0d", Q, 2 ** (LOG_N + 1));
  end

endmodule
