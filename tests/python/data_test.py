"""Arrays, frames, sparse matrices and data sets: what is accepted gives the same, what is not gives a sentence."""

import os
import unittest

import numpy as np

import dorm
from cases import FakeFrame, FakeSparse, fit_small, ranking_data


class Layouts(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=3)
        self.ranker, self.expected = fit_small(self.X, self.y, self.qid)

    def same(self, X, qid=None):
        scores = self.ranker.predict(X, self.qid if qid is None else qid)
        np.testing.assert_array_equal(scores, self.expected)

    def test_dense_layouts(self):
        wide = np.full((len(self.X), 2 * self.X.shape[1]), 7.0)
        wide[:, ::2] = self.X
        self.same(np.asfortranarray(self.X))
        self.same(wide[:, ::2])
        self.same(np.array(self.X[::-1])[::-1])
        self.same(self.X.astype(">f8"))
        self.same(np.ma.masked_array(self.X, mask=np.zeros(self.X.shape, dtype=bool)))
        record = np.zeros(len(self.X), dtype=[("pad", "u1"), ("x", "f8", self.X.shape[1])])  # not aligned
        record["x"] = self.X
        self.same(record["x"])
        read_only = self.X.copy()
        read_only.flags.writeable = False
        self.same(read_only)

    def test_floats_are_those_of_doubles(self):
        floats = self.X.astype(np.float32)
        np.testing.assert_array_equal(
            self.ranker.predict(floats, self.qid), self.ranker.predict(floats.astype(np.float64), self.qid)
        )

    def test_one_feature_one_document(self):
        ranker, _ = fit_small(self.X[:, :1], self.y, self.qid)
        for row in (self.X[:1, :1], self.X[:1, :1].T, np.broadcast_to(np.float64(3), (1, 1))):
            self.assertEqual(ranker.predict(row, qid=0).shape, (1,))
        same = np.broadcast_to(np.float64(0.5), self.X.shape)
        self.assertEqual(len(set(self.ranker.predict(same, self.qid))), 1)

    def test_sparse(self):
        for kinds in ((np.int32, np.float64), (np.int64, np.float32)):
            dense = np.where(self.X > 0.3, self.X, 0).astype(kinds[1])
            matrix = FakeSparse(dense, *kinds)
            np.testing.assert_array_equal(
                self.ranker.predict(matrix, self.qid), self.ranker.predict(dense, self.qid)
            )
            order = np.random.RandomState(0).permutation(len(dense))  # queries apart: the rows are brought together
            np.testing.assert_array_equal(
                self.ranker.predict(FakeSparse(dense[order], *kinds), self.qid[order]),
                self.ranker.predict(dense, self.qid)[order],
            )
            from_sparse = dorm.Dataset(matrix, self.y, qid=self.qid)
            np.testing.assert_array_equal(self.ranker.predict(from_sparse), self.ranker.predict(dense, self.qid))

    def test_scipy(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("scipy is not installed (apt-get install python3-scipy)")
        dense = np.where(self.X > 0.3, self.X, 0)
        expected = self.ranker.predict(dense, self.qid)
        for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
            np.testing.assert_array_equal(self.ranker.predict(kind(dense), self.qid), expected)
        unsorted = sparse.csr_matrix(dense)
        unsorted.indices, unsorted.data = unsorted.indices.copy(), unsorted.data.copy()
        first = slice(unsorted.indptr[0], unsorted.indptr[1])
        unsorted.indices[first] = unsorted.indices[first][::-1].copy()
        unsorted.data[first] = unsorted.data[first][::-1].copy()
        unsorted.has_sorted_indices = False
        unsorted.has_canonical_format = False
        np.testing.assert_array_equal(self.ranker.predict(unsorted, self.qid), expected)
        self.assertFalse(unsorted.has_sorted_indices)  # the caller's matrix stays as it is
        back = dorm.Dataset(dense, self.y, qid=self.qid, storage="sparse").X
        np.testing.assert_array_equal(back.toarray(), dense.astype(np.float32))

    def check_frames(self, frame_of):
        names = [f"f{i}" for i in range(self.X.shape[1])]
        frame = frame_of({**{name: self.X[:, i] for i, name in enumerate(names)}, "qid": self.qid})
        ranker = dorm.Ranker(loss="ndcg@5", trainer="svm", C=[1, 10], for_serving=False).fit(frame, self.y)
        self.assertEqual(list(ranker.feature_names_in_), names)
        np.testing.assert_array_equal(ranker.predict(frame), self.expected)
        self.assertEqual(ranker.score(frame, self.y), self.ranker.score(self.X, self.y, qid=self.qid))
        wrong = frame_of({**{name: self.X[:, i] for i, name in enumerate(reversed(names))}, "qid": self.qid})
        with self.assertRaisesRegex(ValueError, "columns of X are"):
            ranker.predict(wrong)
        with self.assertRaisesRegex(ValueError, "columns of eval_set are"):
            dorm.Ranker(trainer="svm", C=1).fit(frame, self.y, eval_set=(wrong, self.y))
        with self.assertRaisesRegex(TypeError, "column 'url' has the type object"):
            ranker.predict(frame_of({"url": np.array(["a", "b"], dtype=object), "qid": np.array([1, 1])}))
        with self.assertRaisesRegex(ValueError, "no column 'query'"):
            dorm.Ranker(qid_column="query").fit(frame, self.y, qid=self.qid)

    def test_frames(self):
        self.check_frames(FakeFrame)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed (apt-get install python3-pandas)")
        self.check_frames(pandas.DataFrame)

    def test_query_column_of_an_array(self):
        for place in (0, 2, -1):
            X = np.insert(self.X, place if place >= 0 else self.X.shape[1], self.qid, axis=1)
            ranker = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10], qid_column=place, for_serving=False).fit(X, self.y)
            np.testing.assert_array_equal(ranker.predict(X), self.expected)
            self.assertEqual(ranker.score(X, self.y), self.ranker.score(self.X, self.y, qid=self.qid))


