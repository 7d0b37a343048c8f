// The benches of parts side by side, each with its own clock: one program for what is tested often.
module bench_units (
    input  logic                products_clk_i,
    input  logic [64*20-1:0]    products_a_i,
    input  logic [64*20-1:0]    products_b_i,
    input  logic [64*20-1:0]    products_c_i,
    output logic [64*20-1:0]    products_sum_o,
    output logic [64*20-1:0]    products_again_o,

    input  logic                transform_clk_i,
    input  logic [0:0]          transform_phase_i,
    input  logic [32*20-1:0]    transform_x_i,
    output logic [32*20-1:0]    transform_value_o,
    output logic [32*20-1:0]    transform_back_o,

    input  logic                digits_clk_i,
    input  logic [256*20-1:0]   digits_x_i,
    output logic [6*256*20-1:0] digits_digit_o,

    input  logic                step_clk_i,
    input  logic [2:0]          step_phase_i,
    input  logic [8*20-1:0]     step_x_i,
    input  logic [7*7-1:0]      step_exponent_i,
    input  logic [4*8*8*20-1:0] step_key_i,
    output logic [8*20-1:0]     step_x_o
);

  bench_products #(.LANES(64)) u_products (
      .clk_i(products_clk_i), .a_i(products_a_i), .b_i(products_b_i), .c_i(products_c_i),
      .sum_o(products_sum_o), .again_o(products_again_o));
  bench_transform #(.LOG_N(6), .LOG_P(5)) u_transform (
      .clk_i(transform_clk_i), .phase_i(transform_phase_i), .x_i(transform_x_i),
      .value_o(transform_value_o), .back_o(transform_back_o));
  bench_decompose #(.LANES(256), .LOG2_BASE(3), .DIGITS(6), .DROPPED(2)) u_digits (
      .clk_i(digits_clk_i), .x_i(digits_x_i), .digit_o(digits_digit_o));
  bench_step #(.LOG_N(6), .LOG_P(3), .DIGITS(4), .LOG2_BASE(4), .DROPPED(4), .BLOCK(8)) u_step (
      .clk_i(step_clk_i), .phase_i(step_phase_i), .x_i(step_x_i), .exponent_i(step_exponent_i), .key_i(step_key_i),
      .x_o(step_x_o));

endmodule
