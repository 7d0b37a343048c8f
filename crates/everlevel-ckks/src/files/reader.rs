//! From tensors to polynomials.

use std::collections::BTreeMap;

use everlevel_io::schema::{refuse, require, require_own};
use everlevel_io::{Container, Error as FileError, kinds};
use everlevel_objects::Origin;
use everlevel_rand::Seed;
use everlevel_ring::packed::stride;
use everlevel_ring::{Eval, Footprint, NotCanonical, PackedPoly, Poly, PrimeSet, ResidueRows, Symmetry};
use everlevel_rlwe::{Gadget, SecretId, SwitchingKey};
use serde::de::DeserializeOwned;

use crate::Error;
use crate::core::Core;
use crate::files::entries::{self, Switching};
use crate::files::form::Loading;

/// The memory of what is read, besides what a container holds itself: copies of a mapped file's bytes, ciphertexts
/// without their packing, and masks that a seed expands to, which are as long as the bodies.
pub(super) fn loading_footprint(container: &Container, loading: Loading) -> Footprint {
    let tensors = &container.header().tensors;
    let data: u64 = tensors.values().map(|place| place.range.len() as u64).sum();
    let unpacked = [kinds::CIPHERTEXT, kinds::PLAINTEXT, kinds::PUBLIC_KEY];
    let is_unpacked = container.kind().is_ok_and(|kind| unpacked.contains(&kind));
    let copies = if loading.in_memory && container.is_mapped() { data } else { 0 };
    let has_masks = tensors.keys().any(|name| name.contains(".mask."));
    let masks = if loading.expand && !has_masks && !is_unpacked { data } else { 0 };
    let held = if is_unpacked { data / 3 * 4 } else { copies + masks };
    Footprint { held, work: 0 }
}

/// A container of the right kind and parameters.
pub struct Reader<'i> {
    pub(crate) core: &'i Core,
    container: &'i Container,
    loading: Loading,
    /// Begins the names of what is read: empty but for the parts of a bundle.
    prefix: String,
    keys: BTreeMap<String, Switching>,
}

fn not_canonical(tensor: &str, NotCanonical { index, value, modulus }: NotCanonical) -> Error {
    FileError::NonCanonical { tensor: tensor.into(), index, value, modulus }.into()
}

impl<'i> Reader<'i> {
    /// Checks kind, parameters and, for what is in memory or where it is asked for, every checksum.
    pub(crate) fn new(core: &'i Core, container: &'i Container, loading: Loading, kind: &str) -> Result<Self, Error> {
        container.check(kind, core.params.fingerprints().all())?;
        container.check_unchanged()?;
        if loading.verify || !container.is_mapped() {
            container.verify()?;
        }
        Self { core, container, loading, prefix: String::new(), keys: BTreeMap::new() }.part(String::new())
    }

    /// This container, looked at under names that begin with `prefix`.
    pub fn part(&self, prefix: String) -> Result<Self, Error> {
        let &Self { core, container, loading, .. } = self;
        let name = format!("{prefix}keys");
        let keys = match container.header().metadata.contains_key(&name) {
            true => container.json(&name)?,
            false => BTreeMap::new(),
        };
        Ok(Self { core, container, loading, prefix, keys })
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub fn object<T: DeserializeOwned>(&self) -> Result<T, Error> {
        Ok(self.container.json(&self.full("object"))?)
    }

    pub fn origin(&self) -> Result<Origin, Error> {
        let secret_id = SecretId(self.container.number("secret_id")?);
        Ok(Origin { fingerprint: self.core.fingerprint, secret_id })
    }

    /// Refuses what was made for another number of slots.
    pub fn check_slots(&self, found: usize) -> Result<(), Error> {
        Ok(require_own("slot_count", found, self.core.encoder.slots())?)
    }

    /// Whether there is a tensor of a name.
    pub fn has(&self, name: &str) -> bool {
        self.container.tensor(&self.full(name)).is_ok()
    }

    /// A tensor of bytes of a known length.
    pub fn bytes(&self, name: &str, len: usize) -> Result<&'i [u8], Error> {
        Ok(self.container.bytes_of_len(&self.full(name), len)?)
    }

    pub fn packed(&self, name: &str, set: &PrimeSet) -> Result<PackedPoly, Error> {
        self.packed_of(name, set, Symmetry::None)
    }

