//! Sums of products of ciphertexts with packed plaintexts, several sums in one pass.
//!
//! *Order of the work.* The giant steps of a product with a matrix share their ciphertexts: sum by sum, each of these
//! is read anew for every sum, and each plaintext twice, for body and mask; where they are many, all this comes from
//! memory. So the outer loop runs over primes and the next over tiles of the transform domain: the tiles of all
//! ciphertexts stay in the second-level cache while all sums read them, and a tile of plaintexts is still in cache when
//! the mask follows the body. The sums are the same integers in whatever order.
//!
//! *Conjugate symmetry.* Of plaintexts that are held by half, a tile of the second half is one of the first, read
//! backwards. So tiles come in pairs, `i..` and `..n − i`, and the plaintexts' tile is in cache when its mirror image
//! is multiplied: half as many bytes come from memory.

use everlevel_math::{Modulus, packed};
use rayon::prelude::*;

use super::steps::split_by_prime;
use crate::fused::MOST_TERMS;
use crate::{Eval, PackedPoly, Poly, PrimeSet, Ring, Symmetry};

/// Residues of a tile, one of a pair: pairs of both parts of sixteen ciphertexts fill a quarter of a mebibyte. Twice as
/// many took 2 to 10 % longer.
const TILE: usize = 512;

/// A term of a sum: both parts of a ciphertext, and the plaintext that they are multiplied with.
pub type PackedTerm<'a> = ([&'a Poly<Eval>; 2], &'a PackedPoly);

/// A term at one prime.
type Limbs<'a> = ([&'a [u64]; 2], &'a [u8]);

impl Ring {
    /// For each sum and both parts, `Σ_k x_k ⊙ y_k` over `set`, of which every operand has the primes. Zero of no
    /// terms.
    ///
    /// # Panics
    /// If plaintexts are of different symmetries.
    pub fn inner_products_packed(&self, set: &PrimeSet, sums: &[Vec<PackedTerm<'_>>]) -> Vec<[Poly<Eval>; 2]> {
        if sums.iter().flatten().flat_map(|(ct, _)| ct).any(|part| part.is_there()) {
            return self.inner_products_there(set, sums);
        }
        let mut symmetries = sums.iter().flatten().map(|(_, y)| y.symmetry());
        let symmetry = symmetries.next().unwrap_or(Symmetry::None);
        assert!(symmetries.all(|other| other == symmetry), "plaintexts are of one symmetry");
        let mut outs: Vec<[Poly<Eval>; 2]> = sums.iter().map(|_| [self.uninit(set), self.uninit(set)]).collect();
        split_by_prime(std::slice::from_mut(&mut outs), set).into_par_iter().zip(set.indices()).for_each(
            |(outs, &prime)| {
                let terms: Vec<Vec<Limbs>> = sums.iter().map(|terms| at_prime(terms, prime)).collect();
                let mut outs: Vec<[&mut [u64]; 2]> = outs.into_iter().flatten().collect();
                for first in (0..self.n() / 2).step_by(TILE) {
                    let len = TILE.min(self.n() / 2 - first);
                    for (out, terms) in outs.iter_mut().zip(&terms) {
                        for at in [first, self.n() - first - len] {
                            let out = out.each_mut().map(|part| &mut part[at..at + len]);
                            let y_at = if symmetry == Symmetry::Conjugate { first } else { at };
                            tile(self.modulus(prime), (at, y_at), out, terms);
                        }
                    }
                }
            },
        );
        outs
    }
}

fn at_prime<'a>(terms: &[PackedTerm<'a>], prime: usize) -> Vec<Limbs<'a>> {
    terms.iter().map(|(x, y)| (x.map(|part| part.limb(prime)), y.limb(prime))).collect()
}

/// One sum on the tile from `at`, as many residues as `outs` have. Those of plaintexts are from `y_at`: elsewhere, they
/// are the mirror image.
fn tile(m: &Modulus, (at, y_at): (usize, usize), outs: [&mut [u64]; 2], terms: &[Limbs<'_>]) {
    let len = outs[0].len();
    let [first, second] = outs;
    for (part, out) in [first, second].into_iter().enumerate() {
        let mut chunks = terms.chunks(MOST_TERMS);
        let Some(chunk) = chunks.next() else {
            out.fill(0);
            continue;
        };
        let sum_into = |out: &mut [u64], chunk: &[Limbs<'_>]| {
            let x: Vec<&[u64]> = chunk.iter().map(|(x, _)| &x[part][at..at + len]).collect();
            let y: Vec<&[u8]> = chunk.iter().map(|(_, y)| packed::block(y, y_at, len)).collect();
            match at == y_at {
                true => m.inner_product_packed_into(out, &x, &y),
                false => m.inner_product_mirrored_into(out, &x, &y),
            }
        };
        sum_into(out, chunk);
        let mut more = [0; TILE];
        for chunk in chunks {
            sum_into(&mut more[..len], chunk);
            m.add_assign(out, &more[..len]);
        }
    }
}
