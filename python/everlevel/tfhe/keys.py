"""TFHE's keys. All are immutable, and safe to share between threads."""

from __future__ import annotations

from .. import _native
from .._common import set_keys
from .._common.sizes import format_bytes

__all__ = ["CompressionKey", "EvaluationKey", "LookupKey", "PackingKey", "PublicKey", "RingSwitchKey", "SecretKey"]


class SecretKey(set_keys.SecretKey):
    """The key that encrypts and decrypts. Its memory is overwritten when the last reference goes.

    It is never pickled, copied or printed: a secret that travels, travels on purpose, by `save`.

    Examples
    --------
    >>> key = tfhe_engine.create_secret_key()
    >>> tfhe_engine.decrypt(tfhe_engine.encrypt([3, 9], key), key)
    array([3, 9], dtype=uint8)
    """

    __slots__ = ()

    _native: _native.TfheSecretKey


class PublicKey(set_keys.Key):
    """Encrypts, and can't decrypt: for whoever sends values to the owner of a secret. It may be given to anybody.

    Its ciphertexts have more noise than those of the secret key, and less than those that a bootstrap gives.

    Examples
    --------
    >>> key = tfhe_engine.create_public_key(tfhe_secret_key)
    >>> tfhe_engine.decrypt(tfhe_engine.encrypt([3, 9], key), tfhe_secret_key)
    array([3, 9], dtype=uint8)
    """

    __slots__ = ()

    kind = "public key"

    _native: _native.TfhePublicKey

    def __repr__(self) -> str:
        return f"PublicKey({self._engine.parameters}; {format_bytes(self.nbytes)})"


class EvaluationKey(set_keys.Key):
    """Keys to compute with: the bootstrapping key and the key-switching key of one secret. It tells nothing about it.

    It is held ready for use, and as seeds and bodies beside that, which is what files hold.

    Examples
    --------
    >>> key = tfhe_gates.create_evaluation_key(tfhe_gates_key)
    >>> x = tfhe_gates.encrypt([True, False], tfhe_gates_key)
    >>> tfhe_gates.decrypt(x & True, tfhe_gates_key)
    array([ True, False])
    """

    __slots__ = ()

    kind = "evaluation key"

    _native: _native.TfheEvaluationKey

    @property
    def bootstrap_nbytes(self) -> int:
        """Bytes of the prepared bootstrapping key: what one bootstrap reads.

        Examples
        --------
        >>> key = tfhe_evaluation_key
        >>> key.bootstrap_nbytes + key.key_switch_nbytes < key.nbytes
        True
        """
        return self._native.bootstrap_nbytes

    @property
    def key_switch_nbytes(self) -> int:
        """Bytes of the prepared key-switching key.

        Examples
        --------
        >>> 0 < tfhe_evaluation_key.key_switch_nbytes < tfhe_evaluation_key.nbytes
        True
        """
        return self._native.key_switch_nbytes

    @property
    def bootstrap_count(self) -> int:
        """Bootstraps that were done with the key since it was made or read.

        Examples
        --------
        >>> key = tfhe_gates.create_evaluation_key(tfhe_gates_key)
        >>> tfhe_gates.use(key)
        >>> bits = tfhe_gates.encrypt([True, False], tfhe_gates_key)
        >>> both = bits & bits
        >>> key.bootstrap_count
        2
        """
        return self._native.bootstrap_count

    def __repr__(self) -> str:
        sizes = format_bytes(self.bootstrap_nbytes), format_bytes(self.key_switch_nbytes)
        return f"EvaluationKey({self._engine.parameters}, bootstrap {sizes[0]}, key switch {sizes[1]})"