    /// A polynomial of which the residues are stored that a symmetry leaves.
    pub fn packed_of(&self, name: &str, set: &PrimeSet, symmetry: Symmetry) -> Result<PackedPoly, Error> {
        let n = self.core.ring.n();
        let name = &self.full(name);
        let (place, bytes, range) = self.container.tensor(name)?;
        let expected = vec![set.len(), stride(symmetry.held(n))];
        require(&format!("shape of {name}"), &place.shape, &expected, format!("{expected:?}"))?;
        let poly = PackedPoly::shared(set, (n, symmetry), bytes, range.start);
        if self.loading.verify {
            self.check_residues(name, &poly)?;
        }
        let copies = self.loading.in_memory && self.container.is_mapped();
        Ok(if copies { poly.into_owned() } else { poly })
    }

    fn check_residues(&self, name: &str, poly: &PackedPoly) -> Result<(), Error> {
        poly.first_not_canonical(&self.core.ring).map_or(Ok(()), |fault| Err(not_canonical(name, fault)))
    }

    /// A polynomial for computing with, its residues checked.
    pub fn poly(&self, name: &str, set: &PrimeSet) -> Result<Poly<Eval>, Error> {
        let packed = self.packed(name, set)?;
        packed.unpack_canonical(&self.core.ring).map_err(|fault| not_canonical(&self.full(name), fault))
    }

    pub fn seed(&self, text: &str) -> Result<Seed, Error> {
        entries::mask_seed_from_text(text)
    }

    /// Refuses levels that the parameters lack, and those below a least one.
    pub fn check_level(&self, level: usize, least: usize) -> Result<(), Error> {
        let top = self.core.ladder.sets.len() - 1;
        if (least..=top).contains(&level) { Ok(()) } else { refuse("level", level, format!("{least} to {top}")) }
    }

    /// The level of a key whose entry leaves the highest out.
    pub fn level(&self, entry: Option<usize>) -> Result<usize, Error> {
        let level = entry.unwrap_or(self.core.ladder.sets.len() - 1);
        self.check_level(level, 0).map(|()| level)
    }

    /// The shape of a switching key for levels up to `level`: that of a key which is made for them, or of one for
    /// higher levels which was cut to them.
    pub fn level_gadget(&self, name: &str, level: usize) -> Result<Gadget, Error> {
        let sets = &self.core.ladder.sets;
        for made_for in level..sets.len() {
            let gadget = self.core.level_gadget(made_for)?.restricted(&sets[level]);
            if self.has_shape(name, &gadget) {
                return Ok(gadget);
            }
        }
        self.core.level_gadget(level)
    }

    /// Switching keys for levels up to `level`, by their rotations to the left.
    pub fn rotations(&self, left: &[i64], level: usize) -> Result<BTreeMap<i64, SwitchingKey>, Error> {
        let name = |left: &i64| format!("left_{left}");
        let Some(first) = left.first() else { return Ok(BTreeMap::new()) };
        let gadget = self.level_gadget(&name(first), level)?;
        left.iter().map(|left| Ok((*left, self.switching_key(&name(left), &gadget)?))).collect()
    }

    /// Whether there is a switching key of a name and a shape.
    pub fn has_shape(&self, name: &str, gadget: &Gadget) -> bool {
        self.keys.get(name).is_some_and(|entry| entry.has_shape(gadget))
    }

    /// A switching key, which must have the shape that this context gives to such a key.
    pub fn switching_key(&self, name: &str, gadget: &Gadget) -> Result<SwitchingKey, Error> {
        let missing = || FileError::header(format!("key {}", self.full(name)), "missing", "there");
        let entry = self.keys.get(name).ok_or_else(missing)?;
        if !entry.has_shape(gadget) {
            let shape = |digits: usize, special: usize| format!("{digits} digits, {special} special primes");
            let found = shape(entry.digits.len(), entry.special.len());
            let expected = shape(gadget.digits.len(), gadget.special.len());
            return Err(FileError::Unlike { what: format!("key {}", self.full(name)), found, expected }.into());
        }
        let set = gadget.full_set();
        let rows = |part: &str| {
            (0..gadget.digits.len())
                .map(|row| self.packed(&format!("{name}.{part}.{row}"), &set))
                .collect::<Result<Vec<_>, _>>()
        };
        let expanded = self.container.header().tensors.contains_key(&self.full(&format!("{name}.mask.0")));
        let masks = expanded.then(|| rows("mask")).transpose()?;
        let seed = self.seed(&entry.mask_seed)?;
        let rows = ResidueRows::new(seed, rows("body")?, masks);
        let expanded = if self.loading.expand { rows.expanded(&self.core.ring) } else { None };
        Ok(SwitchingKey::from_rows(gadget.clone(), expanded.unwrap_or(rows)))
    }
}
