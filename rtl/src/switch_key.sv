// The key of the key switch, in memory: one word is what a clock of the switch takes. It is filled once, in order, from
// an AXI stream.
//
// Latency of reads: 1.
module switch_key #(
    parameter int unsigned WIDTH = 2048,
    parameter int unsigned DEPTH = 4224
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [WIDTH-1:0] s_tdata_i,
    input  logic             s_tvalid_i,
    output logic             s_tready_o,

    output logic                     loaded_o,
    input  logic [$clog2(DEPTH)-1:0] at_i,
    output logic [WIDTH-1:0]         word_o
);

  (* ram_style = "ultra" *)
  logic [WIDTH-1:0] words[DEPTH];
  logic [$clog2(DEPTH)-1:0] count_q;

  assign s_tready_o = !loaded_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      loaded_o <= 1'b0;
    end else if (s_tvalid_i && !loaded_o) begin
      count_q <= count_q + 1'b1;
      if (count_q == ($clog2(DEPTH))'(DEPTH - 1)) loaded_o <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_tvalid_i && !loaded_o) words[count_q] <= s_tdata_i;
    word_o <= words[at_i];
  end

endmodule
