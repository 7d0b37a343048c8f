//! From text to a compact form: every operand is a register, constants and parameters among them.

use std::collections::{BTreeMap, HashMap};

use super::interface::Error;

/// A kernel.
#[derive(Debug)]
pub(super) struct Kernel {
    pub parameter_count: usize,
    pub shared_nbytes: usize,
    /// Name of the shared memory, as the source has it.
    pub shared_name: String,
    pub register_count: usize,
    /// Registers that hold something from the beginning.
    pub constants: Vec<(u32, Constant)>,
    pub instructions: Vec<Instruction>,
}

/// A value that a register holds from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Constant {
    Word(u64),
    Parameter(usize),
    Thread,
    BlockX,
    BlockY,
}

/// An instruction: results and operands are numbers of registers.
#[derive(Debug)]
pub(super) struct Instruction {
    pub code: Code,
    /// The bits that a result keeps.
    pub keep: u64,
    pub to: [u32; 2],
    pub from: [u32; 4],
    /// The offset of an address, or the instruction that a branch goes to.
    pub offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Move,
    Add,
    Subtract,
    Negate,
    MultiplyLow,
    MultiplyHigh,
    MultiplyAdd,
    ShiftLeft { width: u64 },
    ShiftRight { width: u64 },
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
    NotPredicate,
    Reverse,
    InsertBits,
    Permute,
    Select,
    Compare(Comparison),
    CompareDoubles(Comparison),
    NegateDouble,
    AddDoubles,
    MultiplyDoubles,
    MultiplyAddDoubles,
    DoubleOfWord,
    WordOfDouble,
    Load { space: Space, nbytes: usize, count: usize },
    Store { space: Space, nbytes: usize },
    Branch { taken: Taken },
    Barrier,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Always,
    If,
    IfNot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    Shared,
}

/// Comparisons of words without sign, or of doubles; `NotBelow` is true of NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    NotBelow,
}

/// Every kernel of a text.
pub(super) fn kernels(text: &str) -> Result<BTreeMap<String, Kernel>, Error> {
    let mut found = BTreeMap::new();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    while let Some(line) = lines.next() {
        // Before a kernel there are versions and constants that the kernels have taken in.
        let Some(name) = line.strip_prefix(".visible .entry ").and_then(|rest| rest.strip_suffix('(')) else {
            continue;
        };
        let mut decoder = Decoder::new(name);
        let head: Vec<&str> = lines.by_ref().take_while(|&line| line != "{").collect();
        decoder.parameter_count = head.iter().filter(|line| line.starts_with(".param ")).count();
        for line in lines.by_ref().take_while(|&line| line != "}") {
            decoder.statement(line)?;
        }
        found.insert(name.to_owned(), decoder.finish()?);
    }
    Ok(found)
}

/// A kernel that is being decoded.
struct Decoder<'a> {
    name: &'a str,
    parameter_count: usize,
    registers: HashMap<&'a str, u32>,
    constants: HashMap<Constant, u32>,
    register_count: u32,
    shared: HashMap<&'a str, usize>,
    shared_nbytes: usize,
    labels: HashMap<&'a str, u64>,
    /// Branches, by their place, and their labels.
    branches: Vec<(usize, &'a str)>,
    instructions: Vec<Instruction>,
}

