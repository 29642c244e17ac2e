"""From numpy arrays, compressed sparse rows and data frames to the struct dorm_arrays.

Whatever is wrong with shapes, types or lengths is found here and raised as an exception with a sentence. Arrays of
float32 and float64 are handed over where they stand, whatever their strides; so is a CSR matrix with sorted indices,
but for its row starts where these are 32 bits wide.
"""

from __future__ import annotations

import ctypes
import re
from ctypes import addressof

import numpy as np

from . import _categories, _structs
from ._library import short

_SIZE = np.dtype(np.uintp)
_SIGNED = np.dtype(np.intp)
_WHOLE = (int, np.integer)


def _kind_of(value):
    return type(value).__module__.split(".")[0] + "." + type(value).__name__


def is_frame(X):
    """Whether X looks like a data frame of pandas."""
    return hasattr(X, "columns") and hasattr(X, "iloc") and hasattr(X, "to_numpy")


def is_series(values):
    """Whether values look like a column of a data frame."""
    return hasattr(values, "to_numpy") and getattr(values, "ndim", 0) == 1


def row_of(values, where):
    """A row in a message: by its label where the caller's values have an index, as frames do, else by its number."""
    index = getattr(values, "index", None)
    if index is None or callable(index) or len(index) <= where:
        return f"document {where}"
    return f"row {index[where]!r} (number {where})"


def pointer(array):
    """The address of an array's first entry."""
    return array.__array_interface__["data"][0]


# ---- Queries ------------------------------------------------------------------------


class Queries:
    """The queries of some documents. `start` is [num_queries + 1]. `order` has the documents query by query, or is None
    if they are in this order already. `ids` has one id per query, or is None."""

    def __init__(self, start, order=None, ids=None):
        self.start = start
        self.order = order
        self.ids = ids

    def __len__(self):
        return len(self.start) - 1

    @property
    def first(self):
        """The first document of each query."""
        return self.start[:-1].astype(np.intp)

    def spread(self, values):
        """For each document the value of its query, in the order of the queries."""
        return np.repeat(values, np.diff(self.start.astype(np.intp)))

    def arrange(self, array):
        """An array of one entry per document, in the order of the queries."""
        return array if self.order is None else array[self.order]

    def put_back(self, array):
        """The reverse of `arrange`."""
        if self.order is None:
            return array
        result = np.empty_like(array)
        result[self.order] = array
        return result


def _one_query(num_docs, ids=None):
    return Queries(np.array([0, num_docs], dtype=_SIZE), ids=ids)


def queries_of_ids(qid, num_docs, name="qid"):
    """The queries of `qid` [num_docs]; the documents of a query may be apart. A scalar says that all are of one
    query."""
    if isinstance(qid, (int, str)) or np.ndim(qid) == 0:
        alone = np.asarray(qid)
        if alone.dtype.kind not in "biufUS":
            raise TypeError(f"{name} is a {type(qid).__name__}: ids of queries are numbers or texts")
        return _one_query(num_docs, alone.reshape(1))
    given, qid = qid, np.asarray(qid)
    if qid.ndim == 2 and qid.shape[1] == 1:
        qid = qid[:, 0]
    if qid.shape != (num_docs,):
        raise ValueError(f"{name} has the shape {qid.shape}, but there are {num_docs} documents: give one id for each")
    if qid.dtype.kind == "f" and np.isnan(qid).any():
        raise ValueError(f"{name} is NaN for {row_of(given, int(np.flatnonzero(np.isnan(qid))[0]))}")
    if qid.dtype.kind not in "biufUSO":
        raise TypeError(f"{name} has the type {qid.dtype}: ids of queries are numbers or texts")
    if num_docs == 0:
        raise ValueError("there are no documents")
    changes = np.flatnonzero(qid[1:] != qid[:-1]) + 1
    if len(changes) == 0:
        return _one_query(num_docs, qid[:1])
    start = np.concatenate(([0], changes, [num_docs])).astype(_SIZE)
    first = qid[start[:-1].astype(np.intp)]
    if first.dtype.kind in "iuf" and (first[1:] > first[:-1]).all():
        return Queries(start, ids=first)
    try:
        unique, place, inverse = np.unique(first, return_index=True, return_inverse=True)
    except TypeError:
        raise TypeError(f"{name} mixes ids that cannot be compared, such as numbers and texts") from None
    if len(unique) == len(first):
        return Queries(start, ids=first)
    # Some query has its documents in several runs: bring them together at its first document.
    turn = np.empty(len(unique), dtype=np.intp)
    turn[np.argsort(place, kind="stable")] = np.arange(len(unique))
    of_doc = np.repeat(turn[inverse], np.diff(start.astype(np.intp)))
    counts = np.bincount(of_doc, minlength=len(unique))
    return Queries(
        np.concatenate(([0], np.cumsum(counts))).astype(_SIZE), np.argsort(of_doc, kind="stable"), first[np.sort(place)]
    )


