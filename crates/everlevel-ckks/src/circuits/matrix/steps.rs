//! The rotations of a product in any representation: baby steps as a tree, giant steps by Horner's rule.

use std::collections::{BTreeMap, BTreeSet};

use everlevel_ring::HalfProduct;
use everlevel_rlwe::SwitchingKey;

/// A Galois element with its key.
pub(crate) type Turn<'k, R> = (u64, &'k SwitchingKey<R>);

/// The baby steps of a ciphertext, by left rotation. A step with a key of its own is a child of step 0, and another one
/// of the step without its highest binary digit; children of one step share its digits: `born` makes them. `turn` gives
/// the key of an amount, if there is one.
///
/// # Errors
/// The amount of a rotation that has no key.
pub(crate) fn baby_steps<'k, R: HalfProduct + 'k, T>(
    first: T,
    needed: &BTreeSet<i64>,
    turn: &impl Fn(i64) -> Option<Turn<'k, R>>,
    born: &impl Fn(&T, &[Turn<'k, R>]) -> Vec<T>,
) -> Result<BTreeMap<i64, T>, i64> {
    let mut known = BTreeMap::new();
    let mut waiting = vec![(0, first)];
    while let Some((step, parent)) = waiting.pop() {
        let children = needed.iter().copied().filter(|&child| {
            let parent = if turn(child).is_some() { 0 } else { child - (1 << child.max(1).ilog2()) };
            child > 0 && parent == step
        });
        let children: Vec<i64> = children.collect();
        let turns =
            children.iter().map(|child| turn(child - step).ok_or(child - step)).collect::<Result<Vec<_>, _>>()?;
        let all = born(&parent, &turns);
        known.insert(step, parent);
        waiting.extend(children.into_iter().zip(all));
    }
    Ok(known)
}

/// A sum over giant steps, from the outermost inwards, each turned by the distance to the next.
pub(crate) struct Horner<T>(Option<(i64, T)>);

impl<T> Horner<T> {
    /// An empty sum.
    pub fn new() -> Self {
        Self(None)
    }

    /// Goes on to a smaller giant step: `add` adds its part to what was there, turned.
    pub fn step<E>(
        &mut self,
        giant: i64,
        turn: impl FnOnce(T, i64) -> Result<T, E>,
        add: impl FnOnce(Option<T>) -> Result<T, E>,
    ) -> Result<(), E> {
        let turned = self.0.take().map(|(outer, sum)| turn(sum, outer - giant)).transpose()?;
        self.0 = Some((giant, add(turned)?));
        Ok(())
    }

    /// The sum, turned by the last giant step; none of none.
    pub fn finish<E>(self, turn: impl FnOnce(T, i64) -> Result<T, E>) -> Result<Option<T>, E> {
        self.0.map(|(giant, sum)| turn(sum, giant)).transpose()
    }
}
