//! From polynomials to tensors.

use std::collections::BTreeMap;

use everlevel_io::{Builder, Content};
use everlevel_ring::packed::stride;
use everlevel_ring::{Eval, PackedPoly, Poly};
use everlevel_rlwe::{Gadget, SecretId, SwitchingKey};
use serde::Serialize;

use crate::core::Core;
use crate::files::entries::{Switching, mask_seed_to_text};
use crate::files::form::Form;

/// A container that is being filled.
pub struct Writer<'i, 'a> {
    core: &'i Core,
    builder: Builder<'a>,
    form: Form,
    /// Begins the names of what is written: empty but for the parts of a bundle.
    prefix: String,
    keys: BTreeMap<String, Switching>,
}

impl<'i, 'a> Writer<'i, 'a> {
    pub(crate) fn new(core: &'i Core, mut builder: Builder<'a>, form: Form) -> Self {
        builder.describe("params", core.params.literal().to_json());
        builder.describe_number("fingerprint", core.fingerprint);
        builder.describe("primes", format!("{:?}", core.params.primes()));
        Self { core, builder, form, prefix: String::new(), keys: BTreeMap::new() }
    }

    /// The next entries are of another object of the same container, under names that begin with `prefix`.
    pub fn begin_part(&mut self, prefix: String) {
        self.end_part();
        self.prefix = prefix;
    }

    fn end_part(&mut self) {
        if !self.keys.is_empty() {
            self.builder.describe("seeded", (self.form == Form::Seeded).to_string());
            self.builder.describe_json(&self.full("keys"), &self.keys);
            self.keys.clear();
        }
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub fn finish(mut self) -> Builder<'a> {
        self.end_part();
        self.builder
    }

    /// The size that values at a level stay below.
    pub fn room(&self, level: usize) -> f64 {
        self.core.room(level)
    }

    pub fn slot_count(&self) -> usize {
        self.core.encoder.slots()
    }

    /// The level that a gadget serves.
    pub fn level_of(&self, gadget: &Gadget) -> usize {
        self.core.level_of(gadget).unwrap_or_default()
    }

    /// The level that a gadget serves, unless it is the highest.
    pub fn lower_level_of(&self, gadget: &Gadget) -> Option<usize> {
        self.core.level_of(gadget).filter(|level| level + 1 < self.core.ladder.sets.len())
    }

    pub fn object(&mut self, entry: &impl Serialize) {
        self.builder.describe_json(&self.full("object"), entry);
    }

    pub fn secret_id(&mut self, id: SecretId) {
        self.builder.describe_number("secret_id", id.0);
    }

    pub fn bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.builder.tensor(self.full(name), &[bytes.len()], bytes);
    }

    pub fn poly(&mut self, name: &str, poly: &'a Poly<Eval>) {
        let content = if poly.device().is_some() {
            Content::Held(Box::new(PackedPoly::new(&poly.to_host(&self.core.ring))))
        } else if self.builder.is_in_transit() {
            let len = stride(self.core.ring.n()) * poly.set().len();
            Content::Late(len, Box::new(|out| PackedPoly::pack_into(poly, out)))
        } else {
            Content::Held(Box::new(PackedPoly::new(poly)))
        };
        self.packed(name.into(), content);
    }

    pub fn packed_poly(&mut self, name: String, poly: &'a PackedPoly) {
        self.rows(name, stride(poly.held()), poly.bytes().into());
    }

    fn packed(&mut self, name: String, content: Content<'a>) {
        self.rows(name, stride(self.core.ring.n()), content);
    }

    fn rows(&mut self, name: String, row: usize, content: Content<'a>) {
        let shape = [content.len() / row, row];
        self.builder.tensor(self.full(&name), &shape, content);
    }

    pub fn switching_key(&mut self, name: &str, key: &'a SwitchingKey) {
        let Gadget { digits, special } = key.gadget();
        let entry = Switching {
            digits: digits.iter().map(|d| d.indices().to_vec()).collect(),
            special: special.indices().to_vec(),
            mask_seed: mask_seed_to_text(key.mask_seed()),
        };
        self.keys.insert(name.into(), entry);
        for (row, body) in key.rows().bodies().iter().enumerate() {
            self.packed(format!("{name}.body.{row}"), body.bytes().into());
        }
        if self.form == Form::Seeded {
            return;
        }
        match key.rows().masks() {
            Some(masks) => masks.iter().enumerate().for_each(|(row, mask)| {
                self.packed(format!("{name}.mask.{row}"), mask.bytes().into());
            }),
            None => key.rows().expanded_masks(&self.core.ring).into_iter().enumerate().for_each(|(row, mask)| {
                self.packed(format!("{name}.mask.{row}"), Content::Held(Box::new(mask)));
            }),
        }
    }
}
