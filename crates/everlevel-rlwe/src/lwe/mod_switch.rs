//! From the torus to exponents modulo `2N`.

/// `out`, mask and body, in multiples of `2^skip` below `2^log_two_n`: each word of `small` rounded to the grid. What
/// the mask's roundings `e_i` do to the phase, `−Σ e_i·s_i`, has mean `−½·Σ e_i` over the bits, which anybody can
/// compute: the body is corrected by it before it is rounded, which halves their standard deviation (the centred mean).
///
/// # Panics
/// If lengths differ.
pub fn switch_modulus(out: &mut [u32], small: &[u32], log_two_n: u32, skip: u32) {
    assert_eq!(out.len(), small.len());
    let shift = 32 - (log_two_n - skip);
    let mask = ((1u64 << log_two_n) - 1) as u32;
    let round = |x: u32| (x.wrapping_add(1 << (shift - 1)) >> shift) << skip & mask;
    let last = small.len() - 1;
    let mut sum = 0i64;
    for (out, &a) in out[..last].iter_mut().zip(small) {
        let rounded = a.wrapping_add(1 << (shift - 1)) & (u32::MAX << shift);
        sum += i64::from(rounded.wrapping_sub(a) as i32);
        *out = round(a);
    }
    out[last] = round(small[last].wrapping_add((sum >> 1) as u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_the_nearest_and_wrap() {
        let mut out = [0; 4];
        switch_modulus(&mut out, &[0x8000_0000, 0xffff_ffff, 0x000f_ffff, 0x4000_0000], 11, 0);
        assert_eq!(out, [1024, 0, 0, 512]);
        // Two roundings of almost half a step each move the body by half their sum.
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4010_0000], 11, 0);
        assert_eq!(out, [0, 0, 0, 512]);
        switch_modulus(&mut out, &[0x0040_0000, 0, 0, 0x4100_0000], 11, 2);
        assert!(out.iter().all(|x| x % 4 == 0));
    }
}
