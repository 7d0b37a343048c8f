//! Classes of TFHE's arrays of ciphertexts, immutable: bits or integers of a few bits, integers of 8 to 256 bits, and
//! truth values. Operations are named as the façade names them.

use std::ops::Range;

use everlevel_binfhe::{
    self as tfhe, BoolArray, Context, Error, Extreme, Integers, Joined, PublicKey, UintArray, Width,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::call::{Report, run_any, run_reporting};
use crate::integers::{
    GATES, binary, compare, named, of_sign, reduce, shift, signed_binary, signed_compare, signed_reduce, signed_shift,
};
use crate::properties::properties;
use crate::tfhe::context::TfheContext;
use crate::tfhe::keys::{EncryptionKey, Key, TfheEvaluationKey, TfhePublicKey, TfheSecretKey};

/// The class of an array, whose ciphertexts `$blocks` gives.
macro_rules! array_class {
    (
        $(#[$doc:meta])*
        $name:ident($type:ty), $blocks:expr, $take:expr, $join:expr, $rerandomize:expr, { $($methods:tt)* }
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "everlevel._native")]
        pub struct $name(pub $type);

        properties! { [$name] as array {
            secret_id: u64 = $blocks(&array.0).first().map_or(0, |ciphertext| ciphertext.key().0);
            nbytes: usize = tfhe::Ciphertext::nbytes($blocks(&array.0));
            /// Largest variance of the ciphertexts' noise.
            variance_torus: f64 = tfhe::Ciphertext::max_variance_torus($blocks(&array.0));
        } }

        #[pymethods]
        impl $name {
            fn __len__(&self) -> usize {
                self.0.len()
            }

            /// An upper bound of the probability that any of them decrypts to a wrong value.
            fn failure_probability(&self, context: &TfheContext) -> f64 {
                tfhe::Ciphertext::failure_probability($blocks(&self.0), context.0.params())
            }

            /// Those at these places, in this order.
            fn take(&self, indices: Vec<usize>) -> PyResult<Self> {
                run_any::<_, Error>(|| Ok(Self($take(&self.0, &indices))))
            }

            /// These values with a public key's encryptions of zero added.
            fn rerandomize(&self, key: &TfhePublicKey) -> PyResult<Self> {
                run_any(|| $rerandomize(&key.0, &self.0)).map(Self)
            }

            /// All of these, one array behind the other.
            #[staticmethod]
            fn join(parts: Vec<Bound<'_, Self>>) -> PyResult<Self> {
                let parts: Vec<&$type> = parts.iter().map(|part| &part.get().0).collect();
                $join(&parts).map(Self).map_err(crate::error::to_py)
            }

            $($methods)*
        }
    };
}

fn take(all: &[tfhe::Ciphertext], places: &[usize]) -> Vec<tfhe::Ciphertext> {
    places.iter().map(|&i| all[i].clone()).collect()
}

fn rerandomize(key: &PublicKey, all: &[tfhe::Ciphertext]) -> Result<Vec<tfhe::Ciphertext>, Error> {
    key.rerandomize(all)
}

fn join(parts: &[&Vec<tfhe::Ciphertext>]) -> Result<Vec<tfhe::Ciphertext>, Error> {
    Ok(parts.iter().copied().flatten().cloned().collect())
}

array_class!(
    /// Encrypted bits or integers of one secret.
    TfheCiphertext(Vec<tfhe::Ciphertext>),
    Vec::as_slice,
    take,
    join,
    rerandomize,
    {
        /// The largest value that any of them may hold.
        #[getter]
        fn max_value(&self) -> u64 {
            self.0.iter().map(tfhe::Ciphertext::max_value).max().unwrap_or(0)
        }

        fn decrypt_bits<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<bool>>> {
            Ok(PyArray1::from_vec(py, run_any(|| key.0.decrypt_bits(&self.0))?))
        }

        fn decrypt_integers<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<u64>>> {
            Ok(PyArray1::from_vec(py, run_any(|| key.0.decrypt_integers(&self.0))?))
        }
    }
);

