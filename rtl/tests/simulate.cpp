// Simulates whole gates: keys and ciphertexts of a folder of vectors (`rtl_vectors … gates`) go in, and the words that
// come out are compared with the library's.
//
//     Vaccelerator FOLDER [GATES [PAUSES]]
//
// Gates beyond those of the folder are its first ones again. With PAUSES, every stream stops at random for as many
// clocks in 16. Printed is one line of JSON: gates, words that differ, clocks in all, clocks from the first gate's
// first word to its result, clocks between the last results of the first and of the last full batch for each gate
// between.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vaccelerator.h"
#include "Vaccelerator_accelerator.h"
#include "verilated.h"

namespace {

template <typename Word>
std::vector<Word> words(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + " can't be read");
  std::vector<Word> out(static_cast<size_t>(file.tellg()) / sizeof(Word));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size() * sizeof(Word)));
  return out;
}

// Fields of `bits` bits, one after the other, in the words of a signal.
void pack(uint32_t* signal, size_t signal_words, const uint32_t* fields, size_t count, unsigned bits) {
  std::fill(signal, signal + signal_words, 0);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i * bits;
    const uint64_t field = static_cast<uint64_t>(fields[i]) << (at % 32);
    signal[at / 32] |= static_cast<uint32_t>(field);
    if (at % 32 + bits > 32) signal[at / 32 + 1] |= static_cast<uint32_t>(field >> 32);
  }
}

// Clocks in which a stream stops.
class Pauses {
 public:
  Pauses(unsigned sixteenths, uint32_t seed) : sixteenths_(sixteenths), state_(seed) {}
  bool now() {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 28) < sixteenths_;
  }

 private:
  unsigned sixteenths_;
  uint32_t state_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "FOLDER [GATES [PAUSES]]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const auto key = words<uint32_t>(folder + "/key.u32");
  const auto switch_key = words<uint32_t>(folder + "/switch.u32");
  const auto ops = words<uint32_t>(folder + "/ops.u32");
  const auto inputs = words<uint64_t>(folder + "/inputs.u64");
  const auto outputs = words<uint64_t>(folder + "/outputs.u64");
  const size_t gates = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : ops.size();
  const unsigned pauses = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 0;
  const size_t len = outputs.size() / ops.size();

  auto context = std::make_unique<VerilatedContext>();
  auto top = std::make_unique<Vaccelerator>(context.get());
  const size_t key_words = sizeof(top->s_key_tdata_i) / 4, switch_words = sizeof(top->s_switch_tdata_i) / 4;
  const unsigned bits = 20;
  const size_t key_fields = key_words * 32 / bits;

  Pauses gate_pauses(pauses, 1), key_pauses(pauses, 2), result_pauses(pauses, 3), switch_pauses(pauses, 4);
  size_t gate = 0, word = 0, key_at = 0, switch_at = 0, result = 0, result_word = 0;
  uint64_t clock = 0, mismatches = 0, started = 0, first_result = 0;
  std::vector<uint64_t> done;
  bool gate_valid = false, key_valid = false, switch_valid = false;

  top->rst_ni = 0;
  for (int i = 0; i < 8; ++i) {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  }
  top->rst_ni = 1;
  while (result < gates) {
    // A word that was offered stays until it is taken.
    gate_valid = gate < gates && (gate_valid || !gate_pauses.now());
    key_valid = key_valid || !key_pauses.now();
    switch_valid = switch_at < switch_key.size() && (switch_valid || !switch_pauses.now());
    top->s_gate_tvalid_i = gate_valid;
    if (gate_valid) {
      const size_t at = gate % ops.size();
      const uint64_t x = inputs[2 * at * len + word], y = inputs[(2 * at + 1) * len + word];
      const uint32_t fields[4] = {uint32_t(x), uint32_t(x >> 32), uint32_t(y), uint32_t(y >> 32)};
      for (int i = 0; i < 4; ++i) top->s_gate_tdata_i[i] = fields[i];
      top->s_gate_tuser_i = static_cast<uint8_t>(ops[at] | (gate + 1 == gates ? 16 : 0));
      top->s_gate_tlast_i = word + 1 == len;
      if (gate == 0 && word == 0 && !started) started = clock;
    }
    top->s_key_tvalid_i = key_valid;
    if (key_valid) pack(&top->s_key_tdata_i[0], key_words, &key[key_at], key_fields, bits);
    top->s_switch_tvalid_i = switch_valid;
    if (switch_valid) pack(&top->s_switch_tdata_i[0], switch_words, &switch_key[switch_at], switch_words, 32);
    top->m_result_tready_i = !result_pauses.now();
    top->clk_i = 0;
    top->eval();
    const bool gate_taken = gate_valid && top->s_gate_tready_o;
    const bool key_taken = key_valid && top->s_key_tready_o;
    const bool switch_taken = switch_valid && top->s_switch_tready_o;
    if (top->m_result_tvalid_o && top->m_result_tready_i) {
      const bool last = result_word + 1 == len;
      if (top->m_result_tdata_o != outputs[result % ops.size() * len + result_word]) ++mismatches;
      if (bool(top->m_result_tlast_o) != last) ++mismatches;
      if (++result_word == len) {
        result_word = 0;
        ++result;
        done.push_back(clock);
        if (result == 1) first_result = clock;
      }
    }
    top->clk_i = 1;
    top->eval();
    ++clock;
    if (gate_taken) {
      gate_valid = false;
      if (++word == len) {
        word = 0;
        ++gate;
      }
    }
    if (key_taken) {
      key_valid = false;
      key_at = (key_at + key_fields) % key.size();
    }
    if (switch_taken) {
      switch_valid = false;
      switch_at += switch_words;
    }
    if (clock > 200000 + (gates + 40) * 4 * key.size() / 8 || context->gotFinish()) {
      std::fprintf(stderr, "no result after %llu clocks: gate %zu of %zu, result %zu\n",
                   static_cast<unsigned long long>(clock), gate, gates, result);
      return 1;
    }
  }
  const size_t slots = Vaccelerator_accelerator::SLOTS, full = gates / slots;
  const double each = full > 1 ? double(done[full * slots - 1] - done[slots - 1]) / double((full - 1) * slots) : 0;
  std::printf(
      "{\"gates\": %zu, \"mismatches\": %llu, \"clocks\": %llu, \"latency\": %llu, \"clocks_a_gate\": %.3f}\n", gates,
      static_cast<unsigned long long>(mismatches), static_cast<unsigned long long>(clock),
      static_cast<unsigned long long>(first_result - started), each);
  return mismatches == 0 ? 0 : 1;
}
