//! The indices of the butterflies of a radix-2^k pass, level by level.

/// Calls `$b!(i, j, t)` for each butterfly of level `$level` of a pass of radix `$radix`: operands `i` and `j`, twiddle
/// `t` of the pass's `radix − 1`. Level 0 has the greatest distance.
macro_rules! pairs {
    (2, 0, $b:ident) => {
        $b!(0, 1, 0);
    };
    (4, 0, $b:ident) => {
        $b!(0, 2, 0);
        $b!(1, 3, 0);
    };
    (4, 1, $b:ident) => {
        $b!(0, 1, 1);
        $b!(2, 3, 2);
    };
    (8, 0, $b:ident) => {
        $b!(0, 4, 0);
        $b!(1, 5, 0);
        $b!(2, 6, 0);
        $b!(3, 7, 0);
    };
    (8, 1, $b:ident) => {
        $b!(0, 2, 1);
        $b!(1, 3, 1);
        $b!(4, 6, 2);
        $b!(5, 7, 2);
    };
    (8, 2, $b:ident) => {
        $b!(0, 1, 3);
        $b!(2, 3, 4);
        $b!(4, 5, 5);
        $b!(6, 7, 6);
    };
    (16, 0, $b:ident) => {
        $b!(0, 8, 0);
        $b!(1, 9, 0);
        $b!(2, 10, 0);
        $b!(3, 11, 0);
        $b!(4, 12, 0);
        $b!(5, 13, 0);
        $b!(6, 14, 0);
        $b!(7, 15, 0);
    };
    (16, 1, $b:ident) => {
        $b!(0, 4, 1);
        $b!(1, 5, 1);
        $b!(2, 6, 1);
        $b!(3, 7, 1);
        $b!(8, 12, 2);
        $b!(9, 13, 2);
        $b!(10, 14, 2);
        $b!(11, 15, 2);
    };
    (16, 2, $b:ident) => {
        $b!(0, 2, 3);
        $b!(1, 3, 3);
        $b!(4, 6, 4);
        $b!(5, 7, 4);
        $b!(8, 10, 5);
        $b!(9, 11, 5);
        $b!(12, 14, 6);
        $b!(13, 15, 6);
    };
    (16, 3, $b:ident) => {
        $b!(0, 1, 7);
        $b!(2, 3, 8);
        $b!(4, 5, 9);
        $b!(6, 7, 10);
        $b!(8, 9, 11);
        $b!(10, 11, 12);
        $b!(12, 13, 13);
        $b!(14, 15, 14);
    };
}
pub(super) use pairs;
