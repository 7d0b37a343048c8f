"""What `everlevel.ml` refuses: models, options, rows, objects of other models, and files that nobody wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

import everlevel
from everlevel import errors, ml
from everlevel.cli import main
from everlevel.ml import _files, _notes, _ranges
from everlevel.ml._program import Map, Polynomial
from trained_models import SMALL, check_claims, data, digits, trained_digits

# Refusals.


def several(labels: Any) -> Any:
    """Labels as marks of each class: a row may have several."""
    return np.eye(3, dtype=int)[labels]


@pytest.mark.parametrize(
    ("trained", "error", "words"),
    [
        (
            lambda x, y: RandomForestClassifier(2).fit(x, y),
            errors.ModelError,
            "RandomForestClassifier is not supported",
        ),
        (
            lambda x, y: SVC(kernel="sigmoid").fit(x, y),
            errors.ModelError,
            "kernel='sigmoid', and 'linear' or 'poly' or 'rbf' is supported; train",
        ),
        (lambda x, y: SVC(kernel="poly", degree=4).fit(x, y), errors.ModelError, "degree=4, and 1 or 2 or 3 is"),
        (lambda x, y: KMeans(1, n_init=1).fit(x), errors.ModelError, "has 1 center, and at least 2 are needed"),
        (lambda x, y: LogisticRegression(), errors.ModelError, "has no coef_, .*; call its fit"),
        (
            lambda x, y: make_pipeline(PolynomialFeatures(), Ridge()).fit(x, y),
            errors.ModelError,
            "'polynomialfeatures'",
        ),
        (lambda x, y: make_pipeline(MinMaxScaler(clip=True), Ridge()).fit(x, y), errors.ModelError, "clip=True, and"),
        (
            lambda x, y: make_pipeline(StandardScaler()).fit(x, y),
            errors.ModelError,
            "StandardScaler.* not supported as",
        ),
        (lambda x, y: GridSearchCV(Ridge(), {"alpha": [1]}).fit(x, y), errors.ModelError, "pass its .best_estimator_"),
        (lambda x, y: MLPClassifier((2,), tol=1).fit(x, several(y)), errors.ModelError, "several labels"),
        (lambda x, y: RidgeClassifier().fit(x, several(y)), errors.ModelError, "several labels"),
        (lambda x, y: LogisticRegression, errors.OperandTypeError, "a fitted model of scikit-learn is needed"),
        (lambda x, y: "model", errors.OperandTypeError, "trained is of type str"),
    ],
)
def test_models_that_are_refused(trained: Any, error: type[Exception], words: str) -> None:
    x, y = data("iris")
    with pytest.raises(error, match=rf"^compile: .*{words}"):
        ml.compile(trained(x, y), x, **SMALL)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"batch": 0}, errors.ParameterError, "batch is 0, and at least 1"),
        ({"batch": 1.5}, errors.OperandTypeError, "batch is 1.5"),
        ({"max_error": 0}, errors.ParameterError, "max_error is 0"),
        ({"max_error": "x"}, errors.ParameterError, "max_error is 'x'"),
        ({"margin": -0.1}, errors.ParameterError, "margin is -0.1"),
        ({"degree": 0}, errors.ParameterError, "degree is 0, and 1 to 127"),
        ({"ranges": "none"}, errors.ParameterError, "ranges is 'none'"),
        ({"output": "labels"}, errors.ParameterError, "output is 'labels'"),
        ({"output": "probabilities"}, errors.ModelError, "softmax, and the logistic function of one score"),
        ({"layout": "columns"}, errors.ParameterError, "layout is 'columns'"),
        ({"memory": 1000}, errors.OutOfMemoryError, "takes .* and memory is 1.0 kB; allow"),
        ({"memory": -1}, errors.ParameterError, "memory is -1 bytes"),
        ({"input_range": 3}, errors.ParameterError, "input_range is 3"),
        ({"input_range": (1, 0)}, errors.ParameterError, r"input_range is \(1, 0\)"),
        ({"input_range": (0, [1, 2])}, errors.ParameterError, "has 2 numbers, and the model has 4 features"),
        ({"input_range": (0, 1)}, errors.RangeError, "compiled for 0 to 1"),
        ({"insecure_log_n": 99}, errors.ParameterError, "insecure_log_n is 99"),
        ({"thread_count": 0}, errors.ParameterError, "thread_count"),
        ({"degree": 3, "max_error": None}, errors.ParameterError, "max_error is None"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    x, y = data("iris")
    trained = LogisticRegression(max_iter=500).fit(x, y)
    with pytest.raises(error, match=words):
        ml.compile(trained, x, **(SMALL | options))


@pytest.mark.parametrize(
    ("examples", "error", "words"),
    [
        ([[1.0, 2.0]], errors.MessageError, r"examples has shape \(1, 2\), and \(rows, 4\) is needed"),
        ([1.0] * 4, errors.MessageError, r"shape \(4,\)"),
        (np.empty((0, 4)), errors.MessageError, r"shape \(0, 4\)"),
        ([["a"] * 4], errors.MessageTypeError, "real numbers are needed"),
        ([[1j] * 4], errors.MessageTypeError, "complex128"),
        ([[1, 2], [3]], errors.MessageTypeError, "doesn't form an array"),
        ([[1, 2, np.nan, 3]], errors.MessageError, "feature 2 of row 0 is nan"),
    ],
)
def test_rows_that_are_refused(examples: Any, error: type[Exception], words: str) -> None:
    x, y = data("iris")
    trained = LogisticRegression(max_iter=500).fit(x, y)
    with pytest.raises(error, match=rf"^compile: .*{words}"):
        ml.compile(trained, examples, **SMALL)
    model = ml.compile(trained, x, **SMALL)
    client, _ = model.keys()
    for call in (client.encrypt, model.simulate, model.check):
        with pytest.raises(error, match=words.replace("examples", "x")):
            call(examples)


def test_a_server_without_keys_is_refused() -> None:
    x, y = data("iris")
    model = ml.compile(LogisticRegression(max_iter=500).fit(x, y), x, **SMALL)
    client, _ = model.keys()
    with pytest.raises(
        errors.MissingKeyError, match=r"^model: the server has no evaluation key, .*; use what model.keys\(\) made"
    ):
        model(client.encrypt(x[:1]), ml.Server(model.engine, None, model.hash))


def test_labels_that_are_too_long_are_refused() -> None:
    x, y = data("iris")
    with pytest.raises(errors.ModelError, match=r"label of 1000 characters, and up to 999"):
        ml.compile(LogisticRegression(max_iter=500).fit(x, np.array(["a", "b", "c" * 1000])[y]), x, **SMALL)


def test_no_degree_is_enough() -> None:
    x, _ = digits()
    with pytest.raises(errors.ModelError, match=r"largest error of a score .* and max_error is 1e-09; allow") as caught:
        ml.compile(trained_digits(), x / 16, max_error=1e-9, **SMALL)
    assert caught.value.supported == 1e-9 < caught.value.found


def test_a_degree_that_does_not_keep_the_error_is_warned_of() -> None:
    x, y = data("iris")
    trained = MLPClassifier((6,), activation="tanh", max_iter=500, tol=1e-2, random_state=0).fit(x, y)
    with pytest.warns(errors.PrecisionWarning, match=r"at degree 7, and max_error is 0\.001; name a higher") as told:
        model = ml.compile(trained, x, degree=7, max_error=1e-3, **SMALL)
    (warning,) = (one.message for one in told)
    assert isinstance(warning, errors.PrecisionWarning)
    assert (warning.error, warning.max_error) == (model._fidelity.error, 1e-3)


def test_no_polynomial_of_the_degree_is_near() -> None:
    x, y = data("iris")
    trained = MLPClassifier((4,), activation="tanh", tol=1e-2, max_iter=500, random_state=0).fit(x, y)
    trained.coefs_[0] *= 1000
    with pytest.raises(
        errors.ModelError, match=r"^compile: no polynomial of degree up to 3 is nearer .*; leave degree out"
    ):
        ml.compile(trained, x, degree=3, **SMALL)


def test_what_belongs_to_another_model_is_refused() -> None:
    x, y = data("iris")
    trained = LogisticRegression(max_iter=500).fit(x, y)
    model = ml.compile(trained, x, **SMALL)
    other = ml.compile(LogisticRegression(max_iter=500, C=0.5).fit(x, y), x, **SMALL)
    (client, server), (other_client, other_server) = model.keys(), other.keys()
    with pytest.raises(errors.KeyMismatchError, match=r"^model: the rows belong to the model .*; use what one call"):
        model(other_client.encrypt(x[:1]), server)
    with pytest.raises(errors.KeyMismatchError, match=r"^model: the server's keys belong to the model"):
        model(client.encrypt(x[:1]), other_server)
    scores = model(client.encrypt(x[:1]), server)
    with pytest.raises(errors.KeyMismatchError, match=r"^predict: the rows belong"):
        other_client.predict(scores)
    second_client, second_server = model.keys()
    with pytest.raises(errors.KeyMismatchError):
        model(client.encrypt(x[:1]), second_server)
    with pytest.raises(errors.KeyMismatchError):
        second_client.decrypt(scores)
    with pytest.raises(errors.MessageTypeError, match=r"rows of scores were given, and encrypted rows of input"):
        model(scores, server)
    with pytest.raises(errors.MessageTypeError, match=r"rows of input were given"):
        client.decrypt(client.encrypt(x[:1]))
    for junk in (None, 3, scores.ciphertext, x):
        with pytest.raises(errors.EverlevelError):
            model(junk, server)
        with pytest.raises(errors.EverlevelError):
            model(client.encrypt(x[:1]), junk)
        with pytest.raises(errors.EverlevelError):
            client.predict(junk)
    short = ml.EncryptedRows(model.engine, scores.ciphertext, 2, "scores", model.hash)
    with pytest.raises(errors.UnitCountError, match="1 units, and 2 rows of this model have 2"):
        client.decrypt(short)


def test_models_without_probabilities_say_so() -> None:
    x, y = data("iris")
    model = ml.compile(RidgeClassifier().fit(x, y), x, **SMALL)
    client, server = model.keys()
    scores = model(client.encrypt(x[:1]), server)
    with pytest.raises(errors.ModelError, match=r"^predict_proba: .*RidgeClassifier.*; use client.decrypt"):
        client.predict_proba(scores)


# Files.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of a model, its client, its server, its rows and its scores."""
    x, y = data("iris")
    trained = MLPClassifier((4,), activation="tanh", max_iter=500, tol=1e-2, random_state=0).fit(x, y)
    model = ml.compile(trained, x, degree=7, max_error=0.5, **SMALL)
    client, server = model.keys()
    path: Path = tmp_path_factory.mktemp("model")
    rows = client.encrypt(x[::40])
    for name, thing in {"model": model, "client": client, "server": server, "rows": rows}.items():
        thing.save(path / name)
    np.save(path / "simulated.npy", model.simulate(x[::40]))
    return path


