// LANES sums of products of residues, a_0*b_0 + a_1*b_1 + ... + c modulo Q = 2^HIGH - 2^LOW + 1. Products are added up
// as they are, and reduced once.
//
// Latency: ntru_pkg::accumulate_clocks, 6 + log2 of the products: three of a product, the first of which c is added to,
// a clock for each level of a tree of sums, and three of the reduction.
module multiply_accumulate #(
    parameter int unsigned LANES = 1,
    parameter int unsigned HIGH = 20,
    parameter int unsigned LOW = 14,
    parameter int unsigned PRODUCTS = 1,
    parameter bit ADDEND = 1'b0,  // whether there is a c
    parameter bit SPLIT = 1'b1    // of `product`
) (
    input  logic            clk_i,
    input  logic [HIGH-1:0] a_i[PRODUCTS][LANES],
    input  logic [HIGH-1:0] b_i[PRODUCTS][LANES],
    input  logic [HIGH-1:0] c_i[LANES],
    output logic [HIGH-1:0] sum_o[LANES]
);
  localparam int unsigned LEVELS = $clog2(PRODUCTS);
  localparam int unsigned WIDTH = 2 * HIGH + LEVELS;

  // Terms of a level, some of which may pass alone.
  for (genvar level = 0; level <= LEVELS; level++) begin : gen_level
    localparam int unsigned ABOVE = level > 0 ? level - 1 : 0;
    localparam int unsigned BEFORE = (PRODUCTS + (1 << ABOVE) - 1) >> ABOVE;
    localparam int unsigned TERMS = (PRODUCTS + (1 << level) - 1) >> level;
    for (genvar i = 0; i < TERMS; i++) begin : gen_term
      logic [WIDTH-1:0] part[LANES];
      if (level == 0) begin : gen_product
        logic [HIGH-1:0] c[LANES];
        logic [2*HIGH-1:0] product[LANES];
        if (ADDEND && i == 0) begin : gen_addend
          assign c = c_i;
        end else begin : gen_alone
          assign c = '{default: '0};
        end
        product #(.LANES(LANES), .HIGH(HIGH), .SPLIT(SPLIT)) u_product (
            .clk_i, .a_i(a_i[i]), .b_i(b_i[i]), .c_i(c), .sum_o(product));
        always_comb begin
          for (int lane = 0; lane < LANES; lane = lane + 1) part[lane] = WIDTH'(product[lane]);
        end
      end else if (2 * i + 1 < BEFORE) begin : gen_sum
        logic [WIDTH-1:0] both[LANES];
        always_comb begin
          for (int lane = 0; lane < LANES; lane = lane + 1)
            both[lane] = gen_level[level-1].gen_term[2*i].part[lane] + gen_level[level-1].gen_term[2*i+1].part[lane];
        end
        always_ff @(posedge clk_i) part <= both;
      end else begin : gen_alone
        always_ff @(posedge clk_i) part <= gen_level[level-1].gen_term[2*i].part;
      end
    end
  end

  solinas_reduce #(.LANES(LANES), .HIGH(HIGH), .LOW(LOW), .WIDTH(WIDTH)) u_reduce (
      .clk_i, .x_i(gen_level[LEVELS].gen_term[0].part), .residue_o(sum_o));

  if (!ADDEND) begin : gen_unused
    logic [HIGH-1:0] unused[LANES];
    assign unused = c_i;
  end

endmodule
