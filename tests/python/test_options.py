"""How engines are asked for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from claims import assert_claims
from everlevel import Engine, bfv, compat, errors, ntru, tfhe
from everlevel._common.threads import threads as find_threads
from everlevel.ckks import limbs


def make(*positional: Any, **options: Any) -> compat.Engine:
    return compat.Engine(*positional, **({"insecure_log_n": 11} | options))


def test_the_forms_of_1x() -> None:
    assert make().thread_count == 1
    assert make(5).max_level == 5
    assert repr(make(5, "parallel")) == repr(make(max_level=5, mode="parallel"))
    assert repr(make("cpu", max_level=3)) == repr(make(3)) == repr(Engine(3, thread_count=1, insecure_log_n=11))
    assert make(slot_count=1024, max_level=3).slot_count == 1024


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(3)), raising=False)
    assert make("cpu").thread_count == make("cpu", thread_count=1).thread_count == 1
    assert make("parallel", thread_count=2).thread_count == 2
    assert make("parallel").thread_count == Engine(insecure_log_n=11).thread_count == 3
    assert Engine(insecure_log_n=11, thread_count=1).thread_count == 1


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (64, 64), (384, 256)])
def test_machines_of_any_size_have_threads(cores: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)), raising=False)
    assert find_threads(None) == threads


@pytest.mark.parametrize(
    ("positional", "options", "option"),
    [
        (("CPU",), {}, "mode"),
        ((-1,), {}, "max_level"),
        ((16, 8), {}, "positional arguments"),
        ((), {"slot_count": 1000}, "slot_count"),
        ((), {"slot_count": 0}, "slot_count"),
        ((), {"thread_count": 2}, "thread_count"),
        (("parallel",), {"thread_count": 0}, "thread_count"),
        (("parallel",), {"thread_count": 10**6}, "thread_count"),
        ((2**64,), {}, "max_level"),
        ((), {"use_multiparty": True}, "use_multiparty"),
        (
            (),
            {"use_bootstrap_to_14_levels": True, "use_bootstrap_to_17_levels": True},
            "use_bootstrap_to_14_levels",
        ),
        ((), {"compact": True}, "compact"),
        ((), {"device_id": 1}, "device_id"),
    ],
)
def test_what_is_not_offered_is_named(positional: tuple[Any, ...], options: dict[str, Any], option: str) -> None:
    with pytest.raises(errors.ParameterError, match="Engine: ") as caught:
        make(*positional, **options)
    assert caught.value.option == option


def test_defaults_of_options_not_offered_are_accepted() -> None:
    assert repr(make(use_multiparty=False, compact=False, device_id=0)) == repr(make())


@pytest.mark.parametrize("options", [{"max_level": 2.0}, {"slot_count": "8"}, {"thread_count": True}])
def test_wrong_types(options: dict[str, Any]) -> None:
    for make_one in (Engine, make):
        with pytest.raises(errors.OperandTypeError):
            make_one(**{"mode": "parallel"} | options if make_one is make else options)


def test_a_mode_is_a_name_of_1x() -> None:
    with pytest.raises(errors.OperandTypeError, match=r"max_level is 'parallel'.*thread_count.*compat\.Engine"):
        Engine("parallel")  # type: ignore[arg-type]
    for unknown in ({"device": "gpu"}, {"slots": 8}):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            Engine(**unknown)  # type: ignore[arg-type]


def test_given_twice() -> None:
    with pytest.raises(errors.OperandTypeError, match="twice"):
        make(3, max_level=4)
    with pytest.raises(errors.OperandTypeError, match="twice"):
        make("cpu", mode="cpu")


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(errors.ParameterError):
        Engine(max_level=10_000)
    with pytest.raises(errors.ParameterError):
        Engine(slot_count=2**30, insecure_log_n=10)
    with pytest.raises(errors.ParameterError, match=r"^Engine: insecure_log_n is 40; it must be ") as caught:
        Engine(insecure_log_n=40)
    assert caught.value.option == "insecure_log_n"


@pytest.mark.parametrize("insecure_log_n", [None, 10])
def test_too_many_levels_are_refused(insecure_log_n: int | None) -> None:
    with pytest.raises(
        errors.ParameterError, match=r"max_level = 78: must be at most 77; .* use bootstrapping"
    ) as caught:
        Engine(max_level=78, insecure_log_n=insecure_log_n)
    assert caught.value.option == "max_level"


@pytest.mark.parametrize(
    ("name", "least", "most"), [("max_level", 0, 77), ("slot_count", 1, 65536), ("insecure_log_n", 9, 17)]
)
@pytest.mark.parametrize("value", [-1, 2**31, -(10**30)])
def test_limits_that_are_told_are_the_cores(name: str, least: int, most: int, value: int) -> None:
    with pytest.raises(errors.ParameterError, match=f"{name} is {value}, and {least} to {most} is taken") as caught:
        Engine(**{name: value})
    assert caught.value.allowed == (least, most)
    options: dict[str, int] = {"max_level": 1, "slot_count": 1, "insecure_log_n": 9}
    assert Engine(**options | {name: least}).slot_count == 1
    for beyond in {least - 1, most + 1} - {-1, 0}:
        with pytest.raises(errors.ParameterError, match=str(beyond)):
            Engine(**options | {name: beyond})


@pytest.mark.parametrize("max_level", [0, 3, 21, 2**31 - 1])
@pytest.mark.parametrize("insecure_log_n", [None, 10])
def test_a_bootstrap_has_its_own_levels(max_level: int, insecure_log_n: int | None) -> None:
    sentence = (
        rf"max_level = {max_level}: must be 4 to 20 with use_bootstrap=True \(13 if left out\); leave it out and "
        r"encrypt at a lower level"
    )
    with pytest.raises(errors.ParameterError, match=sentence) as caught:
        Engine(max_level=max_level, use_bootstrap=True, insecure_log_n=insecure_log_n)
    assert caught.value.option == "max_level"


def test_bootstraps_to_a_level_have_its_levels() -> None:
    sentence = r"max_level = 5: must be 17 with bootstraps to level 14; leave one of the two out"
    with pytest.raises(errors.ParameterError, match=sentence) as caught:
        Engine(max_level=5, use_bootstrap_to_14_levels=True, insecure_log_n=10)
    assert caught.value.option == "max_level"
    assert Engine(max_level=17, use_bootstrap_to_14_levels=True, insecure_log_n=10).max_level == 17


def test_the_ring_has_room_for_the_slots() -> None:
    engine = Engine(slot_count=16384, max_level=3)
    assert (engine.log_n, engine.slot_count, engine.max_level, engine.security_bits) == (15, 16384, 3, 128)
    engine = Engine(slot_count=1024, max_level=3)
    assert (engine.log_n, engine.slot_count) == (14, 1024)
    with pytest.raises(errors.ParameterError, match=r"slot_count = 131072: must be a power of two up to 65536; split"):
        Engine(slot_count=2**17, max_level=3)


@pytest.mark.full_size
def test_the_ring_has_room_for_as_many_slots_as_a_bootstrap() -> None:
    engine = Engine(slot_count=32768, max_level=5)
    assert (engine.log_n, engine.slot_count, engine.max_level, engine.security_bits) == (16, 32768, 5, 128)
    secret_key = engine.create_secret_key()
    engine.create_relinearization_key(secret_key)
    x = engine.encrypt(np.linspace(-1, 1, 32768), secret_key)
    assert_claims(x * x, np.linspace(-1, 1, 32768) ** 2, secret_key)


def test_usual_engine_is_secure() -> None:
    engine = Engine()
    assert (engine.max_level, engine.slot_count, engine.log_n) == (7, 8192, 14)
    assert engine.security_bits >= 128
    assert "128-bit security" in repr(engine)


def test_insecure_engine_says_so() -> None:
    engine = Engine(max_level=2, insecure_log_n=10)
    assert engine.security_bits == 0
    assert "INSECURE" in repr(engine)


@pytest.mark.parametrize("name", ["mod_raise", "serialize_public_key_a", "individual_decrypt", "add_pytorch_tensor"])
def test_functions_of_1x_not_offered_say_what_to_use(name: str) -> None:
    engine = make(max_level=1)
    with pytest.raises(errors.UnsupportedError, match=f"^Engine.{name}: not offered"):
        getattr(engine, name)
    assert not hasattr(engine, name)


@pytest.mark.parametrize("name", ["encyrpt", "read_ciphertext", "roll"])
def test_names_that_arent_there_lead_to_those_of_1x(name: str) -> None:
    with pytest.raises(AttributeError, match=r"no such attribute; .*everlevel\.compat\.Engine"):
        getattr(Engine(max_level=1, insecure_log_n=10), name)


@pytest.mark.parametrize(
    ("make", "option", "nearest"),
    [
        (Engine, "max_levels", "max_level"),
        (Engine, "slots", "slot_count"),
        (Engine, "bootstrap", "use_bootstrap"),
        (compat.Engine, "max_levels", "max_level"),
        (tfhe.Engine, "threads", "thread_count"),
        (ntru.Engine, "parameter", "parameters"),
        (bfv.Engine, "plain_module", "plain_modulus"),
        (limbs.Engine, "precision", "precision_bits"),
    ],
)
def test_options_that_are_not_there_are_named(make: Any, option: str, nearest: str) -> None:
    with pytest.raises(
        errors.OperandTypeError, match=rf"^Engine: unexpected keyword argument '{option}', .*; write {nearest}=…"
    ):
        make(**{option: 1})
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'zzz', which is no option; see help\(Engine\)"):
        make(zzz=1)


TYPED = """
import numpy as np
from numpy.typing import NDArray
from typing import assert_type
import everlevel
from everlevel import Ciphertext, Engine

