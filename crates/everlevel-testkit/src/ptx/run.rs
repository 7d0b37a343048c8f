//! Warps of 32 lanes, which do an instruction together.

use super::decode::{Code, Comparison, Constant, Instruction, Kernel, Taken};
use super::interface::{Argument, Fault, FaultKind, THREADS};
use super::memory::Memory;

const LANES: usize = 32;
/// The instruction of a lane that does nothing more.
const ENDED: u32 = u32::MAX;

/// A register of each lane.
type Lanes = [u64; LANES];

/// Runs all blocks.
pub(super) fn launch(
    kernel: &Kernel,
    grid: [u32; 2],
    arguments: &[Argument],
    buffers: &mut [&mut [u8]],
) -> Result<(), Fault> {
    let mut memory = Memory::new(kernel, arguments, buffers);
    let mut warps: Vec<Warp> = (0..THREADS / LANES).map(|k| Warp::new(kernel, (k * LANES) as u32, &memory)).collect();
    for y in 0..grid[1] {
        for x in 0..grid[0] {
            memory.begin_block([x, y]);
            warps.iter_mut().for_each(|warp| warp.begin_block(kernel, [x, y]));
            run_block(kernel, &mut warps, &mut memory)?;
        }
    }
    Ok(())
}

fn run_block(kernel: &Kernel, warps: &mut [Warp], memory: &mut Memory<'_, '_>) -> Result<(), Fault> {
    loop {
        for warp in &mut *warps {
            warp.run_to_barrier(kernel, memory)?;
        }
        // All threads wait at one barrier, or have ended.
        let at = warps[0].next[0];
        for warp in &mut *warps {
            if let Some(lane) = warp.next.iter().position(|&next| next != at) {
                let thread = warp.first_thread + lane as u32;
                return Err(memory.fault(FaultKind::Barrier, "the block".to_owned(), [0; 2], thread));
            }
            warp.waiting = 0;
        }
        if at == ENDED {
            return Ok(());
        }
        memory.phase += 1;
    }
}

/// The lanes that do an instruction.
type Mask = u32;

struct Warp {
    first_thread: u32,
    registers: Vec<Lanes>,
    /// The instruction that each lane is at.
    next: [u32; LANES],
    /// Lanes at a barrier.
    waiting: Mask,
}

fn is_in(mask: Mask, lane: usize) -> bool {
    mask >> lane & 1 == 1
}

impl Warp {
    fn new(kernel: &Kernel, first_thread: u32, memory: &Memory<'_, '_>) -> Self {
        let mut registers = vec![[0xa5a5_a5a5_a5a5_a5a5; LANES]; kernel.register_count];
        for &(register, constant) in &kernel.constants {
            registers[register as usize] = match constant {
                Constant::Word(word) => [word; LANES],
                Constant::Parameter(place) => [memory.parameter(place); LANES],
                Constant::Thread => std::array::from_fn(|lane| u64::from(first_thread) + lane as u64),
                Constant::BlockX | Constant::BlockY => [0; LANES],
            };
        }
        Self { first_thread, registers, next: [0; LANES], waiting: 0 }
    }

    fn begin_block(&mut self, kernel: &Kernel, [x, y]: [u32; 2]) {
        (self.next, self.waiting) = ([0; LANES], 0);
        for &(register, constant) in &kernel.constants {
            match constant {
                Constant::BlockX => self.registers[register as usize] = [u64::from(x); LANES],
                Constant::BlockY => self.registers[register as usize] = [u64::from(y); LANES],
                _ => {}
            }
        }
    }

    fn run_to_barrier(&mut self, kernel: &Kernel, memory: &mut Memory<'_, '_>) -> Result<(), Fault> {
        loop {
            // The lanes that are behind all others catch up with the next ones.
            let (mut at, mut mask, mut others) = (ENDED, 0, ENDED);
            for (lane, &next) in self.next.iter().enumerate().filter(|&(lane, _)| !is_in(self.waiting, lane)) {
                match next.cmp(&at) {
                    std::cmp::Ordering::Less => (at, mask, others) = (next, 1 << lane, at),
                    std::cmp::Ordering::Equal => mask |= 1 << lane,
                    std::cmp::Ordering::Greater => others = others.min(next),
                }
            }
            if at == ENDED {
                return Ok(());
            }
            self.run_together(kernel, memory, at, mask, others)?;
        }
    }

