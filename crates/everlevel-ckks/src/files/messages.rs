//! Plaintexts and ciphertexts, of one unit or several, both ways.

use std::sync::OnceLock;

use everlevel_ring::PrimeSet;
use everlevel_rlwe::Rlwe;
use num_complex::Complex64;

use everlevel_io::kinds;
use everlevel_io::schema::{refuse, require};

use crate::ciphertext::Identity;
use crate::claims::{Bound, BoundKind, Certainty, Claims, Estimate, Padding, Worst};
use crate::files::content::{FileContent, Stored};
use crate::files::entries;
use crate::files::reader::Reader;
use crate::files::writer::Writer;
use crate::{Ciphertext, Error, Plaintext, Units};

impl entries::Message {
    /// Checks what does not depend on the kind, and gives the primes.
    fn check(&self, reader: &Reader<'_>) -> Result<PrimeSet, Error> {
        let ladder = &reader.core.ladder;
        reader.check_slots(self.slot_count)?;
        let Some(of_level) = ladder.sets.get(self.level) else {
            return refuse("level", self.level, format!("at most {}", ladder.sets.len() - 1));
        };
        let scale = ladder.scales[self.level];
        if (self.scale / scale - 1.0).abs() > SCALE_TOLERANCE {
            return refuse("scale", self.scale, format!("{scale}, the level's"));
        }
        let most = reader.core.room(self.level) * BEYOND_ROOM;
        self.check_number("bound", self.bound, most)?;
        self.check_number("error", self.error, f64::from(f32::MAX))?;
        self.check_number("worst_error", self.worst_error, f64::MAX)?;
        self.check_number("certain_error", self.certain_error, f64::MAX)?;
        self.check_number("sampled_size", self.sampled_size, f64::from(f32::MAX))?;
        if self.is_bound_declared && self.bound.is_none() {
            return refuse("bound", "none", "a declared one");
        }
        if let Some([low, high]) = self.interval {
            let is_of_bound = |bound: f64| low <= high && low.abs().max(high.abs()) == bound;
            if !self.is_real || !self.bound.is_some_and(is_of_bound) {
                return refuse(
                    "interval",
                    format!("[{low}, {high}]"),
                    "real values up to the bound in size, at one end",
                );
            }
        }
        let set = PrimeSet::new(self.primes.iter().copied());
        if set.is_empty() || !set.is_subset(of_level) || set.indices() != self.primes {
            return refuse("primes", format!("{:?}", self.primes), format!("among {:?}", of_level.indices()));
        }
        Ok(set)
    }

    /// Refuses what no bound and no error is.
    fn check_number(&self, what: &str, number: Option<f64>, most: f64) -> Result<(), Error> {
        match number {
            Some(number) if !(0.0..=most).contains(&number) => refuse(what, number, format!("0 to {most:.3e}")),
            _ => Ok(()),
        }
    }
}

/// The largest relative distance of a file's scale from its level's, which is computed anew.
const SCALE_TOLERANCE: f64 = 1e-12;

/// An assumed bound that is so many times a level's room says nothing, and is left out as an infinite one is.
const BEYOND_ROOM: f64 = 1e18;

/// In files without it, the largest error that a release counts on is so many times the largest that is claimed: rare
/// integer parts of bootstraps take most of it.
const CERTAIN: f64 = 1024.0;

/// JSON has no infinity.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// The interval of real values, where it says more than the bound.
fn interval(bound: Bound) -> Option<[f64; 2]> {
    let (low, high) = bound.interval();
    (bound.is_real() && (low, high) != (-bound.size(), bound.size())).then_some([low, high])
}

/// To 24 bits: a sample that is drawn anew has the size that it is to have up to roundings.
fn rounded(number: f64) -> f64 {
    f64::from(number as f32)
}

impl entries::Message {
    /// The estimate: the bound is assumed where the file is one of before bounds.
    fn estimate(&self, reader: &Reader<'_>) -> Estimate {
        let known = |number: Option<f64>| number.unwrap_or(f64::INFINITY);
        let is_of_before = self.bound.is_none() && self.sampled_size.is_none();
        let kind = match (self.is_bound_declared, self.is_bound_claimed) {
            (_, true) => BoundKind::Claimed,
            (true, false) => BoundKind::Declared,
            (false, false) => BoundKind::Assumed,
        };
        let bound = if is_of_before { Bound::ASSUMED } else { Bound::read(known(self.bound), kind) };
        let bound = bound.on_reals(self.is_real);
        let bound = self.interval.map_or(bound, |[low, high]| bound.between((low, high)));
        let (error, seed) = (known(self.error), reader.core.next_sample());
        let fresh = Estimate::fresh(bound, error, seed);
        let usual = if is_of_before { fresh.worst() } else { known(self.worst_error) };
        let worst = Worst::read(usual, self.certain_error.unwrap_or(usual * CERTAIN));
        Estimate::read(bound, worst, self.sampled_size.unwrap_or(fresh.sample().size()), error, seed)
    }

