// LANES words as they were DEPTH clocks ago.
//
// Latency: DEPTH, from 0.
module delay_line #(
    parameter int unsigned LANES = 1,
    parameter int unsigned WIDTH = 20,
    parameter int unsigned DEPTH = 1
) (
    input  logic             clk_i,
    input  logic [WIDTH-1:0] d_i[LANES],
    output logic [WIDTH-1:0] q_o[LANES]
);

  if (DEPTH == 0) begin : gen_wire
    assign q_o = d_i;
    logic unused;
    assign unused = clk_i;
  end else begin : gen_shift
    for (genvar i = 0; i < DEPTH; i++) begin : gen_stage
      logic [WIDTH-1:0] words_q[LANES];
      if (i == 0) begin : gen_first
        always_ff @(posedge clk_i) words_q <= d_i;
      end else begin : gen_next
        always_ff @(posedge clk_i) words_q <= gen_stage[i-1].words_q;
      end
    end
    assign q_o = gen_stage[DEPTH-1].words_q;
  end

endmodule
