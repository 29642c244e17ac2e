"""Data sets in the memory of the library: read from LETOR files, or made of arrays."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from . import _arrays, _structs
from ._library import DataError, Handle, context, decode, lib, make, short, text, threads_of

_STORAGES = {"auto": 0, "dense": 1, "sparse": 2, "file": 3}


def _storage(word, of_arrays=True):
    if of_arrays and word == "file":
        raise ValueError("storage is 'file', which is for text and caches: use read_letor")
    if not isinstance(word, str) or word not in _STORAGES:
        raise ValueError(f"storage is {short(word)}: it has to be auto, dense, sparse or file")
    return _STORAGES[word]


def _borrow(owner, address, kind, count):
    """A read-only array over memory of `owner`, which stays alive as long as the array."""
    if count == 0:
        return np.empty(0, dtype=kind)
    memory = (ctypes.c_char * (count * np.dtype(kind).itemsize)).from_address(address)
    memory.owner = owner
    array = np.frombuffer(memory, dtype=kind)
    array.flags.writeable = False
    return array


class Dataset(Handle):
    """Queries with documents, their features and labels.

    `Dataset(X, y, qid=...)` copies arrays; `read_letor(path)` reads a file. Ranker.fit, Ranker.predict, evaluate,
    lambdas and others take a Dataset in the place of X and y. `feature_ids`, `feature_names` and `doc_ids` may be given;
    without y all labels are 0. storage is auto (by size and density), dense or sparse, whatever X is. query_weight has a weight for
    each query, in the order in which they first appear, sample_weight one for each document, or for each query; one
    that is the same for all documents of each query is of the queries.
    """

    _free = "dorm_dataset_free"

    def __init__(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, qid_column: Any = None,
                 feature_ids: Any = None, doc_ids: Any = None, storage: str = "auto", sample_weight: Any = None,
                 query_weight: Any = None, feature_names: Any = None, _known: Any = None, _coded: Any = (),
                 _what: str = "X") -> None:
        rows = _arrays.Rows(X, qid_column, _what, _known, _coded)
        queries = _arrays.queries_of(rows.num_docs, rows.qid if qid is None and group is None else qid, group)
        labels = None if y is None else queries.arrange(_arrays.labels_of(y, rows.num_docs, "y" if _what == "X" else f"y of {_what}"))
        rows.arrange(queries)
        if feature_ids is not None:
            feature_ids = _arrays.feature_ids_of(feature_ids, rows.num_features)
        if doc_ids is not None:
            if _arrays.is_series(doc_ids):
                doc_ids = doc_ids.to_numpy()
            if not isinstance(doc_ids, (list, tuple, range, np.ndarray)) or np.ndim(doc_ids) != 1:
                raise TypeError("doc_ids has to be a list of texts or numbers, one for each document")
            doc_ids = [_arrays.id_text(value) for value in doc_ids]
            if len(doc_ids) != rows.num_docs:
                raise ValueError(f"doc_ids has {len(doc_ids)} entries, but there are {rows.num_docs} documents")
            doc_ids = queries.arrange(np.asarray(doc_ids, dtype=object))
        weights = _arrays.weights_of(sample_weight, query_weight, queries, rows.num_docs)
        arrays = _arrays.Arrays(rows.num_docs, queries, rows, labels, feature_ids, True, doc_ids, weights)
        arrays.struct.storage = _storage(storage)
        try:
            super().__init__(make(lib.dorm_dataset_new, arrays.address))
        except DataError as error:
            raise rows.in_words_of_the_caller(error) from None
        self.feature_names = rows.names if feature_names is None else _names_of(feature_names, rows.num_features)
        self._order, self._coded = queries.order, rows.coded
        self._look()

    @classmethod
    def _of_pointer(cls, pointer):
        dataset = cls.__new__(cls)
        Handle.__init__(dataset, pointer)
        names = decode(lib.dorm_dataset_columns(pointer))
        dataset.feature_names = np.array(names.split(","), dtype=object) if names else None
        dataset._order, dataset._coded = None, []
        dataset._look()
        return dataset

    def _look(self):
        self._arrays = _structs.dorm_arrays(struct_size=ctypes.sizeof(_structs.dorm_arrays))
        own = context()
        own.check(lib.dorm_dataset_arrays(own.pointer, self._pointer, ctypes.addressof(self._arrays)))

    def __len__(self) -> int:
        return self.num_docs

    def __repr__(self) -> str:
        return f"<dorm.Dataset: {self.num_queries} queries, {self.num_docs} documents, {self.num_features} features>"

    def _repr_html_(self) -> str:
        labels, counts = np.unique(self.y, return_counts=True)
        shown = ", ".join(f"{label:g}: {count}" for label, count in list(zip(labels, counts))[:8])
        return (
            f"<table><tr><th>queries</th><th>documents</th><th>features</th><th>labels</th></tr><tr><td>{self.num_queries}"
            f"</td><td>{self.num_docs}</td><td>{self.num_features}</td><td>{shown}</td></tr></table>"
        )

    def __reduce__(self):
        return _restored, (
            self.X, self.y, self.query_start, self.query_ids, self.doc_ids, self.feature_ids, self.feature_names,
            self.query_weights, self.doc_weights, self._order,
        )

    @property
    def num_docs(self) -> int:
        return self._arrays.num_docs

    @property
    def num_queries(self) -> int:
        return self._arrays.num_queries

    @property
    def num_features(self) -> int:
        return self._arrays.num_features

    @property
    def shape(self) -> tuple[int, int]:
        return self.num_docs, self.num_features

    @property
    def query_start(self) -> Any:
        """[num_queries + 1]: query q has the documents query_start[q] .. query_start[q + 1] - 1. Borrowed,
        read-only."""
        return _borrow(self, self._arrays.query_start, np.uintp, self.num_queries + 1)

    @property
    def feature_ids(self) -> Any:
        return _borrow(self, self._arrays.feature_ids, np.uintp, self.num_features)

    @property
    def y(self) -> Any:
        """The labels, borrowed, read-only."""
        return _borrow(self, self._arrays.labels, np.float64, self.num_docs)

    @property
    def query_weights(self) -> Any:
        """[num_queries] the weights of the queries, borrowed, read-only; None where there are none."""
        address = self._arrays.query_weights
        return _borrow(self, address, np.float64, self.num_queries) if address else None

    @property
    def doc_weights(self) -> Any:
        """[num_docs] the weights of the documents, in the order of the data set, borrowed, read-only; None where there
        are none."""
        address = self._arrays.doc_weights
        return _borrow(self, address, np.float64, self.num_docs) if address else None

    @property
    def X(self) -> Any:
        """The features as float32: a read-only view of the library's array; for sparse rows a CSR matrix of scipy."""
        if not self._arrays.row_start:
            return _borrow(self, self._arrays.floats, np.float32, self.num_docs * self.num_features).reshape(self.shape)
        start = _borrow(self, self._arrays.row_start, np.uintp, self.num_docs + 1)
        count = int(start[-1])
        values = _borrow(self, self._arrays.floats, np.float32, count)
        columns = _borrow(self, self._arrays.indices, np.uint32, count)
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise ImportError(
                "these rows are sparse: install scipy to see them as a CSR matrix, or read them with storage='dense'"
            ) from None
        return csr_matrix((values, columns.astype(np.int32), start.astype(np.int64)), shape=self.shape)

    @property
    def query_ids(self) -> Any:
        ids = [decode(lib.dorm_dataset_query_id(self._pointer, q)) for q in range(self.num_queries)]
        return np.array(ids, dtype=object)

    @property
    def doc_ids(self) -> Any:
        return np.array([decode(lib.dorm_dataset_doc_id(self._pointer, j)) for j in range(self.num_docs)], dtype=object)

    @property
    def qid(self) -> Any:
        """The query of each document: numbers where all ids are whole numbers, otherwise texts."""
        ids = self.query_ids
        if all(one.isdecimal() and len(one) < 18 for one in ids):
            ids = ids.astype(np.int64)
        return np.repeat(ids, self.group)

    @property
    def group(self) -> Any:
        """The number of documents of each query."""
        return np.diff(self.query_start.astype(np.int64))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes LETOR text, and the weights to PATH.weight."""
        own = context()
        own.check(lib.dorm_dataset_write(own.pointer, self._pointer, text(path)))

    def set_groups(self, groups: Any) -> None:
        """Gives the documents their groups, in the order of the caller: a group for each (a number or a text), or a list of
        groups. Training with diversity_groups="given" and measures such as redundancy@10 then know them."""
        start, entries = _entries(groups, self.num_docs, "groups")
        order = self._queries().arrange(np.arange(self.num_docs))
        own = context()
        numbers = np.concatenate([entries[start[j]:start[j + 1]] for j in order]).astype(np.uint32)
        start = np.concatenate(([0], np.cumsum(np.diff(start)[order]))).astype(np.uintp)
        own.check(
            lib.dorm_dataset_set_groups(own.pointer, self._pointer, _arrays.pointer(start), _arrays.pointer(numbers), None)
        )

    def read_subtopics(self, path: str | os.PathLike[str]) -> None:
        """Reads subtopics of the documents, lines `query subtopic document judgement`, for alpha_ndcg and others."""
        own = context()
        own.check(lib.dorm_dataset_read_subtopics(own.pointer, self._pointer, text(path)))

    def _queries(self):
        return _arrays.Queries(self.query_start, self._order)

    def _scores(self, scores, name="scores"):
        """Scores in the order of the data set, from those in the order of what it was made of."""
        return self._queries().arrange(_arrays.numbers(scores, self.num_docs, name))


def _listed(values, name):
    """A list of values; what is none is refused."""
    if _arrays.is_series(values):
        values = values.to_numpy()
    if not isinstance(values, (list, tuple)) and not (isinstance(values, np.ndarray) and values.ndim == 1):
        raise TypeError(f"{name} is a {type(values).__name__}: it has to be a list")
    return list(values)


def _entries(values, count, name):
    """(start [count + 1], numbers) of one id for each document, or a list of ids."""
    values = _listed(values, name)
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} entries: it has to hold an entry for each of the {count} documents")
    lists = [list(one) if isinstance(one, (list, tuple, set)) else [one] for one in values]
    ids: dict[Any, int] = {}
    numbers = np.array([ids.setdefault(_arrays.id_text(one), len(ids)) for own in lists for one in own], dtype=np.int64)
    return np.concatenate(([0], np.cumsum([len(own) for own in lists]))).astype(np.int64), numbers


def _names_of(names, count):
    names = np.asarray([str(name) for name in _listed(names, "feature_names")], dtype=object)
    if len(names) != count:
        raise ValueError(f"feature_names has {len(names)} names, but there are {count} features")
    return names


def _restored(X, y, start, query_ids, doc_ids, feature_ids, names, query_weights, doc_weights, order):
    """A Dataset of what a pickle keeps."""
    group = np.diff(start.astype(np.int64))
    dataset = Dataset(X, y, qid=np.repeat(query_ids, group), feature_ids=feature_ids.astype(np.int64), feature_names=names,
                      doc_ids=doc_ids if any(doc_ids) else None, storage="sparse" if hasattr(X, "indptr") else "dense")
    own = context()
    weights = [None if one is None else np.ascontiguousarray(one) for one in (query_weights, doc_weights)]
    if any(one is not None for one in weights):
        addresses = [None if one is None else _arrays.pointer(one) for one in weights]
        own.check(lib.dorm_dataset_set_weights(own.pointer, dataset._pointer, *addresses))
        dataset._look()
    dataset._order = order
    return dataset


def read_letor(path: str | os.PathLike[str], *, sort_queries: bool = False, labels_optional: bool = False,
               storage: str = "auto", threads: int = 0, use_cache: bool = False, use_weights: bool = True,
               folder: str | None = None) -> Dataset:
    """Reads LETOR / SVMlight text, plain or gzip: lines `label qid:Q id:value ...`; or CSV or TSV with a header.

    Without sort_queries the lines of a query have to stand next to each other. With labels_optional a line may lack its
    label, which is then 0. storage is auto, dense, sparse or file (a matrix in a file in
    `folder`, or else in /var/tmp, for data larger than memory); use_cache keeps PATH.dorm-cache beside the text; without
    use_weights the weights of queries or documents in PATH.weight are not read.
    """
    options = _structs.dorm_read_options(
        num_threads=threads_of(threads),
        storage=_storage(storage, of_arrays=False),
        use_cache=bool(use_cache),
        sort_queries=bool(sort_queries),
        labels_optional=bool(labels_optional),
        ignore_weights=not use_weights,
        folder=None if folder is None else text(folder),
    )
    return Dataset._of_pointer(make(lib.dorm_dataset_read_with, text(path), ctypes.addressof(options)))


class Held:
    """A data set for a call that measures: of y and its queries, or a Dataset as it is. `arrange` and `put_back` go
    between the order of the caller and that of the data set."""

    def __init__(self, y, qid=None, group=None, query_weight=None):
        if isinstance(y, Dataset):
            if qid is not None or group is not None or query_weight is not None:
                raise TypeError("a Dataset has its queries and weights: leave qid, group and query_weight out")
            self.dataset = y
            self.queries = y._queries()
        else:
            if not isinstance(y, (list, tuple, range, np.ndarray)) and not hasattr(y, "to_numpy"):
                raise ValueError(f"y has no labels: it is a {type(y).__name__}, not an array or a Dataset")
            y = np.asarray(y)
            num_docs = y.shape[0] if y.ndim else 0
            if num_docs == 0:
                raise ValueError("y has no labels")
            need = "qid is missing: which documents belong to which query?"
            self.queries = _arrays.queries_of(num_docs, qid, group, need)
            labels = self.queries.arrange(_arrays.labels_of(y, num_docs))
            weights = (_arrays.query_weights_of(query_weight, self.queries), None)
            arrays = _arrays.Arrays(num_docs, self.queries, None, labels, None, True, None, weights)
            self.dataset = Dataset._of_pointer(make(lib.dorm_dataset_new, arrays.address))
        self.pointer = self.dataset._pointer
        self.num_docs = self.dataset.num_docs
        self.num_queries = self.dataset.num_queries

    def scores(self, scores, name="scores"):
        return self.queries.arrange(_arrays.numbers(scores, self.num_docs, name))