impl<'a> Decoder<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            name,
            parameter_count: 0,
            registers: HashMap::new(),
            constants: HashMap::new(),
            register_count: 0,
            shared: HashMap::new(),
            shared_nbytes: 0,
            labels: HashMap::new(),
            branches: Vec::new(),
            instructions: Vec::new(),
        }
    }

    fn unknown(&self, statement: &str) -> Error {
        Error::Unknown { kernel: self.name.to_owned(), statement: statement.to_owned() }
    }

    fn statement(&mut self, line: &'a str) -> Result<(), Error> {
        if let Some(label) = line.strip_suffix(':') {
            self.labels.insert(label, self.instructions.len() as u64);
            return Ok(());
        }
        // A pragma is advice to the compiler of machine code.
        if line.is_empty() || line.starts_with(".reg ") || line.starts_with(".pragma ") {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix(".shared .align ") {
            return self.declare_shared(rest).ok_or_else(|| self.unknown(line));
        }
        self.instruction(line).ok_or_else(|| self.unknown(line))
    }

    /// `8 .b8 name[4096];`
    fn declare_shared(&mut self, rest: &'a str) -> Option<()> {
        let (align, rest) = rest.split_once(" .b8 ")?;
        let (name, nbytes) = rest.strip_suffix("];")?.split_once('[')?;
        let at = self.shared_nbytes.next_multiple_of(align.parse().ok()?);
        self.shared.insert(name, at);
        self.shared_nbytes = at + nbytes.parse::<usize>().ok()?;
        Some(())
    }

    fn fresh(&mut self) -> u32 {
        self.register_count += 1;
        self.register_count - 1
    }

    fn constant(&mut self, constant: Constant) -> u32 {
        if let Some(&register) = self.constants.get(&constant) {
            return register;
        }
        let register = self.fresh();
        self.constants.insert(constant, register);
        register
    }

    fn result(&mut self, operand: &'a str) -> Option<u32> {
        operand.strip_prefix('%').filter(|rest| !rest.contains('.'))?;
        if let Some(&register) = self.registers.get(operand) {
            return Some(register);
        }
        let register = self.fresh();
        self.registers.insert(operand, register);
        Some(register)
    }

    /// An operand, of which constants have these bits.
    fn operand(&mut self, operand: &'a str, keep: u64) -> Option<u32> {
        let constant = match operand {
            "%tid.x" => Constant::Thread,
            "%ctaid.x" => Constant::BlockX,
            "%ctaid.y" => Constant::BlockY,
            _ if operand.starts_with('%') => return self.result(operand),
            _ => match (operand.strip_prefix("0d"), self.shared.get(operand)) {
                (Some(bits), _) => Constant::Word(u64::from_str_radix(bits, 16).ok()?),
                (None, Some(&at)) => Constant::Word(at as u64),
                (None, None) => Constant::Word(operand.parse::<i128>().ok()? as u64 & keep),
            },
        };
        Some(self.constant(constant))
    }

    /// `[%rd1+8]`, a register and what is added to it.
    fn address(&mut self, operand: &'a str) -> Option<(u32, u64)> {
        let inner = operand.strip_prefix('[')?.strip_suffix(']')?;
        let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        Some((self.operand(base, u64::MAX)?, offset.parse::<i64>().ok()? as u64))
    }

    fn instruction(&mut self, line: &'a str) -> Option<()> {
        let line = line.strip_suffix(';')?;
        let (guard, line) = match line.strip_prefix('@') {
            Some(rest) => rest.split_once(' ').map(|(guard, rest)| (Some(guard), rest.trim()))?,
            None => (None, line),
        };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let operands = operands_of(rest);
        match (name, &operands[..]) {
            ("bra" | "bra.uni", [label]) => self.branch(guard, label),
            // No other instruction has a guard.
            _ if guard.is_some() => None,
            ("ret", []) => self.push(Code::End, 0, [0; 2], [0; 4], 0),
            ("bar.sync", ["0"]) => self.push(Code::Barrier, 0, [0; 2], [0; 4], 0),
            _ if name.starts_with("ld.param.") => self.load_parameter(&operands),
            _ if name.starts_with("ld.") => self.load(&name[3..], &operands),
            _ if name.starts_with("st.") => self.store(&name[3..], &operands),
            (_, [to, from @ ..]) => {
                let (code, from_width, width) = computation(name)?;
                let to = self.result(to)?;
                let mut registers = [0; 4];
                if from.len() != operand_count(code) {
                    return None;
                }
                for (register, operand) in registers.iter_mut().zip(from) {
                    *register = self.operand(operand, bits(from_width))?;
                }
                self.push(code, bits(width), [to, 0], registers, 0)
            }
            _ => None,
        }
    }

    fn push(&mut self, code: Code, keep: u64, to: [u32; 2], from: [u32; 4], offset: u64) -> Option<()> {
        self.instructions.push(Instruction { code, keep, to, from, offset });
        Some(())
    }

    fn branch(&mut self, guard: Option<&'a str>, label: &'a str) -> Option<()> {
        let (taken, predicate) = match guard.map(|guard| (guard, guard.strip_prefix('!'))) {
            None => (Taken::Always, 0),
            Some((_, Some(negated))) => (Taken::IfNot, self.result(negated)?),
            Some((guard, None)) => (Taken::If, self.result(guard)?),
        };
        self.branches.push((self.instructions.len(), label));
        self.push(Code::Branch { taken }, 0, [0; 2], [predicate, 0, 0, 0], 0)
    }

    /// `[name_param_3]`
    fn load_parameter(&mut self, operands: &[&'a str]) -> Option<()> {
        let [to, from] = *operands else { return None };
        let place = from.strip_suffix(']')?.rsplit_once("_param_")?.1.parse().ok()?;
        let (to, from) = (self.result(to)?, self.constant(Constant::Parameter(place)));
        self.push(Code::Move, u64::MAX, [to, 0], [from, 0, 0, 0], 0)
    }

    fn load(&mut self, name: &str, operands: &[&'a str]) -> Option<()> {
        let [to, from] = *operands else { return None };
        let (space, rest) = space_of(name)?;
        let rest = if space == Space::Global { rest.strip_prefix("nc.").unwrap_or(rest) } else { rest };
        let (results, word) = words_of(rest, to)?;
        let (address, offset) = self.address(from)?;
        let nbytes = nbytes_of(word)?;
        // Four words are loaded as two pairs: they are of 32 bits, and so none of them takes the address's register.
        for (k, pair) in results.chunks(2).enumerate() {
            let mut registers = [0; 2];
            for (register, result) in registers.iter_mut().zip(pair) {
                *register = self.result(result)?;
            }
            let code = Code::Load { space, nbytes, count: pair.len() };
            self.push(code, u64::MAX, registers, [address, 0, 0, 0], offset.wrapping_add((2 * k * nbytes) as u64))?;
        }
        Some(())
    }

    fn store(&mut self, name: &str, operands: &[&'a str]) -> Option<()> {
        let [to, from] = *operands else { return None };
        let (space, rest) = space_of(name)?;
        let (values, word) = words_of(rest, from)?;
        let (address, offset) = self.address(to)?;
        let nbytes = nbytes_of(word)?;
        for (k, value) in values.into_iter().enumerate() {
            let value = self.operand(value, u64::MAX)?;
            let offset = offset.wrapping_add((k * nbytes) as u64);
            self.push(Code::Store { space, nbytes }, 0, [0; 2], [address, value, 0, 0], offset)?;
        }
        Some(())
    }

    fn finish(mut self) -> Result<Kernel, Error> {
        for (at, label) in std::mem::take(&mut self.branches) {
            self.instructions[at].offset = *self.labels.get(label).ok_or_else(|| self.unknown(label))?;
        }
        let ends = |last: &Instruction| matches!(last.code, Code::End | Code::Branch { taken: Taken::Always });
        if !self.instructions.last().is_some_and(ends) {
            return Err(self.unknown("a body without an end"));
        }
        // The source's name is the last part of the mangled one.
        let mangled = self.shared.keys().next().copied().unwrap_or_default();
        let last = mangled.rsplit('E').next().unwrap_or_default();
        Ok(Kernel {
            parameter_count: self.parameter_count,
            shared_nbytes: self.shared_nbytes,
            shared_name: last.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned(),
            register_count: self.register_count as usize,
            constants: self.constants.into_iter().map(|(constant, register)| (register, constant)).collect(),
            instructions: self.instructions,
        })
    }
}

/// Operands between commas, with those in braces together.
fn operands_of(rest: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = rest.split(move |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn space_of(name: &str) -> Option<(Space, &str)> {
    let global = name.strip_prefix("global.").map(|rest| (Space::Global, rest));
    global.or_else(|| name.strip_prefix("shared.").map(|rest| (Space::Shared, rest)))
}

/// The operands of an access to one word, to two words or to four of 32 bits, and the words' type.
fn words_of<'a, 'b>(name: &'b str, operands: &'a str) -> Option<(Vec<&'a str>, &'b str)> {
    let several = |word| Some((operands_of(operands.strip_prefix('{')?.strip_suffix('}')?), word));
    let (count, found) = match (name.strip_prefix("v2."), name.strip_prefix("v4.")) {
        (Some(word), _) => (2, several(word)?),
        (_, Some(word)) if nbytes_of(word)? == 4 => (4, several(word)?),
        _ => (1, (vec![operands], name)),
    };
    (found.0.len() == count).then_some(found)
}

/// Bytes of a word in memory, which a load extends by zeros.
fn nbytes_of(word: &str) -> Option<usize> {
    match word {
        "u8" | "b8" => Some(1),
        "u16" | "b16" => Some(2),
        "u32" | "b32" => Some(4),
        "u64" | "b64" | "f64" => Some(8),
        _ => None,
    }
}

/// All bits of a width.
fn bits(width: u64) -> u64 {
    u64::MAX >> (64 - width)
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "eq" => Comparison::Equal,
        "ne" => Comparison::NotEqual,
        "lt" => Comparison::Less,
        "le" => Comparison::LessOrEqual,
        "gt" => Comparison::Greater,
        "ge" => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// The operation of an instruction, and the widths of its operands and of its result.
fn computation(name: &str) -> Option<(Code, u64, u64)> {
    if let Some(code) = on_doubles(name) {
        return Some((code, 64, 64));
    }
    let (operation, word) = name.rsplit_once('.')?;
    let width = match word {
        "pred" => 1,
        "u16" | "b16" => 16,
        "u32" | "s32" | "b32" => 32,
        "u64" | "s64" | "b64" | "f64" => 64,
        _ => return None,
    };
    let whole = word != "f64" && width >= 32;
    let code = match operation {
        "mov" | "cvta.to.global" => Code::Move,
        "selp" => Code::Select,
        "not" if word == "pred" => Code::NotPredicate,
        "and" if width != 16 => Code::And,
        "or" if width != 16 => Code::Or,
        "xor" if width != 16 => Code::Xor,
        "add" if whole => Code::Add,
        "sub" if whole => Code::Subtract,
        "min" if whole && word.starts_with('u') => Code::Minimum,
        "max" if whole && word.starts_with('u') => Code::Maximum,
        "neg" if whole => Code::Negate,
        "mul.lo" if whole => Code::MultiplyLow,
        "mad.lo" if whole => Code::MultiplyAdd,
        "mul.hi" if word == "u64" => Code::MultiplyHigh,
        "mul.wide" if word == "u32" => return Some((Code::MultiplyLow, 32, 64)),
        "mad.wide" if word == "u32" => return Some((Code::MultiplyAdd, 32, 64)),
        "shl" if whole => Code::ShiftLeft { width },
        "shr" if whole && !word.starts_with('s') => Code::ShiftRight { width },
        "brev" if word == "b32" => Code::Reverse,
        "bfi" if whole => Code::InsertBits,
        "prmt" if word == "b32" => Code::Permute,
        "cvt.u64" if word.starts_with('u') => return Some((Code::Move, 64, 64)),
        "cvt.u32" if word.starts_with('u') => return Some((Code::Move, 64, 32)),
        _ => {
            let name = operation.strip_prefix("setp.")?;
            let has_order = !word.starts_with('s') || matches!(name, "eq" | "ne");
            let code = Code::Compare(comparison(name)?);
            return (whole && has_order).then_some((code, width, 1));
        }
    };
    Some((code, width, width))
}

/// Doubles are rounded to the nearest, and have no flushed subnormals.
fn on_doubles(name: &str) -> Option<Code> {
    Some(match name {
        "neg.f64" => Code::NegateDouble,
        "add.rn.f64" => Code::AddDoubles,
        "mul.rn.f64" => Code::MultiplyDoubles,
        "fma.rn.f64" => Code::MultiplyAddDoubles,
        "cvt.rn.f64.u64" => Code::DoubleOfWord,
        "cvt.rzi.u64.f64" => Code::WordOfDouble,
        "setp.geu.f64" => Code::CompareDoubles(Comparison::NotBelow),
        _ => Code::CompareDoubles(comparison(name.strip_prefix("setp.")?.strip_suffix(".f64")?)?),
    })
}

fn operand_count(code: Code) -> usize {
    match code {
        Code::Move | Code::Negate | Code::NotPredicate | Code::Reverse => 1,
        Code::NegateDouble | Code::DoubleOfWord | Code::WordOfDouble => 1,
        Code::MultiplyAdd | Code::MultiplyAddDoubles | Code::Select | Code::Permute => 3,
        Code::InsertBits => 4,
        _ => 2,
    }
}