    /// The slots of a unit that hold no value: they may be anywhere where the file doesn't say so.
    fn padding(&self, unit: usize) -> Result<Option<Padding>, Error> {
        match &self.padding {
            None => Ok(Padding::unknown(self.slot_count)),
            Some(units) => {
                units.iter().find(|entry| entry.unit == unit).map(|entry| entry.read(self.slot_count)).transpose()
            }
        }
    }
}

impl entries::UnitPadding {
    fn of((unit, padding): (usize, &Padding)) -> Self {
        let values = padding.values();
        // JSON has no infinity.
        let finite = |number: f64| number.min(f64::MAX);
        Self {
            unit,
            runs: padding.runs(),
            value: padding.constant().map(|z| [z.re, z.im]),
            bound: finite(values.bound().size()),
            error: finite(rounded(values.error() / std::f64::consts::SQRT_2)),
            worst_error: finite(values.worst()),
            certain_error: Some(finite(values.worst_at(Certainty::Certain))),
        }
    }

    fn read(&self, slot_count: usize) -> Result<Padding, Error> {
        let certain = self.certain_error.unwrap_or(self.worst_error * CERTAIN);
        let numbers = [self.bound, self.error, self.worst_error, certain];
        if let Some(number) = numbers.into_iter().find(|number| !(number.is_finite() && *number >= 0.0)) {
            return refuse("padding", number, "numbers of at least 0");
        }
        let last = |&[first, count]: &[usize; 2]| first.checked_add(count);
        if let Some(run) = self.runs.iter().find(|run| last(run).is_none_or(|last| last > slot_count || run[1] == 0)) {
            return refuse("padding", format!("{run:?}"), format!("runs of {slot_count} slots"));
        }
        let is_padding = |slot| self.runs.iter().any(|&[first, count]| (first..first + count).contains(&slot));
        let value = self.value.map(|[re, im]| Complex64::new(re, im));
        let (bound, worst) = (Bound::read(self.bound, BoundKind::Declared), Worst::read(self.worst_error, certain));
        let is_real = value.is_some_and(|z| z.im == 0.0);
        let values = Estimate::of_padding(bound.on_reals(is_real), worst, value, self.error);
        match Padding::zeros(slot_count, is_padding, values) {
            Some(padding) if value.is_none() => Ok(padding.varied()),
            Some(padding) => Ok(padding),
            None => refuse("padding", "no slots", "at least one run"),
        }
    }
}

/// The name of a unit's tensor.
fn unit_tensor(units: usize, unit: usize, name: &str) -> String {
    if units == 1 { name.into() } else { format!("unit_{unit}.{name}") }
}

/// A plaintext or ciphertext as the unit of a vector's file. A unit alone is a vector of one.
trait Message: Sized + Send + Sync {
    const KIND: &'static str;
    fn fingerprint(&self) -> u64;
    /// The properties that all units have in common.
    fn entry(units: &[Self]) -> entries::Message;
    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>, tensor: impl Fn(&str) -> String);
    fn read(
        reader: &Reader<'_>,
        entry_and_unit: (&entries::Message, usize),
        set: &PrimeSet,
        tensor: impl Fn(&str) -> String,
    ) -> Result<Self, Error>;
}

fn write_units<'a, T: Message>(units: &'a [T], writer: &mut Writer<'_, 'a>) {
    let mut entry = T::entry(units);
    let most = writer.room(entry.level) * BEYOND_ROOM;
    entry.bound = entry.bound.filter(|&bound| bound <= most);
    entry.interval = entry.interval.filter(|_| entry.bound.is_some());
    writer.object(&entry);
    for (k, unit) in units.iter().enumerate() {
        unit.write(writer, |name| unit_tensor(units.len(), k, name));
    }
}

fn read_units<T: Message>(reader: &Reader<'_>) -> Result<Units<T>, Error> {
    let entry: entries::Message = reader.object()?;
    let set = entry.check(reader)?;
    // A tensor that is missing ends this, however many there should be.
    let unit = |k| T::read(reader, (&entry, k), &set, |name| unit_tensor(entry.units, k, name));
    match Units::new((0..entry.units).map(unit).collect::<Result<_, _>>()?) {
        Some(units) => Ok(units),
        None => refuse("units", 0, "at least 1"),
    }
}

macro_rules! messages {
    ($($type:ty),*) => {$(
        impl Stored for $type {}
        impl FileContent for $type {
            const KIND: &'static str = <$type as Message>::KIND;
            const NAME: &'static str = <$type as Message>::KIND;

            fn fingerprint(&self) -> u64 {
                Message::fingerprint(self)
            }

            fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
                write_units(std::slice::from_ref(self), writer);
            }

            fn read(reader: &Reader<'_>) -> Result<Self, Error> {
                let units: Units<Self> = read_units(reader)?;
                require("units", units.count(), 1, "1, for what fits one ciphertext")?;
                Ok(units.first().clone())
            }
        }

        impl Stored for Units<$type> {}
        impl FileContent for Units<$type> {
            const KIND: &'static str = <$type as Message>::KIND;
            const NAME: &'static str = <$type as Message>::KIND;

            fn fingerprint(&self) -> u64 {
                Message::fingerprint(self.first())
            }

            fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
                write_units(self.all(), writer);
            }

            fn read(reader: &Reader<'_>) -> Result<Self, Error> {
                read_units(reader)
            }
        }
    )*};
}

