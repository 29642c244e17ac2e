"""Measures of scores, tests of one ranker against another, cross-validation by query, and gradients on scores."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, overload

import numpy as np

from . import _arrays, _structs
from ._library import context, decode, lib, short, text, threads_of, whole
from .dataset import Dataset, Held


class Evaluation(NamedTuple):
    """A measure: its mean over the queries that count, the standard error of that, and per_query, the value of each
    query, NaN for one that is skipped. `conventions` is the measure with all its conventions. Where the queries have
    weights (is_weighted), the mean is weighted, and effective_queries is the number of queries of equal weight that say
    as much."""

    mean: float
    standard_error: float
    num_queries: int
    num_empty: int
    lower_is_better: bool
    conventions: str
    per_query: Any
    is_weighted: bool
    effective_queries: float

    def __repr__(self) -> str:
        name = self.conventions.split(":")[0]
        return f"<{name} {self.mean:.4f} ± {self.standard_error:.4f}, {self.num_queries} queries>"

    def __float__(self) -> float:
        return float(self.mean)


class Comparison(NamedTuple):
    """Of two rankers: the means `first` and `second`, their difference with its standard error, and two-sided p-values
    of Student's t test (t_test) and of random changes of signs (randomisation)."""

    num_pairs: int
    first: float
    second: float
    difference: float
    standard_error: float
    t: float
    t_test: float
    randomisation: float
    num_rounds: int

    def __repr__(self) -> str:
        return (
            f"<first {self.first:.4f}, second {self.second:.4f}, difference {self.difference:+.4f} ± "
            f"{self.standard_error:.4f}, p = {self.randomisation:.3g}>"
        )


class Bound(NamedTuple):
    """Of a mean over new queries: `lower` by betting, and the wider one of Hoeffding and Bentkus."""

    count: int  # type: ignore[assignment]
    mean: float
    lower: float
    hoeffding_bentkus: float


class Depth(NamedTuple):
    """How many documents hold a share of the gain: the first `depth` (0: too few queries to say), or those whose score is
    at most `margin` of the query's range of scores below its best (NaN: none)."""

    num_queries: int
    depth: int
    depth_share: float
    margin: float
    margin_share: float
    margin_docs: float


class Certified(NamedTuple):
    """What certify returns; `difference` is None if there is nothing to be better than."""

    bound: Bound
    difference: Bound | None
    depth: Depth


class Gradients(NamedTuple):
    """Of scores: how each document should move, the curvature, and the cost."""

    lambdas: Any
    curvature: Any
    cost: float


class CrossValidation(NamedTuple):
    """What cross_validate returns: `evaluations` as evaluate returns them, the held-out scores of all documents, the
    rankers of the folds, and the fold of each query."""

    evaluations: Any
    scores: Any
    rankers: list[Any]
    fold_of_query: Any

    def __repr__(self) -> str:
        return f"<{self.evaluations}, {len(self.rankers)} folds>"


def list_measures() -> dict[str, str]:
    """The measures by name, with what they are. Each takes a truncation, as in "ndcg@10", and conventions."""
    return _listed(lib.dorm_measure_info_at)


def list_losses() -> dict[str, str]:
    """The losses by name, with what they are."""
    return _listed(lib.dorm_loss_info_at)


def _listed(row_at):
    found = {}
    while True:
        row = row_at(len(found))
        if not row:
            return found
        found[decode(row.contents.name)] = decode(row.contents.help)


def _measure(held, scores, measure):
    if not isinstance(measure, str):
        raise TypeError(f"a measure is a text such as 'ndcg@10', not {short(measure)}")
    result = _structs.dorm_evaluation()
    per_query = np.empty(held.num_queries)
    own = context()
    own.check(
        lib.dorm_evaluate(
            own.pointer,
            text(measure),
            held.pointer,
            _arrays.pointer(scores),
            _arrays.pointer(per_query),
            ctypes.addressof(result),
        )
    )
    return Evaluation(
        result.mean,
        result.standard_error,
        result.num_queries,
        result.num_empty,
        bool(result.lower_is_better),
        decode(result.conventions),
        per_query,
        bool(result.is_weighted),
        result.effective_queries,
    )


def _check_order(y_true, scores):
    """Refuses labels and scores that are swapped, as the first versions of dorm took them."""
    order = "the order is y_true, scores"
    if isinstance(scores, Dataset):
        raise TypeError(f"scores is a Dataset: {order}")
    if isinstance(y_true, Dataset) or np.ndim(y_true) != 1 or np.ndim(scores) != 1:
        return
    labels, values = np.asarray(y_true), np.asarray(scores)
    if not (labels.dtype.kind == "f" and values.dtype.kind in "biuf" and len(labels) and len(values)):
        return
    if (labels < 0).any() or (labels != np.floor(labels)).any():
        if (values >= 0).all() and (values == np.floor(values)).all():
            raise ValueError(f"y_true holds what looks like scores, and scores what looks like labels: {order}")