SERVER = """
import sys, pathlib
from everlevel import ml
folder = pathlib.Path(sys.argv[1])
model, server, rows = (ml.load(folder / name, thread_count=1) for name in ("model", "server", "rows"))
model(rows, server).save(folder / "scores")
assert "sklearn" not in sys.modules
print(model)
"""


def test_a_server_needs_files_alone(folder: Path) -> None:
    run = subprocess.run([sys.executable, "-c", SERVER, str(folder)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "predictions as the model's" in run.stdout
    client, scores = ml.load(folder / "client"), ml.load(folder / "scores")
    assert isinstance(client, ml.Client)
    assert isinstance(scores, ml.EncryptedRows)
    simulated = np.load(folder / "simulated.npy")
    np.testing.assert_allclose(client.decrypt(scores), simulated, atol=1e-3 * np.ptp(simulated))
    assert (folder / "client").stat().st_mode & 0o77 == 0
    model = ml.load(folder / "model")
    assert isinstance(model, ml.Model)
    check_claims(model, client, scores, data("iris")[0][::40])


def test_inspect_says_whose_files_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = ml.load(folder / "model")
    assert isinstance(model, ml.Model)
    for name in ("model", "client", "server", "rows"):
        assert main(["inspect", str(folder / name)]) == 0
        out = capsys.readouterr().out
        assert f"{name}, {model.hash:.8}\n" in out
        assert len(out) < 1200


def test_files_of_a_client_have_no_weights(folder: Path) -> None:
    notes = json.dumps(_files.read(str(folder / "client")))
    assert "steps" not in notes
    assert "map" not in notes
    assert len(notes) < 2500


@pytest.mark.parametrize("name", ["model", "client", "server", "rows"])
def test_damaged_files_are_refused(folder: Path, name: str, tmp_path: Path) -> None:
    whole = (folder / name).read_bytes()
    rng = np.random.default_rng(3)
    header = int.from_bytes(whole[:8], "little") + 8
    for place in [*rng.integers(0, header, 20), *rng.integers(header, len(whole), 5)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises((errors.FormatError, errors.StorageError)):
            ml.load(tmp_path / name)
    for length in (0, 7, 100, header, len(whole) - 1):
        (tmp_path / name).write_bytes(whole[:length])
        with pytest.raises(errors.FormatError):
            ml.load(tmp_path / name)


def rewritten(path: Path, source: Path, change: Any) -> Path:
    """Write a file anew whose note was changed, as somebody does who knows the format."""
    notes = _files.read(str(source))
    found = ml.load(source)
    holder: Any = found.ciphertext if isinstance(found, ml.EncryptedRows) else found
    engine = found.engine if isinstance(found, ml.Model) else found._engine
    if isinstance(found, ml.Model):
        native: Any = _files.stamp(engine, found.hash)._native
    elif isinstance(found, ml.Client):
        native = found._secret_key._native
    else:
        native = holder._native if holder is not found else [key._native for key in found.evaluation_key.keys]
    changed = change(notes)
    note = changed if isinstance(changed, str) else json.dumps(changed)
    described = {"ml": note} | ({"is_real": "true"} if holder is not found else {})
    everlevel._native.save(engine._context, native, str(path), described, False)  # type: ignore[attr-defined]
    return path


def test_a_changed_model_is_noticed(folder: Path, tmp_path: Path) -> None:
    def other_weights(notes: Any) -> Any:
        weights = _files.unpacked(notes["program"]["steps"][0]["map"], 2) * 1.5
        notes["program"]["steps"][0]["map"] = _files.packed(weights)
        return notes

    with pytest.raises(errors.ChecksumError, match=r"^load: the model was written with the hash"):
        ml.load(rewritten(tmp_path / "model", folder / "model", other_weights))
    with pytest.raises(errors.NewerFormatError, match=r"format 1, and this version reads 5; compile the model anew"):
        ml.load(rewritten(tmp_path / "model", folder / "model", lambda notes: notes | {"format": 1}))


@pytest.mark.parametrize("name", ["model", "client", "server", "rows"])
def test_malformed_notes_are_refused(folder: Path, name: str, tmp_path: Path) -> None:
    rng, refused = np.random.default_rng(5), 0
    assert type(ml.load(rewritten(tmp_path / name, folder / name, lambda notes: notes))) is type(ml.load(folder / name))
    for change in ("{", "[]", "null", '"x"', "{}", '{"format":2}', '{"format":2,"role":"x"}', '{"format":2,"role":[]}'):
        with pytest.raises((errors.HeaderError, errors.NewerFormatError)):
            ml.load(rewritten(tmp_path / name, folder / name, lambda _, text=change: text))
    for _ in range(40):
        try:
            ml.load(rewritten(tmp_path / name, folder / name, lambda notes: spoiled(notes, rng)))
        except errors.FormatError:
            refused += 1
        except errors.ParameterError:
            refused += 1
    # Names and places are words that nothing depends on.
    assert refused > 15


@pytest.mark.parametrize("name", ["model", "client"])
@pytest.mark.parametrize(
    "placements",
    [
        None,
        [],
        [[0]],
        [[0, 1, 2]],  # three places, no power of two
        [[-1, -1]],
        [[0, 2]],  # feature 1 is nowhere
        [[0, -2]],
        [[0] * 2**20],  # more places than slots
        [[0, 1], [0, 1]],  # of other counts than the input's and the results'
        "AAAA",
    ],
)
def test_malformed_placements_are_refused(folder: Path, name: str, placements: Any, tmp_path: Path) -> None:
    def change(notes: Any) -> Any:
        holder = notes if name == "model" else notes["facts"]
        entries = placements
        if isinstance(placements, list):
            whole = [_files.packed_integers(np.array(features)) for features in placements]
            # A model's are as many as its layers' and one more.
            entries = whole + holder["layout"]["placements"][len(whole) :]
        holder["layout"]["placements"] = entries if placements else placements
        return notes

    with pytest.raises(errors.HeaderError, match=r"note of a compiled model is malformed"):
        ml.load(rewritten(tmp_path / name, folder / name, change))


JUNK: tuple[Any, ...] = (None, -1, 0, 2**70, 1e308, "x", "", [], [1], {}, True, [[1]], float("nan"))


def spoiled(notes: Any, rng: np.random.Generator) -> Any:
    """Put junk in the place of one entry of nested notes."""
    at = notes
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(at[key], (dict, list)) and at[key] and rng.random() < 0.8:
            at = at[key]
            continue
        at[key] = JUNK[int(rng.integers(len(JUNK)))]
        return notes


def test_other_files_are_refused(tmp_path: Path) -> None:
    engine = everlevel.Engine(max_level=1, insecure_log_n=9)
    engine.create_secret_key().save(tmp_path / "secret.key")
    with pytest.raises(
        errors.FileKindError, match=r"^load: the file holds a secret key, .* open it with everlevel.open"
    ):
        ml.load(tmp_path / "secret.key")
    with pytest.raises(errors.StorageNotFoundError):
        ml.load(tmp_path / "nothing")
    with pytest.raises(errors.OperandTypeError):
        ml.load(None)  # type: ignore[arg-type]


def test_steps_read_what_they_write(folder: Path) -> None:
    model = ml.load(folder / "model")
    assert isinstance(model, ml.Model)
    program = model._program
    again = _notes.to_program(json.loads(_files.text(_notes.of_program(program))))
    for step, read in zip(program.steps, again.steps, strict=True):
        if isinstance(step, Map):
            assert isinstance(read, Map)
            np.testing.assert_array_equal(step.weights, read.weights)
        else:
            assert isinstance(read, Polynomial)
            np.testing.assert_array_equal(step.coefficients, read.coefficients)
    assert isinstance(again.input, _ranges.InputRange)