def queries_of_sizes(group, num_docs):
    """The queries of `group`, the numbers of documents of one query after the other, as XGBoost and LightGBM take
    them."""
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu":
        raise TypeError(
            "group has to be a list of whole numbers, the numbers of documents of one query after the other"
        )
    if len(sizes) == 0 or (sizes <= 0).any():
        raise ValueError("group has to hold numbers above 0, the numbers of documents of one query after the other")
    if sizes.sum() != num_docs:
        hint = "; it looks like one id for each document, which is qid" if len(sizes) == num_docs else ""
        raise ValueError(f"group adds up to {int(sizes.sum())}, but there are {num_docs} documents{hint}")
    return Queries(np.concatenate(([0], np.cumsum(sizes))).astype(_SIZE))


def queries_of(num_docs, qid=None, group=None, need=None):
    """The queries that one of qid and group gives. Without both: one query, or, with `need`, the sentence that it
    is."""
    if qid is not None and group is not None:
        raise TypeError("qid and group say the same in two ways: give one of them")
    if qid is not None:
        return queries_of_ids(qid, num_docs)
    if group is not None:
        return queries_of_sizes(group, num_docs)
    if need:
        raise TypeError(need)
    return _one_query(num_docs)


# ---- Labels and scores ----------------------------------------------------------------


def numbers(values, num_docs, name):
    """One finite double for each document."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has the type {array.dtype}: it has to hold numbers")
    if array.shape != (num_docs,):
        raise ValueError(f"{name} has the shape {array.shape}, but there are {num_docs} documents")
    array = np.ascontiguousarray(array, dtype=np.float64)
    bad = ~np.isfinite(array)
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name} is {array[where]} for {row_of(values, where)}: it has to be finite")
    return array


def labels_of(y, num_docs, name="y"):
    array = numbers(y, num_docs, name)
    if num_docs and array.min() < 0:
        where = int(np.argmin(array))
        raise ValueError(f"{name} is {array[where]:g} for {row_of(y, where)}: labels are 0 or more, and more is better")
    return array


def feature_ids_of(feature_ids, num_features):
    """The ids of features, checked; that they increase is for the library to check."""
    feature_ids = np.asarray(feature_ids)
    if feature_ids.shape != (num_features,) or feature_ids.dtype.kind not in "iu" or (feature_ids < 0).any():
        raise ValueError(f"feature_ids has to hold {num_features} whole numbers of 0 or more that increase")
    return feature_ids


def _weights(values, count, name, what):
    """`count` finite weights of 0 or more."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} has the type {array.dtype}: it has to hold numbers")
    if array.shape != (count,):
        raise ValueError(f"{name} has {array.size} weights, but there are {count} {what}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        where = int(bad[0])
        raise ValueError(f"{name} is {array[where]:g} at entry {where}: weights are finite and 0 or more")
    return array


def query_weights_of(query_weight, queries):
    """One weight for each query, in the order in which they first appear, or None."""
    return None if query_weight is None else _weights(query_weight, len(queries), "query_weight", "queries")


def weights_of(sample_weight, query_weight, queries, num_docs):
    """The weights of queries and of documents, both in the order of the data set, or None. sample_weight has one weight
    for each document or, as in XGBoost, for each query. If all documents of each query share it, and query_weight is
    not given, it weights the queries."""
    of_queries = query_weights_of(query_weight, queries)
    if sample_weight is None:
        return of_queries, None
    size = np.size(sample_weight)
    if query_weight is None and size == len(queries) != num_docs:
        return _weights(sample_weight, len(queries), "sample_weight", "queries"), None
    if size != num_docs:
        also = "" if query_weight is not None else f" and {len(queries)} queries"
        raise ValueError(f"sample_weight has {size} weights, but there are {num_docs} documents{also}")
    of_docs = queries.arrange(_weights(sample_weight, num_docs, "sample_weight", "documents"))
    first = of_docs[queries.first]
    if query_weight is None and (of_docs == queries.spread(first)).all():
        return np.ascontiguousarray(first), None
    return of_queries, np.ascontiguousarray(of_docs)


# ---- Rows ----------------------------------------------------------------------------


def _dense_rows(X, what):
    """A two-dimensional array of float32 or float64 whose strides are whole numbers of entries."""
    if isinstance(X, np.ma.MaskedArray):
        X = X.astype(np.float64).filled(np.nan)
    if X.ndim != 2:
        hint = f". Reshape your data: {what}.reshape(1, -1) is one document" if X.ndim == 1 else ""
        raise ValueError(f"{what} has the shape {X.shape}: it has to have two dimensions, documents and features{hint}")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has the type {X.dtype}")
    if X.dtype.kind == "O":
        raise TypeError(f"{what} has the type object: convert it to numbers first, as by {what}.astype(float)")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"{what} has the type {X.dtype}: features are numbers")
    if X.dtype not in (np.float32, np.float64) or not X.dtype.isnative:
        X = X.astype(np.float64)
    size = X.dtype.itemsize
    if not X.flags.aligned or X.strides[0] % size or X.strides[1] % size or (X.strides[0] == 0 and X.strides[1] == 0):
        X = np.array(X, order="C")
    return X