class Queries(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=5)
        self.ranker, self.expected = fit_small(self.X, self.y, self.qid)

    def test_kinds_of_ids(self):
        for qid in (
            self.qid.astype(float),
            self.qid.astype(str),
            np.array([f"q{one}" for one in self.qid], dtype=object),
            list(self.qid),
            self.qid.reshape(-1, 1),
        ):
            np.testing.assert_array_equal(self.ranker.predict(self.X, qid), self.expected)

    def test_sizes(self):
        sizes = [int((self.qid == one).sum()) for one in dict.fromkeys(self.qid)]
        np.testing.assert_array_equal(self.ranker.predict(self.X, group=sizes), self.expected)
        other = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10], for_serving=False)
        other.fit(self.X, self.y, group=np.array(sizes))
        np.testing.assert_array_equal(other.predict(self.X, group=sizes), self.expected)

    def test_queries_apart(self):
        """Shuffled documents are scored as before; a data set of them has the documents of a query together."""
        order = np.random.RandomState(1).permutation(len(self.y))
        np.testing.assert_array_equal(self.ranker.predict(self.X[order], self.qid[order]), self.expected[order])
        dataset = dorm.Dataset(self.X[order], self.y[order], qid=self.qid[order])
        self.assertEqual(len(np.flatnonzero(np.diff(dataset.qid))) + 1, dataset.num_queries)
        np.testing.assert_array_equal(self.ranker.predict(dataset), self.expected[order])
        first = [one for i, one in enumerate(self.qid[order]) if one not in self.qid[order][:i]]
        np.testing.assert_array_equal(dataset.query_ids.astype(int), first)

    def test_shuffled_training_is_that_of_the_sorted(self):
        order = np.random.RandomState(1).permutation(len(self.y))
        together = np.concatenate([order[self.qid[order] == one] for one in dict.fromkeys(self.qid[order])])
        shuffled = dorm.Ranker(loss="ndcg@5", trainer="svm", C=1).fit(self.X[order], self.y[order], qid=self.qid[order])
        expected = dorm.Ranker(loss="ndcg@5", trainer="svm", C=1).fit(self.X[together], self.y[together], qid=self.qid[together])
        self.assertEqual(shuffled.model_.to_text(), expected.model_.to_text())