class LookupKey(set_keys.Key):
    """Key of look-ups in large tables, beside an evaluation key of the same secret. It tells nothing about it.

    It is held ready for use, and as seeds and bodies beside that, which is what files hold.

    Examples
    --------
    >>> from everlevel import tfhe
    >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
    >>> engine.create_lookup_key(engine.create_secret_key())
    LookupKey(integer-4-128, ... MB)
    """

    __slots__ = ()

    kind = "look-up key"

    _native: _native.TfheLookupKey

    @property
    def prepared_nbytes(self) -> int:
        """Bytes of the key as it is ready for use.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
        >>> key = engine.create_lookup_key(engine.create_secret_key())
        >>> key.prepared_nbytes < key.nbytes
        True
        """
        return self._native.prepared_nbytes

    @property
    def rotation_count(self) -> int:
        """Rotations that were done with the key since it was made or read: one for each two bits of an index.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
        >>> engine.create_lookup_key(engine.create_secret_key()).rotation_count
        0
        """
        return self._native.rotation_count

    @property
    def security_bits(self) -> float:
        """Security of all the key's secrets against the cheapest attack, under MATZOV; 0 for an insecure ring.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
        >>> engine.create_lookup_key(engine.create_secret_key()).security_bits
        0.0
        """
        return float(min(self._engine.security_bits, self._native.security_bits))

    @property
    def log2_p_fail(self) -> float:
        """Base-2 logarithm of the probability that a look-up of 16 bits fails, at most, for whatever is accepted.

        A message of more than two bits is split first, by a table for each two of them: these fail with
        ``2**Engine.max_log2_p_fail`` each, at most. `Ciphertext.failure_probability` of a result counts them.

        Examples
        --------
        >>> from everlevel import tfhe
        >>> engine = tfhe.Engine("integer-4-128", insecure_log_n=10)
        >>> engine.create_lookup_key(engine.create_secret_key()).log2_p_fail < -64
        True
        """
        return self._native.log2_p_fail

    def __repr__(self) -> str:
        return f"LookupKey({self._engine.parameters}, {format_bytes(self.prepared_nbytes)})"


class CompressionKey(set_keys.Key):
    """Key of compressed lists, for whoever computes for the owner of a secret. It tells nothing about it.

    It is held ready for use, and as a seed and bodies beside that, which is what files hold.

    Examples
    --------
    >>> tfhe_engine.create_compression_key(tfhe_secret_key)
    CompressionKey(integer-4-64, ... kB; 20 bits a ciphertext)
    """

    __slots__ = ()

    kind = "compression key"

    _native: _native.TfheCompressionKey

    @property
    def prepared_nbytes(self) -> int:
        """Bytes of the key as it is ready for use.

        Examples
        --------
        >>> key = tfhe_engine.create_compression_key(tfhe_secret_key)
        >>> key.prepared_nbytes < key.nbytes
        True
        """
        return self._native.prepared_nbytes

    @property
    def ciphertext_bits(self) -> int:
        """Bits that a message, a truth value or a block of an integer takes in a long list.

        Examples
        --------
        >>> tfhe_engine.create_compression_key(tfhe_secret_key).ciphertext_bits
        20
        """
        return sum(self._native.bits)

    def __repr__(self) -> str:
        size = format_bytes(self.prepared_nbytes)
        return f"CompressionKey({self._engine.parameters}, {size}; {self.ciphertext_bits} bits a ciphertext)"


class RingSwitchKey(set_keys.Key):
    """Key that takes ciphertexts of one secret of bulk to ciphertexts of one of TFHE. It tells nothing about either.

    It is held ready for use, and as a seed and bodies beside that, which is what files hold.

    Examples
    --------
    >>> tfhe_engine.create_ring_switch_key(bulk_secret_key, tfhe_secret_key)
    RingSwitchKey(integer-4-64, ... kB)
    """

    __slots__ = ()

    kind = "ring switch key"

    _native: _native.TfheRingSwitchKey

    @property
    def prepared_nbytes(self) -> int:
        """Bytes of the key as it is ready for use.

        Examples
        --------
        >>> key = tfhe_engine.create_ring_switch_key(bulk_secret_key, tfhe_secret_key)
        >>> key.prepared_nbytes < key.nbytes
        True
        """
        return self._native.prepared_nbytes

    def __repr__(self) -> str:
        return f"RingSwitchKey({self._engine.parameters}, {format_bytes(self.prepared_nbytes)})"


class PackingKey(set_keys.Key):
    """Key that takes ciphertexts of one secret of TFHE to ciphertexts of one of bulk. It tells nothing about either.

    It is held ready for use, and as seeds and bodies beside that, which is what files hold.

    Examples
    --------
    >>> tfhe_engine.create_packing_key(tfhe_secret_key, bulk_secret_key)
    PackingKey(integer-4-64, ... kB)
    """

    __slots__ = ()

    kind = "packing key"

    _native: _native.TfhePackingKey

    @property
    def prepared_nbytes(self) -> int:
        """Bytes of the key as it is ready for use.

        Examples
        --------
        >>> key = tfhe_engine.create_packing_key(tfhe_secret_key, bulk_secret_key)
        >>> key.prepared_nbytes < key.nbytes
        True
        """
        return self._native.prepared_nbytes

    def __repr__(self) -> str:
        return f"PackingKey({self._engine.parameters}, {format_bytes(self.prepared_nbytes)})"
