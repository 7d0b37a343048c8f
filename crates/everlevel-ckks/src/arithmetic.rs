//! Addition and multiplication of ciphertexts with ciphertexts, plaintexts, arrays and numbers.

use std::borrow::Cow;

use everlevel_ring::{Eval, Poly, Ring};
use num_complex::Complex64;

use crate::claims::{Bound, Claims, Estimate, Values};
use crate::core::Core;
use crate::keys::RelinearizationKey;
use crate::ladder::{self, Ladder};
use crate::{Ciphertext, Context, Error, Plaintext};

impl Core {
    /// This message at a lower level, with that level's scale: one product with an integer and one rescaling.
    pub(crate) fn lowered<'c>(&self, ct: &'c Ciphertext, level: usize) -> Cow<'c, Ciphertext> {
        if ct.level() == level {
            return Cow::Borrowed(ct);
        }
        Cow::Owned(self.times_constant(ct, Complex64::new(1.0, 0.0), level))
    }

    /// The integers that stand for `c` in a product which is rescaled to a level, and the product's estimate before.
    pub(crate) fn nearly(&self, ct: &Ciphertext, c: Complex64, level: usize) -> ([i128; 2], Estimate) {
        let factor = |x: f64| self.ladder.factor(&self.ring, x, ct.level(), &self.ladder.sets[level + 1], level);
        let [(re, beside_re), (im, beside_im)] = [c.re, c.im].map(factor);
        // The integers stand for c and what it lacks to be one of them, in units of the factor between both scales.
        let (unit, beside_unit) = factor(1.0);
        let beside = Complex64::new(beside_re, beside_im) / (unit as f64 - beside_unit);
        ([re, im], ct.estimate().scaled_nearly(c, beside, self.drift()))
    }

    /// `c·ct` at a lower level.
    fn times_constant(&self, ct: &Ciphertext, c: Complex64, level: usize) -> Ciphertext {
        let Ladder { sets, scales, .. } = &self.ladder;
        let ([re, im], scaled) = self.nearly(ct, c, level);
        let part = |p: &Poly<Eval>| {
            let mut p = p.restricted(&sets[level + 1]);
            self.ring.mul_gaussian_assign(&mut p, re, im);
            self.ring.rescale(p, &sets[level])
        };
        let rlwe = everlevel_rlwe::Rlwe { c0: part(&ct.rlwe().c0), c1: part(&ct.rlwe().c1) };
        let c2 = ct.c2().map(part);
        let estimate = self.with_rescaling(scaled, ct.polynomial_count(), scales[level]);
        Ciphertext::new(rlwe, c2, Claims::new(level, scales[level], estimate), ct.identity())
    }
}

impl Context {
    pub(crate) fn check_number(&self, op: &'static str, c: Complex64, level: usize) -> Result<(), Error> {
        if !c.re.is_finite() || !c.im.is_finite() {
            return Err(Error::NotFinite { op, index: 0, value: c.to_string() });
        }
        self.check_size(op, c.norm(), level)
    }