def _sparse_arrays(X):
    return tuple(np.asarray(getattr(X, name, None)) for name in ("data", "indices", "indptr"))


def _check_compressed(values, indices, start, num_rows, num_columns, fault):
    """Checks the arrays of `num_rows` compressed rows (of a CSC matrix: its columns) before anybody believes them."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{fault}: data has the type {values.dtype}, but features are numbers")
    if start.shape != (num_rows + 1,) or values.shape != indices.shape or values.ndim != 1:
        raise ValueError(f"{fault}: indptr, indices and data do not fit its shape")
    if start.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise TypeError(f"{fault}: indptr and indices have to be whole numbers")
    if int(start[0]) != 0 or int(start[-1]) > len(values) or (start[1:] < start[:-1]).any():
        raise ValueError(f"{fault}: indptr has to rise from 0 to at most {len(values)}")
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= num_columns):
        raise ValueError(f"{fault}: an index is not below the other side of its shape, {num_columns}")
    if max(num_rows, num_columns) > 1 << 32:
        raise ValueError(f"{fault}: a side of its shape is longer than 4294967296")


def _check_blocks(X, num_rows, num_columns, fault):
    """The same for a BSR matrix, whose data are blocks [entries][height][width]."""
    values, indices, start = _sparse_arrays(X)
    if values.ndim != 3 or 0 in values.shape[1:] or num_rows % values.shape[1] or num_columns % values.shape[2]:
        raise ValueError(f"{fault}: its blocks do not fit its shape")
    height, width = values.shape[1:]
    _check_compressed(values[:, 0, 0], indices, start, num_rows // height, num_columns // width, fault)


def _as_csr(X, what):
    """Another sparse matrix of scipy as CSR. scipy believes what its arrays say, so they are checked before."""
    try:
        if hasattr(X, "check_format"):
            X.check_format(full_check=True)
        elif hasattr(X, "_check"):
            X._check()
        return X.tocsr()
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"{what} is not a sound sparse matrix of scipy, which says: {error}") from None


class Rows:
    """Documents with their features: a dense array, or a CSR matrix as its three arrays. `names` are those of the
    columns of a frame, None otherwise; `qid` is the column of the queries that was taken out of X, None where there
    was none. `known` and `coded` are for columns of categories (_categories.py); `coded` then has the numbers of the
    columns of codes."""

    def __init__(self, X, qid_column=None, what="X", known=None, coded=()):
        self.given, self.what = X, what
        self.order = None
        self.names = None
        self.qid = None
        self.coded = []
        self.dense = None
        if isinstance(X, np.ndarray) and not isinstance(X, np.ma.MaskedArray):
            X = X.view(np.ndarray)  # no matrix, and no other subclass with a mind of its own
        if is_frame(X):
            X = self._open_frame(X, qid_column, what, known, coded)
        elif isinstance(X, np.ndarray) or _kind_of(X).startswith("scipy.") or hasattr(X, "indptr"):
            if qid_column is not None:
                X = self._cut_column(X, qid_column, what)
        else:
            raise TypeError(
                f"{what} is a {_kind_of(X).replace('builtins.', '')}: give a numpy array, a sparse matrix of scipy, a "
                "data frame of pandas or a dorm.Dataset"
            )
        if isinstance(X, np.ndarray):
            self.dense = _dense_rows(X, what)
            self.num_docs, self.num_features = self.dense.shape
        else:
            self._open_sparse(X, what)
        if self.num_docs == 0:
            raise ValueError(f"{what} has no documents")

    def _open_frame(self, X, qid_column, what, known, coded):
        column = "qid" if qid_column is None else qid_column
        if isinstance(column, str) and column in X.columns:
            self.qid = np.asarray(X[column])
            X = X.drop(columns=column)
        elif qid_column is not None:
            raise ValueError(f"{what} has no column {short(qid_column)}, which qid_column names")
        self.names = np.asarray([str(name) for name in X.columns], dtype=object)
        is_category = [hasattr(kind, "categories") for kind in X.dtypes]
        for name, kind, one in zip(X.columns, X.dtypes, is_category):
            if not one and getattr(kind, "kind", "O") not in "biuf":
                raise TypeError(
                    f"{what}: the column {name!r} has the type {kind}: features are numbers, or categories "
                    f"({what}[{name!r}].astype('category'))"
                )
        if any(is_category):
            values, self.names, self.coded = _categories.spread(X, self.names, is_category, known, coded)
            return values
        values = X.to_numpy()
        return X.to_numpy(dtype=np.float64, na_value=np.nan) if values.dtype.kind == "O" else values

    def in_words_of_the_caller(self, error):
        """An error of the library with the row and the column of the caller, who may have another order of documents."""
        found = re.match(r"features: document (\d+), feature (\d+) (.*)", str(error))
        if not found:
            return error
        doc, feature = int(found.group(1)), int(found.group(2))
        doc = int(self.order[doc]) if self.order is not None else doc
        column = f"column {self.names[feature]!r}" if self.names is not None else f"column {feature}"
        return type(error)(f"{self.what}: {row_of(self.given, doc)}, {column} {found.group(3)}")

    def _cut_column(self, X, column, what):
        if not isinstance(X, np.ndarray):
            raise TypeError(f"qid_column is for arrays and frames: give the queries of the sparse matrix {what} as qid")
        is_number = isinstance(column, _WHOLE) and not isinstance(column, bool)
        if not is_number or X.ndim != 2 or not -X.shape[1] <= column < X.shape[1]:
            raise ValueError(f"{what} has no column {short(column)}, which qid_column names")
        self.qid = X[:, column]
        column = int(column) % X.shape[1]
        if column == 0:
            return X[:, 1:]
        return X[:, :-1] if column == X.shape[1] - 1 else np.delete(X, column, axis=1)

    def _open_sparse(self, X, what):
        shape = getattr(X, "shape", None)
        if not isinstance(shape, tuple) or len(shape) != 2 or not all(isinstance(n, _WHOLE) and n >= 0 for n in shape):
            raise ValueError(f"{what} has the shape {shape}: it has to have two dimensions, documents and features")
        self.num_docs, self.num_features = (int(size) for size in shape)
        form = getattr(X, "format", "csr")
        if form == "csc":
            _check_compressed(*_sparse_arrays(X), self.num_features, self.num_docs, f"{what} is not a CSC matrix")
            X = X.tocsr()
        elif form == "bsr":
            _check_blocks(X, self.num_docs, self.num_features, f"{what} is not a BSR matrix")
            X = X.tocsr()
        elif form != "csr":
            X = _as_csr(X, what)
        _check_compressed(*_sparse_arrays(X), self.num_docs, self.num_features, f"{what} is not a CSR matrix")
        # Only now, since scipy itself reads whatever the arrays say.
        if not getattr(X, "has_canonical_format", True):
            X = X.copy()
            X.sum_duplicates()
        values, columns, start = _sparse_arrays(X)
        if values.dtype not in (np.float32, np.float64) or not values.dtype.isnative:
            values = values.astype(np.float64)
        narrow = columns.dtype.itemsize == 4 and columns.dtype.isnative
        columns = np.ascontiguousarray(columns)
        start = np.ascontiguousarray(start)
        self.values = np.ascontiguousarray(values)
        self.columns = columns.view(np.uint32) if narrow else columns.astype(np.uint32)
        wide = start.dtype.itemsize == _SIZE.itemsize and start.dtype.isnative
        self.start = start.view(_SIZE) if wide else start.astype(_SIZE)

    def arrange(self, queries):
        """Puts the rows into the order of the queries, as a copy, where they are not in it already."""
        order = self.order = queries.order
        if order is None:
            return
        if self.dense is not None:
            self.dense = self.dense[order]
            return
        start = self.start.astype(np.intp)
        sizes = np.diff(start)[order]
        ends = np.cumsum(sizes)
        entries = np.repeat(start[:-1][order] - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)
        self.values = self.values[entries]
        self.columns = self.columns[entries]
        self.start = np.concatenate(([0], ends)).astype(_SIZE)

    def fill(self, struct):
        """Points a struct dorm_arrays to the rows, which must stay alive as long as it is used."""
        struct.num_docs = self.num_docs
        struct.num_features = self.num_features
        values = self.values if self.dense is None else self.dense
        if values.dtype == np.float32:
            struct.floats = pointer(values)
        else:
            struct.doubles = pointer(values)
        if self.dense is None:
            struct.row_start = pointer(self.start)
            struct.indices = pointer(self.columns)
        else:
            # A stride along an axis of one entry means nothing, and both must not be 0.
            struct.row_stride = values.strides[0] // values.itemsize
            struct.column_stride = values.strides[1] // values.itemsize if self.num_features > 1 else 1


class Arrays:
    """A struct dorm_arrays, and all that it points to."""

    def __init__(self, num_docs, queries, rows=None, labels=None, feature_ids=None, with_ids=False, doc_ids=None,
                 weights=(None, None)):
        self.struct = _structs.dorm_arrays(struct_size=ctypes.sizeof(_structs.dorm_arrays), num_docs=num_docs)
        self.kept = [queries, rows, labels, weights]
        if rows is not None:
            rows.fill(self.struct)
        self.struct.num_queries = len(queries)
        self.struct.query_start = pointer(queries.start)
        if labels is not None:
            self.struct.labels = pointer(labels)
        if feature_ids is not None:
            feature_ids = (
                feature_ids.view(_SIZE)
                if getattr(feature_ids, "dtype", None) == _SIGNED and feature_ids.flags.c_contiguous
                else np.ascontiguousarray(feature_ids, dtype=_SIZE)
            )
            self.kept.append(feature_ids)
            self.struct.feature_ids = pointer(feature_ids)
        if with_ids and queries.ids is not None:
            self.struct.query_ids = self._texts(queries.ids)
        if doc_ids is not None:
            self.struct.doc_ids = self._texts(doc_ids)
        if weights[0] is not None:
            self.struct.query_weights = pointer(weights[0])
        if weights[1] is not None:
            self.struct.doc_weights = pointer(weights[1])
        self.address = addressof(self.struct)

    def _texts(self, values):
        encoded = [id_text(value) for value in values]
        array = (ctypes.c_char_p * len(encoded))(*encoded)
        self.kept.append(array)
        return addressof(array)


def id_text(value):
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    if not isinstance(value, (str, bytes, int, float, np.generic)):
        raise TypeError(f"an id is a text or a number, not {short(value)}")
    encoded = value if isinstance(value, bytes) else str(value).encode("utf-8")
    if b"\0" in encoded:
        raise ValueError(f"an id must not contain a zero character: {short(value)}")
    return encoded
