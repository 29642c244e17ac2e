"""Models: read, written, pickled, and asked for scores."""

import ctypes
import json

import numpy as np

from . import _arrays
from ._library import Handle, context, decode, lib, make, one_blas_thread, text, whole
from .dataset import Dataset

# Fewer documents than this are scored on one thread: to start others would take longer.
_FEW = 2000


def model_of(ranker):
    """The model of a fitted Ranker, or a Model itself."""
    if isinstance(ranker, Model):
        return ranker
    if not callable(getattr(type(ranker), "_model", None)):
        raise TypeError(f"ranker is a {type(ranker).__name__}: it has to be a fitted dorm.Ranker or a dorm.Model")
    return ranker._model()


class Model(Handle):
    """A scoring function. `Model.read(path)` reads a file; Ranker.fit makes one."""

    _free = "dorm_model_free"

    def __init__(self, pointer):
        super().__init__(pointer)
        self.needs_query = bool(lib.dorm_model_needs_query(pointer))
        self._is_linear = all(kind == "linear" for kind, _, _ in self.parts)

    @classmethod
    def read(cls, path):
        return cls(make(lib.dorm_model_read, text(path)))

    @classmethod
    def from_text(cls, model_text):
        """From bytes or a text, as to_text gives it."""
        if not isinstance(model_text, (str, bytes, bytearray)):
            raise TypeError(f"the text of a model is bytes or a text, not a {type(model_text).__name__}")
        encoded = model_text.encode("utf-8", "surrogateescape") if isinstance(model_text, str) else bytes(model_text)
        return cls(make(lib.dorm_model_from_text, encoded, len(encoded)))

    def write(self, path):
        own = context()
        own.check(lib.dorm_model_write(own.pointer, self._pointer, text(path)))

    def to_text(self):
        """The bytes of the model's file."""
        size = ctypes.c_size_t()
        result = ctypes.c_void_p()
        own = context()
        own.check(
            lib.dorm_model_to_text(own.pointer, self._pointer, ctypes.addressof(result), ctypes.addressof(size))
        )
        try:
            return ctypes.string_at(result.value, size.value)
        finally:
            lib.dorm_text_free(result.value)

    def __reduce__(self):
        return Model.from_text, (self.to_text(),)

    def use_module(self, path):
        """Gives a model that was read the Gram matrix or the kernel module that it needs; reading opens no other file."""
        own = context()
        own.check(lib.dorm_model_use_module(own.pointer, self._pointer, text(path)))

    def describe(self):
        """The parts of the model, its settings and the remarks on its training, as a dictionary."""
        address = make(lib.dorm_model_describe, self._pointer)
        try:
            return json.loads(ctypes.string_at(address).decode("utf-8"))
        finally:
            lib.dorm_text_free(address)

    def setting(self, key):
        """A setting that made the model, such as "solver.C", as text; None for an unknown key."""
        return decode(lib.dorm_model_setting(self._pointer, text(key)))

    def _usable(self, keys):
        """{key: text} of settings; those of a file that name files have their defaults."""
        settings = make(lib.dorm_model_settings, self._pointer)
        try:
            return {key: decode(lib.dorm_settings_get(settings, text(key))) for key in keys}
        finally:
            lib.dorm_settings_free(settings)

    @property
    def parts(self):
        """(kind, weight, description) of each part of the sum."""
        kind, weight = ctypes.c_char_p(), ctypes.c_double()
        parts = []
        while True:
            words = lib.dorm_model_part(
                self._pointer, len(parts), ctypes.addressof(kind), ctypes.addressof(weight)
            )
            if words is None:
                return parts
            parts.append((decode(kind.value), weight.value, decode(words)))

    def weights(self):
        """(feature ids, weights of their values, weights of their ranks) of the linear part."""
        feature, value, rank = ctypes.c_size_t(), ctypes.c_double(), ctypes.c_double()
        places = [ctypes.addressof(place) for place in (feature, value, rank)]
        rows = []
        while lib.dorm_model_weight(self._pointer, len(rows), *places):
            rows.append((feature.value, value.value, rank.value))
        table = np.array(rows, dtype=np.float64).reshape(len(rows), 3)
        return table[:, 0].astype(np.int64), table[:, 1], table[:, 2]

    def score(self, X, *, qid=None, group=None, qid_column=None, feature_ids=None, threads=0):
        """One score for each document; higher is better. X is an array, a sparse matrix, a frame or a Dataset; its
        features have the ids 1, 2, 3, ... unless feature_ids or the Dataset says otherwise. A model whose scores
        depend on the other documents of the query needs qid or group; qid=0 says that all documents are of one
        query."""
        threads = whole(threads, "threads")
        if isinstance(X, Dataset):
            if qid is not None or group is not None:
                raise TypeError("a Dataset has its queries: leave qid and group out")
            scores = np.empty(X.num_docs)
            self._run(lib.dorm_model_score, X._pointer, threads, scores)
            return X._queries().put_back(scores)
        rows = _arrays.Rows(X, qid_column)
        if feature_ids is not None:
            feature_ids = _arrays.feature_ids_of(feature_ids, rows.num_features)
        return self._score_rows(rows, qid, group, feature_ids, threads)

    def _score_rows(self, rows, qid=None, group=None, feature_ids=None, threads=0):
        need = None
        if self.needs_query:
            need = (
                "qid is missing: the scores of this model depend on the other documents of the query (qid=0 says that "
                "all rows are of one query)"
            )
        queries = _arrays.queries_of(rows.num_docs, rows.qid if qid is None and group is None else qid, group, need)
        rows.arrange(queries)
        arrays = _arrays.Arrays(rows.num_docs, queries, rows, None, feature_ids)
        scores = np.empty(rows.num_docs)
        if not threads and rows.num_docs < _FEW:
            threads = 1
        self._run(lib.dorm_model_score_rows, arrays.address, threads, scores)
        return queries.put_back(scores)

    def _run(self, function, data, threads, scores):
        own = context()
        if self._is_linear:
            status = function(own.pointer, self._pointer, data, threads, _arrays.pointer(scores))
        else:
            with one_blas_thread:
                status = function(own.pointer, self._pointer, data, threads, _arrays.pointer(scores))
        own.check(status)
