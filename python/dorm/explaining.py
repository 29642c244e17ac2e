"""Why a document stands where it stands."""

import numpy as np

from . import _arrays
from ._library import context, lib
from .dataset import Dataset
from .model import Model, model_of

_NEED = (
    "qid is missing: contributions are relative to the other documents of the query (qid=0 says that all rows are of "
    "one query)"
)


def _dataset(ranker, X, qid, group):
    """The data set of X with the features of the model."""
    if isinstance(X, Dataset):
        if qid is not None or group is not None:
            raise TypeError("a Dataset has its queries: leave qid and group out")
        return X
    is_model = isinstance(ranker, Model)
    column = None if is_model else ranker.qid_column
    rows = _arrays.Rows(X, column)
    if qid is None and group is None and rows.qid is None:
        raise TypeError(_NEED)
    if not is_model:
        ranker._check_features(rows)
    feature_ids = None if is_model else ranker.feature_ids_
    return Dataset(X, qid=qid, group=group, qid_column=column, feature_ids=feature_ids)


def explain(ranker, X, qid=None, *, group=None, with_mean=False):
    """What each feature adds to the score of each document, against the other documents of its query: an array
    [documents][features]. The entries of a row add up to the document's score minus the mean score of its query; with
    with_mean=True the result is (that array, the mean score of each document's query), which together add up to the
    scores.

    For the linear part of a model that is w_f (x_f - its mean within the query) with x_f normalised as the model does
    it, and the same for the rank of the feature where the model has a rank block. For boosted trees it is what the
    steps along the document's path add: each step from a split to a child adds the child's value minus the split's to
    the feature of the split, where the value of a node is the mean of the leaves of the documents of the query that
    pass it. `ranker` is a fitted Ranker or a Model, of linear parts and trees; kernels and nets have no such parts.
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
    start = queries.start.astype(np.intp)
    sizes = np.diff(start)
    means = np.repeat(np.add.reduceat(scores, start[:-1]) / sizes, sizes)
    return queries.put_back(result), queries.put_back(means)
