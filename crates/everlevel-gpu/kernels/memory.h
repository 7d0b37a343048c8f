// The host's side of the dialect: a block's threads in any order, and memory, plain or checked. Checked memory finds
// accesses out of bounds, races, and reads of shared memory that nobody has written: two threads race where both touch
// a word, one of them writes it, and no barrier is between, which there never is between two blocks of a launch.
#pragma once

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;

// Where the calling thread is in a launch.
struct Host {
    u32 block_x, block_y, phase, thread;
    // The block, counted over both dimensions.
    u32 block;
    // Order of threads and blocks: 0 forward, 1 backward, 2 shuffled. Without barriers all phases are one.
    u32 order, barriers;
};
static thread_local Host host;

static inline void next_phase() { host.phase += host.barriers; }

// The thread whose turn it is.
static inline u32 thread_of(u32 turn) {
    return host.thread = host.order == 0 ? turn : host.order == 1 ? 255 - turn : (turn * 77 + 13) & 255;
}

// A fault, as Rust reads it.
enum Kind : u32 { OUT_OF_BOUNDS = 1, RACE = 2, UNINITIALISED = 3 };
struct Fault {
    u32 kind, block_x, block_y, phase, thread, other;
    u64 index, length;
    // The name of shared memory, or the place of an argument.
    char memory[32];
};

// An argument of a kernel, as Rust passes it.
struct Argument {
    void *memory;
    u64 nbytes;
    u64 word;
};

// An argument and its place.
typedef std::pair<const Argument &, u32> Placed;

// An argument of a kernel, as the kernel takes it.
template <class T>
struct Taken {
    T value;
    Taken(const Placed &placed) : value((T)placed.first.word) {}
    T &get() { return value; }
};

#if !EVERLEVEL_CHECKED

#define GLOBAL(T) T *
#define TABLE(T) const T *
#define SHARED(T, name, count) T name[count]
#define SHARED_OF(T, count) T *

template <class T>
struct Taken<T *> {
    T *value;
    Taken(const Placed &placed) : value((T *)placed.first.memory) {}
    T *&get() { return value; }
};

#else

#define GLOBAL(T) Global<T>
#define TABLE(T) Table<T>
#define SHARED(T, name, count) Shared<T, count> name(#name)
#define SHARED_OF(T, count) Shared<T, count> &

static const u32 NOBODY = ~0u, SEVERAL = ~0u - 1;

// Who touched a word last, to write it and to read it.
struct Shadow {
    u32 writer_block = NOBODY, writer_phase = 0, writer = NOBODY;
    u32 reader_block = NOBODY, reader_phase = 0, reader = NOBODY;
};

[[noreturn]] static void fail(Kind kind, u32 other, u64 index, u64 length, const char *memory) {
    Fault fault = {kind, host.block_x, host.block_y, host.phase, host.thread, other, index, length, {}};
    std::strncpy(fault.memory, memory, sizeof fault.memory - 1);
    throw fault;
}

// Notes an access, and fails where it races with an earlier one.
static void note(Shadow &word, bool writes, u64 index, u64 length, const char *memory) {
    const bool written = word.writer_block != NOBODY, here = word.writer_block == host.block;
    if (written && (!here || (word.writer_phase == host.phase && word.writer != host.thread))) {
        fail(RACE, word.writer, index, length, memory);
    }
    const bool read = word.reader_block != NOBODY, same = word.reader_block == host.block;
    if (writes) {
        if (read && (!same || (word.reader_phase == host.phase && word.reader != host.thread))) {
            fail(RACE, word.reader, index, length, memory);
        }
        word.writer_block = host.block;
        word.writer_phase = host.phase;
        word.writer = host.thread;
    } else if (read && !same) {
        word.reader_block = SEVERAL;
    } else if (read && word.reader_phase == host.phase) {
        word.reader = word.reader == host.thread ? host.thread : SEVERAL;
    } else {
        word.reader_block = host.block;
        word.reader_phase = host.phase;
        word.reader = host.thread;
    }
}

// A word of checked memory: reading and writing are noted.
template <class M, class T>
struct Word {
    M &memory;
    u64 index;

    operator T() const { return memory.read(index); }
    void operator=(T value) const { memory.write(index, value); }
    void operator=(const Word &other) const { memory.write(index, (T)other); }
};

template <class T, u32 COUNT>
struct Shared {
    T words[COUNT];
    Shadow shadows[COUNT];
    const char *name;

    explicit Shared(const char *name) : name(name) {}
    Word<Shared, T> operator[](u64 index) {
        if (index >= COUNT) fail(OUT_OF_BOUNDS, NOBODY, index, COUNT, name);
        return {*this, index};
    }
    T read(u64 index) {
        if (shadows[index].writer_block == NOBODY) fail(UNINITIALISED, NOBODY, index, COUNT, name);
        note(shadows[index], false, index, COUNT, name);
        return words[index];
    }
    void write(u64 index, T value) {
        note(shadows[index], true, index, COUNT, name);
        words[index] = value;
    }
};

// What an argument is called.
static const char *argument_name(u32 place) {
    static const char *const NAMES[] = {"argument 0", "argument 1", "argument 2", "argument 3", "argument 4",
                                        "argument 5", "argument 6", "argument 7", "argument 8"};
    return NAMES[place < 8 ? place : 8];
}

template <class T>
struct Global {
    T *words;
    u64 length;
    Shadow *shadows;
    u32 place;

    Word<Global, T> operator[](u64 index) {
        if (index >= length) fail(OUT_OF_BOUNDS, NOBODY, index, length, argument_name(place));
        return {*this, index};
    }
    T read(u64 index) {
        note(shadows[index], false, index, length, argument_name(place));
        return words[index];
    }
    void write(u64 index, T value) {
        note(shadows[index], true, index, length, argument_name(place));
        words[index] = value;
    }
};

template <class T>
struct Table {
    const T *words;
    u64 length;
    u32 place;

    T operator[](u64 index) const {
        if (index >= length) fail(OUT_OF_BOUNDS, NOBODY, index, length, argument_name(place));
        return words[index];
    }
};

template <class T>
struct Taken<Global<T>> {
    std::vector<Shadow> shadows;
    Global<T> value;
    Taken(const Placed &placed)
        : shadows(placed.first.nbytes / sizeof(T)),
          value{(T *)placed.first.memory, shadows.size(), shadows.data(), placed.second} {}
    Taken(const Taken &) = delete;
    Global<T> &get() { return value; }
};

template <class T>
struct Taken<Table<T>> {
    Table<T> value;
    Taken(const Placed &placed)
        : value{(const T *)placed.first.memory, placed.first.nbytes / sizeof(T), placed.second} {}
    Table<T> &get() { return value; }
};

#endif
