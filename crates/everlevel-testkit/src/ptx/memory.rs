//! The memory that a kernel sees: its arguments' and its block's, with who touched a shared word last.

use super::decode::{Kernel, Space};
use super::interface::{Argument, Fault, FaultKind};

/// Addresses of argument `i` are those from `(i + 1)·2^40` on.
const LOG2_ARGUMENT: u32 = 40;

/// Shared words have four bytes.
const WORD: usize = 4;

const NOBODY: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// Who wrote a word last, who read it last, and in which phases.
#[derive(Clone, Copy)]
struct Shadow {
    writer: u32,
    written: u32,
    reader: u32,
    read: u32,
}

const UNTOUCHED: Shadow = Shadow { writer: NOBODY, written: 0, reader: NOBODY, read: 0 };

/// Memory of a launch, and where its threads are.
pub(super) struct Memory<'a, 'b> {
    kernel: &'a Kernel,
    arguments: &'a [Argument],
    buffers: &'a mut [&'b mut [u8]],
    shared: Vec<u8>,
    shadows: Vec<Shadow>,
    pub block: [u32; 2],
    pub phase: u32,
}

/// A place in memory: an argument's buffer or the block's memory, and the first byte.
#[derive(Clone, Copy)]
struct Place {
    buffer: Option<usize>,
    at: usize,
}

impl<'a, 'b> Memory<'a, 'b> {
    pub fn new(kernel: &'a Kernel, arguments: &'a [Argument], buffers: &'a mut [&'b mut [u8]]) -> Self {
        let shared = vec![0xa5; kernel.shared_nbytes];
        let shadows = vec![UNTOUCHED; kernel.shared_nbytes.div_ceil(WORD)];
        Self { kernel, arguments, buffers, shared, shadows, block: [0; 2], phase: 1 }
    }

    /// The value of a parameter.
    pub fn parameter(&self, place: usize) -> u64 {
        match self.arguments[place] {
            Argument::Memory(_) => (place as u64 + 1) << LOG2_ARGUMENT,
            Argument::Word(word) => u64::from(word),
        }
    }

    pub fn begin_block(&mut self, block: [u32; 2]) {
        self.block = block;
        self.phase = 1;
        self.shadows.fill(UNTOUCHED);
    }

    pub fn fault(&self, kind: FaultKind, memory: String, [index, length]: [u64; 2], thread: u32) -> Fault {
        Fault { kind, memory, index, length, block: self.block, phase: self.phase, thread }
    }

    fn place(&self, space: Space, address: u64, nbytes: usize, word: usize, thread: u32) -> Result<Place, Fault> {
        let (buffer, at, length, name) = match space {
            Space::Shared => (None, address, self.shared.len() as u64, None),
            Space::Global => {
                let place = (address >> LOG2_ARGUMENT).wrapping_sub(1) as usize;
                let at = address & ((1 << LOG2_ARGUMENT) - 1);
                match self.arguments.get(place) {
                    Some(&Argument::Memory(buffer)) => {
                        (Some(buffer), at, self.buffers[buffer].len() as u64, Some(place))
                    }
                    _ => (None, address, 0, Some(usize::MAX)),
                }
            }
        };
        let kind = match at.checked_add(nbytes as u64) {
            Some(end) if end <= length && at.is_multiple_of(nbytes as u64) => {
                return Ok(Place { buffer, at: at as usize });
            }
            Some(end) if end <= length => FaultKind::Misaligned,
            _ => FaultKind::OutOfBounds,
        };
        let memory = match name {
            None => self.kernel.shared_name.clone(),
            Some(usize::MAX) => "no argument".to_owned(),
            Some(place) => format!("argument {place}"),
        };
        let word = word as u64;
        Err(self.fault(kind, memory, [at / word, length / word], thread))
    }

    /// `COUNT` words of so many bytes, extended by zeros.
    pub fn load<const COUNT: usize>(
        &mut self,
        space: Space,
        address: u64,
        nbytes: usize,
        thread: u32,
    ) -> Result<[u64; COUNT], Fault> {
        let place = self.place(space, address, COUNT * nbytes, nbytes, thread)?;
        if space == Space::Shared {
            self.note(place.at, COUNT * nbytes, false, thread)?;
        }
        let bytes: &[u8] = match place.buffer {
            Some(buffer) => &self.buffers[buffer][place.at..place.at + COUNT * nbytes],
            None => &self.shared[place.at..place.at + COUNT * nbytes],
        };
        let mut words = [0; COUNT];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(nbytes)) {
            *word = match *bytes {
                [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
                [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
                [a, b] => u64::from(u16::from_le_bytes([a, b])),
                _ => u64::from(bytes[0]),
            };
        }
        Ok(words)
    }

    /// Writes the lowest bytes of a word.
    pub fn store(&mut self, space: Space, address: u64, nbytes: usize, word: u64, thread: u32) -> Result<(), Fault> {
        let place = self.place(space, address, nbytes, nbytes, thread)?;
        if space == Space::Shared {
            self.note(place.at, nbytes, true, thread)?;
        }
        let to = match place.buffer {
            Some(buffer) => &mut self.buffers[buffer][place.at..place.at + nbytes],
            None => &mut self.shared[place.at..place.at + nbytes],
        };
        to.copy_from_slice(&word.to_le_bytes()[..nbytes]);
        Ok(())
    }

    /// Notes an access to shared words.
    fn note(&mut self, at: usize, nbytes: usize, writes: bool, thread: u32) -> Result<(), Fault> {
        let phase = self.phase;
        for word in &mut self.shadows[at / WORD..(at + nbytes).div_ceil(WORD)] {
            let after_write = word.written == phase && word.writer != thread;
            let after_read = writes && word.read == phase && word.reader != thread;
            if after_write || after_read || (!writes && word.writer == NOBODY) {
                let kind = if after_write || after_read { FaultKind::Race } else { FaultKind::Uninitialised };
                let [index, length] = [at, self.shared.len()].map(|bytes| (bytes / nbytes) as u64);
                return Err(self.fault(kind, self.kernel.shared_name.clone(), [index, length], thread));
            }
            if writes {
                (word.writer, word.written) = (thread, phase);
            } else if word.read == phase {
                word.reader = if word.reader == thread { thread } else { SEVERAL };
            } else {
                (word.reader, word.read) = (thread, phase);
            }
        }
        Ok(())
    }
}
