// The host device: every kernel, run block by block, thread by thread. It is compiled twice, with plain memory and with
// checked memory (EVERLEVEL_CHECKED), and never into a product: conformance tests are its users.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

// Each of the two units has kernels of its own.
namespace {

#include "memory.h"

#include "kernels.h"

#include "faults.h"

struct Grid {
    u32 x, y;
};

// Item `turn` of `count` in the order that was asked for; a shuffle steps by a large prime.
u32 item_of(u32 turn, u32 count) {
    const u32 step = 1000003;
    if (host.order == 0 || count % step == 0) return turn;
    return host.order == 1 ? count - 1 - turn : (u32)((u64)turn * step % count);
}

template <class... P, std::size_t... I>
void run_kernel(void (*kernel)(P...), const Argument *arguments, Grid grid, std::index_sequence<I...>) {
    // Arguments are made in place: checked ones have the shadows of their memory.
    std::tuple<Taken<P>...> taken(Placed(arguments[I], (u32)I)...);
    const u32 blocks = grid.x * grid.y;
    for (u32 turn = 0; turn < blocks; turn++) {
        host.block = item_of(turn, blocks);
        host.block_x = host.block % grid.x;
        host.block_y = host.block / grid.x;
        host.phase = 0;
        kernel(std::get<I>(taken).get()...);
    }
}

template <class... P>
constexpr std::size_t parameters(void (*)(P...)) {
    return sizeof...(P);
}

template <auto KERNEL_FUNCTION>
void run(const Argument *arguments, Grid grid) {
    run_kernel(KERNEL_FUNCTION, arguments, grid, std::make_index_sequence<parameters(KERNEL_FUNCTION)>());
}

struct Entry {
    const char *name;
    std::size_t arguments;
    void (*run)(const Argument *, Grid);
};

#define ENTRY(NAME) {#NAME, parameters(&NAME), &run<&NAME>},
#define COLUMN_ENTRIES(C)                                                                                              \
    ENTRY(forward_columns_##C##_integers)                                                                              \
    ENTRY(forward_columns_##C##_doubles)                                                                               \
    ENTRY(inverse_columns_##C##_integers)                                                                              \
    ENTRY(inverse_columns_##C##_doubles)

const Entry ENTRIES[] = {
    EACH_COLUMNS(COLUMN_ENTRIES)
    ENTRY(forward_rows_integers)
    ENTRY(forward_rows_doubles)
    ENTRY(forward_rows_to_ends_integers)
    ENTRY(forward_rows_to_ends_doubles)
    ENTRY(inverse_rows_integers)
    ENTRY(inverse_rows_doubles)
    ENTRY(add)
    ENTRY(subtract)
    ENTRY(multiply)
    ENTRY(multiply_add)
    ENTRY(scale)
    ENTRY(scale_add)
    ENTRY(combine)
    ENTRY(scale_halves)
    ENTRY(add_halves)
    ENTRY(copy)
    ENTRY(fill_zeros)
    ENTRY(lift)
    ENTRY(tensor)
    ENTRY(convert)
    ENTRY(key_product)
    ENTRY(automorphism)
    ENTRY(diagonal_sums_1)
    ENTRY(diagonal_sums_4)
    ENTRY(planted_none)
    ENTRY(planted_missing_barrier)
    ENTRY(planted_race)
    ENTRY(planted_out_of_bounds)
    ENTRY(planted_uninitialised)
    ENTRY(planted_race_of_blocks)
    ENTRY(planted_beyond_memory)
};

enum Outcome : u32 { DONE = 0, UNKNOWN_KERNEL = 1, OTHER_ARGUMENTS = 2, FOUND_FAULT = 3, OUT_OF_MEMORY = 4 };

u32 launch(const char *name, std::size_t name_len, const Argument *arguments, std::size_t count, Grid grid,
           Fault *fault) {
    for (const Entry &entry : ENTRIES) {
        if (std::strlen(entry.name) != name_len || std::memcmp(entry.name, name, name_len) != 0) continue;
        if (entry.arguments != count) return OTHER_ARGUMENTS;
        try {
            entry.run(arguments, grid);
        } catch (const Fault &found) {
            *fault = found;
            return FOUND_FAULT;
        } catch (...) {
            return OUT_OF_MEMORY;
        }
        return DONE;
    }
    return UNKNOWN_KERNEL;
}

}  // namespace

#if EVERLEVEL_CHECKED
#define LAUNCH everlevel_gpu_checked_launch
#else
#define LAUNCH everlevel_gpu_plain_launch
#endif

// `everlevel_gpu::host` declares both: an outcome, and the fault that was found.
extern "C" u32 LAUNCH(const char *name, std::size_t name_len, const void *arguments, std::size_t count, u32 grid_x,
                      u32 grid_y, u32 order, u32 barriers, void *fault) {
    host = Host{};
    host.order = order;
    host.barriers = barriers;
    return launch(name, name_len, (const Argument *)arguments, count, Grid{grid_x, grid_y}, (Fault *)fault);
}