    /// `a + b`, at the lower of the two levels. No level, no key.
    ///
    /// # Errors
    /// Operands of other parameters or different secrets.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.add_or_subtract("add", 1.0, a, b)
    }

    /// `a − b`, at the lower of the two levels.
    ///
    /// # Errors
    /// As [`Context::add`].
    pub fn subtract(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.add_or_subtract("subtract", -1.0, a, b)
    }

    fn add_or_subtract(
        &self,
        op: &'static str,
        factor: f64,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<Ciphertext, Error> {
        self.check_pair(op, a, b)?;
        let level = a.level().min(b.level());
        let sum = a.estimate().sum(b.estimate(), factor);
        self.check_range(op, sum.bound(), sum.worst(), level)?;
        let combine = |ring: &Ring, x: &mut Poly<Eval>, y: &Poly<Eval>| match factor {
            1.0 => ring.add_assign(x, y),
            _ => ring.sub_assign(x, y),
        };
        Ok(self.install(|core| {
            let (a, b) = (core.lowered(a, level), core.lowered(b, level));
            let claims = Claims::new(level, a.scale(), a.estimate().sum(b.estimate(), factor));
            let identity = a.identity();
            let (mut rlwe, c2) = a.into_owned().into_polynomials();
            combine(&core.ring, &mut rlwe.c0, &b.rlwe().c0);
            combine(&core.ring, &mut rlwe.c1, &b.rlwe().c1);
            let c2 = match (c2, b.c2()) {
                (Some(mut x), Some(y)) => {
                    combine(&core.ring, &mut x, y);
                    Some(x)
                }
                (None, Some(y)) => {
                    let mut y = y.clone();
                    if factor < 0.0 {
                        core.ring.neg_assign(&mut y);
                    }
                    Some(y)
                }
                (c2, None) => c2,
            };
            Ciphertext::new(rlwe, c2, claims, identity)
        }))
    }

    /// `−a`.
    ///
    /// # Errors
    /// A ciphertext of other parameters.
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_ciphertext("negate", a)?;
        Ok(self.install(|core| {
            let claims = Claims::new(a.level(), a.scale(), a.estimate().scaled(Complex64::new(-1.0, 0.0)));
            a.clone().map(claims, |mut p| {
                core.ring.neg_assign(&mut p);
                p
            })
        }))
    }

    /// `a + plaintext`, at the lower of the two levels.
    ///
    /// # Errors
    /// Operands of other parameters.
    pub fn add_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        self.check_ciphertext("add", a)?;
        self.check_plaintext("add", plaintext)?;
        let plaintext = self.plain_at(plaintext, a.level())?;
        let values = self.values(&plaintext)?;
        let bound = a.estimate().plus_plain(values, 0.0).bound();
        self.check_range("add", bound, a.estimate().worst(), plaintext.level)?;
        Ok(self.install(|core| {
            let a = core.lowered(a, plaintext.level);
            let estimate = a.estimate().plus_plain(values, core.encoding_error(plaintext.scale));
            let (claims, identity) = (Claims::new(a.level(), a.scale(), estimate), a.identity());
            let (mut rlwe, c2) = a.into_owned().into_polynomials();
            core.ring.add_assign(&mut rlwe.c0, &plaintext.poly);
            Ciphertext::new(rlwe, c2, claims, identity)
        }))
    }

    /// This message at a lower level.
    ///
    /// # Errors
    /// A plaintext of other parameters; a level above its own.
    pub fn level_down_plain(&self, plaintext: &Plaintext, level: usize) -> Result<Plaintext, Error> {
        let op = "level_down";
        self.check_plaintext(op, plaintext)?;
        if level > plaintext.level {
            return Err(Error::LevelOutOfRange { op, level, max_level: plaintext.level });
        }
        Ok(self.plain_at(plaintext, level)?.into_owned())
    }

    /// A plaintext at `level` or below: encoded again where it is higher, or a decryption, which has few primes.
    pub(crate) fn plain_at<'p>(&self, plaintext: &'p Plaintext, level: usize) -> Result<Cow<'p, Plaintext>, Error> {
        let is_whole = self.core.ladder.sets.get(plaintext.level) == Some(plaintext.poly.set());
        if plaintext.level <= level && is_whole {
            return Ok(Cow::Borrowed(plaintext));
        }
        let fresh = self.encode(&self.decode(plaintext)?, level.min(plaintext.level))?;
        let Plaintext { bound, is_real, ref padding, .. } = *plaintext;
        Ok(Cow::Owned(Plaintext { bound, is_real, padding: padding.clone(), ..fresh }))
    }

    /// `a` plus an array of up to `slot_count` values.
    ///
    /// # Errors
    /// As [`Context::encode`].
    pub fn add_array(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext, Error> {
        self.check_ciphertext("add", a)?;
        self.add_plain(a, &self.encode_as("add", values, a.level())?)
    }

    /// `a + c` in every slot.
    ///
    /// # Errors
    /// NaN or infinity, or a number too large for the level.
    pub fn add_scalar(&self, a: &Ciphertext, c: Complex64) -> Result<Ciphertext, Error> {
        self.check_ciphertext("add", a)?;
        self.check_number("add", c, a.level())?;
        let bound = a.estimate().shifted(c, 0.0).bound();
        self.check_range("add", bound, a.estimate().worst(), a.level())?;
        Ok(self.install(|core| {
            let estimate = a.estimate().shifted(c, core.number_error(c, a.level()));
            let claims = Claims::new(a.level(), a.scale(), estimate);
            let [re, im] = [c.re, c.im].map(|x| core.ladder.integer(x, a.level()));
            let (mut rlwe, c2) = a.clone().into_polynomials();
            core.ring.add_gaussian_assign(&mut rlwe.c0, re, im);
            Ciphertext::new(rlwe, c2, claims, a.identity())
        }))
    }

    /// `a·b` without relinearization: three polynomials, one level below the lower operand. The rounding of the third
    /// is multiplied by `s²`: some bits less than [`Context::multiply`], as the estimate says.
    ///
    /// # Errors
    /// Operands that do not belong together, have three polynomials already, or are at level 0.
    pub fn multiply_without_key(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.check_product("multiply", a, b)?;
        Ok(self.install(|core| {
            let (a, b, level) = core.factors(a, b);
            let parts = ladder::tensor(&core.ring, [a.rlwe(), b.rlwe()], 1);
            let [c0, c1, c2] = parts.map(|d| core.ring.rescale(d, &core.ladder.sets[level - 1]));
            let rlwe = everlevel_rlwe::Rlwe { c0, c1 };
            core.product(rlwe, Some(c2), &a, &b, level)
        }))
    }

    /// `a·b`, relinearized, one level below the lower operand.
    ///
    /// # Errors
    /// As [`Context::multiply_without_key`]; a key of other parameters or another secret.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext, key: &RelinearizationKey) -> Result<Ciphertext, Error> {
        self.check_product("multiply", a, b)?;
        self.check_key("multiply", key, a, a.level().min(b.level()))?;
        Ok(self.install(|core| {
            let (a, b, level) = core.factors(a, b);
            let key = key.keys.for_set(a.rlwe().set());
            let rlwe = ladder::mul_relinearize(&core.ring, [a.rlwe(), b.rlwe()], key, &core.ladder.sets[level - 1]);
            core.product(rlwe, None, &a, &b, level)
        }))
    }

    /// `a²`; without a key, three polynomials.
    ///
    /// # Errors
    /// As [`Context::multiply`].
    pub fn square(&self, a: &Ciphertext, key: Option<&RelinearizationKey>) -> Result<Ciphertext, Error> {
        match key {
            Some(key) => self.multiply(a, a, key),
            None => self.multiply_without_key(a, a),
        }
    }

    fn check_product(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.check_pair(op, a, b)?;
        for ct in [a, b] {
            self.check_relinearized(op, ct)?;
            self.check_depth(op, ct, 1)?;
        }
        let product = a.estimate().product(b.estimate());
        self.check_range(op, product.bound(), product.worst(), a.level().min(b.level()) - 1)
    }

    /// Three polynomials → two, at the same level; a copy where there are two.
    ///
    /// # Errors
    /// A key of other parameters or another secret.
    pub fn relinearize(&self, a: &Ciphertext, key: &RelinearizationKey) -> Result<Ciphertext, Error> {
        self.check_ciphertext("relinearize", a)?;
        self.check_key("relinearize", key, a, a.level())?;
        Ok(self.install(|core| {
            let Some(c2) = a.c2() else { return a.clone() };
            let key = key.keys.for_set(c2.set());
            let product = [&a.rlwe().c0, &a.rlwe().c1, c2].map(Poly::clone);
            let rlwe = key.relinearize(&core.ring, product, c2.set());
            let estimate = a.estimate().clone().with_noise(core.rounding_error(a.scale()));
            Ciphertext::new(rlwe, None, Claims::new(a.level(), a.scale(), estimate), a.identity())
        }))
    }

    /// `a·plaintext`, one level below the lower of the two.
    ///
    /// # Errors
    /// Operands of other parameters; level 0; at level 1, values whose mean size is too large for level 0.
    pub fn multiply_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        let op = "multiply";
        self.check_ciphertext(op, a)?;
        self.check_plaintext(op, plaintext)?;
        self.check_depth(op, a, 1)?;
        self.check_encoded_above(plaintext)?;
        let plaintext = self.plain_at(plaintext, a.level())?;
        let values = self.values(&plaintext)?;
        self.check_factor(op, values, plaintext.level)?;
        let bound = a.estimate().times_plain(values, 0.0).bound();
        self.check_range(op, bound, a.estimate().worst() * values.largest(), plaintext.level - 1)?;
        Ok(self.install(|core| {
            let a = core.lowered(a, plaintext.level);
            let level = plaintext.level - 1;
            let (target, scale) = (&core.ladder.sets[level], core.ladder.scales[level]);
            let product = a.estimate().times_plain(values, core.encoding_error(plaintext.scale));
            let product = product.drifted(core.drift());
            let estimate = core.with_rescaling(product, a.polynomial_count(), scale);
            a.into_owned().map(Claims::new(level, scale, estimate), |mut p| {
                core.ring.mul_assign(&mut p, &plaintext.poly);
                core.ring.rescale(p, target)
            })
        }))
    }

    /// Refuses values that are too large for a product at level 0, which holds less than what they were encoded for.
    pub(crate) fn check_factor(&self, op: &'static str, values: &Values, level: usize) -> Result<(), Error> {
        if level == 1 { self.check_size(op, values.mean_size(), 0) } else { Ok(()) }
    }

    /// Refuses plaintexts of the lowest level, which has none for a product.
    pub(crate) fn check_encoded_above(&self, plaintext: &Plaintext) -> Result<(), Error> {
        if plaintext.level == 0 {
            let needed = "at least 1 for a product; encode it at a higher level".into();
            return Err(Error::Parameter { what: "level of the plaintext", found: "0".into(), needed });
        }
        Ok(())
    }

    /// `a` times an array of up to `slot_count` values, one level lower; a shorter array is followed by zeros.
    ///
    /// # Errors
    /// As [`Context::encode`]; level 0.
    pub fn multiply_array(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext, Error> {
        self.check_ciphertext("multiply", a)?;
        self.check_depth("multiply", a, 1)?;
        self.multiply_plain(a, &self.encode_as("multiply", values, a.level())?)
    }

    /// `c·a`: no level where `c` is a Gaussian integer, one otherwise.
    ///
    /// # Errors
    /// NaN or infinity; level 0 where a level is needed; a number that, times a message of size one, is too large for
    /// the result's level.
    pub fn multiply_scalar(&self, a: &Ciphertext, c: Complex64) -> Result<Ciphertext, Error> {
        let op = "multiply";
        self.check_ciphertext(op, a)?;
        let (bound, worst) = (a.estimate().scaled(c).bound(), a.estimate().worst() * c.norm());
        if c.re.fract() == 0.0 && c.im.fract() == 0.0 {
            self.check_number(op, c, a.level())?;
            self.check_range(op, bound, worst, a.level())?;
            let claims = Claims::new(a.level(), a.scale(), a.estimate().scaled(c));
            return Ok(self.install(|core| {
                a.clone().map(claims, |mut p| {
                    core.ring.mul_gaussian_assign(&mut p, c.re as i128, c.im as i128);
                    p
                })
            }));
        }
        self.check_number(op, c, a.level().saturating_sub(1))?;
        self.check_depth(op, a, 1)?;
        self.check_range(op, bound, worst, a.level() - 1)?;
        Ok(self.install(|core| core.times_constant(a, c, a.level() - 1)))
    }

    /// These values, of which the caller claims a bound: where the bound that operations carry has grown beyond use,
    /// such as that of sums of products. Nothing checks the claim.
    ///
    /// # Errors
    /// A ciphertext of other parameters; a declared bound beyond the level's room.
    pub fn assume_bound(&self, a: &Ciphertext, bound: Bound) -> Result<Ciphertext, Error> {
        self.check_ciphertext("assume_bound", a)?;
        self.check_range("assume_bound", bound, a.estimate().worst(), a.level())?;
        let bound = bound.on_reals(bound.is_real() || a.bound().is_real());
        Ok(a.clone().with_estimate(a.estimate().claimed(bound)))
    }

    /// This message at a lower level.
    ///
    /// # Errors
    /// A level above the ciphertext's, or without room for its declared bound.
    pub fn level_down(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext, Error> {
        self.check_ciphertext("level_down", a)?;
        if level > a.level() {
            return Err(Error::LevelOutOfRange { op: "level_down", level, max_level: a.level() });
        }
        self.check_range("level_down", a.bound(), a.estimate().worst(), level)?;
        Ok(self.install(|core| core.lowered(a, level).into_owned()))
    }
}

impl Core {
    fn factors<'c>(&self, a: &'c Ciphertext, b: &'c Ciphertext) -> (Cow<'c, Ciphertext>, Cow<'c, Ciphertext>, usize) {
        let level = a.level().min(b.level());
        (self.lowered(a, level), self.lowered(b, level), level)
    }

    /// The ciphertext of a product.
    fn product(
        &self,
        rlwe: everlevel_rlwe::Rlwe,
        c2: Option<Poly<Eval>>,
        a: &Ciphertext,
        b: &Ciphertext,
        level: usize,
    ) -> Ciphertext {
        let scale = self.ladder.scales[level - 1];
        let product = a.estimate().product(b.estimate()).drifted(self.drift());
        let estimate = self.with_rescaling(product, 2 + usize::from(c2.is_some()), scale);
        Ciphertext::new(rlwe, c2, Claims::new(level - 1, scale, estimate), a.identity())
    }
}