/// An operation on two arrays, element by element.
type Pairwise<T> = fn(&Integers<'_>, &UintArray, &UintArray) -> Result<T, Error>;
type Shift = fn(&Integers<'_>, &UintArray, u32) -> Result<UintArray, Error>;
type Reduce = fn(&Integers<'_>, &UintArray, usize) -> Result<UintArray, Error>;

const BINARY: &[(&str, Pairwise<UintArray>)] = binary! {
    ("saturating_add", |int, a, b| int.saturating_add(a, b)),
    ("saturating_subtract", |int, a, b| int.saturating_sub(a, b)),
    ("saturating_multiply", |int, a, b| int.saturating_mul(a, b)),
};
const CHECKED: [(&str, Pairwise<(UintArray, BoolArray)>); 5] = [
    ("add", |int, a, b| int.checked_add(a, b)),
    ("subtract", |int, a, b| int.checked_sub(a, b)),
    ("multiply", |int, a, b| int.checked_mul(a, b)),
    ("floor_divide", |int, a, b| int.checked_div(a, b)),
    ("remainder", |int, a, b| int.checked_rem(a, b)),
];
const COMPARE: &[(&str, Pairwise<BoolArray>)] = compare!();
const SHIFT: &[(&str, Shift)] = shift! {
    ("bitwise_count", |int, a, _| int.count_ones(a)),
    ("leading_zeros", |int, a, _| int.leading_zeros(a)),
    ("trailing_zeros", |int, a, _| int.trailing_zeros(a)),
};
const REDUCE: &[(&str, Reduce)] = reduce!();

const SIGNED_BINARY: &[(&str, Pairwise<UintArray>)] = signed_binary! {
    ("saturating_add", |int, a, b| int.signed().saturating_add(a, b)),
    ("saturating_subtract", |int, a, b| int.signed().saturating_sub(a, b)),
    ("saturating_multiply", |int, a, b| int.signed().saturating_mul(a, b)),
};
const SIGNED_CHECKED: [(&str, Pairwise<(UintArray, BoolArray)>); 5] = [
    ("add", |int, a, b| int.signed().checked_add(a, b)),
    ("subtract", |int, a, b| int.signed().checked_sub(a, b)),
    ("multiply", |int, a, b| int.signed().checked_mul(a, b)),
    ("floor_divide", |int, a, b| int.signed().checked_div(a, b)),
    ("remainder", |int, a, b| int.signed().checked_rem(a, b)),
];
const SIGNED_COMPARE: &[(&str, Pairwise<BoolArray>)] = signed_compare!();
const SIGNED_SHIFT: &[(&str, Shift)] = signed_shift!();
const SIGNED_REDUCE: &[(&str, Reduce)] = signed_reduce!();

/// The common arguments of long calls: the threads, the key, and the function that is told of progress.
#[derive(FromPyObject)]
pub struct Call(Py<TfheContext>, Py<TfheEvaluationKey>, Report);

impl Call {
    /// Runs an operation on the slices of arrays of a shape.
    fn run<T: Joined>(
        self,
        shape: (usize, usize),
        operation: impl Fn(&Integers<'_>, Range<usize>) -> Result<T, Error> + Send + Sync,
    ) -> PyResult<T> {
        let Self(context, key, report) = self;
        run_reporting(report, |progress| context.get().0.integers(key.get().ready(), shape, progress, operation))
    }
}

impl TfheUintArray {
    /// An operation on the elements of two arrays.
    fn pairwise<T: Joined>(&self, operation: Pairwise<T>, name: &str, other: &Self, call: Call) -> PyResult<T> {
        let words = self.0.width().words();
        let rotations = if name == "multiply" { Context::PRODUCT_ROTATIONS * words * words } else { words };
        let shape = (self.0.len(), rotations);
        call.run(shape, |int, places| operation(int, &self.0.slice(places.clone()), &other.0.slice(places)))
    }

    /// The shape of an operation that does little for each element.
    fn shape(&self) -> (usize, usize) {
        (self.0.len(), self.0.width().words())
    }
}

array_class!(
    /// Encrypted integers of one width and one secret.
    TfheUintArray(UintArray), UintArray::blocks, UintArray::take, UintArray::join, PublicKey::rerandomize_uints, {
        #[getter]
        fn width(&self) -> u32 {
            self.0.width().bits()
        }

        #[staticmethod]
        fn encrypt(values: PyReadonlyArray1<'_, u64>, width: u32, key: EncryptionKey) -> PyResult<Self> {
            let values = values.as_slice()?;
            run_any(|| key.get().encrypt_uints(Width::from_bits(width)?, values)).map(Self)
        }

        fn decrypt<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<u64>>> {
            Ok(PyArray1::from_vec(py, run_any(|| key.0.decrypt_uints(&self.0))?))
        }

        /// Integers in the clear as operands beside ciphertexts of a key's secret.
        #[staticmethod]
        fn constant(key: Key<'_>, values: PyReadonlyArray1<'_, u64>, width: u32) -> PyResult<Self> {
            let values = values.as_slice()?;
            run_any(|| key.ready().integers()?.constants(Width::from_bits(width)?, values)).map(Self)
        }

        fn with_width(&self, key: Key<'_>, width: u32) -> PyResult<Self> {
            run_any(|| key.ready().integers()?.with_width(&self.0, Width::from_bits(width)?)).map(Self)
        }

        /// Random integers of so many bits from a public seed.
        #[staticmethod]
        fn random(width: u32, bits: u32, seed: [u8; 32], count: usize, call: Call) -> PyResult<Self> {
            let width = run_any(|| Width::from_bits(width))?;
            call.run((count, width.words()), |int, places| int.random(width, bits, &seed, places)).map(Self)
        }

        /// Copies of the sign above the integers, or their lower bits.
        fn sign_extended(&self, width: u32, call: Call) -> PyResult<Self> {
            let width = run_any(|| Width::from_bits(width))?;
            call.run(self.shape(), |int, places| int.signed().with_width(&self.0.slice(places), width)).map(Self)
        }

        fn binary(&self, name: &str, signed: bool, other: &Self, call: Call) -> PyResult<Self> {
            self.pairwise(of_sign(signed, SIGNED_BINARY, BINARY, name)?, name, other, call).map(Self)
        }

        /// Quotients and remainders.
        fn divmod(&self, signed: bool, other: &Self, call: Call) -> PyResult<(Self, Self)> {
            let div_rem: Pairwise<(UintArray, UintArray)> =
                if signed { |int, a, b| int.signed().div_rem(a, b) } else { |int, a, b| int.div_rem(a, b) };
            let (quotients, remainders) = self.pairwise(div_rem, "divmod", other, call)?;
            Ok((Self(quotients), Self(remainders)))
        }

        fn checked(&self, name: &str, signed: bool, other: &Self, call: Call) -> PyResult<(Self, TfheBoolArray)> {
            let operation = of_sign(signed, &SIGNED_CHECKED, &CHECKED, name)?;
            let (result, overflow) = self.pairwise(operation, name, other, call)?;
            Ok((Self(result), TfheBoolArray(overflow)))
        }

        fn compare(&self, name: &str, signed: bool, other: &Self, call: Call) -> PyResult<TfheBoolArray> {
            self.pairwise(of_sign(signed, SIGNED_COMPARE, COMPARE, name)?, name, other, call).map(TfheBoolArray)
        }

        /// Operations of one operand, which have no amount, and moves of bits by a public one.
        fn shift(&self, name: &str, signed: bool, amount: u32, call: Call) -> PyResult<Self> {
            let operation = of_sign(signed, SIGNED_SHIFT, SHIFT, name)?;
            call.run(self.shape(), |int, places| operation(int, &self.0.slice(places), amount)).map(Self)
        }

        /// One row of as many.
        fn reduce(&self, name: &str, signed: bool, rows: usize, call: Call) -> PyResult<Self> {
            let operation = of_sign(signed, SIGNED_REDUCE, REDUCE, name)?;
            call.run((1, 1), |int, _| operation(int, &self.0, rows)).map(Self)
        }

        /// This where the condition holds, and the other elsewhere.
        fn select(&self, condition: &TfheBoolArray, other: &Self, call: Call) -> PyResult<Self> {
            call.run(self.shape(), |int, places| {
                let condition = condition.0.slice(places.clone());
                int.select(&condition, &self.0.slice(places.clone()), &other.0.slice(places))
            })
            .map(Self)
        }
    }
);

array_class!(
    /// Encrypted truth values of one secret.
    TfheBoolArray(BoolArray), BoolArray::blocks, BoolArray::take, BoolArray::join, PublicKey::rerandomize_bools, {
        #[staticmethod]
        fn encrypt(values: PyReadonlyArray1<'_, bool>, key: EncryptionKey) -> PyResult<Self> {
            let values = values.as_slice()?;
            run_any(|| key.get().encrypt_bools(values)).map(Self)
        }

        fn decrypt<'py>(&self, py: Python<'py>, key: &TfheSecretKey) -> PyResult<Bound<'py, PyArray1<bool>>> {
            Ok(PyArray1::from_vec(py, run_any(|| key.0.decrypt_bools(&self.0))?))
        }

        /// Truth values in the clear as operands beside ciphertexts of a key's secret.
        #[staticmethod]
        fn constant(key: Key<'_>, values: PyReadonlyArray1<'_, bool>) -> PyResult<Self> {
            let values = values.as_slice()?;
            run_any::<_, Error>(|| Ok(key.ready().integers()?.constant_bools(values))).map(Self)
        }

        /// Random truth values from a public seed.
        #[staticmethod]
        fn random(seed: [u8; 32], count: usize, call: Call) -> PyResult<Self> {
            call.run((count, 1), |int, places| int.random_bools(&seed, places)).map(Self)
        }

        fn invert(&self, key: Key<'_>) -> PyResult<Self> {
            run_any(|| key.ready().integers()?.not_bools(&self.0)).map(Self)
        }

        /// 0 or 1 as integers.
        fn to_uints(&self, key: Key<'_>, width: u32) -> PyResult<TfheUintArray> {
            run_any(|| key.ready().integers()?.uints_from_bools(Width::from_bits(width)?, &self.0)).map(TfheUintArray)
        }

        fn combine(&self, name: &str, other: &Self, call: Call) -> PyResult<Self> {
            let gate = named(&GATES, name)?;
            call.run((self.0.len(), 1), |int, places| {
                int.combine_bools(&self.0.slice(places.clone()), &other.0.slice(places), gate)
            })
            .map(Self)
        }

        /// This where the condition holds, and the other elsewhere.
        fn select(&self, condition: &Self, other: &Self, call: Call) -> PyResult<Self> {
            call.run((self.0.len(), 1), |int, places| {
                let condition = condition.0.slice(places.clone());
                int.select_bools(&condition, &self.0.slice(places.clone()), &other.0.slice(places))
            })
            .map(Self)
        }

        /// Whether any row has a truth value set.
        fn any(&self, rows: usize, call: Call) -> PyResult<Self> {
            call.run((1, 1), |int, _| int.any_row(&self.0, rows)).map(Self)
        }
    }
);
