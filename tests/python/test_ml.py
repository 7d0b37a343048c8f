"""Models of scikit-learn on encrypted rows, against their polynomials in the clear, and against the models."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR

from everlevel import cluster, errors, ml
from trained_models import SMALL, check_claims, data, digits, trained_digits


def own_scores(trained: Any, x: Any) -> Any:
    last = trained[-1] if hasattr(trained, "steps") else trained
    if hasattr(last, "decision_function_shape"):
        # Its own default makes one score a class of the votes.
        last.decision_function_shape = "ovo"
    if hasattr(trained, "decision_function"):
        return trained.decision_function(x)
    if hasattr(last, "cluster_centers_"):
        # The nearest center has the largest score: squares of distances, but for that of the row.
        rows = trained[:-1].transform(x) if hasattr(trained, "steps") else x
        return (rows**2).sum(1, keepdims=True) - trained.transform(x) ** 2
    if hasattr(trained, "predict_proba"):
        probabilities = np.clip(trained.predict_proba(x), 1e-300, 1 - 1e-16)
        if probabilities.shape[1] == 2:
            return np.log(probabilities[:, 1] / probabilities[:, 0])
        return np.log(probabilities)
    return trained.predict(x)


def centred(scores: Any) -> Any:
    """Scores of a softmax, whose sum says nothing."""
    return scores - scores.mean(1, keepdims=True) if scores.ndim > 1 else scores


LINEAR = {
    "linear": (LinearRegression(), "diabetes"),
    "two targets": (Ridge(alpha=0.1), "two targets"),
    "lasso": (Lasso(alpha=0.1), "diabetes"),
    "elastic net": (ElasticNet(alpha=0.01), "diabetes"),
    "linear SVR": (LinearSVR(), "diabetes"),
    "SVR": (make_pipeline(StandardScaler(), SVR(kernel="linear")), "diabetes"),
    "logistic": (make_pipeline(StandardScaler(), LogisticRegression()), "cancer"),
    "multinomial": (LogisticRegression(max_iter=500), "iris"),
    "ridge classifier": (RidgeClassifier(), "iris"),
    "linear SVC": (make_pipeline(MinMaxScaler(), LinearSVC()), "iris"),
    "SVC": (make_pipeline(StandardScaler(with_mean=False), SVC(kernel="linear")), "cancer"),
    "SVC of three classes": (SVC(kernel="linear"), "iris"),
    "SVC of degree 1": (make_pipeline(StandardScaler(), SVC(kernel="poly", degree=1)), "cancer"),
    "k-means": (KMeans(4, n_init=2, random_state=0), "iris"),
    "k-means of batches": (make_pipeline(StandardScaler(), MiniBatchKMeans(3, n_init=2, random_state=0)), "iris"),
    "projection": (make_pipeline(StandardScaler(), PCA(3, whiten=True), LogisticRegression()), "cancer"),
    "unscaled": (make_pipeline(MaxAbsScaler(), StandardScaler(with_std=False), PCA(2), Ridge()), "diabetes"),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models(name: str) -> None:
    estimator, source = LINEAR[name]
    x, y = data(source)
    trained = estimator.fit(x, y)
    model = ml.compile(trained, x, **SMALL)
    rows = x[:5]
    own = own_scores(trained, rows)
    spread = np.ptp(own_scores(trained, x))
    np.testing.assert_allclose(model.simulate(rows), own, atol=1e-9 * spread, rtol=1e-9)

    client, server = model.keys()
    scores = model(client.encrypt(rows), server)
    np.testing.assert_allclose(client.decrypt(scores), own, atol=1e-4 * spread)
    assert client.decrypt(scores).shape == own.shape
    if source in ("iris", "cancer"):
        np.testing.assert_array_equal(client.predict(scores), trained.predict(rows))
        assert (
            client.predict(scores).dtype.kind == trained.predict(rows).astype(client.predict(scores).dtype).dtype.kind
        )
    if hasattr(trained, "predict_proba"):
        np.testing.assert_allclose(client.predict_proba(scores), trained.predict_proba(rows), atol=1e-3)
    assert scores.ciphertext.level == 0
    assert model.key_nbytes == server.nbytes
    check_claims(model, client, scores, rows)


KERNELS = {
    "rbf": (make_pipeline(StandardScaler(), SVC(C=0.5)), "cancer", {"degree": 31}),
    "rbf of three classes": (SVC(gamma=0.2), "iris", {"degree": 31}),
    "polynomial": (make_pipeline(MinMaxScaler(), SVC(kernel="poly", coef0=1.0)), "iris", {}),
    "square": (SVC(kernel="poly", degree=2, gamma="auto"), "iris", {}),
    "nu": (NuSVC(kernel="poly", degree=2), "iris", {}),
    "regression": (make_pipeline(StandardScaler(), PCA(3), SVR(C=10.0)), "diabetes", {"degree": 31}),
    "nu regression": (make_pipeline(StandardScaler(), NuSVR(kernel="poly", degree=2, C=10.0)), "diabetes", {}),
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    estimator, source, options = KERNELS[name]
    x, y = data(source)
    trained = estimator.fit(x, y)
    with pytest.warns(errors.RangeWarning):
        model = ml.compile(trained, x, ranges="calibrated", max_error=0.05, **options, **SMALL)
    own, rows = own_scores(trained, x), x[:4]
    spread = np.ptp(own)
    # Polynomials of degree 2 and 3 are kept; others are within what was asked for.
    assert np.abs(model.simulate(x) - own).max() <= (0.05 if options else 1e-9) * spread
    client, server = model.keys()
    scores = model(client.encrypt(rows), server)
    np.testing.assert_allclose(client.decrypt(scores), model.simulate(rows), atol=1e-3 * spread)
    if source != "diabetes":
        np.testing.assert_array_equal(client.predict(scores), trained.predict(rows))
        assert model._fidelity.agreeing >= 0.98 * len(x)
        with pytest.raises(errors.ModelError, match="gives no probabilities"):
            client.predict_proba(scores)
    check_claims(model, client, scores, rows)


def test_distances_are_proven_not_to_be_above_0() -> None:
    x, y = data("iris")
    model = ml.compile(SVC(gamma=0.05).fit(x, y), x, degree=31, max_error=1.0, **SMALL)
    _, kernel = model._program.polynomials
    assert (kernel.name, kernel.is_proven) == ("exp", True)
    assert kernel.interval[1] < 0.01


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_perceptrons(activation: str) -> None:
    x, _ = digits()
    trained = trained_digits(activation=activation)
    model = ml.compile(trained, x / 16, max_error=0.05, input_range=(0, 1), **SMALL)
    rows = x[:6] / 16
    client, server = model.keys()
    scores = model(client.encrypt(rows), server)
    simulated = model.simulate(rows)
    spread = np.ptp(own_scores(trained, x / 16))
    np.testing.assert_allclose(client.decrypt(scores), simulated, atol=2e-4 * spread)
    np.testing.assert_array_equal(client.predict(scores), simulated.argmax(1))
    check_claims(model, client, scores, rows)
    # The polynomials' error is within what was asked for, on the examples.
    difference = centred(model.simulate(x / 16)) - centred(own_scores(trained, x / 16))
    assert np.abs(difference).max() <= 2 * 0.05 * spread
    agreeing = (model.simulate(x / 16).argmax(1) == trained.predict(x / 16)).mean()
    assert agreeing >= (0.97 if activation != "identity" else 1)
    assert model.key_nbytes == server.nbytes
    assert all(step.is_proven for step in model._program.polynomials)


def test_a_perceptron_of_two_hidden_layers_that_gives_numbers() -> None:
    x, y = data("diabetes")
    pipeline = make_pipeline(
        StandardScaler(),
        MLPRegressor(hidden_layer_sizes=(8, 4), activation="tanh", max_iter=500, tol=1e-2, random_state=0),
    )
    trained = pipeline.fit(x, y / 100)
    model = ml.compile(trained, x, degree=15, max_error=0.2, ranges="proven", **SMALL)
    client, server = model.keys()
    rows = x[:3]
    scores = client.decrypt(model(client.encrypt(rows), server))
    np.testing.assert_allclose(scores, model.simulate(rows), atol=1e-3)
    assert scores.shape == (3,)
    assert model.check(x).is_inside


@pytest.mark.parametrize("intercept", [0.0, 5.0])
def test_one_example_is_enough(intercept: float) -> None:
    """Scores that are all the same have no spread: errors are shares of their size."""
    trained = LinearRegression().fit([[0.0, 0], [1, 0], [0, 1]], [intercept, intercept + 1, intercept - 1])
    model = ml.compile(trained, [[0.5, 0.5]], input_range=(0, 1), **SMALL)
    client, server = model.keys()
    found = client.decrypt(model(client.encrypt([[0.5, 0.5]]), server))
    np.testing.assert_allclose(found, [intercept], atol=1e-4)


def test_a_model_lets_go_of_its_clients_keys() -> None:
    x, y = data("iris")
    model = ml.compile(LogisticRegression(max_iter=500).fit(x, y), x, **SMALL)
    client, server = model.keys()
    encrypted, evaluation_key = client.encrypt(x[:1]), weakref.ref(server.evaluation_key)
    model(encrypted, server)
    del server
    gc.collect()
    assert evaluation_key() is None
    assert not model.engine._registry._keys


def test_probabilities_by_a_polynomial() -> None:
    x, y = data("cancer")
    trained = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(x, y)
    model = ml.compile(trained, x, output="probabilities", max_error=0.01, **SMALL)
    client, server = model.keys()
    scores = model(client.encrypt(x[:8]), server)
    np.testing.assert_allclose(client.predict_proba(scores), trained.predict_proba(x[:8]), atol=0.011)
    np.testing.assert_allclose(client.decrypt(scores), model.simulate(x[:8]), atol=1e-4)
    np.testing.assert_array_equal(client.predict(scores), trained.predict(x[:8]))


def test_probabilities_of_one_versus_rest_are_not_those_of_a_softmax() -> None:
    x, y = data("iris")
    binary = LogisticRegression(solver="liblinear").fit(x[:100], y[:100])
    model = ml.compile(binary, x[:100], **SMALL)
    client, server = model.keys()
    found = client.predict_proba(model(client.encrypt(x[:4]), server))
    np.testing.assert_allclose(found, binary.predict_proba(x[:4]), atol=1e-4)


# Layouts.


MANY = [
    ({"layout": "rows", "batch": 4}, 4, 7),
    ({"layout": "rows", "batch": 128}, 128, 150),
    ({"layout": "features"}, 512, 5),
]


@pytest.mark.parametrize(("options", "capacity", "count"), MANY)
def test_layouts_of_many_rows(options: dict[str, Any], capacity: int, count: int) -> None:
    x, y = data("iris")
    trained = MLPClassifier((6,), activation="tanh", max_iter=500, tol=1e-2, random_state=0).fit(x, y)
    model = ml.compile(trained, x, degree=7, max_error=0.5, **options, **SMALL)
    assert model.layout == options["layout"]
    assert model.group_rows == capacity
    client, server = model.keys()
    rows = x[::30][:count] if count < 6 else x[:count]
    encrypted = client.encrypt(rows)
    assert len(encrypted) == len(rows)
    scores = client.decrypt(model(encrypted, server))
    np.testing.assert_allclose(scores, model.simulate(rows), atol=1e-3 * np.ptp(model.simulate(x)))
    assert server.nbytes == model.key_nbytes


def test_features_of_linear_models_take_no_key(tmp_path: Path) -> None:
    x, y = data("iris")
    model = ml.compile(LogisticRegression(max_iter=500).fit(x, y), x, layout="features", batch=150, **SMALL)
    client, server = model.keys()
    assert (server.nbytes, server.evaluation_key, model.key_nbytes) == (0, None, 0)
    server.save(tmp_path / "server.evl")
    loaded = ml.load(tmp_path / "server.evl")
    assert isinstance(loaded, ml.Server)
    scores = client.decrypt(model(client.encrypt(x), loaded))
    np.testing.assert_allclose(scores, model.simulate(x), atol=1e-4)


def test_workers_of_a_pool_have_the_bits_of_one_machine(tmp_path: Path) -> None:
    x, y = data("iris")
    trained = MLPClassifier((6,), activation="tanh", max_iter=500, tol=1e-2, random_state=0).fit(x, y)
    model = ml.compile(trained, x, degree=7, max_error=0.5, **SMALL)
    client, server = model.keys()
    server.save(tmp_path / "server.evl")
    rows = client.encrypt(x[:3])
    with cluster.connect(keys=tmp_path / "server.evl", engine=model.engine, workers=2) as pool:
        scores = [client.decrypt(model(rows, server, pool=pool)) for _ in range(2)]
        other = ml.compile(trained, x, degree=15, max_error=0.5, **SMALL)
        owner, keys = other.keys()
        with pytest.raises(errors.EngineMismatchError, match=r"connect with engine=model.engine$"):
            other(owner.encrypt(x[:3]), keys, pool=pool)
    for found in scores:
        np.testing.assert_array_equal(found, client.decrypt(model(rows, server)))
    with pytest.raises(errors.OperandTypeError, match=r"^model: pool is of type int, and a Pool is needed"):
        model(rows, server, pool=3)  # type: ignore[arg-type]


def test_rounded_weights_beyond_the_error_are_warned_of() -> None:
    x, y = data("iris")
    trained = LogisticRegression(max_iter=500).fit(x, y)
    with pytest.warns(errors.PrecisionWarning, match=r"in the layout 'features', and max_error .*; take layout='rows'"):
        ml.compile(trained, x, max_error=3e-7, layout="features", batch=150, **SMALL)


def test_the_plan_takes_the_faster_layout() -> None:
    x, y = data("iris")
    trained = LogisticRegression(max_iter=500).fit(x, y)
    one, many = ml.compile(trained, x, **SMALL), ml.compile(trained, x, batch=512, **SMALL)
    assert (one.layout, one.group_rows) == ("rows", 1)
    assert many.group_rows > 1
    assert many._plan.seconds_of(512) <= one._plan.seconds_of(512)


# Ranges.


def extremes(model: ml.Model, rng: np.random.Generator) -> Any:
    """Rows at the edge of a model's range: corners, and those that its first sums are largest for, within the ball."""
    region, first = model._program.input, model._program.maps[0].weights
    directions = np.vstack([first, -first, rng.normal(size=(200, len(region.center)))])
    boundary = region.mean + region.radius * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    corners = np.sign(directions) * region.sizes
    reach = np.linalg.norm(corners - region.mean, axis=1, keepdims=True)
    shrunk = region.mean + (corners - region.mean) * np.minimum(1, region.radius / reach)
    scaled = np.vstack([np.clip(boundary, -region.sizes, region.sizes), shrunk])
    inside = np.linalg.norm(scaled - region.mean, axis=1) <= region.radius
    return region.center + scaled[inside] * region.half


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_no_row_in_range_leaves_a_proven_interval(activation: str, rng: np.random.Generator) -> None:
    x, _ = digits()
    trained = trained_digits(activation=activation, hidden_layer_sizes=(12, 6))
    model = ml.compile(trained, x / 16, degree=31, max_error=0.5, input_range=(0, 1), **SMALL)
    rows = extremes(model, rng)
    assert len(rows) > 50
    report = model.check(rows)
    assert report.is_inside
    # The first layer's interval is reached up to a part: bounds aren't idle.
    assert report.activations[0][1] > 0.4
    assert np.abs(model.simulate(rows)).max() <= model._program.scale * (1 + 1e-9)


