"""Small integers: combinations, tables, noise, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import tfhe
from everlevel.errors import (
    MessageError,
    MessageTypeError,
    NoiseError,
    OperandTypeError,
    ParameterError,
    SpaceError,
    TableError,
)


def make(parameters: str, insecure_log_n: int = 10) -> tuple[tfhe.Engine, tfhe.SecretKey]:
    engine = tfhe.Engine(parameters, insecure_log_n=insecure_log_n, thread_count=2)
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    return engine, secret_key


@pytest.fixture(scope="module")
def party() -> tuple[tfhe.Engine, tfhe.SecretKey]:
    return make("integer-4-64")


@pytest.mark.parametrize("bits", range(1, 9))
def test_tables_of_every_message(bits: int) -> None:
    engine, secret_key = make(f"integer-{bits}-64", 10 if bits < 6 else 13)
    assert engine.message_bits == bits
    values = np.arange(2**bits)
    table = np.random.default_rng(bits).permutation(values)
    x = engine.encrypt(values, secret_key)
    assert_claims(x, values, secret_key)
    assert_claims(engine.bootstrap(x, lut=table), table, secret_key)
    out = engine.bootstrap(x)
    assert engine.decrypt(out, secret_key).dtype == np.uint8
    assert_claims(out, values, secret_key)


def test_powers_are_tables(party: Any) -> None:
    engine, secret_key = party
    for values, exponents in [([0, 1, 2, 3], (0, 1, 2)), ([[2, 1, 0]], (3, 0)), ([0, 1], (2, 2**62))]:
        x = engine.encrypt(values, secret_key, max_value=int(np.max(values)))
        for exponent in exponents:
            y = x**exponent
            assert y.max_value == max(int(np.max(values)) ** min(exponent, 64), 1)
            assert_claims(y, np.array(values) ** min(exponent, 64), secret_key)
    x = engine.encrypt([3], secret_key)
    for exponent, kind, words in [
        (2, SpaceError, r"elements up to 15 have powers of 2 up to 225, and the space ends at 15; give a smaller"),
        (2**40, SpaceError, r"up to \d+ and more, and the space ends at 15"),
        (-1, ParameterError, r"exponent is -1, and 0 to \d+ is taken; look others up: engine\.bootstrap"),
        (0.5, OperandTypeError, "exponent"),
        (x, OperandTypeError, "exponent"),
    ]:
        with pytest.raises(kind, match=f"^power: .*{words}"):
            x**exponent


def test_combinations(party: Any) -> None:
    engine, secret_key = party
    x, y = np.array([[0, 1], [2, 3]]), np.array([3, 1])
    a, b = engine.encrypt(x, secret_key, max_value=3), engine.encrypt(y, secret_key, max_value=3)
    cases = [
        (a + b, x + y, 6),
        (a + a, 2 * x, 6),
        (a + 5, x + 5, 8),
        (np.array([1, 9]) + a, x + np.array([1, 9]), 12),
        (3 * a, 3 * x, 9),
        (a * np.array([1, 5]), x * np.array([1, 5]), 15),
        (15 - a, 15 - x, 15),
        (2 * a + b, 2 * x + y, 9),
        (a.sum(axis=0), x.sum(axis=0), 6),
        (a.sum(), x.sum(), 12),
        (engine.linear([(1, a), (-1, b)], constant=3), x - y + 3, 6),
        (a * 0, 0 * x, 0),
    ]
    for encrypted, plain, max_value in cases:
        assert_claims(encrypted, plain, secret_key)
        assert encrypted.max_value == max_value


def test_tables_of_two(party: Any) -> None:
    engine, secret_key = party
    x, y = (v.ravel() for v in np.meshgrid(np.arange(4), np.arange(4)))
    a, b = engine.encrypt(x, secret_key, max_value=3), engine.encrypt(y, secret_key, max_value=3)
    product = engine.bootstrap(a, b, lut=lambda x, y: x * y)
    assert_claims(product, x * y, secret_key)
    assert product.max_value == 9
    table = np.random.default_rng(3).integers(0, 16, (4, 4))
    assert_claims(engine.bootstrap(a, b, lut=table), table[x, y], secret_key)
    assert_claims(engine.bootstrap(a, a, lut=lambda x, y: abs(4 * x - y)), 3 * x, secret_key)
    row = engine.bootstrap(a.reshape(4, 4), engine.encrypt(2, secret_key, max_value=3), lut=max)
    assert_claims(row, np.maximum(x.reshape(4, 4), 2), secret_key)


def test_many_tables_of_one_rotation(party: Any) -> None:
    engine, secret_key = party
    values = np.arange(16)
    x = engine.encrypt(values, secret_key)
    low, high = engine.bootstrap_many(x, [lambda m: m % 4, lambda m: m // 4])
    assert_claims(low, values % 4, secret_key)
    assert_claims(high, values // 4, secret_key)
    assert (low.max_value, high.max_value) == (3, 3)
    shifts = engine.bootstrap_many(x, [np.roll(values, k) for k in range(40)])  # more than fit one rotation
    for k, shifted in enumerate(shifts):
        assert_claims(shifted, np.roll(values, k), secret_key)


def test_a_function_is_asked_for_what_may_be_alone(party: Any) -> None:
    engine, secret_key = party
    asked = []
    engine.bootstrap(engine.encrypt(2, secret_key, max_value=5), lut=lambda m: asked.append(m) or m)
    assert asked == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("values", "index", "value"), [([3, 16], 1, 16), ([[0, 1], [-1, 99]], (1, 0), -1)])
def test_values_outside_the_space(values: Any, index: Any, value: int, party: Any) -> None:
    engine, secret_key = party
    with pytest.raises(MessageError, match="0 to 15") as caught:
        engine.encrypt(values, secret_key)
    assert (caught.value.index, caught.value.value) == (index, value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, ">i4"])
def test_every_integer_dtype(dtype: Any, party: Any) -> None:
    engine, secret_key = party
    values = np.arange(16, dtype=dtype)
    x = engine.encrypt(values[::-2], secret_key)
    assert_claims(x, values[::-2], secret_key)
    assert_claims(0 * x + values[:8], values[:8], secret_key)
    with pytest.raises(MessageError):
        engine.encrypt(np.array([np.iinfo(dtype).max], dtype=dtype), secret_key)


def test_dtypes_and_options_are_checked(party: Any) -> None:
    engine, secret_key = party
    for values in ([True], [0.5], ["a"]):
        with pytest.raises(MessageTypeError):
            engine.encrypt(values, secret_key)
    assert engine.encrypt([], secret_key).shape == (0,)
    with pytest.raises(MessageError, match="0 to 3"):
        engine.encrypt([4], secret_key, max_value=3)
    with pytest.raises(ParameterError, match="0 to 15"):
        engine.encrypt([4], secret_key, max_value=16)
    with pytest.raises(OperandTypeError):
        engine.encrypt([4], secret_key, max_value=1.5)  # type: ignore[arg-type]
    with pytest.raises(MessageTypeError):
        engine.encrypt([4], secret_key) + 0.5


def test_noise_that_operands_share(party: Any, tmp_path: Any) -> None:
    """Errors that come back by another way add as values, out of files too."""
    engine, secret_key = party
    x, z = (engine.encrypt([m], secret_key, max_value=1) for m in (1, 0))
    y = x + z
    y.save(tmp_path / "y")
    fresh = x._native.variance_torus
    assert y._native.variance_torus == pytest.approx(2 * fresh, rel=1e-12)
    for detour in (
        y + x,
        x + y,
        engine.load(tmp_path / "y") + x,
        engine.linear([(3, y), (-1, x), (-2, z)], constant=3),
    ):
        assert detour._native.variance_torus == pytest.approx(5 * fresh, rel=1e-12)


def test_results_outside_the_space(party: Any) -> None:
    engine, secret_key = party
    x = engine.encrypt([1, 2], secret_key, max_value=9)
    cases = [
        (lambda: x + x, 18, 15),
        (lambda: x + 7, 16, 15),
        (lambda: 2 * x, 18, 15),
        (lambda: -1 * x, -9, 0),
        (lambda: x - 1, -1, 0),
        (lambda: x - x[::-1], -9, 0),
        (lambda: 8 - x, -1, 0),
        (lambda: engine.bootstrap(x, x, lut=max), 99, 15),
    ]
    for operation, found, needed in cases:
        with pytest.raises(SpaceError) as caught:
            operation()
        assert (caught.value.found, caught.value.needed) == (found, needed)
    with pytest.raises(SpaceError, match="gates need bits"):
        x & x
    with pytest.raises(OperandTypeError, match="lambda x, y"):
        x * x


def test_tables_that_do_not_fit(party: Any) -> None:
    engine, secret_key = party
    x = engine.encrypt([1, 2], secret_key, max_value=3)
    with pytest.raises(TableError, match=r"\(15,\), and \(16,\)"):
        engine.bootstrap(x, lut=range(15))
    with pytest.raises(TableError, match=r"\(4, 3\), and \(4, 4\)"):
        engine.bootstrap(x, x, lut=np.zeros((4, 3), dtype=int))
    for lut in (lambda m: m + 13, [*range(3), 16, *range(12)]):
        with pytest.raises(TableError, match=r"gives 16 for \(3\)") as caught:
            engine.bootstrap(x, lut=lut)
        assert (caught.value.index, caught.value.found, caught.value.needed) == (3, 16, 15)
    with pytest.raises(TableError, match="gives -1"):
        engine.bootstrap(x, lut=lambda m: -m)
    with pytest.raises(TableError, match="no tables"):
        engine.bootstrap_many(x, [])
    for lut in (lambda m: 0.5, [0.5] * 16, "table", [[1], [2, 3]], [1, 2**70, 0.5]):
        with pytest.raises(OperandTypeError, match="lut"):
            engine.bootstrap(x, lut=lut)
    with pytest.raises(OperandTypeError, match="no table"):
        engine.bootstrap(x, x)
    with pytest.raises(TableError, match=f"gives {2**70} for") as caught:
        engine.bootstrap(x, lut=[0, 2**70, *range(14)])
    assert (caught.value.index, caught.value.found, caught.value.needed) == (1, 2**70, 15)
    for luts in (3, lambda m: m):
        with pytest.raises(OperandTypeError, match=r"pass \[lut\]"):
            engine.bootstrap_many(x, luts)


def test_what_is_no_term(party: Any) -> None:
    engine, secret_key = party
    x = engine.encrypt([1, 2], secret_key, max_value=3)
    assert_claims(engine.linear((f, x) for f in (1, 2)), [3, 6], secret_key)
    for terms in (3, x, [1, x], [(1, x, x)]):
        with pytest.raises(OperandTypeError, match="pairs of a factor and a ciphertext"):
            engine.linear(terms)  # type: ignore[arg-type]
    for terms, constant in (([([1, 2], x)], 0), ([(1, x)], [1, 2])):
        with pytest.raises(MessageError, match="single integer"):
            engine.linear(terms, constant)  # type: ignore[arg-type]
    for axis in (1, "a", (0, 1), 2**63, -(2**63), 10**400):
        with pytest.raises(MessageError, match=r"sum: axis .* of an array of shape \(2,\)"):
            x.sum(axis)  # type: ignore[arg-type]
        with pytest.raises(MessageError, match="don't go together along axis"):
            tfhe.concatenate([x, x], axis=axis)  # type: ignore[arg-type]


def test_encrypted_operands_of_other_kinds(party: Any) -> None:
    engine, secret_key = party
    x, a = engine.encrypt([1, 2], secret_key), engine.encrypt_uint(np.array([1, 2], dtype=np.uint8), secret_key)
    for operation in (engine.add, engine.subtract, engine.multiply):
        for operands in ((x, a), (a, x), (a, 1), (x, a > 1)):
            with pytest.raises(OperandTypeError, match="Array, and a Ciphertext is needed"):
                operation(*operands)
    for refused in (lambda: x == x, lambda: x != 1):
        with pytest.raises(SpaceError, match="look-up table"):
            refused()


def test_masked_values_are_no_integers(party: Any) -> None:
    engine, secret_key = party
    masked = np.ma.array([1, 2], mask=[True, False])
    x = engine.encrypt([1, 2], secret_key, max_value=3)
    table = np.ma.array(range(16), mask=[1, *[0] * 15])
    for refused in (
        lambda: engine.encrypt(masked, secret_key),
        lambda: engine.encrypt_uint(masked, secret_key, width=8),
        lambda: x + masked,
        lambda: engine.bootstrap(x, lut=table),
    ):
        with pytest.raises(MessageError, match="index 0 is masked"):
            refused()


def test_values_beyond_64_bits_are_told(party: Any) -> None:
    engine, secret_key = party
    x = engine.encrypt(1, secret_key, max_value=1)
    for operation, shown in [
        (lambda: engine.encrypt(2**64, secret_key), f"the value is {2**64}, and 0 to 15"),
        (lambda: engine.encrypt([1, -(2**70)], secret_key), f"index 1 is {-(2**70)}, and 0 to 15"),
        (lambda: engine.encrypt(2**40, secret_key), "0 to 15 are taken; reduce it, or choose parameters"),
        (lambda: engine.encrypt(4, secret_key, max_value=3), "0 to 3 are taken; reduce it, or give a larger max_value"),
        (lambda: x + 2**64, f"the value is {2**64}"),
    ]:
        with pytest.raises(MessageError, match=shown):
            operation()


def test_an_exception_of_the_function_is_raised(party: Any) -> None:
    engine, secret_key = party
    with pytest.raises(ZeroDivisionError):
        engine.bootstrap(engine.encrypt([1], secret_key), lut=lambda m: 1 // m)


def test_noise_is_tracked_and_refused() -> None:
    engine = tfhe.Engine("integer-4-64")
    secret_key = engine.create_secret_key()
    engine.create_evaluation_key(secret_key)
    bits = np.array([1, 0])
    x = engine.bootstrap(engine.encrypt(bits, secret_key, max_value=1))
    assert x.log2_p_fail < (3 * x).log2_p_fail <= engine.max_log2_p_fail
    assert_claims(engine.bootstrap(3 * x), 3 * bits, secret_key)
    for name, operation in (
        ("bootstrap", lambda: engine.bootstrap(15 * x)),
        ("bootstrap_many", lambda: engine.bootstrap_many(15 * x, [range(16)] * 2)),
    ):
        with pytest.raises(NoiseError, match=rf"^{name}: .* 2\^-") as caught:
            operation()
        assert caught.value.log2_p_fail > caught.value.max_log2_p_fail == engine.max_log2_p_fail
    # Two tables of bits fit one rotation; two of all messages have no room in a set of this size.
    low, high = engine.bootstrap_many(x, [lambda m: 1 - m, lambda m: 2 * m])
    assert_claims(low, 1 - bits, secret_key)
    assert_claims(high, 2 * bits, secret_key)


def test_experimental_sets_say_what_they_assume() -> None:
    sets = {found.name: found for found in tfhe.parameter_sets()}
    assert all(bool(found.assumptions) == name.endswith("-experimental") for name, found in sets.items())
    found = sets["integer-4-128-experimental"]
    assert found.assumptions == ("small secrets that begin as the large one does (shared)",)
    assert found.assumptions[0] in repr(found)
    assert found.log2_p_fail <= -128 <= 128 <= found.security_bits


def test_sets_with_partial_secrets_say_so() -> None:
    sets = {found.name: found for found in tfhe.parameter_sets()}
    partial = "large secrets that end with zeros (partial)"
    named = {name for name, found in sets.items() if partial in found.assumptions}
    kinds = {name for bits in (4, 5) for name in sets if name.startswith(f"integer-{bits}-64-partial-")}
    # A large secret of few bits has no more coefficients than security takes.
    often = {f"integer-{bits}-14-{kind}experimental" for bits in (6, 7, 8) for kind in ("", "chain-")}
    assert (len(kinds), named) == (4, kinds | often)
    for bits in range(1, 9):
        for kind in ("baseline", "chain-experimental", "experimental"):
            assert sets[f"integer-{bits}-14-{kind}"].log2_p_fail <= -14


def test_baselines_are_for_comparisons() -> None:
    baselines = [found for found in tfhe.parameter_sets() if found.name.endswith("-baseline")]
    assert len(baselines) == 11
    assert all(found.about.endswith("for comparisons.") and not found.assumptions for found in baselines)


@pytest.mark.parametrize(
    "name",
    [
        "integer-4-128-experimental",
        "integer-5-64-experimental",
        "integer-4-128-blocks-experimental",
        "integer-4-64-partial-experimental",
        "integer-4-64-partial-shared-experimental",
        "integer-5-14-experimental",
        "integer-5-14-chain-experimental",
    ],
)
def test_experimental_sets_without_security(name: str) -> None:
    engine = tfhe.Engine(name, insecure_log_n=10)
    secret_key = engine.create_secret_key()
    evaluation_key = engine.create_evaluation_key(secret_key)
    assert evaluation_key.key_switch_nbytes > 0
    x = np.arange(16)
    found = engine.bootstrap(engine.encrypt(x, secret_key), lut=lambda m: 15 - m % 16)
    assert_claims(found, 15 - x, secret_key)


def test_sets_are_named() -> None:
    names = [found.name for found in tfhe.parameter_sets()]
    assert {"gate-64", "gate-128", "integer-8-64"} <= set(names)
    with pytest.raises(ParameterError, match=r"^Engine: .*gate-64") as caught:
        tfhe.Engine("gate-65")
    assert caught.value.value == "gate-65"
    with pytest.raises(ParameterError, match="8 to 15"):
        tfhe.Engine(insecure_log_n=16)
    with pytest.raises(ParameterError, match=r"^Engine: tfhe-lib has 114\.3 bits of security, .*insecure-tfhe-lib$"):
        tfhe.Engine("tfhe-lib")
    printed = repr(tfhe.Engine("insecure-tfhe-lib", thread_count=1))
    assert printed.endswith("1 thread, INSECURE, security 97 bits core-SVP, 114 bits MATZOV)")
    sentence = r"^Engine: insecure_log_n is 8; it must be \d+ or more for the messages of integer-8-64$"
    with pytest.raises(ParameterError, match=sentence) as caught:
        tfhe.Engine("integer-8-64", insecure_log_n=8)
    assert (caught.value.option, caught.value.value) == ("insecure_log_n", 8)
    with pytest.raises(OperandTypeError, match="parameter_sets"):
        tfhe.Engine(4)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="thread_count"):
        tfhe.Engine(thread_count=0)