messages!(Plaintext, Ciphertext);

impl Message for Plaintext {
    const KIND: &'static str = kinds::PLAINTEXT;

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn entry(units: &[Self]) -> entries::Message {
        let first = &units[0];
        let padded = units.iter().enumerate().filter_map(|(at, unit)| unit.padding.as_ref().map(|p| (at, p)));
        entries::Message {
            level: first.level,
            scale: first.scale,
            error: None,
            bound: None,
            interval: None,
            is_bound_declared: false,
            is_bound_claimed: false,
            is_real: first.is_real,
            padding: Some(padded.map(entries::UnitPadding::of).collect()),
            worst_error: None,
            certain_error: None,
            sampled_size: None,
            slot_count: first.slot_count,
            polynomial_count: 1,
            primes: first.poly.set().indices().to_vec(),
            units: units.len(),
        }
    }

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>, tensor: impl Fn(&str) -> String) {
        writer.poly(&tensor("message"), &self.poly);
    }

    fn read(
        reader: &Reader<'_>,
        (entry, unit): (&entries::Message, usize),
        set: &PrimeSet,
        tensor: impl Fn(&str) -> String,
    ) -> Result<Self, Error> {
        require("polynomial_count", entry.polynomial_count, 1, "1")?;
        let poly = reader.poly(&tensor("message"), set)?;
        let entries::Message { level, slot_count, is_real, .. } = *entry;
        let (fingerprint, scale) = (reader.core.fingerprint, reader.core.ladder.scales[level]);
        let (values, bound, padding, estimate) = (OnceLock::new(), None, entry.padding(unit)?, None);
        Ok(Self { poly, level, scale, slot_count, fingerprint, values, bound, is_real, padding, estimate })
    }
}

impl Message for Ciphertext {
    const KIND: &'static str = kinds::CIPHERTEXT;

    fn fingerprint(&self) -> u64 {
        self.origin().fingerprint
    }

    fn entry(units: &[Self]) -> entries::Message {
        let first = &units[0];
        let values = first.estimate().clone().padded(None);
        let padded = units.iter().enumerate().filter_map(|(at, unit)| unit.estimate().padding().map(|p| (at, p)));
        entries::Message {
            level: first.level(),
            scale: first.scale(),
            error: finite(rounded(values.error() / std::f64::consts::SQRT_2)),
            bound: finite(values.bound().size()),
            interval: interval(values.bound()),
            is_bound_declared: values.bound().is_declared(),
            is_bound_claimed: values.bound().kind() == BoundKind::Claimed,
            is_real: values.bound().is_real(),
            padding: Some(padded.map(entries::UnitPadding::of).collect()),
            worst_error: finite(values.worst()),
            certain_error: finite(values.worst_at(Certainty::Certain)),
            // Always some: files without one are of before bounds.
            sampled_size: Some(finite(rounded(values.sample().size())).unwrap_or(f64::from(f32::MAX))),
            slot_count: first.slot_count(),
            polynomial_count: first.polynomial_count(),
            primes: first.rlwe().set().indices().to_vec(),
            units: units.len(),
        }
    }

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>, tensor: impl Fn(&str) -> String) {
        writer.secret_id(self.secret_id());
        writer.poly(&tensor("c0"), &self.rlwe().c0);
        writer.poly(&tensor("c1"), &self.rlwe().c1);
        if let Some(c2) = self.c2() {
            writer.poly(&tensor("c2"), c2);
        }
    }

    fn read(
        reader: &Reader<'_>,
        (entry, unit): (&entries::Message, usize),
        set: &PrimeSet,
        tensor: impl Fn(&str) -> String,
    ) -> Result<Self, Error> {
        let of_level = &reader.core.ladder.sets[entry.level];
        require("primes", set, of_level, format!("{:?}, the level's", of_level.indices()))?;
        let c2 = match entry.polynomial_count {
            2 => None,
            3 => Some(reader.poly(&tensor("c2"), set)?),
            count => return refuse("polynomial_count", count, "2 or 3"),
        };
        let origin = reader.origin()?;
        let rlwe = Rlwe { c0: reader.poly(&tensor("c0"), set)?, c1: reader.poly(&tensor("c1"), set)? };
        let scale = reader.core.ladder.scales[entry.level];
        let claims = Claims::new(entry.level, scale, entry.estimate(reader).padded(entry.padding(unit)?));
        Ok(Self::new(rlwe, c2, claims, Identity { origin, slot_count: entry.slot_count }))
    }
}
