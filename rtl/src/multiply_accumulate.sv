// LANES sums of the digits' products with the bundle's rows, modulo Q. Products are added up as they are, and reduced
// once.
//
// Latency: ntru_pkg::accumulate_clocks, 6 + log2 of the rows.
module multiply_accumulate #(
    parameter int unsigned LANES  = 1,
    parameter int unsigned HIGH   = 20,
    parameter int unsigned LOW    = 14,
    parameter int unsigned DIGITS = 6
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] digit_i[DIGITS][LANES],
    input  logic [HIGH-1:0] bundle_i[DIGITS][LANES],
    output logic [HIGH-1:0] sum_o[LANES]
);
  localparam int unsigned LEVELS = $clog2(DIGITS);
  localparam int unsigned WIDTH = 2 * HIGH + LEVELS;

  // A tree of sums, a clock a level: terms of a level, some of which may pass alone.
  for (genvar level = 0; level <= LEVELS; level++) begin : gen_level
    localparam int unsigned ABOVE = level > 0 ? level - 1 : 0;
    localparam int unsigned BEFORE = (DIGITS + (1 << ABOVE) - 1) >> ABOVE;
    localparam int unsigned TERMS = (DIGITS + (1 << level) - 1) >> level;
    for (genvar i = 0; i < TERMS; i++) begin : gen_term
      logic [WIDTH-1:0] sum[LANES], sum_q[LANES];
      if (level == 0) begin : gen_product
        logic [2*HIGH-1:0] product[LANES];
        product #(.LANES(LANES), .HIGH(HIGH)) u_product (
            .clk_i, .a_i(digit_i[i]), .b_i(bundle_i[i]), .product_o(product));
        always_comb begin
          for (int lane = 0; lane < LANES; lane = lane + 1) sum[lane] = WIDTH'(product[lane]);
        end
      end else if (2 * i + 1 < BEFORE) begin : gen_sum
        always_comb begin
          for (int lane = 0; lane < LANES; lane = lane + 1)
            sum[lane] = gen_level[level-1].gen_term[2*i].sum_q[lane] + gen_level[level-1].gen_term[2*i+1].sum_q[lane];
        end
      end else begin : gen_alone
        assign sum = gen_level[level-1].gen_term[2*i].sum_q;
      end
      always_ff @(posedge clk_i) sum_q <= sum;
    end
  end

  solinas_reduce #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .WIDTH(WIDTH)) u_reduce (
      .clk_i, .x_i(gen_level[LEVELS].gen_term[0].sum_q), .residue_o(sum_o));

endmodule
