//! From the torus to exponents modulo `2N`.

/// `out`, mask and body, in multiples of `2^skip` below `2^log_two_n`: each word of `small` rounded to the grid. What
/// the mask's roundings `e_i` do to the phase, `−Σ e_i·s_i`, has mean `−µ·Σ e_i` over secrets whose coefficients have
/// the mean `µ`, here a numerator and a denominator. Anybody can compute that: the body is corrected by it before it is
/// rounded (the centred mean), which halves the standard deviation of bits' roundings.
///
/// # Panics
/// If lengths differ, or a denominator is 0.
pub fn switch_modulus(out: &mut [u32], small: &[u32], log_two_n: u32, skip: u32, mean: (u32, u32)) {
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
    let (numerator, denominator) = (i64::from(mean.0), i64::from(mean.1));
    out[last] = round(small[last].wrapping_add((sum * numerator).div_euclid(denominator) as u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_the_nearest_and_wrap() {
        let mut out = [0; 4];
        switch_modulus(&mut out, &[0x8000_0000, 0xffff_ffff, 0x000f_ffff, 0x4000_0000], 11, 0, (1, 2));
        assert_eq!(out, [1024, 0, 0, 512]);
        // Two roundings of almost half a step each move the body by half their sum.
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4010_0000], 11, 0, (1, 2));
        assert_eq!(out, [0, 0, 0, 512]);
        // By a third of it, or not at all.
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4019_9999], 11, 0, (1, 3));
        assert_eq!(out, [0, 0, 0, 512]);
        switch_modulus(&mut out, &[0x000f_ffff, 0x000f_ffff, 0, 0x4010_0000], 11, 0, (0, 1));
        assert_eq!(out, [0, 0, 0, 513]);
        switch_modulus(&mut out, &[0x0040_0000, 0, 0, 0x4100_0000], 11, 2, (1, 2));
        assert!(out.iter().all(|x| x % 4 == 0));
    }
}