@overload
def evaluate(y_true: Any, scores: Any, *, qid: Any = ..., measures: str = ..., group: Any = ...,
             query_weight: Any = ...) -> Evaluation: ...


@overload
def evaluate(y_true: Any, scores: Any, *, qid: Any = ..., measures: list[str] | tuple[str, ...], group: Any = ...,
             query_weight: Any = ...) -> dict[str, Evaluation]: ...


def evaluate(y_true: Any, scores: Any, *, qid: Any = None, measures: str | list[str] | tuple[str, ...] = "ndcg@10",
             group: Any = None, query_weight: Any = None) -> Evaluation | dict[str, Evaluation]:
    """Measures scores: an Evaluation for one measure, a dictionary of them for a list. y_true are labels with their
    queries in qid or group, or a Dataset. Values per query, and query_weight, are in the order in which the queries
    first appear."""
    _check_order(y_true, scores)
    held = Held(y_true, qid, group, query_weight)
    ordered = held.scores(scores)
    if isinstance(measures, str):
        return _measure(held, ordered, measures)
    if not isinstance(measures, (list, tuple)):
        raise TypeError(f"measures is a text such as 'ndcg@10' or a list of them, not {short(measures)}")
    return {measure: _measure(held, ordered, measure) for measure in measures}


def compare(y_true: Any, first: Any, second: Any, *, qid: Any = None, measure: str = "ndcg@10", group: Any = None,
            num_rounds: int = 10000, seed: int = 1, query_weight: Any = None) -> Comparison:
    """Is one ranker better than the other? Compares scores of two rankers for the same documents; with query_weight
    the means and tests are weighted."""
    _check_order(y_true, second)
    held = Held(y_true, qid, group, query_weight)
    weights = held.dataset.query_weights
    values = [_measure(held, held.scores(scores, name), measure).per_query
              for name, scores in (("first", first), ("second", second))]
    result = _structs.dorm_comparison()
    own = context()
    own.check(
        lib.dorm_compare_weighted(
            own.pointer,
            held.num_queries,
            _arrays.pointer(values[0]),
            _arrays.pointer(values[1]),
            None if weights is None else _arrays.pointer(weights),
            whole(num_rounds, "num_rounds"),
            whole(seed, "seed", 0, 2**64 - 1),
            ctypes.addressof(result),
        )
    )
    return Comparison(*(getattr(result, name) for name in Comparison._fields))


def lower_bound(values: Any, least: float = 0, most: float = 1, confidence: float = 0.95) -> Bound:
    """Bounds the mean of the distribution, on [least, most], that the values are independent draws from."""
    values = np.ascontiguousarray(values, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"values has the shape {values.shape}: it has to be a list of numbers")
    result = _structs.dorm_bound()
    own = context()
    own.check(
        lib.dorm_lower_bound(
            own.pointer, len(values), _arrays.pointer(values), float(least), float(most), float(confidence),
            ctypes.addressof(result),
        )
    )
    return Bound(*(getattr(result, name) for name in Bound._fields))


def certify(y_true: Any, scores: Any, against: Any = None, *, qid: Any = None, measure: str = "ndcg@10",
            group: Any = None, confidence: float = 0.95, share: float = 0.9) -> Certified:
    """What new queries will show, each statement with this confidence: a bound on the measure's mean, one on its mean
    minus that of the scores `against`, and how many documents hold this share of the gain. For a measure of which less
    is better, the bounds are those of minus its values."""
    _check_order(y_true, scores)
    held = Held(y_true, qid, group, None)
    ordered = held.scores(scores)
    first = _measure(held, ordered, measure)
    least, most = ctypes.c_double(), ctypes.c_double()
    own = context()
    own.check(lib.dorm_measure_range(own.pointer, text(measure), ctypes.addressof(least), ctypes.addressof(most)))
    sign = -1 if first.lower_is_better else 1
    low, high = sorted((sign * least.value, sign * most.value))
    bound, difference = lower_bound(sign * first.per_query, low, high, confidence), None
    if against is not None:
        second = _measure(held, held.scores(against, "against"), measure)
        difference = lower_bound(sign * (first.per_query - second.per_query), low - high, high - low, confidence)
    result = _structs.dorm_depth()
    own.check(
        lib.dorm_find_depth(
            own.pointer, held.pointer, _arrays.pointer(ordered), float(share), float(confidence), ctypes.addressof(result)
        )
    )
    return Certified(bound, difference, Depth(*(getattr(result, name) for name in Depth._fields)))


