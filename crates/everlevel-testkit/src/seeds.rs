//! Seeds of tests' keys and ciphertexts, the same at every run: what a test measures of them passes its bounds always
//! or never.

use std::cell::Cell;

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// The bytes of a seed: others at each call of a thread, and the same at every run where a test has a thread of its
/// own, as usual. With `EVERLEVEL_TEST_SEEDS=new` in the environment they are what no run has seen before.
///
/// # Panics
/// If the clock is before 1970.
pub fn next() -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    hash.update(&TAKEN.replace(TAKEN.get() + 1).to_le_bytes());
    if std::env::var("EVERLEVEL_TEST_SEEDS").is_ok_and(|seeds| seeds == "new") {
        let now = std::time::UNIX_EPOCH.elapsed().expect("a clock that goes");
        hash.update(&now.as_nanos().to_le_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    /// A thread's first seed is another one's, and its second one isn't.
    #[test]
    fn seeds_repeat_themselves_in_another_thread() {
        let two = || [super::next(), super::next()];
        let (here, there) = (std::thread::spawn(two).join().unwrap(), std::thread::spawn(two).join().unwrap());
        assert!(here[0] != here[1] && here == there || std::env::var("EVERLEVEL_TEST_SEEDS").is_ok());
    }
}
