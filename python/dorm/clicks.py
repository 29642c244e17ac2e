"""Clicks on ranked documents: propensities of positions, gains to train on, and the worth of other rankings."""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _structs
from ._library import Handle, context, lib, make, short, text, whole
from .dataset import Dataset, Held

_PROPENSITIES = ("auto", "power", "file", "harvest", "em", "none", "affine")
_CURVES = ("auto", "power", "free")


class ClickEvaluation(NamedTuple):
    """The worth of a ranking to the users of a log, or with a baseline the difference of both. `ips` is a DCG whose gains
    are the chances of a click on a seen document, `snips` the same by the sum of the clicks' worths, `dr` the doubly
    robust estimate (NaN without set_model). Each has a standard error over queries and, unless clicks are sums, over
    impressions. `unshown` is the share of the weight at documents that the log never showed; with their clicks ips would
    be from `ips_least` to `ips_most`."""

    num_impressions: int
    num_queries: int
    num_clicks: int
    ips: float
    ips_error: float
    ips_error_impressions: float
    snips: float
    snips_error: float
    snips_error_impressions: float
    unshown: float
    ips_least: float
    ips_most: float
    dr: float
    dr_error: float
    dr_error_impressions: float


def _indices(values, name, count, least, most):
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise TypeError(f"{name} has to be a list of whole numbers")
    if array.shape != (count,):
        raise ValueError(f"{name} has {array.shape[0]} entries, but document has {count}")
    if count and (array.min() < least or array.max() > most):
        where = int(np.argmax((array < least) | (array > most)))
        raise ValueError(f"{name}[{where}] is {array[where]}: it has to be from {least} to {most}")
    return array.astype(np.int64)


def _word(word, words, name):
    if word not in words:
        raise ValueError(f"{name} is {short(word)}: it has to be one of {', '.join(words)}")
    return words.index(word)


class ClickLog(Handle):
    """A log of clicks on the documents of `data`, a Dataset or the query of each document.

    Each entry of `document` (rows of the data, from 0), `position` (from 1) and `click` (0 or 1) is a document of an
    impression, shown and clicked or not; the next impression begins if the query changes or the position does not
    increase. With `shown`, entries are sums: how often a document was shown at a position, `click` of these times with a
    click. Propensities are 1 / position until set_propensities. Scores and gains are in the order of the data.
    """

    _free = "dorm_clicks_free"

    def __init__(self, data: Any, document: Any, position: Any, click: Any, *, shown: Any = None) -> None:
        held = Held(data) if isinstance(data, Dataset) else Held(np.zeros(np.shape(data)), data)
        document = np.asarray(document)
        count = len(document) if document.ndim == 1 else 0
        document = _indices(document, "document", count, 0, held.num_docs - 1)
        columns = [_indices(position, "position", count, 1, 1_000_000)]
        if shown is not None:
            columns.append(_indices(shown, "shown", count, 1, 10**15))
        columns.append(_indices(click, "click", count, 0, 1 if shown is None else 10**15))
        self._held = held
        self._bare = Held(np.zeros(held.num_docs), group=np.diff(held.queries.start.astype(np.int64)))
        place = np.empty(held.num_docs, dtype=np.int64)
        place[held.queries.arrange(np.arange(held.num_docs))] = np.arange(held.num_docs)
        rows = place[document]
        queries = self._bare.dataset.query_ids[np.searchsorted(held.queries.start, rows, side="right") - 1]
        form = "%s D%d" + " %d" * len(columns)
        lines = map(form.__mod__, zip(queries, (rows + 1).tolist(), *(column.tolist() for column in columns)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "clicks")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
            super().__init__(make(lib.dorm_clicks_read, text(path), self._bare.pointer))

    def __repr__(self) -> str:
        return (f"<dorm.ClickLog: {lib.dorm_clicks_num_impressions(self._pointer)} impressions, "
                f"{lib.dorm_clicks_num_clicks(self._pointer)} clicks>")

    def set_propensities(self, propensity: str = "auto", *, eta: float = 1, path: str | os.PathLike[str] | None = None,
                         curve: str = "auto") -> ClickLog:
        """Estimates the propensities from the clicks (auto, harvest, em, affine), or takes 1 / position^eta (power), the
        lines of a file (file) or 1 (none); `em` needs a Dataset with features. Returns the log."""
        options = _structs.dorm_click_options(
            propensity=_word(propensity, _PROPENSITIES, "propensity"),
            eta=float(eta),
            path=None if path is None else text(path),
            curve=_word(curve, _CURVES, "curve"),
        )
        own = context()
        own.check(lib.dorm_clicks_set_propensities(own.pointer, self._pointer, self._held.pointer,
                                                   ctypes.addressof(options)))
        return self

    @property
    def propensities(self) -> Any:
        """The propensities of positions 1, 2 and so on."""
        count = lib.dorm_clicks_num_positions(self._pointer)
        return np.array([lib.dorm_clicks_propensity(self._pointer, k + 1) for k in range(count)])

    @property
    def eta(self) -> float:
        """The exponent of the power law, NaN if the propensities are none."""
        return lib.dorm_clicks_eta(self._pointer)

    @property
    def eta_error(self) -> float:
        """Its standard error, NaN if it was given."""
        return lib.dorm_clicks_eta_error(self._pointer)

    def set_model(self, scores: Any) -> ClickLog:
        """Makes gains and evaluations doubly robust by the scores of a model that was trained on other clicks. Call it
        after set_propensities. Returns the log."""
        ordered, own = self._held.scores(scores), context()
        own.check(lib.dorm_clicks_set_model(own.pointer, self._pointer, self._held.pointer, _arrays.pointer(ordered)))
        return self

    def gains(self) -> tuple[Any, Any]:
        """The gain of each document and the weight of each query (its impressions), for
        Ranker(loss="ndcg:gain=linear").fit(X, gains, qid=qid, query_weight=weights)."""
        target = Held(np.zeros(self._held.num_docs), group=np.diff(self._held.queries.start.astype(np.int64))).dataset
        own = context()
        own.check(lib.dorm_dataset_set_clicks(own.pointer, target._pointer, self._pointer))
        target._look()
        return self._held.queries.put_back(target.y.copy()), target.query_weights.copy()

    def evaluate(self, scores: Any, baseline: Any = None, *, top: int = 10) -> ClickEvaluation:
        """Estimates what the ranking by scores is worth, or how much more than by the scores `baseline`; with
        baseline="logged" than the rankings in the log. `top` positions count, 0: all."""
        found, own = _structs.dorm_click_evaluation(), context()
        given = [self._held.scores(scores)]
        is_logged = isinstance(baseline, str) and baseline == "logged"
        function = lib.dorm_clicks_compare_logged if is_logged else lib.dorm_clicks_evaluate
        if not is_logged:
            given.append(None if baseline is None else self._held.scores(baseline, "baseline"))
        addresses = [None if one is None else _arrays.pointer(one) for one in given]
        own.check(function(own.pointer, self._pointer, self._held.pointer, *addresses, whole(top, "top"),
                           ctypes.addressof(found)))
        return ClickEvaluation(*(getattr(found, name) for name in ClickEvaluation._fields))
