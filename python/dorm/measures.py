"""Measures of scores, tests of one ranker against another, cross-validation by query, and gradients on scores."""

import collections
import ctypes

import numpy as np

from . import _arrays, _structs
from ._library import context, decode, lib, short, text, whole
from .dataset import Dataset, Held

Evaluation = collections.namedtuple(
    "Evaluation", "mean standard_error num_queries num_empty lower_is_better conventions per_query is_weighted effective_queries"
)
Evaluation.__doc__ = """A measure: its mean over the queries that count, the standard error of that, and per_query, the
value of each query, NaN for one that is skipped. `conventions` is the measure with all its conventions. Where the queries
have weights (is_weighted), the mean is weighted, and effective_queries is the number of queries of equal weight that say
as much."""
Comparison = collections.namedtuple("Comparison", [name for name, _ in _structs.dorm_comparison._fields_[1:]])
Comparison.__doc__ = """Of two rankers: the means `first` and `second`, their difference with its standard error, and
two-sided p-values of Student's t test (t_test) and of random changes of signs (randomisation)."""
Gradients = collections.namedtuple("Gradients", "lambdas curvature cost")
CrossValidation = collections.namedtuple("CrossValidation", "evaluations scores rankers fold_of_query")


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


def evaluate(scores, y, qid=None, measures="ndcg@10", *, group=None, query_weight=None):
    """Measures scores: an Evaluation for one measure, a dictionary of them for a list. y are labels with their queries
    in qid or group, or a Dataset. Values per query, and query_weight, are in the order in which the queries first appear."""
    held = Held(y, qid, group, query_weight)
    ordered = held.scores(scores)
    if isinstance(measures, str):
        return _measure(held, ordered, measures)
    if not isinstance(measures, (list, tuple)):
        raise TypeError(f"measures is a text such as 'ndcg@10' or a list of them, not {short(measures)}")
    return {measure: _measure(held, ordered, measure) for measure in measures}


def compare(first, second, y, qid=None, measure="ndcg@10", *, group=None, num_rounds=10000, seed=1,
            query_weight=None):
    """Is one ranker better than the other? Compares scores of two rankers for the same documents; with query_weight
    the means and tests are weighted."""
    held = Held(y, qid, group, query_weight)
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


def lambdas(scores, y, qid=None, spec="dorm", *, group=None, threads=0):
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
            whole(threads, "threads"),
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


def cross_validate(ranker, X, y, qid=None, *, group=None, folds=5, measures="ndcg@10", seed=1,
                   query_weight=None):
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
    sizes = np.diff(queries.start.astype(np.intp))
    query_of = queries.put_back(np.repeat(np.arange(len(queries)), sizes))
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
    evaluations = evaluate(scores, labels, query_of, measures, query_weight=weights)
    return CrossValidation(evaluations, scores, rankers, fold_of_query)
