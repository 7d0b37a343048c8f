//! Light plaintexts, matrices and their keys, both ways.

use std::sync::OnceLock;

use everlevel_io::schema::{refuse, require, require_own};
use everlevel_io::{ALIGNMENT, kinds};
use everlevel_ring::Symmetry;

use crate::circuits::matrix::Shape;
use crate::circuits::matrix::plan::Plan;
use crate::claims::Padding;
use crate::encoder::Coefficients;
use crate::files::content::{FileContent, Stored, key_items};
use crate::files::entries;
use crate::files::reader::Reader;
use crate::files::writer::Writer;
use crate::keys::LevelKey;
use crate::{Error, LightPlainMatrix, LightPlaintext, MatrixMultiplicationKey, PlainMatrix, Units};

/// Writes coefficients, and what is left beside the nearest doubles under a name of its own.
///
/// Tensors are aligned: zeros fill up all but the last of a file.
fn write_coefficients<'c>(
    writer: &mut Writer<'_, '_>,
    name: &str,
    all: impl Iterator<Item = &'c Coefficients> + Clone,
    is_last: bool,
) {
    let mut write = |name: &str, is_last: bool, values: &mut dyn Iterator<Item = f64>| {
        let mut bytes: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
        if !is_last {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        }
        writer.bytes(name, bytes);
    };
    let is_wide = all.clone().any(|coeffs| !coeffs.low.is_empty());
    write(name, is_last && !is_wide, &mut all.clone().flat_map(|coeffs| coeffs.high.iter().copied()));
    if is_wide {
        let low_of =
            |coeffs: &'c Coefficients| coeffs.low.iter().copied().chain(std::iter::repeat(0.0)).take(coeffs.high.len());
        write(&low(name), is_last, &mut all.flat_map(low_of));
    }
}

/// The `count` coefficients that [`write_coefficients`] wrote.
fn read_coefficients(reader: &Reader<'_>, name: &str, count: usize, is_last: bool) -> Result<Coefficients, Error> {
    let is_wide = reader.has(&low(name));
    let rest = if is_wide { numbers(reader, &low(name), count, is_last)? } else { Vec::new() };
    Ok(Coefficients { high: numbers(reader, name, count, is_last && !is_wide)?, low: rest })
}

fn low(name: &str) -> String {
    format!("{name}_low")
}

/// Finite numbers of eight bytes.
fn numbers(reader: &Reader<'_>, name: &str, count: usize, is_last: bool) -> Result<Vec<f64>, Error> {
    let len = 8 * count;
    let stored = if is_last { len } else { len.next_multiple_of(ALIGNMENT) };
    let (bytes, zeros) = reader.bytes(name, stored)?.split_at(len);
    require(&format!("zeros after {name}"), zeros.iter().all(|&byte| byte == 0), true, "zeros")?;
    let number = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
    let values: Vec<f64> = bytes.chunks_exact(8).map(number).collect();
    match values.iter().find(|x| !x.is_finite()) {
        Some(x) => refuse(&format!("a value of {name}"), x, "finite"),
        None => Ok(values),
    }
}

impl Stored for Units<LightPlaintext> {}
impl FileContent for Units<LightPlaintext> {
    const KIND: &'static str = kinds::LIGHT_PLAINTEXT;
    const NAME: &'static str = "light plaintext";

    fn fingerprint(&self) -> u64 {
        self.first().fingerprint
    }

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        let LightPlaintext { level, slot_count, .. } = *self.first();
        writer.object(&entries::Light { level, slot_count, units: self.count() });
        write_coefficients(writer, "coefficients", self.all().iter().map(|unit| &unit.coeffs), true);
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let entries::Light { level, slot_count, units } = reader.object()?;
        reader.check_slots(slot_count)?;
        reader.check_level(level, 0)?;
        let Some(count) = units.checked_mul(2 * slot_count) else {
            return refuse("units", units, "as many as there are coefficients");
        };
        let coeffs = read_coefficients(reader, "coefficients", count, true)?;
        reader.core.check_fits("load", &coeffs, level)?;
        let fingerprint = reader.core.fingerprint;
        let unit = |coeffs| {
            let (values, padding) = (OnceLock::new(), Padding::unknown(slot_count));
            LightPlaintext { coeffs, level, slot_count, fingerprint, is_real: false, padding, values }
        };
        match Units::new(coeffs.chunks(2 * slot_count).map(unit).collect()) {
            Some(units) => Ok(units),
            None => refuse("units", 0, "at least 1"),
        }
    }
}

