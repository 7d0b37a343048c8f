"""`everlevel.ml.compile` and `everlevel.ml.load`."""

from __future__ import annotations

from typing import Any, Final, Literal

from numpy.typing import ArrayLike

from .._common import callers, checks
from .._common.storable import PathLike
from ..ckks import Engine
from ..errors import ParameterError, PrecisionWarning, RangeWarning
from . import _files, _onnx, _plan, _ranges, _sklearn, client, model, rows, server
from ._scaling import DEGREES, Wishes, fitted, measured
from .client import Client
from .model import Fidelity, Model
from .rows import EncryptedRows
from .server import Server

_LARGEST_DEGREE: Final = DEGREES[-1]


def compile(  # noqa: A001 (called as everlevel.ml.compile)
    trained: Any,
    examples: ArrayLike,
    batch: int = 1,
    max_error: float = 0.02,
    memory: int | None = None,
    *,
    margin: float = 0.1,
    input_range: tuple[ArrayLike, ArrayLike] | None = None,
    ranges: Literal["proven", "calibrated"] = "proven",
    output: Literal["scores", "probabilities"] = "scores",
    degree: int | None = None,
    layout: Literal["rows", "features"] | None = None,
    bootstrap: bool | None = None,
    thread_count: int | None = None,
    insecure_log_n: int | None = None,
) -> Model:
    """Compile a trained model of scikit-learn, or a network in ONNX's format, so that it runs on encrypted rows.

    Parameters
    ----------
    trained : model of scikit-learn, onnx.ModelProto, or path
        Fitted, of scikit-learn: LinearRegression, Ridge, Lasso, ElasticNet, LinearSVR, SVR, NuSVR;
        LogisticRegression, RidgeClassifier, LinearSVC, SVC, NuSVC, of linear, poly and rbf kernels; KMeans,
        MiniBatchKMeans; MLPClassifier, MLPRegressor; or a Pipeline that ends in one of these, after StandardScaler,
        MinMaxScaler, MaxAbsScaler or PCA, which take no levels.
        In ONNX's format, or the path of a file of it (a `pathlib.Path`, or text that ends in ``.onnx``): networks of
        Gemm, MatMul, Conv, BatchNormalization, AveragePool, GlobalAveragePool, sums, products with constants and
        changes of shape; Relu, Sigmoid, Tanh, Gelu, Swish, x·Sigmoid(x) and x·x; at the end Softmax or LogSoftmax.
    examples : array_like of real numbers, shape (rows, features)
        Rows as the model will be given, such as those that it was trained on: they tell the ranges of values. Images
        as rows: ``x.reshape(len(x), -1)``.
    batch : int, default 1
        Rows that are computed at once. One is computed in the least time; many take less time for each.
    max_error : float, default 0.02
        Largest error of a score on the examples, by polynomials in place of activations and by noise, as a share of
        the scores' spread. The least degree of 3, 7, 15, 31, 63 and 127 is taken that keeps it.
    memory : int, optional
        Largest number of bytes for keys, weights and a group of rows. Weights of layers are held in smaller forms,
        which take more time, until they fit. If left out, as far as they exceed 8 GB.
    margin : float, default 0.1
        Share of each feature's interval by which it is widened at each end; and of the largest distance from the mean.
    input_range : pair of array_like, optional
        Least and largest value of features, where it is known: ``(0, 255)`` for pixels. Else it is the examples'.
    ranges : {"proven", "calibrated"}, default "proven"
        Intervals that activations are fitted on. ``"proven"`` ones hold whatever any row in range leads to.
        ``"calibrated"`` ones are the examples', widened by `margin`: they are shorter, so that a lower degree is
        enough, and **values beyond them give wrong scores**, which `Client.decrypt` notices if results exceed their
        bound, and else not.
    output : {"scores", "probabilities"}, default "scores"
        ``"probabilities"`` ends the encrypted computation with a polynomial in place of the logistic function, for
        models with one score. `Client.predict_proba` computes the probabilities of every model from scores.
    degree : int, optional
        Of all polynomials, whether or not they keep `max_error`, which noise alone has to keep. Squares have degree 2.
    layout : {"rows", "features"}, optional
        The faster one by the plan's estimate, if left out.
    bootstrap : bool, optional
        Whether ciphertexts are bootstrapped on the way, between layers or residual blocks, in a ring of 2^16 and with
        keys of 4 GB; if left out, where no ring has the levels for all.
    thread_count, insecure_log_n : int, optional
        As for `everlevel.Engine`.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        If a part of the model is not supported, not fitted or malformed; if no degree keeps `max_error`, or noise
        exceeds it; or if the package onnx is needed and missing.
    OperandTypeError
        If `trained` is no model of scikit-learn, and none in ONNX's format.
    StorageError
        If a file can't be read.
    MessageError, MessageTypeError
        If the examples are no rows of finite real numbers.
    OutOfMemoryError
        If no plan fits in `memory`: before keys are made.
    ParameterError
        If an option is out of range, or there is no ring for so many levels, or bootstraps leave too few.

    Warns
    -----
    RangeWarning
        If a calibrated interval is shorter than the proven one.
    PrecisionWarning
        If scores on the examples err by more than `max_error`: at the `degree` that was named, or by the layout
        `"features"`, whose weights are rounded.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> import everlevel
    >>> X, species = load_iris(return_X_y=True)
    >>> trained = LogisticRegression(max_iter=1000).fit(X, species)
    >>> model = everlevel.ml.compile(trained, X, insecure_log_n=10)
    >>> client, server = model.keys()
    >>> y = model(client.encrypt(X[:3]), server)
    >>> client.predict(y)
    array([0, 0, 0])
    >>> bool(np.allclose(client.decrypt(y), trained.decision_function(X[:3]), atol=1e-3))
    True
    """
    operation = "compile"
    wishes = Wishes(
        _degree(operation, degree),
        _share(operation, "max_error", max_error, least=0.0),
        checks.one_of(operation, "ranges", ranges, ("proven", "calibrated")) == "proven",
        _share(operation, "margin", margin, least=-1.0),
        checks.one_of(operation, "output", output, ("scores", "probabilities")) == "probabilities",
    )
    setting = _plan.setting(operation, batch, layout, memory, insecure_log_n, thread_count, bootstrap)
    network = _onnx.read(trained) if _onnx.is_network(trained) else _sklearn.read(trained)
    array = _ranges.rows(operation, "examples", examples, network.feature_count)
    limits = _limits(operation, input_range, network.feature_count)
    region = _ranges.InputRange.of(array, wishes.margin, limits)
    if limits is not None:
        region.scaled(operation, array)
    best = fitted(network, array, region, wishes)
    for step in best.program.polynomials:
        if not step.is_proven:
            low, high = step.interval
            warning = RangeWarning(
                f"{operation}: {step.place} has {step.name} on [{low:.4g}, {high:.4g}], which the examples lead to, "
                f"and rows in range may lead beyond, where scores are wrong; compile with ranges='proven', or a larger "
                f"margin",
                bound=max(-low, high),
            )
            callers.warn_once("ml.calibrated", warning)
    plan, engine = _plan.made(best.program, setting)
    if plan.layout.kind == "features":
        best = measured(network, best.program.on_grid(), array)
    if best.error > wishes.max_error:
        # Without a degree, it is the weights' grid that the error comes from.
        at, other = (f" at degree {degree}", "name a higher degree, leave it out")
        if degree is None:
            at, other = " in the layout 'features'", "take layout='rows'"
        text = (
            f"{operation}: the largest error of a score on the examples is {best.error:.2g} of the scores' spread{at}, "
            f"and max_error is {wishes.max_error:g}; {other}, or allow a larger max_error"
        )
        callers.warn_once("ml.degree", PrecisionWarning(text, error=best.error, max_error=wishes.max_error))
    fidelity = Fidelity(best.error, best.agreeing, best.example_count)
    return Model(engine, best.program, plan.layout, plan=plan, fidelity=fidelity)


