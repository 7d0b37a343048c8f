//! Single coefficients of a ciphertext, each in a ciphertext of its own, by automorphisms.
//!
//! For a ciphertext `c` of a polynomial in `X^(2^i)`, `c + σ_i(c)` is twice the half that the automorphism keeps, and
//! `X^(−2^i)·(c − σ_i(c))` twice the other, moved. For `2^t` coefficients the first `t` steps take both halves, and the
//! others the first alone: the trace. So a step's ciphertexts are few where they are large, and what comes out is `N`
//! times the coefficient. Input is divided by `N` first.

use everlevel_math::monomial;

use crate::automorphisms::{Automorphisms, add_to_each};

/// The first `2^log2_count` coefficients of a ciphertext's phase, each the only one of a ciphertext, mask and then
/// body.
pub(super) fn expand(
    automorphisms: &Automorphisms,
    mut glwe: Vec<u64>,
    log2_count: usize,
    scratch: &mut [f64],
) -> Vec<Vec<u64>> {
    let (steps, n) = (automorphisms.steps(), 1 << automorphisms.steps());
    automorphisms.divide(&mut glwe);
    let mut all = vec![glwe];
    for i in 0..steps {
        let images = automorphisms.images(i, &all, scratch);
        if i < log2_count {
            let odd = |(own, image): (&Vec<u64>, &Vec<u64>)| {
                let mut out = vec![0; own.len()];
                let difference: Vec<u64> = own.iter().zip(image).map(|(x, y)| x.wrapping_sub(*y)).collect();
                for (out, x) in out.chunks_exact_mut(n).zip(difference.chunks_exact(n)) {
                    monomial::rotate(out, x, 2 * n - (1 << i));
                }
                out
            };
            let odd: Vec<Vec<u64>> = all.iter().zip(&images).map(odd).collect();
            add_to_each(&mut all, &images);
            all.extend(odd);
        } else {
            add_to_each(&mut all, &images);
        }
    }
    all
}
