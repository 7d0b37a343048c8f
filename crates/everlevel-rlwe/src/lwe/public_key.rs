//! Compact public keys: lists of LWE ciphertexts, each list from one ring sample (Joye, CT-RSA 2024).
//!
//! *The key* of a secret of `k` polynomials is `k` samples of zero, `(A_i1, …, A_ik, B_i)` with `B_i = Σ_j A_ij·S_j +
//! E_i`. *A list* has ternary polynomials `r_i` and errors `F_j`, `F` of its own: `(Σ_i A_ij·r_i + F_j)_j` and
//! `Σ_i B_i·r_i + F + M` are masks and body of a sample of phase `M + Σ_i E_i·r_i + F − Σ_j F_j·S_j`, of which every
//! coefficient is an LWE ciphertext under the secret's coefficients. Products are exact.
//!
//! *Security.* Key and lists are samples of module LWE of rank `k`: the key under the secret, a list under the `r_i`,
//! which are uniform in `{−1, 0, 1}`. Their mean is zero, so that the key's errors shift no noise.

use everlevel_rand::sampler::Gaussian;
use everlevel_rand::secrecy::declassify;
use everlevel_rand::{Domain, Seed, sampler};
use everlevel_ring::{Representation, TorusRing};
use zeroize::Zeroizing;

use super::extract;
use crate::{Encryptor, Lwe, Randomness, SecretKey};

/// The ring of keys and lists.
type WideRing = TorusRing<u64>;
/// A polynomial of it.
type Words = Vec<u64>;

/// A key that encrypts under the coefficients of a secret, and can't decrypt.
#[derive(Debug, Clone)]
pub struct CompactPublicKey {
    mask_seed: Seed,
    /// The words that each place of a list's sample combines: the rows' masks there, and at last their bodies.
    columns: Vec<Vec<Words>>,
}

impl CompactPublicKey {
    /// The key of a secret; errors are in units of the last place.
    pub fn generate(
        ring: &WideRing,
        secret: &SecretKey<WideRing>,
        error: &Gaussian,
        randomness: impl Into<Randomness>,
    ) -> Self {
        let randomness = randomness.into();
        let encryptor = Encryptor { ring, secret: secret.prepared(), error };
        let body = |row| encryptor.zero(&(), Domain::KeyNoise, &randomness, row).1;
        let bodies = (0..WideRing::rank(secret.prepared()) as u64).map(body).collect();
        Self::from_parts(ring, randomness.masks().clone(), bodies)
    }

    /// A key from what [`CompactPublicKey::mask_seed`] and [`CompactPublicKey::bodies`] give.
    pub fn from_parts(ring: &WideRing, mask_seed: Seed, bodies: Vec<Words>) -> Self {
        let rank = bodies.len();
        let mut columns = vec![Vec::new(); rank];
        for row in 0..rank as u64 {
            let masks = ring.uniform(&(), rank, &mask_seed, row);
            columns.iter_mut().zip(masks).for_each(|(column, mask)| column.push(mask));
        }
        columns.push(bodies);
        Self { mask_seed, columns }
    }

    /// The seed that the masks expand from.
    pub fn mask_seed(&self) -> &Seed {
        &self.mask_seed
    }

    /// The bodies, row by row.
    ///
    /// # Panics
    /// Never: a key has them.
    pub fn bodies(&self) -> &[Words] {
        self.columns.last().expect("bodies behind the masks")
    }

    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        self.columns.iter().flatten().map(|words| size_of_val(&words[..])).sum()
    }

    /// A list: encryptions of torus elements under the secret's first `dim` coefficients; all others must be zero.
    /// `seed` must be secret and fresh.
    ///
    /// # Panics
    /// If there are more torus elements than a polynomial has coefficients.
    pub fn encrypt(&self, ring: &WideRing, error: &Gaussian, phases: &[u64], dim: usize, seed: &Seed) -> Vec<Lwe> {
        let sample = self.sample(ring, error, phases, seed);
        (0..phases.len()).map(|h| extract(&sample, ring.degree(), h, dim)).collect()
    }

    /// Masks and body of the sample of a list, whose coefficients hold the torus elements, and zeros behind them.
    /// `seed` must be secret and fresh.
    ///
    /// # Panics
    /// If there are more torus elements than a polynomial has coefficients.
    pub fn sample(&self, ring: &WideRing, error: &Gaussian, phases: &[u64], seed: &Seed) -> Vec<u64> {
        let (n, rank) = (ring.degree(), self.columns.len() - 1);
        assert!(phases.len() <= n, "one torus element for each coefficient");
        let mut coeffs = Zeroizing::new(vec![0i8; rank * n]);
        sampler::ternary(&mut seed.stream(Domain::Ephemeral, 0), &mut coeffs);
        let mut ephemeral = ring.secret(&coeffs);
        // Masks are the key's: only the errors are fresh.
        let randomness = Randomness::new(self.mask_seed.clone(), seed.clone());
        let errors = Encryptor { ring, secret: &ephemeral, error };
        let mut sample = Vec::with_capacity((rank + 1) * n);
        for (place, column) in self.columns.iter().enumerate() {
            let mut part = errors.error(&(), Domain::EncryptionNoise, &randomness, 1 + place as u64);
            ring.mask_body(&mut part, column, &ephemeral);
            if place == rank {
                part.iter_mut().zip(phases).for_each(|(word, &phase)| *word = word.wrapping_add(phase));
            }
            sample.extend(part);
        }
        WideRing::erase(&mut ephemeral);
        // Anybody may see a ciphertext.
        declassify(&sample);
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretId;

    /// Errors have a deviation of 4, so that all but the last bits are read back.
    #[test]
    fn lists_of_any_rank_hold_their_torus_elements() {
        let (ring, n) = (WideRing::new(8).unwrap(), 256);
        let (seed, error) = (Seed::from_bytes([9; 32]), Gaussian::new(4.0).unwrap());
        for (rank, dim) in [(1, 256), (2, 512), (3, 600)] {
            let mut coeffs = vec![0i8; rank * n];
            sampler::ternary(&mut seed.stream(Domain::Test, rank as u64), &mut coeffs[..dim]);
            let secret = SecretKey::from_coeffs(&ring, SecretId(1), coeffs.clone());
            let key = CompactPublicKey::generate(&ring, &secret, &error, &seed.derive(Domain::Test, 1));
            let again = CompactPublicKey::from_parts(&ring, key.mask_seed().clone(), key.bodies().to_vec());
            assert_eq!(again.columns, key.columns);
            assert_eq!(key.nbytes(), 8 * n * rank * (rank + 1));
            for count in [0, 1, 7, n] {
                let phases: Vec<u64> = (0..count as u64).map(|i| (i + 1) << 56).collect();
                let list = key.encrypt(&ring, &error, &phases, dim, &seed.derive(Domain::Test, count as u64));
                assert_eq!(list.len(), count);
                let off = |(lwe, phase): (&Lwe, u64)| lwe.phase(&coeffs[..dim]).wrapping_sub(phase) as i64;
                let errors: Vec<i64> = list.iter().zip(phases).map(off).collect();
                assert!(errors.iter().all(|error| error.abs() < 1 << 12), "rank {rank}: {errors:?}");
                assert!(count < n || errors.iter().any(|error| error.abs() > 1 << 5), "rank {rank}: {errors:?}");
            }
        }
    }
}
