"""Beside training on arrays: groups and diversity, streams, local optima, TREC files, ratings, reports."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from typing import Any, Callable, NamedTuple

import numpy as np

from . import _arrays, _settings, _structs
from ._library import Handle, command, context, decode, error_of, lib, make, one_blas_thread, text, threads_of, whole
from ._training import _Watch
from .dataset import Dataset, Held
from .model import Model, model_of

Path = Any  # str | os.PathLike[str]


def _settings_of(keywords, **fixed):
    values = {_settings.key_of(name): value for name, value in keywords.items()}
    values.update({key.replace("_", ".", 1): value for key, value in fixed.items()})
    return _settings.Settings(values)


# ---- Groups --------------------------------------------------------------------------


def _grouped(scores, groups, qid, group, data=None):
    """The data set of documents in groups, and their scores in its order."""
    if np.ndim(scores) != 1 or len(scores) == 0:
        raise ValueError("scores has to be a list of numbers, one for each document")
    held = Held(np.zeros(len(scores)) if data is None else data, qid, group)
    ordered = held.scores(scores)
    if groups is not None:
        if data is not None:
            raise TypeError("data has its groups: leave groups out, and see Dataset.set_groups")
        held.dataset._order = held.queries.order  # groups come in the order of the caller
        held.dataset.set_groups(groups)
    return held, ordered


def diversify(scores: Any, groups: Any, *, qid: Any = None, group: Any = None, top: int = 10, capacity: float = 1) -> Any:
    """Scores whose ranking has at most `capacity` documents of a group among the first `top` positions of a query.
    `groups` has the group of each document (a number or a text), or a list of groups. A document that is moved back gets
    a score just below the document before it; the others keep theirs."""
    held, ordered = _grouped(scores, groups, qid, group)
    settings = _settings.Settings({"diversity.groups": "given", "diversity.top": top, "diversity.capacity": capacity})
    result = np.empty(held.num_docs)
    own = context()
    own.check(
        lib.dorm_diversify(
            own.pointer, settings.pointer, held.pointer, _arrays.pointer(ordered), _arrays.pointer(result)
        )
    )
    return held.queries.put_back(result)


class Apart(NamedTuple):
    """What rank_apart returns: scores to sort by; the `value` of their rankings, which none can raise above `bound`, as a
    mean over queries in units of the range of each query's scores; the largest gap of a query, and how many queries are
    proved to the gap that was asked for."""

    scores: Any
    value: float
    bound: float
    largest_gap: float
    num_proved: int

    def __repr__(self) -> str:
        return f"<value {self.value:.6g}, at most {self.bound:.6g}, {self.num_proved} queries proved>"


def rank_apart(scores: Any, interactions: str = "groups", *, groups: Any = None, data: Dataset | None = None,
               qid: Any = None, group: Any = None, threads: int = 0) -> Apart:
    """Ranks so that similar documents are apart near the top, as `dorm predict --interactions` does.
    "groups:strength=0.3" takes documents of one group as similar; "features" and "file:path=FILE" need `data`, the Dataset of the documents. `groups` is as in
    diversify; a Dataset has its own (Dataset.set_groups)."""
    if data is None and (groups is None or text(interactions).startswith((b"features", b"file"))):
        raise TypeError("rank_apart needs groups and interactions of groups, or data, the Dataset of the documents")
    held, ordered = _grouped(scores, groups, qid, group, data)
    found = _structs.dorm_interacting()
    result = np.empty(held.num_docs)
    own = context()
    own.check(lib.dorm_rank_interacting(own.pointer, text(interactions), held.pointer, _arrays.pointer(ordered),
                                        threads_of(threads), _arrays.pointer(result), ctypes.addressof(found)))
    return Apart._make([held.queries.put_back(result), *(getattr(found, name) for name in Apart._fields[1:])])


# ---- Streams -------------------------------------------------------------------------


class StreamReport(NamedTuple):
    """The progress of train_stream: each query is ranked and measured before the model learns from it."""

    num_queries: int
    num_lines: int
    num_trained: int
    num_features: int
    num_measured: int
    progressive: float
    progressive_error: float
    num_recent: int
    recent: float
    recent_error: float
    C: float
    seconds: float
    num_resumed: int


def train_stream(path: Path, model: Path, *, report: Callable[[StreamReport], Any] | None = None, **settings: Any) -> Model:
    """Trains on the queries of a LETOR file or pipe, one after the other, in memory that does not grow with their number.
    The model is written to the file `model` after every stream_every queries and at the end, and returned. `report` is
    called with a StreamReport each time. Settings are those of Ranker that a stream has, such as loss_name and solver_C."""
    asked = _settings_of(settings, data_train=os.fspath(path), output_model=os.fspath(model))
    lib.dorm_settings_obey_all(asked.pointer)
    result = ctypes.c_void_p()
    with _Watch(None) as watch, one_blas_thread:

        def hear(user, struct):
            try:
                if report is not None and watch.error is None:
                    report(StreamReport(*(getattr(struct.contents, name) for name in StreamReport._fields)))
            except BaseException as error:  # it is raised again after the call
                watch.error = error

        function = _structs.StreamFunction(hear)
        status = lib.dorm_train_stream(watch.context.pointer, asked.pointer, function, None, ctypes.addressof(result))
    made = Model(result.value) if result.value else None
    if watch.error is not None:
        raise watch.error
    watch.context.check(status)
    if watch.interrupted:
        raise KeyboardInterrupt
    assert made is not None
    return made


# ---- Local optima ----------------------------------------------------------------------


class ProbeRow(NamedTuple):
    """What moves of one length did to a measure: how many made it better, and bounds on their share."""

    step: float
    length: float
    num_better: int
    num_equal: int
    num_worse: int
    largest_gain: float
    least_share: float
    most_share: float


class Probe(NamedTuple):
    """A test of local optimality: the measure, its value at the weights, the number of directions that were better at some
    length, bounds on their share among all, and a row for each length."""

    measure: str
    value: float
    num_directions: int
    num_rising: int
    least_share: float
    most_share: float
    rows: list[ProbeRow]


def probe(ranker: Any, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, measure: str | None = None,
          directions: int = 0, seed: int = 1, threads: int = 0) -> Probe:
    """Is a model of linear parts, kernels or nets a local optimum of a measure on these data? Moves its weights along
    random directions and looks where the measure is better (Donmez, Svore and Burges 2009). 0 directions are the 459 that
    leave at most 1 % of all unnoticed with 99 % confidence."""
    model = model_of(ranker)
    ids = getattr(ranker, "feature_ids_", None)
    data = X if isinstance(X, Dataset) else Dataset(X, y, qid=qid, group=group, feature_ids=ids)
    options = _structs.dorm_probe_options(
        num_directions=whole(directions, "directions"), seed=whole(seed, "seed"), num_threads=threads_of(threads),
        skips_single=1,
    )
    asked = text(measure or model.setting("selection.measure"))
    found = ctypes.cast(
        make(lib.dorm_model_probe, model._pointer, data._pointer, asked, ctypes.addressof(options)),
        ctypes.POINTER(_structs.dorm_probe),
    )
    try:
        moves = found.contents.directions
        rows = [
            ProbeRow(*(getattr(moves.rows[i], name) for name in ProbeRow._fields)) for i in range(moves.num_rows)
        ]
        return Probe(decode(found.contents.measure), found.contents.value, moves.num_moves, moves.num_rising,
                     moves.least_share, moves.most_share, rows)
    finally:
        lib.dorm_probe_free(found)


# ---- TREC ------------------------------------------------------------------------------


def read_trec(qrels: Path, run: Path, *, all_queries: bool = False) -> tuple[Dataset, Any]:
    """A Dataset without features, and its scores, of TREC qrels and a run, for dorm.evaluate(dataset, scores)."""
    scores = ctypes.c_void_p()
    own, result = context(), ctypes.c_void_p()
    own.check(
        lib.dorm_trec_read(own.pointer, text(qrels), text(run), int(all_queries), ctypes.addressof(result),
                           ctypes.addressof(scores))
    )
    dataset = Dataset._of_pointer(result.value)
    try:
        values = (ctypes.c_double * dataset.num_docs).from_address(scores.value or 0)
        return dataset, np.array(values)
    finally:
        lib.dorm_scores_free(scores)


def write_trec(dataset: Dataset, scores: Any = None, *, run: Path | None = None, qrels: Path | None = None,
               tag: str = "dorm") -> None:
    """Writes scores as a TREC run, labels as qrels, or both."""
    own = context()
    if qrels is not None:
        own.check(lib.dorm_trec_qrels_write(own.pointer, text(qrels), dataset._pointer))
    if run is not None:
        ordered = dataset._scores(scores)
        own.check(
            lib.dorm_trec_run_write(own.pointer, text(run), dataset._pointer, _arrays.pointer(ordered), text(tag))
        )


# ---- Reports ---------------------------------------------------------------------------


def report(ranker: Any, *data: Any, path: Path = "report.html", against: Any = None, measure: str | None = None) -> None:
    """Writes one HTML file about a model, as the command `dorm report` does, which it runs: the value on each of `data`
    (Datasets with labels, or files) beside chance, the effects of the features, the queries with the lowest values, and
    wins and losses `against` another ranker."""
    with tempfile.TemporaryDirectory() as folder:
        words = [command(), "report", "model.dorm"]
        model_of(ranker).write(os.path.join(folder, "model.dorm"))
        for number, one in enumerate(data, 1):
            words.append(f"data_{number}.txt" if isinstance(one, Dataset) else os.path.abspath(os.fsdecode(text(one))))
            if isinstance(one, Dataset):
                one.write(os.path.join(folder, words[-1]))
        words += ["-o", os.path.abspath(os.fsdecode(text(path)))]
        if against is not None:
            model_of(against).write(os.path.join(folder, "against.dorm"))
            words += ["--against", "against.dorm"]
        if measure is not None:
            words += ["-m", os.fsdecode(text(measure))]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise error_of(done.returncode, done.stderr.strip().split("\n")[-1])


# ---- Ratings ---------------------------------------------------------------------------


class _Owned(Handle):
    def __init__(self, pointer, free):
        super().__init__(pointer)
        self._free = free


def rating_features(ratings: Path, held_out: Path, *, users: Path | None = None, items: Path | None = None,
                    **settings: Any) -> tuple[Dataset, Dataset]:
    """Data sets for rankers of items, a query for each user, from files of ratings (`user item rating`): one of the
    ratings and one of those that are held out. Features are the predictions of methods for ratings, such as biases and
    affinities, which for a training rating come from fits without it. `users` and `items` are files of attributes; the
    settings ratings.* are keywords, such as ratings_folds."""
    asked = _settings.Settings({f"ratings.{name[8:]}": value for name, value in settings.items()
                                if name.startswith("ratings_") or _settings.key_of(name)})
    places = (ctypes.c_void_p * 2)()
    own = context()
    own.check(
        lib.dorm_ratings_read(own.pointer, asked.pointer, text(ratings), text(held_out), ctypes.addressof(places),
                              ctypes.addressof(places) + ctypes.sizeof(ctypes.c_void_p))
    )
    known, other = (_Owned(one, "dorm_ratings_free") for one in places)
    sides = [
        None if path is None else _Owned(make(lib.dorm_attributes_read, text(path)), "dorm_attributes_free")
        for path in (users, items)
    ]
    pointers = [side._pointer if side else None for side in sides]
    with one_blas_thread:
        fitted = make(lib.dorm_rating_features_fit, asked.pointer, known._pointer, *pointers)
    features = _Owned(fitted, "dorm_rating_features_free")
    train = Dataset._of_pointer(make(lib.dorm_rating_features_training, features._pointer, None))
    test = Dataset._of_pointer(make(lib.dorm_rating_features_predict, features._pointer, other._pointer))
    del features  # before the ratings that it refers to
    return train, test