def load(
    path: PathLike,
    *,
    thread_count: int | None = None,
    mode: Literal["cpu", "gpu"] = "cpu",
    device_id: int | Literal["host"] = 0,
    device_memory: int | None = None,
) -> Model | Client | Server | EncryptedRows:
    """Read a model, a client, a server's keys or encrypted rows from a file, whichever it holds.

    A model computes where its rows are: rows, and the server's keys, that are loaded with ``mode="gpu"`` are on the
    GPU, and so are its scores.

    Parameters
    ----------
    path : str or path-like
        A file that ``save`` wrote.
    thread_count : int, optional
        Threads of the engine; all that the process may use, if left out.
    mode, device_id, device_memory
        Whether the engine has a GPU, which one, and how much of its memory: see `Engine`.

    Raises
    ------
    StorageError
        If the file can't be opened.
    FormatError
        If it isn't what it should be: `FileKindError` for other objects' files, `NewerFormatError` for those of other
        versions, `HeaderError` for malformed ones, `ChecksumError` for changed ones.

    Examples
    --------
    >>> import pathlib, tempfile, everlevel
    >>> from sklearn.linear_model import LinearRegression
    >>> x = np.linspace(-1, 1, 9).reshape(-1, 1)
    >>> model = everlevel.ml.compile(LinearRegression().fit(x, 3 * x[:, 0]), x, insecure_log_n=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.evl"
    ...     model.save(path)
    ...     print(everlevel.ml.load(path).hash == model.hash)
    True
    """
    operation = "load"
    text = checks.path(operation, path)
    notes = _files.read(text)
    role = notes["role"]
    if role not in _READERS:
        raise _files.malformed(role)
    slot_count = _files.understood(notes, _slot_count)
    device: dict[str, Any] = {"mode": mode, "device_id": device_id, "device_memory": device_memory}
    engine = Engine.from_file(text, slot_count=slot_count, thread_count=thread_count, **device)
    found = engine.load(text)
    engine.forget_keys()
    made: Model | Client | Server | EncryptedRows = _READERS[role](engine, found, notes)
    return made


