// Simulates whole gates: keys and ciphertexts of a folder of vectors (`rtl_vectors … gates`) go in, and the words that
// come out are compared with the library's.
//
//     Vaccelerator FOLDER [GATES [PAUSES]]
//
// Gates beyond those of the folder are its first ones again. With PAUSES, every stream stops at random for as many
// clocks in 16, and there is a reset in the middle of the first rotation, after which all begins anew. Printed is one
// line of JSON: gates, ciphertexts in turns, words that differ, clocks in all, clocks from the first gate's first word
// to its result, clocks between the last results of the first and of the last full batch for each gate between.
#include <algorithm>
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
  // Whether the stream stops now.
  bool now() {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 28) < sixteenths_;
  }

 private:
  unsigned sixteenths_;
  uint32_t state_;
};

// What a folder has.
struct Vectors {
  explicit Vectors(const std::string& folder)
      : key(words<uint32_t>(folder + "/key.u32")),
        switch_key(words<uint32_t>(folder + "/switch.u32")),
        ops(words<uint32_t>(folder + "/ops.u32")),
        inputs(words<uint64_t>(folder + "/inputs.u64")),
        outputs(words<uint64_t>(folder + "/outputs.u64")),
        len(outputs.size() / ops.size()) {}
  std::vector<uint32_t> key, switch_key, ops;
  std::vector<uint64_t> inputs, outputs;
  size_t len;  // words of a ciphertext
};

// The accelerator with its streams.
class Bench {
 public:
  Bench(const Vectors& vectors, size_t gates, unsigned pauses)
      : vectors_(vectors),
        gates_(gates),
        gate_pauses_(pauses, 1),
        key_pauses_(pauses, 2),
        result_pauses_(pauses, 3),
        switch_pauses_(pauses, 4) {}

  // A reset, after which all streams are at their first words.
  void reset() {
    top_.rst_ni = 0;
    top_.s_gate_tvalid_i = top_.s_key_tvalid_i = top_.s_switch_tvalid_i = 0;
    for (unsigned i = 0; i < Vaccelerator_accelerator::RESET_CLOCKS; ++i) edges();
    top_.rst_ni = 1;
    at_ = {};
    done_.clear();
  }

  // One clock.
  void clock() {
    offer();
    top_.clk_i = 0;
    top_.eval();
    const bool gate_taken = at_.gate_valid && top_.s_gate_tready_o;
    const bool key_taken = at_.key_valid && top_.s_key_tready_o;
    const bool switch_taken = at_.switch_valid && top_.s_switch_tready_o;
    if (top_.m_result_tvalid_o && top_.m_result_tready_i) compare();
    top_.clk_i = 1;
    top_.eval();
    ++clocks_;
    ++at_.clock;
    if (gate_taken) {
      at_.gate_valid = false;
      if (++at_.word == vectors_.len) {
        at_.word = 0;
        ++at_.gate;
      }
    }
    if (key_taken) {
      at_.key_valid = false;
      at_.key = (at_.key + KEY_FIELDS) % vectors_.key.size();
    }
    if (switch_taken) {
      at_.switch_valid = false;
      at_.switch_key += SWITCH_WORDS;
    }
  }

  bool in_first_rotation() const { return done_.empty() && at_.key >= vectors_.key.size() / 2; }
  bool finished() const { return done_.size() == gates_; }
  // No result has come for far longer than a batch takes.
  bool stuck() const {
    const uint64_t last = done_.empty() ? 0 : done_.back();
    return at_.clock - last > 200000 + 64 * vectors_.key.size() / KEY_FIELDS;
  }
  size_t results() const { return done_.size(); }
  uint64_t mismatches() const { return mismatches_; }

  void report() const {
    const size_t slots = Vaccelerator_accelerator::SLOTS, full = gates_ / slots;
    const double between = full > 1 ? double(done_[full * slots - 1] - done_[slots - 1]) : 0;
    std::printf(
        "{\"gates\": %zu, \"slots\": %zu, \"mismatches\": %llu, \"clocks\": %llu, \"latency\": %llu, "
        "\"clocks_a_gate\": %.3f}\n",
        gates_, slots, static_cast<unsigned long long>(mismatches_), static_cast<unsigned long long>(clocks_),
        static_cast<unsigned long long>(done_.front()), full > 1 ? between / double((full - 1) * slots) : 0);
  }