    /// Runs these lanes from one instruction to a branch, a barrier, or to where others wait.
    fn run_together(
        &mut self,
        kernel: &Kernel,
        memory: &mut Memory<'_, '_>,
        mut at: u32,
        mask: Mask,
        others: u32,
    ) -> Result<(), Fault> {
        loop {
            let instruction = &kernel.instructions[at as usize];
            at += 1;
            match instruction.code {
                Code::Branch { taken } => {
                    let predicate = self.registers[instruction.from[0] as usize];
                    for lane in (0..LANES).filter(|&lane| is_in(mask, lane)) {
                        let goes = match taken {
                            Taken::Always => true,
                            Taken::If => predicate[lane] != 0,
                            Taken::IfNot => predicate[lane] == 0,
                        };
                        self.next[lane] = if goes { instruction.offset as u32 } else { at };
                    }
                    return Ok(());
                }
                Code::Barrier => {
                    self.waiting |= mask;
                    self.go_on_at(at, mask);
                    return Ok(());
                }
                Code::End => {
                    self.go_on_at(ENDED, mask);
                    return Ok(());
                }
                Code::Load { .. } | Code::Store { .. } => self.access(instruction, memory, mask)?,
                _ => self.compute(instruction, mask),
            }
            if at == others {
                self.go_on_at(at, mask);
                return Ok(());
            }
        }
    }

    fn go_on_at(&mut self, at: u32, mask: Mask) {
        (0..LANES).filter(|&lane| is_in(mask, lane)).for_each(|lane| self.next[lane] = at);
    }

    fn access(&mut self, i: &Instruction, memory: &mut Memory<'_, '_>, mask: Mask) -> Result<(), Fault> {
        let addresses = self.registers[i.from[0] as usize];
        for lane in (0..LANES).filter(|&lane| is_in(mask, lane)) {
            let address = addresses[lane].wrapping_add(i.offset);
            let thread = self.first_thread + lane as u32;
            match i.code {
                Code::Store { space, nbytes } => {
                    let word = self.registers[i.from[1] as usize][lane];
                    memory.store(space, address, nbytes, word, thread)?;
                }
                Code::Load { space, nbytes, count: 2 } => {
                    let [first, second] = memory.load(space, address, nbytes, thread)?;
                    self.registers[i.to[0] as usize][lane] = first;
                    self.registers[i.to[1] as usize][lane] = second;
                }
                Code::Load { space, nbytes, .. } => {
                    [self.registers[i.to[0] as usize][lane]] = memory.load(space, address, nbytes, thread)?;
                }
                _ => unreachable!("an access"),
            }
        }
        Ok(())
    }

