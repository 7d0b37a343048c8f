//! Bucket keys for a sparse binary secret: every coefficient is in two of them, and every one is counted in one of its
//! two, so that no bucket counts two (a cuckoo hash table, whose hash functions are fixed and public).
//!
//! The first bucket of coefficient `i` is `i` modulo their number; the second one its place modulo that number in a
//! fixed permutation, so that all buckets are about as large. Which secrets can be placed depends on the places
//! of their ones alone, and most can: those of weight `h` are drawn until one is. If that has the chance `p`, an attack
//! on such secrets is one on uniform ones that succeeds at most `1/p` times as often.

use everlevel_rand::{Domain, Seed};
use zeroize::Zeroizing;

/// The buckets of `dim` coefficients.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    /// Each bucket's coefficients, ascending.
    pub members: Vec<Vec<usize>>,
    /// Each coefficient's buckets, two different ones.
    of: Vec<[usize; 2]>,
}

/// The seed of the permutation: these bytes and nothing else.
const SEED: [u8; 32] = *b"everlevel: buckets of few ones  ";

impl Buckets {
    /// `count` buckets, two or more.
    pub(super) fn new(dim: usize, count: usize) -> Self {
        let permutation = permutation(dim);
        let second = |i: usize| {
            let place = permutation[i] % count;
            if place == i % count { (place + 1) % count } else { place }
        };
        let of: Vec<[usize; 2]> = (0..dim).map(|i| [i % count, second(i)]).collect();
        let mut members = vec![Vec::new(); count];
        of.iter().enumerate().for_each(|(i, both)| both.iter().for_each(|&b| members[b].push(i)));
        Self { members, of }
    }

    /// The most coefficients that a bucket has.
    pub(super) fn largest(&self) -> usize {
        self.members.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The number of a bucket among a coefficient's two: 0 or 1.
    pub(super) fn side(&self, i: usize, bucket: usize) -> usize {
        usize::from(self.of[i][1] == bucket)
    }

    /// For each coefficient of a secret of zeros and ones, whether it is counted in its first bucket, and whether in
    /// its second; nothing if two ones would have to be counted in one.
    ///
    /// A bucket that a single one is left for counts it, and a one whose other bucket is taken has no choice; where
    /// neither helps, what is left are circles, and the first one of those goes to its first bucket. Each round does
    /// the same for all secrets, with one more one placed at least; only whether it succeeds is told.
    pub(super) fn place(&self, secret: &[i8]) -> Option<Zeroizing<Vec<[i8; 2]>>> {
        let mut left = Zeroizing::new(secret.to_vec());
        let mut taken = Zeroizing::new(vec![0i8; self.members.len()]);
        let mut placed = Zeroizing::new(vec![[0i8; 2]; secret.len()]);
        let mut failed = 0i8;
        for _ in 0..self.members.len() {
            let mut idle = 1i8;
            for (i, &[a, b]) in self.of.iter().enumerate() {
                let one = left[i];
                failed |= one & taken[a] & taken[b];
                let (first, second) = (one & taken[b] & (1 - taken[a]), one & taken[a] & (1 - taken[b]));
                placed[i][0] |= first;
                placed[i][1] |= second;
                taken[a] |= first;
                taken[b] |= second;
                left[i] &= 1 - (first | second);
                idle &= 1 - (first | second);
            }
            for (bucket, members) in self.members.iter().enumerate() {
                // The number of ones, up to two.
                let (some, more) =
                    members.iter().fold((0, 0), |(some, more), &i| (some | left[i], more | some & left[i]));
                let lone = some & (1 - more) & (1 - taken[bucket]);
                for &i in members {
                    let here = lone & left[i];
                    placed[i][self.side(i, bucket)] |= here;
                    left[i] &= 1 - here;
                    idle &= 1 - here;
                }
                taken[bucket] |= lone;
            }
            for (i, &[a, _]) in self.of.iter().enumerate() {
                let here = left[i] & idle;
                placed[i][0] |= here;
                taken[a] |= here;
                left[i] &= 1 - here;
                idle &= 1 - here;
            }
        }
        let all = left.iter().fold(failed, |sum, &one| sum | one) == 0;
        everlevel_rand::secrecy::declassified(all).then_some(placed)
    }
}

/// A fixed permutation of `0..dim`.
fn permutation(dim: usize) -> Vec<usize> {
    let mut words = vec![0; dim];
    Seed::from_bytes(SEED).stream(Domain::Derive, 0).fill_u64(&mut words);
    let mut order: Vec<usize> = (0..dim).collect();
    order.sort_by_key(|&i| words[i]);
    let mut places = vec![0; dim];
    order.iter().enumerate().for_each(|(place, &i)| places[i] = place);
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use everlevel_rand::sampler;

    fn sparse(dim: usize, weight: usize, index: u64) -> Vec<i8> {
        let mut coeffs = vec![0; dim];
        let stream = &mut Seed::from_bytes([0x62; 32]).stream(Domain::Test, index);
        sampler::binary_weight(stream, &mut coeffs, weight).unwrap();
        coeffs
    }

    #[test]
    fn every_coefficient_is_in_two_buckets_of_about_one_size() {
        for (dim, count) in [(1024, 128), (768, 112), (64, 16)] {
            let buckets = Buckets::new(dim, count);
            for i in 0..dim {
                assert_eq!(buckets.members.iter().filter(|members| members.contains(&i)).count(), 2);
            }
            assert!(buckets.largest() <= 2 * dim.div_ceil(count) + 4, "{}", buckets.largest());
        }
    }

    /// Every one is counted in one of its buckets, no bucket counts two, and those that can't be placed are told, as a
    /// search by augmenting paths says.
    #[test]
    fn ones_are_placed_where_that_is_possible() {
        for (dim, count, weight, least) in
            [(768, 192, 80, 0.97), (1024, 128, 56, 0.75), (64, 16, 8, 0.4), (64, 16, 14, 0.0)]
        {
            let buckets = Buckets::new(dim, count);
            let mut possible = 0;
            for index in 0..200 {
                let secret = sparse(dim, weight, index);
                let ones: Vec<usize> = (0..dim).filter(|&i| secret[i] == 1).collect();
                let placed = buckets.place(&secret);
                assert_eq!(placed.is_some(), matching(&buckets, &ones), "{index}");
                let Some(placed) = placed else { continue };
                possible += 1;
                let mut counted = vec![0; count];
                for (i, &[first, second]) in placed.iter().enumerate() {
                    assert_eq!(first + second, secret[i]);
                    counted[buckets.of[i][0]] += first;
                    counted[buckets.of[i][1]] += second;
                }
                assert!(counted.iter().all(|&ones| ones <= 1), "{counted:?}");
            }
            println!("{weight} of {dim} in {count}: {possible} of 200");
            assert!(f64::from(possible) >= 200.0 * least, "{possible}");
        }
    }

    fn matching(buckets: &Buckets, ones: &[usize]) -> bool {
        fn augment(buckets: &Buckets, one: usize, owner: &mut [Option<usize>], seen: &mut [bool]) -> bool {
            buckets.of[one].into_iter().any(|b| {
                let fresh = !std::mem::replace(&mut seen[b], true);
                let free = fresh && owner[b].is_none_or(|other| augment(buckets, other, owner, seen));
                if free {
                    owner[b] = Some(one);
                }
                free
            })
        }
        let mut owner = vec![None; buckets.members.len()];
        ones.iter().all(|&one| augment(buckets, one, &mut owner, &mut vec![false; buckets.members.len()]))
    }
}
