// Constants that are computed while a design is elaborated: roots of unity, orders of indices, latencies in clocks.
//
// Q = 2^HIGH - 2^LOW + 1 is the prime, N = 2^LOG_N the degree, P = 2^LOG_P the coefficients of a clock, and T = N/P the
// clocks of a polynomial.
package ntru_pkg;

  // A product, with a sum in it, is ready after so many clocks; the residue takes so many more.
  localparam int unsigned PRODUCT_CLOCKS = 3;
  localparam int unsigned REDUCE_CLOCKS = 3;
  localparam int unsigned MULTIPLY_CLOCKS = PRODUCT_CLOCKS + REDUCE_CLOCKS;
  localparam int unsigned BUTTERFLY_CLOCKS = MULTIPLY_CLOCKS + 1;
  localparam int unsigned DECOMPOSE_CLOCKS = 2;
  // From exponents to values of monomials.
  localparam int unsigned MONOMIAL_CLOCKS = 4;

  // The prime.
  function automatic logic [63:0] prime(input int unsigned high, input int unsigned low);
    prime = (64'd1 << high) - (64'd1 << low) + 64'd1;
  endfunction

  // base^exponent modulo q, for q below 2^32.
  function automatic logic [63:0] power(input logic [63:0] base, input logic [63:0] exponent, input logic [63:0] q);
    logic [63:0] square;
    square = base;
    power  = 64'd1;
    for (int i = 0; i < 32; i = i + 1) begin
      if (exponent[i]) power = (power * square) % q;
      square = (square * square) % q;
    end
  endfunction

  // 1/x modulo a prime.
  function automatic logic [63:0] inverse(input logic [63:0] x, input logic [63:0] q);
    inverse = power(x, q - 64'd2, q);
  endfunction

  // The root of unity of order 2^(log_n+1) that the library's transform has: the first of the powers
  // g^((q-1)/2N), g = 2, 3, ..., of this order.
  function automatic logic [63:0] root(input int unsigned log_n, input logic [63:0] q);
    logic [63:0] candidate;
    root = 64'd0;
    for (int g = 2; g < 100; g = g + 1) begin
      if (root == 64'd0) begin
        candidate = power(64'(g), (q - 64'd1) >> (log_n + 1), q);
        if (power(candidate, 64'd1 << log_n, q) == q - 64'd1) root = candidate;
      end
    end
  endfunction

  // The lowest `bits` bits of x in reverse.
  function automatic int unsigned reversed(input int unsigned x, input int unsigned bits);
    reversed = 0;
    for (int i = 0; i < 32; i = i + 1) begin
      if (i < bits && x[i]) reversed = reversed | (32'd1 << (bits - 1 - i));
    end
  endfunction

  // The first lane of pair k, where the lanes of a pair are 2^log_distance apart.
  function automatic int unsigned first_of_pair(input int unsigned k, input int unsigned log_distance);
    first_of_pair = ((k >> log_distance) << (log_distance + 1)) | (k & ((1 << log_distance) - 1));
  endfunction

  // Clocks of a transform: a butterfly for each level, and what is waited for in exchanges of lanes and clocks.
  function automatic int unsigned transform_clocks(input int unsigned log_n, input int unsigned log_p);
    transform_clocks = BUTTERFLY_CLOCKS * log_n + (1 << (log_n - log_p)) - 1;
  endfunction

  // Clocks of a sum of so many products.
  function automatic int unsigned accumulate_clocks(input int unsigned digits);
    accumulate_clocks = MULTIPLY_CLOCKS + $clog2(digits);
  endfunction

  // What a step takes of the small secret. `block` is 0 for bits without structure, of which it takes two with a key for
  // each of their four combinations; otherwise every `block` bits have a single one, and it takes them with a key each.
  function automatic int unsigned step_bits(input int unsigned block);
    step_bits = block == 0 ? 2 : block;
  endfunction
  function automatic int unsigned step_keys(input int unsigned block);
    step_keys = block == 0 ? 4 : block;
  endfunction
  // Exponents by which keys are turned. Those of a block are relative to its first one, whose key isn't turned.
  function automatic int unsigned step_exponents(input int unsigned block);
    step_exponents = block == 0 ? 2 : block - 1;
  endfunction
  // From monomials and keys to their bundle.
  function automatic int unsigned bundle_clocks(input int unsigned block);
    bundle_clocks = block == 0 ? 2 * MULTIPLY_CLOCKS : accumulate_clocks(block - 1);
  endfunction

  // The clock of a step, from its first digits' residues on, at which its keys are wanted: they meet the digits'
  // transforms as a bundle.
  function automatic int unsigned bundle_clock(
      input int unsigned log_n, input int unsigned log_p, input int unsigned block);
    bundle_clock = DECOMPOSE_CLOCKS + transform_clocks(log_n, log_p) - bundle_clocks(block);
  endfunction

  // Clocks from the read of an accumulator to the write of what a step makes of it.
  function automatic int unsigned step_clocks(
      input int unsigned log_n, input int unsigned log_p, input int unsigned digits);
    step_clocks = 1 + DECOMPOSE_CLOCKS + 2 * transform_clocks(log_n, log_p) + accumulate_clocks(digits);
  endfunction

  // Ciphertexts that share the pipeline: a step's result is written before the step that follows reads it.
  function automatic int unsigned slots(
      input int unsigned log_n, input int unsigned log_p, input int unsigned digits);
    slots = (step_clocks(log_n, log_p, digits) >> (log_n - log_p)) + 1;
  endfunction

  // Beats of the key's stream that make the rows of one clock: as many as there is time for. The keys of a step take the
  // place of those of the one before last, which are read for the last time bundle_clock after that step's last read of
  // an accumulator, and are there before the step between them ends.
  function automatic int unsigned key_beats(
      input int unsigned log_n, input int unsigned log_p, input int unsigned digits, input int unsigned block);
    key_beats = 1;
    for (int beats = 1; beats <= digits; beats = beats + 1) begin
      if (digits % beats == 0 && bundle_clock(log_n, log_p, block) + (beats << (log_n - log_p))
                                 < slots(log_n, log_p, digits) << (log_n - log_p))
        key_beats = beats;
    end
  endfunction

endpackage