class Refusals(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=7)
        self.ranker, _ = fit_small(self.X, self.y, self.qid)

    def refused(self, kind, sentence, function, *arguments, **keywords):
        with self.assertRaisesRegex(kind, sentence):
            function(*arguments, **keywords)

    def test_fit(self):
        X, y, qid, fit = self.X, self.y, self.qid, dorm.Ranker(loss="ndcg@5", trainer="svm", C=1).fit
        self.refused(TypeError, "X is a list", fit, X.tolist(), y, qid=qid)
        self.refused(TypeError, "X is a NoneType", fit, None, y, qid=qid)
        self.refused(ValueError, "two dimensions", fit, X[:, 0], y, qid=qid)
        self.refused(ValueError, "two dimensions", fit, X[None], y, qid=qid)
        self.refused(TypeError, "type object", fit, X.astype(object), y, qid=qid)
        self.refused(ValueError, "type complex128", fit, X.astype(complex), y, qid=qid)
        self.refused(TypeError, "type <U", fit, X.astype(str), y, qid=qid)
        self.refused(ValueError, "0 feature", fit, X[:, :0], y, qid=qid)
        self.refused(ValueError, "no documents", fit, X[:0], y[:0], qid=qid[:0])
        self.refused(ValueError, "y has the shape", fit, X, y[:-1], qid=qid)
        self.refused(ValueError, "y has the shape", fit, X, np.stack([y, y], axis=1), qid=qid)
        self.refused(TypeError, "y has the type object", fit, X, y.astype(object), qid=qid)
        self.refused(ValueError, "y is missing", fit, X, qid=qid)
        place = np.arange(len(y))
        self.refused(ValueError, "y is nan for document 2", fit, X, np.where(place == 2, np.nan, y), qid=qid)
        self.refused(ValueError, "y is inf for document 0", fit, X, np.where(place == 0, np.inf, y), qid=qid)
        self.refused(ValueError, "y is -1 for document 4", fit, X, np.where(place == 4, -1, y), qid=qid)
        self.refused(TypeError, "qid is missing", fit, X, y)
        self.refused(ValueError, "qid has the shape", fit, X, y, qid=qid[:-3])
        self.refused(ValueError, "qid is NaN for document 1", fit, X, y, qid=np.where(place == 1, np.nan, qid))
        self.refused(TypeError, "mixes ids", fit, X, y, qid=np.array([1, "a"] * (len(y) // 2), dtype=object))
        self.refused(TypeError, "ids of queries are", fit, X, y, qid=qid.astype("M8[s]"))
        self.refused(TypeError, "give one of them", fit, X, y, qid=qid, group=[len(y)])
        self.refused(ValueError, "group adds up to", fit, X, y, group=[3, 4])
        self.refused(ValueError, "which is qid", fit, X, y, group=qid + 1)
        self.refused(TypeError, "whole numbers", fit, X, y, group=[float(len(y))])
        self.refused(ValueError, "above 0", fit, X, y, group=[len(y), 0])
        self.refused(ValueError, "sample_weight has", fit, X, y, qid=qid, sample_weight=y[:-1])
        self.refused(ValueError, "query_weight has", fit, X, y, qid=qid, query_weight=y)
        infinite = X.copy()
        infinite[3, 1] = np.inf
        self.refused(ValueError, "document 3, column 1 is not finite", fit, infinite, y, qid=qid)
        self.refused(ValueError, "too large for a float", fit, np.full(X.shape, 1e300), y, qid=qid)

    def test_eval_set(self):
        X, y, qid, fit = self.X, self.y, self.qid, dorm.Ranker(loss="ndcg@5", trainer="svm", C=1).fit
        self.refused(TypeError, "qid is missing", fit, X, y, qid=qid, eval_set=(X, y))
        self.refused(TypeError, "a pair", fit, X, y, qid=qid, eval_set=X, eval_qid=qid)
        self.refused(TypeError, "eval_set, which is missing", fit, X, y, qid=qid, eval_qid=qid)
        self.refused(ValueError, "eval_set has 2 features", fit, X, y, qid=qid, eval_set=(X[:, :2], y), eval_qid=qid)

    def test_predict(self):
        X, qid, predict = self.X, self.qid, self.ranker.predict
        self.refused(TypeError, "qid is missing: the scores", predict, X)
        self.refused(ValueError, "X has 2 features", predict, X[:, :2], qid)
        self.refused(TypeError, "X is a list", predict, X.tolist(), qid)
        self.refused(ValueError, "needs|call fit", dorm.Ranker().predict, X, qid)
        self.refused(AttributeError, "call fit", dorm.Ranker().predict, X, qid)

    def test_sparse(self):
        predict = self.ranker.predict
        for field, value, sentence in (
            ("indptr", lambda m: m.indptr[:-1], "do not fit"),
            ("indptr", lambda m: m.indptr + 1, "indptr has to rise"),
            ("indptr", lambda m: m.indptr[::-1].copy(), "indptr has to rise"),
            ("indices", lambda m: m.indices - 1, "an index is not below"),
            ("indices", lambda m: m.indices + 1, "an index is not below"),
            ("indices", lambda m: m.indices * 0, "does not increase"),
            ("indices", lambda m: m.indices.astype(float), "whole numbers"),
            ("data", lambda m: m.data[:-1], "do not fit"),
            ("data", lambda m: m.data.astype(object), "type object"),
        ):
            matrix = FakeSparse(self.X, np.int32, np.float64)
            setattr(matrix, field, value(matrix))
            self.refused((ValueError, TypeError), sentence, predict, matrix, self.qid)

    def test_sparse_of_scipy(self):
        """scipy itself would read past the ends of arrays that lie."""
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("scipy is not installed (apt-get install python3-scipy)")
        for kind in (sparse.csr_matrix, sparse.csc_matrix):
            for field in ("indptr", "indices"):
                matrix = kind(self.X)
                getattr(matrix, field)[1] = 1 << 30
                self.refused(ValueError, "is not a CS", self.ranker.predict, matrix, self.qid)
        matrix = sparse.bsr_matrix(self.X)
        np.testing.assert_array_equal(self.ranker.predict(matrix, self.qid), self.ranker.predict(self.X, self.qid))
        matrix.data = matrix.data[:0]
        self.refused(ValueError, "is not a BSR", self.ranker.predict, matrix, self.qid)
        matrix = sparse.coo_matrix(self.X)
        matrix.row[3] = 1 << 30
        self.refused(ValueError, "not a sound sparse matrix", self.ranker.predict, matrix, self.qid)

    def test_arrays_that_lie(self):
        class Liar(np.ndarray):
            @property
            def shape(self):
                return (1 << 40, 5)

        np.testing.assert_array_equal(
            self.ranker.predict(self.X.view(Liar), self.qid), self.ranker.predict(self.X, self.qid)
        )

    def test_numbers(self):
        X, y, qid = self.X, self.y, self.qid
        wrong = ((-1, ValueError), (1 << 70, ValueError), ("2", TypeError), (1.5, TypeError), (None, TypeError))
        for threads, kind in wrong:
            self.refused(kind, "threads is", dorm.lambdas, y, y, qid, threads=threads)
            self.refused(kind, "threads is", self.ranker.model_.score, X, qid=qid, threads=threads)
        self.refused(ValueError, "seed is", dorm.compare, y, y, y, qid=qid, seed=-3)
        self.refused(ValueError, "feature_ids", self.ranker.model_.score, X, qid=qid, feature_ids=[1, 2])
        for ranker in (None, X, dorm.Ranker):
            self.refused(TypeError, "ranker is a", dorm.explain, ranker, X, qid)
            self.refused(TypeError, "ranker is a", dorm.cross_validate, ranker, X, y, qid)
        self.refused(ValueError, "zero character", dorm.Dataset, X, y, qid=qid, doc_ids=["a\0b"] * len(y))
        for doc_ids in (3, iter([1]), FakeSparse(X, np.int32, np.float64)):
            self.refused(TypeError, "doc_ids has to be", dorm.Dataset, X, y, qid=qid, doc_ids=doc_ids)
        self.refused(TypeError, "an id is a text or a number", dorm.Dataset, X, y, qid=qid, doc_ids=[None] * len(y))
        self.refused(TypeError, "qid is a FakeSparse", self.ranker.predict, X, FakeSparse(X, np.int32, np.float64))
        self.refused(TypeError, "has to be a text or a path", dorm.read_letor, None)
        self.refused(TypeError, "the text of a model", dorm.Model.from_text, 10**9)

    def test_settings(self):
        self.refused(TypeError, "did you mean solver_gap", dorm.Ranker, solver_gaq=1)
        self.refused(TypeError, "give X and y", dorm.Ranker, data_train="x")
        self.refused(TypeError, "use save", dorm.Ranker, **{"output.model": "x"})
        self.refused(TypeError, "for the command", dorm.Ranker, ratings_folds=3)
        self.refused(TypeError, "is the parameter C", dorm.Ranker, solver_C=3)
        fit = lambda **keywords: dorm.Ranker(**keywords).fit(self.X, self.y, qid=self.qid)
        self.refused(dorm.UsageError, "solver.gap", fit, solver_gap=7)
        self.refused(dorm.UsageError, "loss", fit, loss="nothing@5")
        self.refused(TypeError, "cannot be the value", fit, solver_gap={})
        endless = [1]
        endless.append(endless)
        self.refused(TypeError, "cannot be the value", fit, C=endless)
        self.refused(TypeError, "cannot be the value", fit, C=np.array([[1, 10]]))
        self.refused(ValueError, "zero character", fit, loss="ndcg\0")

    def test_other_failures(self):
        self.refused(OSError, "nowhere", dorm.read_letor, "nowhere.txt")
        self.refused(OSError, "nowhere", dorm.Ranker.load, "nowhere.dorm")
        with open("bad.txt", "w", encoding="ascii") as file:
            file.write("1 qid:1 1:0.5\nx qid:1 1:1\n")
        self.refused(dorm.DataError, "bad.txt:2", dorm.read_letor, "bad.txt")
        with open("escape.txt", "wb") as file:
            file.write("ü\x1b[2J\x9b qid:1 1:1\n".encode())
        self.refused(dorm.DataError, r"label 'ü\\x1b\[2J\\xc2\\x9b'", dorm.read_letor, "escape.txt")
        self.refused(ValueError, "storage", dorm.read_letor, "bad.txt", storage="lazy")
        self.refused(ValueError, "the text of a model", dorm.Model.from_text, "nothing")
        self.refused(ValueError, "feature_ids", dorm.Dataset, self.X, self.y, qid=self.qid, feature_ids=[1])
        self.refused(ValueError, "doc_ids", dorm.Dataset, self.X, self.y, qid=self.qid, doc_ids=["a"])
        os.remove("bad.txt")


class Datasets(unittest.TestCase):
    def test_letor(self):
        with open("small.txt", "w", encoding="ascii") as file:
            file.write("2 qid:a 1:0.5 7:nan # docid = one\n0 qid:b 3:4\n1 qid:a 1:1.5\n")
        with self.assertRaisesRegex(ValueError, "small.txt:3"):
            dorm.read_letor("small.txt")
        dataset = dorm.read_letor("small.txt", sort_queries=True)
        self.assertEqual((dataset.num_queries, dataset.num_docs, len(dataset)), (2, 3, 3))
        self.assertEqual(list(dataset.feature_ids), [1, 3, 7])
        self.assertEqual(list(dataset.qid), ["a", "a", "b"])
        self.assertEqual(list(dataset.group), [2, 1])
        self.assertEqual(list(dataset.doc_ids), ["one", "", ""])
        np.testing.assert_array_equal(dataset.y, [2, 1, 0])
        np.testing.assert_array_equal(dataset.X, np.array([[0.5, 0, np.nan], [1.5, 0, 0], [0, 4, 0]], dtype=np.float32))
        with self.assertRaises(ValueError):
            dataset.X[0, 0] = 1
        X = dataset.X
        del dataset  # the view keeps the memory
        self.assertEqual(X[2, 1], 4)
        os.remove("small.txt")

    def test_written_text_reads_back(self):
        X, y, qid = ranking_data(seed=9)
        X = X.astype(np.float32)
        dorm.Dataset(X, y, qid=qid, feature_ids=np.arange(X.shape[1]) * 3 + 2, doc_ids=range(len(y))).write("back.txt")
        back = dorm.read_letor("back.txt")
        np.testing.assert_array_equal(back.X, X)
        np.testing.assert_array_equal(back.y, y)
        np.testing.assert_array_equal(back.qid, qid)
        self.assertEqual(list(back.feature_ids), [2, 5, 8, 11, 14])
        self.assertEqual(back.doc_ids[17], "17")
        os.remove("back.txt")
        self.assertEqual(float(dorm.Dataset(X, qid=qid).y.max()), 0)


if __name__ == "__main__":
    unittest.main()
