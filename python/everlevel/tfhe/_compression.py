"""Results as compressed lists, and arrays of these again."""

from __future__ import annotations

from typing import Any

from .. import _native
from .._common import checks
from .._common.storable import own
from . import _operands
from ._array import EncryptedArray
from ._core import Core
from .compressed_list import CompressedList
from .keys import CompressionKey, SecretKey


def create_compression_key(self: Core, secret_key: SecretKey) -> CompressionKey:
    """Make the key of `compress` for a secret. The engine remembers the first of every secret.

    It encrypts images of the large secret under that secret itself, with the parameters' errors, as an evaluation key
    does, and zeros, as a public key does, to re-randomise lists. Whoever computes for the owner of the secret gets it
    beside the evaluation key.

    Parameters
    ----------
    secret_key : SecretKey
        Secret of the ciphertexts.

    Raises
    ------
    ParameterError
        If there are no lists of the parameters: NTRU's, and those below 128 bits whose ciphertexts are under the small
        secret.
    EngineMismatchError
        If the secret key is one of other parameters.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine("integer-4-128")
    >>> engine.create_compression_key(engine.create_secret_key())
    CompressionKey(integer-4-128, 753.7 kB; 27 bits a ciphertext)
    """
    secret = _operands.secret_key(self, "create_compression_key", secret_key)
    return remembered(self, self._context.compression_key(secret._native))


def remembered(self: Core, native: _native.TfheCompressionKey) -> CompressionKey:
    """Return the compression key, which the engine remembers if it is the first one of its secret."""
    with self._lock:
        self._compression_keys.setdefault(native.secret_id, native)
    return CompressionKey(self, native)


def compress(self: Core, ciphertext: EncryptedArray[Any], *, rerandomize: bool = True) -> CompressedList:
    """Make a compressed list of results, to be sent or stored: of some bytes each, instead of some hundred kilobytes.

    Automorphisms put up to N ciphertexts into one of a ring of degree N, and its words are rounded to as few bits as
    their noise allows. No bootstrap is done. A list of a few elements takes the bytes of a whole ring's masks: compress
    many results together (`concatenate`, `stack`).

    Parameters
    ----------
    ciphertext : Ciphertext, UintArray, IntArray, DecimalArray or BoolArray
        Of any shape.
    rerandomize : bool, default True
        Whether fresh encryptions of zero are added, so that nobody can tell which ciphertexts the list was made of: one
        for N elements or their digits, which takes a tenth of a millisecond. Without it, equal arrays give equal lists.

    Raises
    ------
    MissingKeyError
        If the engine knows no compression key for the secret.
    NoiseError
        If an element's noise leaves no room for the list's, with both probabilities: results of operations have room,
        sums and multiples of small integers may need a `bootstrap` first.
    OperandTypeError
        If `ciphertext` is no such array.
    EngineMismatchError
        If the ciphertext is of other parameters.

    Notes
    -----
    The list keeps of its elements' histories one bound for all of them, and one largest value of small integers. The
    owner of the secret sees its noise, which depends on how its elements were computed.

    References
    ----------
    Chen, Dai, Kim and Song, *Efficient Homomorphic Conversion Between (Ring) LWE Ciphertexts* (2020/015), for packing.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine("gate-128")
    >>> secret_key = engine.create_secret_key()
    >>> compression_key = engine.create_compression_key(secret_key)
    >>> bits = engine.encrypt(np.arange(1000) % 3 == 0, secret_key)
    >>> results = engine.compress(bits)
    >>> results.nbytes, results.expanded_nbytes
    (5224, 12296000)
    >>> bool((engine.decrypt(results, secret_key) == (np.arange(1000) % 3 == 0)).all())
    True
    """
    operation = "compress"
    rerandomizes = checks.flag(operation, "rerandomize", rerandomize)
    x: EncryptedArray[Any] = own(self, operation, "ciphertext", ciphertext, EncryptedArray)
    array, notes = x._stored()
    key = self._compression_keys.get(array.secret_id)
    if key is None and not x.size:
        key = next(iter(self._compression_keys.values()), None)
    if key is None:
        raise checks.missing_key(operation, "compression key")
    with self._reporting("compression") as report:
        return CompressedList(self, self._context.compress(array, key, rerandomizes, report), notes, x.shape)


def decompress(self: Core, compressed: CompressedList) -> Any:
    """Make an array to compute with of a compressed list, by a bootstrap of each ciphertext.

    A bit or a small integer has one ciphertext, and so one bootstrap; an integer of 32 bits has 16 with messages of 4
    bits. The compression key isn't needed. Who has the secret key decrypts lists as they are.

    Parameters
    ----------
    compressed : CompressedList
        Of `compress`.

    Returns
    -------
    Ciphertext, UintArray, IntArray, DecimalArray or BoolArray
        As it was compressed, with the noise of a bootstrap's output.

    Raises
    ------
    MissingKeyError
        If the engine knows no evaluation key for the secret.
    OperandTypeError
        If `compressed` is no compressed list.
    EngineMismatchError
        If the list is of other parameters.

    Examples
    --------
    >>> engine, secret_key = tfhe_engine, tfhe_secret_key
    >>> compression_key = engine.create_compression_key(secret_key)
    >>> x = engine.encrypt_int(np.array([-3, 100], np.int16), secret_key)
    >>> y = engine.decompress(engine.compress(x))
    >>> engine.decrypt(y * y, secret_key)
    array([    9, 10000], dtype=int16)
    """
    operation = "decompress"
    listed = own(self, operation, "compressed", compressed, CompressedList)
    key = self._key(operation, listed._native.secret_id)
    with self._reporting("decompression") as report:
        array = self._context.decompress(listed._native, key, report)
    return self._wrap_stored(array, listed._notes)
