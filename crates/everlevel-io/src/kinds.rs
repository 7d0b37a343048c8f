//! The registry of kinds: what files may hold, under which names, and for which scheme.

macro_rules! kinds {
    ($($scheme:literal { $($(#[$doc:meta])* $name:ident = $text:literal;)* })*) => {
        $($($(#[$doc])* pub const $name: &str = $text;)*)*

        /// Every kind, with its scheme.
        pub const ALL: &[(&str, &str)] = &[$($(($name, $scheme),)*)*];
    };
}

kinds! {
    "ckks" {
        /// An encrypted vector, of one unit or several.
        CIPHERTEXT = "ciphertext";
        /// An encoded vector.
        PLAINTEXT = "plaintext";
        /// An encoded vector without its primes.
        LIGHT_PLAINTEXT = "light_plaintext";
        /// An encoded matrix.
        PLAIN_MATRIX = "plain_matrix";
        /// An encoded matrix without its primes.
        LIGHT_PLAIN_MATRIX = "light_plain_matrix";
        /// A secret key.
        SECRET_KEY = "secret_key";
        /// A public key.
        PUBLIC_KEY = "public_key";
        /// A relinearization key.
        RELINEARIZATION_KEY = "relinearization_key";
        /// A conjugation key.
        CONJUGATION_KEY = "conjugation_key";
        /// A rotation key.
        ROTATION_KEY = "rotation_key";
        /// A rotation key of one amount.
        FIXED_ROTATION_KEY = "fixed_rotation_key";
        /// A rotation key for products with matrices.
        MATRIX_MULTIPLICATION_KEY = "matrix_multiplication_key";
        /// A bootstrap key.
        BOOTSTRAP_KEY = "bootstrap_key";
        /// A bootstrap key beside a rotation key.
        SMALL_BOOTSTRAP_KEY = "small_bootstrap_key";
        /// Several evaluation keys of one secret.
        EVALUATION_KEY = "evaluation_key";
    }
    "tfhe" {
        /// A secret key.
        TFHE_SECRET_KEY = "tfhe_secret_key";
        /// A public key.
        TFHE_PUBLIC_KEY = "tfhe_public_key";
        /// Both evaluation keys.
        TFHE_EVALUATION_KEY = "tfhe_evaluation_key";
        /// The key of circuit bootstraps, for look-ups in large tables.
        TFHE_LOOKUP_KEY = "tfhe_lookup_key";
        /// The key of compression, which puts results into lists.
        TFHE_COMPRESSION_KEY = "tfhe_compression_key";
        /// The key of ring switches, which take ciphertexts of bulk.
        TFHE_RING_SWITCH_KEY = "tfhe_ring_switch_key";
        /// The packing key, which takes ciphertexts to bulk.
        TFHE_PACKING_KEY = "tfhe_packing_key";
        /// A compressed list: the words of few bits of any array's ciphertexts.
        TFHE_COMPRESSED_LIST = "tfhe_compressed_list";
        /// An array of bits, or of integers of a few bits.
        TFHE_CIPHERTEXT = "tfhe_ciphertext";
        /// An array of integers of 8 to 64 bits: the rows of their blocks, and their width.
        TFHE_UINT_ARRAY = "tfhe_uint_array";
        /// An array of truth values: the rows of their blocks.
        TFHE_BOOL_ARRAY = "tfhe_bool_array";
    }
    "ckks.limbs" {
        /// A secret key over limbs.
        LIMBS_SECRET_KEY = "limbs_secret_key";
        /// A bootstrap key over limbs.
        LIMBS_BOOTSTRAP_KEY = "limbs_bootstrap_key";
        /// A public key over limbs.
        LIMBS_PUBLIC_KEY = "limbs_public_key";
        /// The keys of products, rotations and conjugation, over limbs.
        LIMBS_EVALUATION_KEY = "limbs_evaluation_key";
        /// An encrypted vector over limbs.
        LIMBS_CIPHERTEXT = "limbs_ciphertext";
    }
    "bfv" {
        /// A secret key.
        BFV_SECRET_KEY = "bfv_secret_key";
        /// A public key.
        BFV_PUBLIC_KEY = "bfv_public_key";
        /// The keys of products and rotations.
        BFV_EVALUATION_KEY = "bfv_evaluation_key";
        /// An encrypted vector of integers.
        BFV_CIPHERTEXT = "bfv_ciphertext";
    }
}

/// Whether a kind is a secret key of any scheme.
pub(crate) fn is_secret(kind: &str) -> bool {
    [SECRET_KEY, TFHE_SECRET_KEY, LIMBS_SECRET_KEY, BFV_SECRET_KEY].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::{ALL, is_secret};

    #[test]
    fn secret_kinds_are_those_that_say_so() {
        ALL.iter().for_each(|(name, _)| assert_eq!(is_secret(name), name.ends_with("secret_key"), "{name}"));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = ALL.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