 private:
  static constexpr unsigned BITS = 20;
  static constexpr size_t KEY_WORDS = sizeof(Vaccelerator::s_key_tdata_i) / 4;
  static constexpr size_t KEY_FIELDS = KEY_WORDS * 32 / BITS;
  static constexpr size_t SWITCH_WORDS = sizeof(Vaccelerator::s_switch_tdata_i) / 4;

  void edges() {
    for (uint8_t level : {0, 1}) {
      top_.clk_i = level;
      top_.eval();
    }
  }

  // A word that was offered stays until it is taken.
  void offer() {
    at_.gate_valid = at_.gate < gates_ && (at_.gate_valid || !gate_pauses_.now());
    at_.key_valid = at_.key_valid || !key_pauses_.now();
    at_.switch_valid = at_.switch_key < vectors_.switch_key.size() && (at_.switch_valid || !switch_pauses_.now());
    top_.s_gate_tvalid_i = at_.gate_valid;
    if (at_.gate_valid) {
      const size_t gate = at_.gate % vectors_.ops.size();
      const uint64_t* x = &vectors_.inputs[2 * gate * vectors_.len + at_.word];
      for (int i = 0; i < 4; ++i)
        top_.s_gate_tdata_i[i] = static_cast<uint32_t>(x[i / 2 * vectors_.len] >> (i % 2 * 32));
      top_.s_gate_tuser_i = static_cast<uint8_t>(vectors_.ops[gate] | (at_.gate + 1 == gates_ ? 16 : 0));
      top_.s_gate_tlast_i = at_.word + 1 == vectors_.len;
    }
    top_.s_key_tvalid_i = at_.key_valid;
    if (at_.key_valid) pack(&top_.s_key_tdata_i[0], KEY_WORDS, &vectors_.key[at_.key], KEY_FIELDS, BITS);
    top_.s_switch_tvalid_i = at_.switch_valid;
    if (at_.switch_valid)
      pack(&top_.s_switch_tdata_i[0], SWITCH_WORDS, &vectors_.switch_key[at_.switch_key], SWITCH_WORDS, 32);
    top_.m_result_tready_i = !result_pauses_.now();
  }

  void compare() {
    const size_t gate = done_.size() % vectors_.ops.size();
    const bool last = at_.result_word + 1 == vectors_.len;
    if (top_.m_result_tdata_o != vectors_.outputs[gate * vectors_.len + at_.result_word]) ++mismatches_;
    if (bool(top_.m_result_tlast_o) != last) ++mismatches_;
    at_.result_word = last ? 0 : at_.result_word + 1;
    if (last) done_.push_back(at_.clock);
  }

  // Places in the streams.
  struct Place {
    size_t gate = 0, word = 0, key = 0, switch_key = 0, result_word = 0;
    bool gate_valid = false, key_valid = false, switch_valid = false;
    uint64_t clock = 0;  // since the reset
  };

  const Vectors& vectors_;
  size_t gates_;
  Pauses gate_pauses_, key_pauses_, result_pauses_, switch_pauses_;
  VerilatedContext context_;
  Vaccelerator top_{&context_};
  Place at_;
  uint64_t clocks_ = 0, mismatches_ = 0;
  std::vector<uint64_t> done_;  // the clock of each gate's last word
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "FOLDER [GATES [PAUSES]]\n");
    return 2;
  }
  const Vectors vectors(argv[1]);
  const size_t gates = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : vectors.ops.size();
  const unsigned pauses = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 0;
  auto bench = std::make_unique<Bench>(vectors, gates, pauses);
  bench->reset();
  if (pauses > 0) {
    while (!bench->in_first_rotation() && !bench->stuck()) bench->clock();
    bench->reset();
  }
  for (size_t said = 0; !bench->finished();) {
    bench->clock();
    if (bench->stuck()) {
      std::fprintf(stderr, "no result after result %zu of %zu\n", bench->results(), gates);
      return 1;
    }
    if (bench->results() >= said + 100) {
      said = bench->results();
      std::fprintf(stderr, "%zu gates, %llu words differ\n", said,
                   static_cast<unsigned long long>(bench->mismatches()));
    }
  }
  bench->report();
  return bench->mismatches() == 0 ? 0 : 1;
}