def test_ranges_of_polynomials_hold(rng: np.random.Generator) -> None:
    from everlevel.ml._scaling import _range_of

    for degree in (1, 3, 15, 63):
        coefficients = rng.normal(size=degree + 1)
        low, high = _range_of(coefficients)
        values = np.polynomial.chebyshev.chebval(np.linspace(-1, 1, 20001), coefficients)
        assert low <= values.min() <= values.max() <= high
        assert high - low < 1.05 * np.ptp(values)


def test_rows_out_of_range_are_refused() -> None:
    x, y = data("iris")
    model = ml.compile(LogisticRegression(max_iter=500).fit(x, y), x, **SMALL)
    client, _ = model.keys()
    low, high = client.input_range
    beyond = x[:3].copy()
    beyond[1, 2] = high[2] + 0.01
    with pytest.raises(errors.RangeError, match=r"^encrypt: feature 2 of row 1 is .* compiled for .*; leave") as caught:
        client.encrypt(beyond)
    assert (caught.value.row, caught.value.index) == (1, 2)
    assert (caught.value.size, caught.value.bound) == (beyond[1, 2], pytest.approx(high[2]))
    with pytest.raises(errors.RangeError, match=r"^encrypt: row 0 is .* from the examples' mean.*; leave"):
        client.encrypt([np.where(np.arange(4) % 2 == 0, low, high)])
    client.encrypt(x)
    assert model.check(x).is_inside
    assert not model.check(beyond).is_inside