impl Shape {
    fn write(&self, writer: &mut Writer<'_, '_>) {
        writer.object(&entries::Matrix {
            rows: self.rows,
            columns: self.columns,
            level: self.level,
            slot_count: self.slot_count,
            baby_count: self.plan.baby_count,
            diagonals: self.plan.diagonals.clone(),
            block_sizes: if self.plan.block_sizes.len() > 1 { self.plan.block_sizes.clone() } else { Vec::new() },
            row_norm: self.row_norm,
            row_sum: Some(self.row_sum),
            mean_size: self.mean_size,
            row_repeats: Some(self.row_repeats),
            is_real: self.is_real,
            by_half: self.symmetry == Symmetry::Conjugate,
        });
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let entry: entries::Matrix = reader.object()?;
        reader.check_slots(entry.slot_count)?;
        reader.check_level(entry.level, 1)?;
        let slots = entry.slot_count;
        for (what, size) in [("rows", entry.rows), ("columns", entry.columns)] {
            if size == 0 {
                return refuse(what, size, "at least 1");
            }
        }
        let (block_rows, block_columns) = (entry.rows.div_ceil(slots), entry.columns.div_ceil(slots));
        let block_sizes = match block_rows.checked_mul(block_columns) {
            Some(1) if entry.block_sizes.is_empty() => vec![entry.diagonals.len()],
            Some(count) if entry.block_sizes.len() == count => entry.block_sizes,
            _ => return refuse("number of blocks", entry.block_sizes.len(), format!("{block_rows}×{block_columns}")),
        };
        let total = block_sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size));
        if total != Some(entry.diagonals.len()) {
            return refuse("block_sizes", format!("{block_sizes:?}"), format!("{} in all", entry.diagonals.len()));
        }
        if !(1..=slots as i64).contains(&entry.baby_count) || entry.baby_count.count_ones() != 1 {
            return refuse("baby_count", entry.baby_count, format!("a power of two up to {slots}"));
        }
        let half = slots as i64 / 2;
        let plan = Plan { baby_count: entry.baby_count, block_columns, diagonals: entry.diagonals, block_sizes };
        let in_range = plan.diagonals.iter().all(|d| (-half..half.max(1)).contains(d));
        if !in_range || !plan.blocks().into_iter().all(|block| plan.diagonals[block].is_sorted_by(|a, b| a < b)) {
            return refuse("diagonals", "others", format!("ascending, from {} to {}", -half, (half - 1).max(0)));
        }
        if entry.by_half && !entry.is_real {
            return refuse("by_half", true, "false, where entries may be complex");
        }
        if !(entry.row_norm >= 0.0 && entry.mean_size >= 0.0) {
            return refuse("norms", entry.row_norm.min(entry.mean_size), "at least 0");
        }
        Ok(Self {
            rows: entry.rows,
            columns: entry.columns,
            level: entry.level,
            plan,
            row_norm: entry.row_norm,
            row_repeats: entry.row_repeats.unwrap_or(entry.columns).clamp(1, entry.columns),
            is_real: entry.is_real,
            symmetry: Symmetry::of_slots(entry.by_half),
            // Files of before have the norm of squares alone.
            row_sum: entry.row_sum.unwrap_or(entry.row_norm * (entry.columns as f64).sqrt()),
            mean_size: entry.mean_size,
            slot_count: slots,
            fingerprint: reader.core.fingerprint,
        })
    }
}

impl Stored for PlainMatrix {}
impl FileContent for PlainMatrix {
    const KIND: &'static str = kinds::PLAIN_MATRIX;
    const NAME: &'static str = "plain matrix";

    fn fingerprint(&self) -> u64 {
        self.shape.fingerprint
    }

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        self.shape.write(writer);
        for (k, diagonal) in self.diagonals.iter().enumerate() {
            writer.packed_poly(format!("diagonal_{k}"), diagonal);
        }
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let shape = Shape::read(reader)?;
        let set = &reader.core.ladder.sets[shape.level];
        let diagonal = |k| reader.packed_of(&format!("diagonal_{k}"), set, shape.symmetry);
        let diagonals = (0..shape.plan.diagonals.len()).map(diagonal).collect::<Result<_, _>>()?;
        Ok(Self { shape, diagonals })
    }
}

impl Stored for LightPlainMatrix {}
impl FileContent for LightPlainMatrix {
    const KIND: &'static str = kinds::LIGHT_PLAIN_MATRIX;
    const NAME: &'static str = "light plain matrix";

    fn fingerprint(&self) -> u64 {
        self.shape.fingerprint
    }

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        self.shape.write(writer);
        for (k, diagonal) in self.diagonals.iter().enumerate() {
            let is_last = k + 1 == self.diagonals.len();
            write_coefficients(writer, &format!("diagonal_{k}"), std::iter::once(diagonal), is_last);
        }
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let shape = Shape::read(reader)?;
        let count = shape.plan.diagonals.len();
        let diagonal = |k| {
            let name = format!("diagonal_{k}");
            let is_last = k + 1 == count;
            let stored = shape.symmetry.held(2 * shape.slot_count);
            let coeffs = read_coefficients(reader, &name, stored, is_last)?;
            reader.core.check_fits("load", &coeffs, shape.level)?;
            Ok(coeffs)
        };
        let diagonals = (0..count).map(diagonal).collect::<Result<_, Error>>()?;
        Ok(Self { shape, diagonals })
    }
}

impl Stored for MatrixMultiplicationKey {}
impl FileContent for MatrixMultiplicationKey {
    key_items!(kinds::MATRIX_MULTIPLICATION_KEY, <Self as LevelKey>::NAME);

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        let level = self.keys.values().next().map_or(0, |key| writer.level_of(key.gadget()));
        let left = self.keys.keys().copied().collect();
        writer.object(&entries::MatrixRotations { slot_count: writer.slot_count(), level, left });
        for (left, key) in &self.keys {
            writer.switching_key(&format!("left_{left}"), key);
        }
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let entry: entries::MatrixRotations = reader.object()?;
        reader.check_slots(entry.slot_count)?;
        reader.check_level(entry.level, 0)?;
        let amounts = reader.core.matrix_amounts();
        require_own("left", &entry.left, &amounts)?;
        let keys = reader.rotations(&entry.left, entry.level)?;
        Ok(Self { origin: reader.origin()?, keys })
    }
}