    fn compute(&mut self, i: &Instruction, mask: Mask) {
        let on_doubles = |f: fn(f64, f64) -> f64| move |a, b| f(f64::from_bits(a), f64::from_bits(b)).to_bits();
        match i.code {
            Code::Move => self.one(i, mask, |a| a),
            Code::Negate => self.one(i, mask, u64::wrapping_neg),
            Code::NotPredicate => self.one(i, mask, |a| a ^ 1),
            Code::Reverse => self.one(i, mask, |a| u64::from((a as u32).reverse_bits())),
            Code::NegateDouble => self.one(i, mask, |a| (-f64::from_bits(a)).to_bits()),
            Code::DoubleOfWord => self.one(i, mask, |a| (a as f64).to_bits()),
            Code::WordOfDouble => self.one(i, mask, |a| f64::from_bits(a) as u64),
            Code::Add => self.two(i, mask, u64::wrapping_add),
            Code::Subtract => self.two(i, mask, u64::wrapping_sub),
            Code::MultiplyLow => self.two(i, mask, u64::wrapping_mul),
            Code::MultiplyHigh => self.two(i, mask, |a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64),
            Code::ShiftLeft { width } => self.two(i, mask, |a, b| if b < width { a << b } else { 0 }),
            Code::ShiftRight { width } => self.two(i, mask, |a, b| if b < width { a >> b } else { 0 }),
            Code::Minimum => self.two(i, mask, u64::min),
            Code::Maximum => self.two(i, mask, u64::max),
            Code::And => self.two(i, mask, |a, b| a & b),
            Code::Or => self.two(i, mask, |a, b| a | b),
            Code::Xor => self.two(i, mask, |a, b| a ^ b),
            Code::AddDoubles => self.two(i, mask, on_doubles(|a, b| a + b)),
            Code::MultiplyDoubles => self.two(i, mask, on_doubles(|a, b| a * b)),
            Code::Compare(comparison) => self.two(i, mask, |a, b| u64::from(holds(comparison, a, b))),
            Code::CompareDoubles(comparison) => {
                self.two(i, mask, |a, b| u64::from(holds(comparison, f64::from_bits(a), f64::from_bits(b))));
            }
            Code::MultiplyAdd => self.more(i, mask, |[a, b, c, _]| a.wrapping_mul(b).wrapping_add(c)),
            Code::MultiplyAddDoubles => self.more(i, mask, |[a, b, c, _]| {
                let [a, b, c] = [a, b, c].map(f64::from_bits);
                a.mul_add(b, c).to_bits()
            }),
            Code::Select => self.more(i, mask, |[a, b, c, _]| if c != 0 { a } else { b }),
            Code::Permute => self.more(i, mask, |[a, b, c, _]| permuted(a, b, c)),
            Code::InsertBits => self.more(i, mask, |[a, b, at, len]| {
                // Positions and lengths are bytes.
                let [at, len] = [at & 255, len & 255];
                let field = if len < 64 { (1 << len) - 1 } else { u64::MAX };
                let [field, value] = [field, a].map(|x| if at < 64 { x << at } else { 0 });
                b & !field | value & field
            }),
            Code::Load { .. } | Code::Store { .. } | Code::Branch { .. } | Code::Barrier | Code::End => {
                unreachable!("no computation")
            }
        }
    }

    fn write(&mut self, i: &Instruction, mask: Mask, f: impl Fn(usize) -> u64) {
        let to = &mut self.registers[i.to[0] as usize];
        if mask == Mask::MAX {
            *to = std::array::from_fn(|lane| f(lane) & i.keep);
        } else {
            (0..LANES).filter(|&lane| is_in(mask, lane)).for_each(|lane| to[lane] = f(lane) & i.keep);
        }
    }

    fn one(&mut self, i: &Instruction, mask: Mask, f: impl Fn(u64) -> u64) {
        let a = self.registers[i.from[0] as usize];
        self.write(i, mask, |lane| f(a[lane]));
    }

    fn two(&mut self, i: &Instruction, mask: Mask, f: impl Fn(u64, u64) -> u64) {
        let [a, b] = [i.from[0], i.from[1]].map(|from| self.registers[from as usize]);
        self.write(i, mask, |lane| f(a[lane], b[lane]));
    }

    fn more(&mut self, i: &Instruction, mask: Mask, f: impl Fn([u64; 4]) -> u64) {
        let from = i.from.map(|from| self.registers[from as usize]);
        self.write(i, mask, |lane| f(std::array::from_fn(|k| from[k][lane])));
    }
}

fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b && a.partial_cmp(&b).is_some(),
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterOrEqual => a >= b,
        Comparison::NotBelow => a >= b || a.partial_cmp(&b).is_none(),
    }
}

/// Four bytes of two words, chosen by four digits; a digit's upper bit would copy a sign.
fn permuted(a: u64, b: u64, digits: u64) -> u64 {
    let both = a & 0xffff_ffff | b << 32;
    (0..4).fold(0, |out, k| {
        let digit = digits >> (4 * k) & 15;
        let byte = both >> (8 * (digit & 7)) & 255;
        let byte = if digit < 8 { byte } else { (byte >> 7) * 255 };
        out | byte << (8 * k)
    })
}
