"""Why a document stands where it stands."""

import numpy as np

from . import _arrays
from .model import Model


def explain(ranker, X, qid=None, *, group=None):
    """What each feature adds to the score of each document, within its query: an array [documents][features].

    For a linear model that is w_f (x_f - its mean within the query) with x_f normalised as the model does it, and the
    same for the rank of the feature where the model has a rank block. The entries of a row add up to the document's
    score minus the mean score of its query, whatever the normalisation. `ranker` is a fitted Ranker or a Model. Cost:
    each feature is scored by itself, in all O(documents * features).
    """
    is_model = isinstance(ranker, Model)
    model = ranker if is_model else ranker._model()
    others = sorted({kind for kind, _, _ in model.parts if kind != "linear"})
    if others:
        raise ValueError(f"only linear models are explained; this one has parts of the kind {', '.join(others)}")
    rows = _arrays.Rows(X, None if is_model else ranker.qid_column)
    if is_model:
        feature_ids = np.arange(1, rows.num_features + 1)
    else:
        ranker._check_features(rows)
        feature_ids = ranker.feature_ids_
    queries = _arrays.queries_of(
        rows.num_docs,
        rows.qid if qid is None and group is None else qid,
        group,
        "qid is missing: contributions are relative to the other documents of the query (qid=0 says that all rows are "
        "of one query)",
    )
    if rows.dense is None:
        raise TypeError("explain takes dense rows: give X.toarray() for some documents")
    rows.arrange(queries)
    start = queries.start.astype(np.intp)
    sizes = np.diff(start)
    result = np.empty((rows.num_docs, rows.num_features))
    known = set(model.weights()[0].tolist())
    for f in range(rows.num_features):
        if int(feature_ids[f]) not in known:
            result[:, f] = 0
            continue
        # A feature that is absent is 0 in all documents: it adds the same to each of them, which the mean takes away.
        alone = _arrays.Rows(rows.dense[:, f : f + 1])
        added = model._score_rows(alone, group=sizes, feature_ids=feature_ids[f : f + 1])
        result[:, f] = added - np.repeat(np.add.reduceat(added, start[:-1]) / sizes, sizes)
    return queries.put_back(result)
