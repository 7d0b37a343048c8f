//! TFHE's numbers as bootstraps read them: [`Scheme`].

use everlevel_math::fft::{Digits, Together};
use everlevel_rand::{Stream, sampler};
use everlevel_ring::WordBuffer;

use super::ParamsLiteral;
use super::key_noise;
use crate::Error;
use crate::common::{Common, check_gadget, check_sizes, refuse};
use crate::over_keys::OverKeys;
use crate::scheme::Scheme;
use crate::secrets::SmallSecret;

impl Scheme for ParamsLiteral {
    fn common(&self) -> Common {
        Common {
            lwe_dim: self.lwe_dim,
            secrets: self.secrets,
            lwe_log2_std_dev: self.lwe_log2_std_dev,
            log_n: self.log_n,
            log2_extension: self.log2_extension,
            log2_exponent_step: 0,
            big_dim: self.big_dim(),
            big_log2_std_dev: self.glwe_log2_std_dev,
            landings: self.landings.clone(),
            key_switch: self.key_switch,
            order: self.order,
            space: self.space,
            squared_norm: self.squared_norm,
            max_log2_p_fail: self.max_log2_p_fail,
            insecure: self.insecure,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let l = self;
        if !matches!(l.torus_bits, 32 | 64) {
            return refuse("torus_bits", l.torus_bits, "32 or 64");
        }
        check_sizes(l.log_n, 8..=16, l.lwe_dim)?;
        if !(1..=8).contains(&l.rank) {
            return refuse("rank", l.rank, "1 to 8");
        }
        l.secrets.check(l.lwe_dim, l.glwe_dim())?;
        match l.secrets.small {
            SmallSecret::Binary => {
                if !(1..=2).contains(&l.bits_per_step) || !l.lwe_dim.is_multiple_of(l.bits_per_step) {
                    let needed = format!("1, or 2 if lwe_dim = {} is even", l.lwe_dim);
                    return refuse("bits_per_step", l.bits_per_step, needed);
                }
            }
            SmallSecret::Blocks { block } if block == Together::Block.bits() => {
                if l.bits_per_step != block {
                    return refuse("bits_per_step", l.bits_per_step, format!("{block}, the coefficients of a block"));
                }
            }
            small => return refuse("secrets.small", format!("{small:?}"), "Binary, or Blocks of 4"),
        }
        if l.bits_per_step > 1 && l.log2_extension > 4 {
            return refuse("bits_per_step", l.bits_per_step, "1 where tables are extended by more than 2^4");
        }
        let bits = l.torus_bits - Digits::LOW_BITS;
        check_gadget("mask_gadget", l.mask_gadget, bits)?;
        check_gadget("body_gadget", l.body_gadget, bits)
    }

    fn sample_bits(&self) -> u32 {
        self.torus_bits
    }

    fn rotation_noise(&self) -> (OverKeys, OverKeys) {
        (key_noise::products(self), key_noise::secrets(self))
    }

    fn rotation_noise_of(&self, small: &[i8], big: &[i8]) -> f64 {
        key_noise::of_secrets(self, small, big)
    }

    fn secret_square(&self) -> f64 {
        0.5
    }

    fn secret_distribution(&self) -> SmallSecret {
        SmallSecret::Binary
    }

    fn transforms(&self) -> usize {
        self.transforms()
    }

    fn rotation_transforms(&self) -> f64 {
        (self.steps() * self.extension() * self.transforms()) as f64
    }

    fn sample_secret(&self, stream: &mut Stream) -> Vec<i8> {
        let mut bits = vec![0; self.glwe_dim()];
        sampler::binary(stream, &mut bits[..self.big_dim()]);
        bits
    }

    fn body_count(&self) -> usize {
        self.ggsws() * self.rows()
    }

    fn body_bits(&self) -> u32 {
        self.torus_bits
    }

    fn prepared_nbytes(&self) -> usize {
        let words = self.body_count() * (self.rank + 1) * self.n();
        match self.torus_bits {
            32 => WordBuffer::<i32>::nbytes_of(words),
            _ => WordBuffer::<f64>::nbytes_of(words),
        }
    }
}