_READERS: Final[dict[str, Any]] = {
    "model": model.read,
    "client": client.read,
    "server": server.read,
    "rows": rows.read,
}


def _slot_count(notes: _files.Notes) -> int | None:
    """Return the slots that the note says: a secret key serves any number of them."""
    holder = notes.get("facts", {})
    count = holder["layout"]["slot_count"] if holder else None
    if count is not None and (not isinstance(count, int) or not 1 <= count <= 65536 or count & (count - 1)):
        raise ValueError("slots")
    return count


def _degree(operation: str, value: Any) -> int | None:
    if value is None:
        return None
    next_step = "leave it out for the least that keeps max_error"
    return checks.integer_between(operation, "degree", value, 1, _LARGEST_DEGREE, next_step)


def _share(operation: str, option: str, value: Any, *, least: float) -> float:
    """Check a number above a least one."""
    number = checks.number(value)
    if not (least < number < float("inf")) or number < 0:
        allowed = "above 0" if least == 0 else "from 0 up"
        raise checks.refusal(
            operation, option, value, f"a finite number {allowed} is needed; leave it out for the usual one", allowed
        )
    return number


def _limits(operation: str, value: Any, feature_count: int) -> Any:
    """Check the range of inputs against the features."""
    limits = _ranges.limits(operation, value)
    for end in limits or ():
        if end.ndim and len(end) not in (1, feature_count):
            raise ParameterError(
                f"{operation}: input_range has {len(end)} numbers, and the model has {feature_count} features; give "
                f"one number, or one for each feature",
                option="input_range",
                value=len(end),
                allowed=(1, feature_count),
            )
    return limits