def products(x: Ciphertext, array: NDArray[np.float64]) -> None:
    assert_type(array * x, Ciphertext)
    assert_type(array + x, Ciphertext)
    assert_type(array - x, Ciphertext)
    assert_type(np.eye(3) @ x, Ciphertext)
    assert_type(np.float64(2) * x, Ciphertext)
    assert_type(x > array, Ciphertext)
    assert_type(abs(x), Ciphertext)
    np.exp(x)

def options() -> int:
    engine = Engine(max_level=1)
    engine.encyrpt  # E: attr-defined
    Engine(max_levels=5)  # E: call-arg
    return "reached"  # E: return-value
"""


def test_types(tmp_path: Path) -> None:
    """Products with arrays are ciphertexts for a type checker, misspelt names are found, and what follows too."""
    api = pytest.importorskip("mypy.api")
    path = tmp_path / "typed.py"
    path.write_text(TYPED, encoding="utf-8")
    package = Path(__file__).resolve().parents[2]
    configuration = f"--config-file={package / 'pyproject.toml'}", "--no-error-summary"
    output, stopped, _ = api.run([*configuration, "--follow-imports=silent", str(path)])
    assert not stopped, stopped
    found = {int(line): code for line, code in re.findall(r"typed\.py:(\d+): error: .*\[(.*)\]$", output, re.MULTILINE)}
    lines = enumerate(TYPED.splitlines(), 1)
    assert found == {number: line.split("# E: ")[1] for number, line in lines if "# E: " in line}, output