def lambdas(scores: Any, y: Any, qid: Any = None, spec: str = "dorm", *, group: Any = None,
            threads: int = 0) -> Gradients:
    """How each document's score should move: Gradients(lambdas, curvature, cost), where lambdas > 0 means up. spec is
    a λ-function as of `dorm lambdas`, such as "dorm" or "ranknet-weight-pairs of ndcg@10". For XGBoost the gradient is
    -lambdas and the Hessian the curvature. y may be a Dataset, which saves time where there are many calls."""
    held = Held(y, qid, group)
    ordered = held.scores(scores)
    result = _structs.dorm_lambda_summary()
    moves = np.empty(held.num_docs)
    curvature = np.empty(held.num_docs)
    own = context()
    own.check(
        lib.dorm_lambdas(
            own.pointer,
            text(spec),
            held.pointer,
            _arrays.pointer(ordered),
            threads_of(threads),
            _arrays.pointer(moves),
            _arrays.pointer(curvature),
            ctypes.addressof(result),
        )
    )
    return Gradients(held.queries.put_back(moves), held.queries.put_back(curvature), result.cost)


def check_ranker(ranker):
    if isinstance(ranker, type) or not all(
        callable(getattr(type(ranker), name, None)) for name in ("get_params", "fit", "predict")
    ):
        raise TypeError(f"ranker is a {type(ranker).__name__}: it has to be a dorm.Ranker")


def take_rows(X, chosen):
    """Some rows of what _arrays.Rows takes."""
    if _arrays.is_frame(X):
        return X.iloc[chosen]
    if not hasattr(type(X), "__getitem__"):
        raise TypeError(f"rows cannot be chosen of a {type(X).__name__}: give a sparse matrix of scipy")
    return X[chosen] if isinstance(X, np.ndarray) or getattr(X, "format", "csr") == "csr" else X.tocsr()[chosen]


def cross_validate(ranker: Any, X: Any, y: Any, qid: Any = None, *, group: Any = None, folds: int = 5,
                   measures: str | list[str] = "ndcg@10", seed: int = 1, query_weight: Any = None) -> CrossValidation:
    """Cross-validation by whole queries: trains a copy of the ranker on all folds but one, scores that one, and
    measures the scores of all documents together, so that standard errors count queries. Returns
    CrossValidation(evaluations, scores, rankers, fold_of_query); `evaluations` is what evaluate returns for
    `measures`. query_weight has a weight for each query, in the order in which they first appear."""
    check_ranker(ranker)
    folds, seed = whole(folds, "folds", 2), whole(seed, "seed", 0, 2**32 - 1)
    if isinstance(X, Dataset):
        raise TypeError("cross_validate takes X and y as arrays: give dataset.X, dataset.y, qid=dataset.qid")
    rows = _arrays.Rows(X, ranker.qid_column)
    queries = _arrays.queries_of(
        rows.num_docs,
        rows.qid if qid is None and group is None else qid,
        group,
        "qid is missing: which documents belong to which query?",
    )
    labels = _arrays.labels_of(y, rows.num_docs)
    if not 2 <= folds <= len(queries):
        raise ValueError(f"folds is {folds}: it has to be from 2 to the number of queries, {len(queries)}")
    weights = _arrays.query_weights_of(query_weight, queries)
    query_of = queries.put_back(queries.spread(np.arange(len(queries))))
    fold_of_query = np.empty(len(queries), dtype=np.intp)
    fold_of_query[np.random.RandomState(seed).permutation(len(queries))] = np.arange(len(queries)) % folds
    scores = np.empty(rows.num_docs)
    rankers = []
    for fold in range(folds):
        inside = fold_of_query[query_of] == fold
        kept, held_out = np.flatnonzero(~inside), np.flatnonzero(inside)
        one = type(ranker)(**ranker.get_params())
        own = {} if weights is None else {"query_weight": weights[fold_of_query != fold]}
        one.fit(take_rows(X, kept), labels[kept], qid=query_of[kept], **own)
        scores[held_out] = one.predict(take_rows(X, held_out), qid=query_of[held_out])
        rankers.append(one)
    asked: Any = measures
    evaluations = evaluate(labels, scores, qid=query_of, measures=asked, query_weight=weights)
    return CrossValidation(evaluations, scores, rankers, fold_of_query)