def test_a_feature_of_one_value_has_only_that() -> None:
    x, y = data("iris")
    x = np.hstack([x, np.full((len(x), 1), 7.0)])
    model = ml.compile(LogisticRegression(max_iter=500).fit(x, y), x, **SMALL)
    client, server = model.keys()
    np.testing.assert_allclose(client.decrypt(model(client.encrypt(x[:1]), server)), model.simulate(x[:1]), atol=1e-3)
    x[0, 4] = 7.1
    with pytest.raises(errors.RangeError, match=r"feature 4 of row 0 is 7.1, and the model was compiled for 7 to 7;"):
        client.encrypt(x[:1])


def test_calibrated_ranges_warn_and_results_beyond_their_bound_are_noticed() -> None:
    x, _ = digits()
    trained = trained_digits()
    with pytest.warns(errors.RangeWarning, match=r"^compile: .*relu on .*; compile with ranges='proven'"):
        model = ml.compile(
            trained, x / 16, degree=15, max_error=0.5, ranges="calibrated", margin=0.2, input_range=(0, 1), **SMALL
        )
    proven = ml.compile(trained, x / 16, degree=15, max_error=0.5, input_range=(0, 1), **SMALL)
    assert model._fidelity.error < proven._fidelity.error
    assert "NOT PROVEN" in str(model)
    rows = extremes(model, np.random.default_rng(1))
    report = model.check(rows)
    assert not report.is_inside
    assert report.features <= 1 + 1e-9 >= report.distance
    client, server = model.keys()
    wild = rows[[int(np.abs(model.simulate(rows)).max(1).argmax())]]
    if np.abs(model.simulate(wild)).max() > 1.1 * model._program.scale:
        scores = model(client.encrypt(wild), server)
        with (
            pytest.warns(errors.RangeWarning, match=r"^decrypt: a value has size"),
            pytest.raises(errors.RangeError, match=r"^decrypt: the result of row 0 has size"),
        ):
            client.decrypt(scores)


