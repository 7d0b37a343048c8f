//! The form that most element-wise kernels have for the vectors of any backend.

/// Kernels `a_i = f(a_i, b_i, …)` on whole vectors, with constants that are made once. Each returns the length of the
/// prefix that it did. The features are those for x86-64.
macro_rules! kernels {
    (
        $lanes:literal, $features:literal;
        $($name:ident($m:ident, a $(, $b:ident)*; $($w:ident: $t:ty),*)
            = |$x:ident $(, $y:ident)*| { $($setup:stmt;)* } $f:expr;)*
    ) => {$(
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
        #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
        pub(super) fn $name($m: &Modulus, a: &mut [u64] $(, $b: &[u64])* $(, $w: $t)*) -> usize {
            $($setup)*
            let len = a.len() / $lanes * $lanes;
            $(let mut $b = $b[..len].as_chunks::<$lanes>().0.iter();)*
            for a in a.as_chunks_mut::<$lanes>().0 {
                let $x = read(a);
                $(let $y = match $b.next() { Some($b) => read($b), None => return len };)*
                write(a, $f);
            }
            len
        }
    )*};
}
pub(super) use kernels;
