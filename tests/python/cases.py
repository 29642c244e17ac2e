"""Data for the tests, and stand-ins for frames and sparse matrices where pandas and scipy are not installed."""

import itertools

import numpy as np

import dorm


def ranking_data(seed, num_queries=24, num_features=5):
    """(X, y, qid): labels 0 to 2 by a noisy linear function; queries of 6 to 14 documents with ids that do not rise."""
    random = np.random.RandomState(seed)
    sizes = random.randint(6, 15, num_queries)
    qid = np.repeat(random.permutation(num_queries) + 100, sizes)
    if len(qid) % 2:
        qid = np.append(qid, qid[-1])
    X = random.uniform(0, 1, (len(qid), num_features))
    target = X @ np.arange(1, num_features + 1) + random.normal(0, 1, len(qid))
    y = np.searchsorted(np.quantile(target, [0.6, 0.85]), target).astype(float)
    return X, y, qid


def fit_small(X, y, qid):
    """A ranker whose scores depend on the query, and its scores."""
    ranker = dorm.Ranker(loss="ndcg@5", trainer="svm", C=[1, 10], for_serving=False).fit(X, y, qid=qid)
    return ranker, ranker.predict(X, qid)


def lines_of(model_text):
    """The lines of a model without those that name files, and without the checksum over them."""
    files = (b"setting data.train ", b"setting data.validation ", b"setting output.model ", b"setting data.columns ")
    own = (*files, b"set ", b"checksum ")
    return [line for line in model_text.split(b"\n") if line != b"set" and not line.startswith(own)]


def differing(found, expected):
    """The first three pairs of lines that differ."""
    return [pair for pair in itertools.zip_longest(found, expected) if pair[0] != pair[1]][:3]


class FakeSparse:
    """The attributes of a CSR matrix of scipy."""

    format = "csr"

    def __init__(self, dense, index_kind, value_kind):
        self.shape = dense.shape
        rows, columns = np.nonzero(dense)
        self.indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(dense))))).astype(index_kind)
        self.indices = columns.astype(index_kind)
        self.data = dense[rows, columns].astype(value_kind)


class FakeFrame:
    """The part of a data frame of pandas that is asked for."""

    def __init__(self, columns):
        self._columns = {name: np.asarray(values) for name, values in columns.items()}
        self.columns = list(self._columns)
        self.dtypes = [values.dtype for values in self._columns.values()]
        self.iloc = self

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._columns[key]
        return FakeFrame({name: values[key] for name, values in self._columns.items()})

    def drop(self, columns):
        return FakeFrame({name: values for name, values in self._columns.items() if name != columns})

    def to_numpy(self, dtype=None, na_value=None):
        return np.array(list(self._columns.values()), dtype=dtype).T