# Objects.


def test_print_shows_the_plan() -> None:
    x, _ = digits()
    model = ml.compile(trained_digits(), x / 16, degree=15, max_error=0.5, input_range=(0, 1), **SMALL)
    # Times of this machine are those of another one by a factor.
    assert 0 < model.estimated_seconds / model._plan.seconds < 1000
    assert f"estimated: {model.estimated_seconds:.2g} s for a group, on one core of this machine" in str(model)
    text = str(model)
    for words in (
        "64 → 16",
        "relu, degree 14",
        "levels",
        "estimated",
        "AMD EPYC",
        "proven",
        "predictions as the model's",
    ):
        assert words in text, text
    assert model._program.levels == model.engine.max_level == sum(s.level_in - s.level_out for s in model._plan.stages)
    client, server = model.keys()
    assert repr(model).startswith("Model(MLPClassifier, 64 → 10, levels 0..6")
    assert "64 features" in repr(client)
    assert "of keys" in repr(server)
    rows = client.encrypt(x[:2] / 16)
    assert repr(rows).startswith("EncryptedRows(2 rows, model")
    assert rows.nbytes == rows.ciphertext.nbytes > 0
    assert model.estimated_seconds > 0


def test_the_same_model_has_the_same_hash_and_another_one_another() -> None:
    x, y = data("iris")
    trained = LogisticRegression(max_iter=500).fit(x, y)
    hashes = [
        ml.compile(trained, x, **(SMALL | options)).hash
        for options in ({}, {}, {"margin": 0.2}, {"insecure_log_n": 11}, {"layout": "features"})
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4
