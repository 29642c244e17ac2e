"""Why a document stands where it stands, and which features matter."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._library import context, lib
from .dataset import Dataset
from .model import Model, model_of

def _dataset(ranker, X, qid, group):
    """The data set of X with the features of the model."""
    if isinstance(X, Dataset):
        if qid is not None or group is not None:
            raise TypeError("a Dataset has its queries: leave qid and group out")
        return X
    is_model, model = isinstance(ranker, Model), model_of(ranker)
    column = None if is_model else ranker.qid_column
    known = model.feature_names if is_model else getattr(ranker, "feature_names_in_", None)
    rows = _arrays.Rows(X, column, known=known)
    if qid is None and group is None and rows.qid is None:
        if model.needs_query:
            raise TypeError(
                "qid is missing: contributions are relative to the other documents of the query (qid=0 says that all rows "
                "are of one query)"
            )
        qid = 0
    if not is_model:
        ranker._check_features(rows)
    feature_ids = None if is_model else ranker.feature_ids_
    return Dataset(X, qid=qid, group=group, qid_column=column, feature_ids=feature_ids, _known=known)


def explain(ranker: Any, X: Any, qid: Any = None, *, group: Any = None, with_mean: bool = False) -> Any:
    """What each feature adds to the score of each document, against the other documents of its query: an array
    [documents][features]. The entries of a row add up to the document's score minus the mean score of its query; with
    with_mean=True the result is (that array, the mean score of each document's query), which together add up to the
    scores. If neither model nor caller names a query, all rows are one.

    For the linear part of a model that is w_f (x_f - its mean within the query) with x_f normalised as the model does
    it, and the same for the rank of the feature where the model has a rank block. For boosted trees it is the Shapley
    value of the feature (TreeSHAP), a feature outside of a coalition being that of the query's documents. `ranker` is a
    fitted Ranker or a Model, of linear parts and trees; kernels and nets have no such parts.
    """
    model = model_of(ranker)
    dataset = _dataset(ranker, X, qid, group)
    result = np.zeros(dataset.shape)
    own = context()
    own.check(lib.dorm_model_explain(own.pointer, model._pointer, dataset._pointer, _arrays.pointer(result)))
    queries = dataset._queries()
    if not with_mean:
        return queries.put_back(result)
    scores = np.empty(dataset.num_docs)
    model._run(lib.dorm_model_score, dataset._pointer, 1, scores)
    means = queries.spread(np.add.reduceat(scores, queries.first) / np.diff(queries.start))
    return queries.put_back(result), queries.put_back(means)


def importances(ranker: Any, X: Any, qid: Any = None, *, group: Any = None) -> Any:
    """How much each feature moves the scores of these documents: the mean absolute contribution (dorm.explain), as shares
    that add up to 1."""
    sizes = np.abs(explain(ranker, X, qid, group=group)).mean(axis=0)
    return sizes / sizes.sum() if sizes.sum() > 0 else sizes
