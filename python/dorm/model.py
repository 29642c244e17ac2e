"""Models: read, written, pickled, and asked for scores."""

from __future__ import annotations

import ctypes
import html
import json
import os
from typing import Any

import numpy as np

from . import _arrays
from ._library import DataError, Handle, context, decode, lib, make, one_blas_thread, text, threads_of
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

    def __repr__(self) -> str:
        parts = "; ".join(f"{kind}: {words}" for kind, _, words in self.parts)
        return f"<dorm.Model: {parts if len(parts) < 200 else parts[:200] + '...'}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{kind}</td><td>{weight:.4g}</td><td>{html.escape(words)}</td></tr>" for kind, weight, words in self.parts
        )
        return f"<table><tr><th>part</th><th>weight</th><th>description</th></tr>{rows}</table>"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a model file. It opens no other file."""
        return cls(make(lib.dorm_model_read, text(path)))

    @classmethod
    def from_text(cls, model_text: str | bytes) -> Model:
        """From bytes or a text, as to_text gives it."""
        if not isinstance(model_text, (str, bytes, bytearray)):
            raise TypeError(f"the text of a model is bytes or a text, not a {type(model_text).__name__}")
        encoded = model_text.encode("utf-8", "surrogateescape") if isinstance(model_text, str) else bytes(model_text)
        return cls(make(lib.dorm_model_from_text, encoded, len(encoded)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the model's file, whole or not at all."""
        own = context()
        own.check(lib.dorm_model_write(own.pointer, self._pointer, text(path)))

    def to_text(self) -> bytes:
        """The bytes of the model's file."""
        size = ctypes.c_size_t()
        result = ctypes.c_void_p()
        own = context()
        own.check(
            lib.dorm_model_to_text(own.pointer, self._pointer, ctypes.addressof(result), ctypes.addressof(size))
        )
        try:
            return ctypes.string_at(result.value or 0, size.value)
        finally:
            lib.dorm_text_free(result.value)

    def __reduce__(self):
        return Model.from_text, (self.to_text(),)

    def export(self, to: str, path: str | os.PathLike[str], name: str = "dorm") -> None:
        """Writes the model for another program: `to` is elasticsearch, opensearch, solr, ranklib, xgboost, onnx, json, c or
        another format of `dorm export`. `name` is the name of the model there; features have the names of the frame. A
        model whose scores depend on the other documents of the query is refused: train with for_serving=True."""
        own = context()
        own.check(lib.dorm_model_export(own.pointer, self._pointer, text(to), text(name), None, text(path)))

    @property
    def feature_names(self) -> Any:
        """The names of the columns that the model was trained on, as its file keeps them; None where there are none."""
        names = self.setting("data.columns")
        return np.array(names.split(","), dtype=object) if names else None

    def use_module(self, path: str | os.PathLike[str]) -> None:
        """Gives a model that was read the Gram matrix or the kernel module that it needs; reading opens no other file."""
        own = context()
        own.check(lib.dorm_model_use_module(own.pointer, self._pointer, text(path)))

    def describe(self) -> dict[str, Any]:
        """The parts of the model, its settings and the remarks on its training, as a dictionary."""
        address: Any = make(lib.dorm_model_describe, self._pointer)
        try:
            return dict(json.loads(ctypes.string_at(address).decode("utf-8")))
        finally:
            lib.dorm_text_free(address)

    def setting(self, key: str) -> str | None:
        """A setting that made the model, such as "solver.C", as text; None for an unknown key."""
        return decode(lib.dorm_model_setting(self._pointer, text(key)))

    def _is_given(self, key):
        """Whether the program set this setting for the training."""
        return bool(lib.dorm_model_setting_is_given(self._pointer, text(key)))

    def _usable(self, keys):
        """{key: text} of settings; those of a file that name files have their defaults."""
        settings = make(lib.dorm_model_settings, self._pointer)
        try:
            return {key: decode(lib.dorm_settings_get(settings, text(key))) for key in keys}
        finally:
            lib.dorm_settings_free(settings)

    @property
    def parts(self) -> list[tuple[str, float, str]]:
        """(kind, weight, description) of each part of the sum."""
        kind, weight = ctypes.c_char_p(), ctypes.c_double()
        parts: list[tuple[str, float, str]] = []
        while True:
            words = lib.dorm_model_part(
                self._pointer, len(parts), ctypes.addressof(kind), ctypes.addressof(weight)
            )
            if words is None:
                return parts
            parts.append((decode(kind.value), weight.value, decode(words)))

    def weights(self) -> tuple[Any, Any, Any]:
        """(feature ids, weights of their values, weights of their ranks) of the linear part."""
        feature, value, rank = ctypes.c_size_t(), ctypes.c_double(), ctypes.c_double()
        places = [ctypes.addressof(feature), ctypes.addressof(value), ctypes.addressof(rank)]
        rows: list[tuple[int, float, float]] = []
        while lib.dorm_model_weight(self._pointer, len(rows), *places):
            rows.append((feature.value, value.value, rank.value))
        table = np.array(rows, dtype=np.float64).reshape(len(rows), 3)
        return table[:, 0].astype(np.int64), table[:, 1], table[:, 2]

    def score(self, X: Any, *, qid: Any = None, group: Any = None, qid_column: Any = None, feature_ids: Any = None,
              threads: int = 0) -> Any:
        """One score for each document; higher is better. X is an array, a sparse matrix, a frame or a Dataset; its
        features have the ids 1, 2, 3, ... unless feature_ids or the Dataset says otherwise. A model whose scores
        depend on the other documents of the query needs qid or group; qid=0 says that all documents are of one
        query."""
        if isinstance(X, Dataset):
            if qid is not None or group is not None:
                raise TypeError("a Dataset has its queries: leave qid and group out")
            scores = np.empty(X.num_docs)
            self._run(lib.dorm_model_score, X._pointer, threads, scores)
            return X._queries().put_back(scores)
        rows = _arrays.Rows(X, qid_column, known=self.feature_names)
        if feature_ids is not None:
            feature_ids = _arrays.feature_ids_of(feature_ids, rows.num_features)
        return self._score_rows(rows, qid, group, feature_ids, threads)

    def _score_rows(self, rows, qid=None, group=None, feature_ids=None, threads=0):
        need = None
        if self.needs_query:
            need = (
                "qid is missing: the scores of this model depend on the other documents of the query (qid=0 says that "
                "all rows are of one query; with the normalisation of for_serving=True a model needs none)"
            )
        queries = _arrays.queries_of(rows.num_docs, rows.qid if qid is None and group is None else qid, group, need)
        rows.arrange(queries)
        arrays = _arrays.Arrays(rows.num_docs, queries, rows, None, feature_ids)
        scores = np.empty(rows.num_docs)
        threads = threads_of(threads)
        if not threads and rows.num_docs < _FEW:
            threads = 1
        try:
            self._run(lib.dorm_model_score_rows, arrays.address, threads, scores)
        except DataError as error:
            raise rows.in_words_of_the_caller(error) from None
        return queries.put_back(scores)

    def _run(self, function, data, threads, scores):
        own, threads = context(), threads_of(threads)
        if self._is_linear:
            status = function(own.pointer, self._pointer, data, threads, _arrays.pointer(scores))
        else:
            with one_blas_thread:
                status = function(own.pointer, self._pointer, data, threads, _arrays.pointer(scores))
        own.check(status)
