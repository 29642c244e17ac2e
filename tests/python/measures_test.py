"""Measures, comparisons, gradients on scores and cross-validation, against numpy."""

import unittest

import numpy as np

import dorm
from cases import FakeFrame, ranking_data


def ndcg(scores, y, qid, top):
    """NDCG@top of each query, in the order in which the queries first appear; gain 2^y - 1, 0 without a relevant
    document."""
    values = []
    for one in dict.fromkeys(qid):
        gains = 2.0 ** y[qid == one] - 1
        discounts = 1 / np.log2(np.arange(2, 2 + min(top, len(gains))))
        ranked = gains[np.argsort(-scores[qid == one], kind="stable")][:top]
        best = np.sort(gains)[::-1][:top] @ discounts
        values.append(ranked @ discounts / best if best else 0)
    return np.array(values)


class Measures(unittest.TestCase):
    def setUp(self):
        _, self.y, self.qid = ranking_data(seed=21)
        self.scores = np.random.RandomState(1).normal(0, 1, len(self.y))
        self.order = np.random.RandomState(2).permutation(len(self.y))

    def test_ndcg(self):
        for order in (np.arange(len(self.y)), self.order):
            scores, y, qid = self.scores[order], self.y[order], self.qid[order]
            result = dorm.evaluate(y, scores, qid=qid, measures="ndcg@5")
            expected = ndcg(scores, y, qid, 5)
            np.testing.assert_allclose(result.per_query, expected, atol=1e-12)
            self.assertAlmostEqual(result.mean, expected.mean())
            self.assertAlmostEqual(result.standard_error, expected.std(ddof=1) / np.sqrt(len(expected)))
            self.assertEqual(result.num_queries, len(expected))
            self.assertTrue(result.conventions.startswith("ndcg@5"))

    def test_ways_to_say_it(self):
        expected = dorm.evaluate(self.y, self.scores, qid=self.qid).mean
        sizes = [int((self.qid == one).sum()) for one in dict.fromkeys(self.qid)]
        self.assertEqual(dorm.evaluate(self.y, self.scores, group=sizes).mean, expected)
        dataset = dorm.Dataset(np.empty((len(self.y), 0)), self.y, qid=self.qid)
        self.assertEqual(dorm.evaluate(dataset, self.scores).mean, expected)
        both = dorm.evaluate(list(self.y), list(self.scores), qid=list(self.qid), measures=["ndcg@10", "map"])
        self.assertEqual(both["ndcg@10"].mean, expected)
        self.assertEqual(both["map"].mean, dorm.evaluate(self.y, self.scores, qid=self.qid, measures="map").mean)

    def test_shuffled_data_set(self):
        """Scores go in the order that the data set was made of."""
        order = self.order
        dataset = dorm.Dataset(np.empty((len(self.y), 0)), self.y[order], qid=self.qid[order])
        self.assertAlmostEqual(dorm.evaluate(dataset, self.scores[order]).mean,
                               ndcg(self.scores[order], self.y[order], self.qid[order], 10).mean())

    def test_comparison(self):
        better = self.scores + 0.5 * self.y
        result = dorm.compare(self.y, better, self.scores, qid=self.qid, measure="ndcg@5")
        difference = ndcg(better, self.y, self.qid, 5) - ndcg(self.scores, self.y, self.qid, 5)
        self.assertAlmostEqual(result.difference, difference.mean())
        self.assertAlmostEqual(result.standard_error, difference.std(ddof=1) / np.sqrt(len(difference)))
        self.assertAlmostEqual(result.t, difference.mean() / result.standard_error)
        self.assertTrue(0 < result.t_test < 1 and 0 < result.randomisation < 1)

    def test_allocation(self):
        random = np.random.RandomState(5)
        qid, groups = np.repeat(np.arange(40), 8), np.array(["old", "old", "old", "new"] * 80)
        order = random.permutation(len(qid))
        scores = random.normal(size=len(qid)) - (groups == "new")
        plain = dorm.allocate(scores, qid=qid, groups=groups, require="share(new) >= 0.3", threads=1)
        mixed = dorm.allocate(scores[order], qid=qid[order], groups=groups[order], require=["share(new) >= 0.3"])
        self.assertAlmostEqual(plain.worth, mixed.worth, places=4)
        self.assertAlmostEqual(plain.shares["new"], 0.3)
        self.assertTrue(plain.free_shares["new"] < 0.3 and plain.prices["new"] > 0 == plain.prices["old"])
        self.assertTrue(plain.worth <= plain.bound < plain.free_worth and plain.violation < 1e-9)
        np.testing.assert_allclose(plain.boosted, scores + plain.prices["new"] * (groups == "new"))
        with self.assertRaisesRegex(dorm.DataError, r"together: share\(new\) >= 0.9"):
            dorm.allocate(scores, qid=qid, groups=groups, require="share(new) >= 0.9")
        with self.assertRaisesRegex(ValueError, "no group has this name"):
            dorm.allocate(scores, qid=qid, groups=groups, require="share(news) >= 0.9")
        with self.assertRaisesRegex(ValueError, "with X from 0 to 1"):
            dorm.allocate(scores, qid=qid, groups=groups, require="parity >= 2")

    def test_certificate(self):
        better = self.scores + 0.5 * self.y
        found = dorm.certify(self.y, better, self.scores, qid=self.qid, measure="ndcg@5", confidence=0.9, share=0.5)
        values, others = ndcg(better, self.y, self.qid, 5), ndcg(self.scores, self.y, self.qid, 5)
        self.assertAlmostEqual(found.bound.mean, values.mean())
        self.assertEqual(found.bound.lower, dorm.lower_bound(values, confidence=0.9).lower)
        self.assertAlmostEqual(found.difference.mean, (values - others).mean())
        self.assertLess(found.difference.lower, found.difference.mean)
        self.assertEqual(dorm.certify(self.y, better, qid=self.qid).difference, None)
        error = dorm.certify(self.y, better, qid=self.qid, measure="pair_error").bound
        self.assertTrue(-1 <= error.lower <= error.mean <= 0)

    def test_refusals(self):
        for kind, sentence, call in (
            (dorm.UsageError, "no known range", lambda: dorm.certify(self.y, self.scores, qid=self.qid, measure="dcg")),
            (dorm.Error, "value 2 is 3", lambda: dorm.lower_bound([1, 3])),
            (ValueError, "scores has the shape", lambda: dorm.evaluate(self.y, self.scores[1:], qid=self.qid)),
            (ValueError, "scores is nan for document", lambda: dorm.evaluate(self.y, self.scores * np.nan, qid=self.qid)),
            (TypeError, "qid is missing", lambda: dorm.evaluate(self.y, self.scores)),
            (ValueError, "y has no labels", lambda: dorm.evaluate([], [], qid=[])),
            (ValueError, "y has no labels", lambda: dorm.evaluate(None, self.scores)),
            (dorm.UsageError, "ndgc", lambda: dorm.evaluate(self.y, self.scores, qid=self.qid, measures="ndgc@5")),
            (TypeError, "a measure is a text", lambda: dorm.evaluate(self.y, self.scores, qid=self.qid, measures=[5])),
            (ValueError, "second has the shape", lambda: dorm.compare(self.y, self.scores, self.scores[1:], qid=self.qid)),
            (dorm.Error, "nonsense", lambda: dorm.lambdas(self.scores, self.y, self.qid, "nonsense")),
            (ValueError, "folds is 1", lambda: dorm.cross_validate(dorm.Ranker(), np.ones((len(self.y), 1)), self.y,
                                                                   self.qid, folds=1)),
        ):
            with self.assertRaisesRegex(kind, sentence):
                call()


class GradientsOnScores(unittest.TestCase):
    def test_ranknet(self):
        """RankNet: each pair of documents with different labels pushes by 1 / (1 + exp(g_i - g_j))."""
        _, y, qid = ranking_data(seed=23)
        scores = np.random.RandomState(1).normal(0, 1, len(y))
        order = np.random.RandomState(2).permutation(len(y))
        y, qid, scores = y[order], qid[order], scores[order]
        result = dorm.lambdas(scores, y, qid, "ranknet")
        expected = np.zeros(len(y))
        cost = 0
        for one in np.unique(qid):
            inside = np.flatnonzero(qid == one)
            for i in inside:
                for j in inside:
                    if y[i] > y[j]:
                        push = 1 / (1 + np.exp(scores[i] - scores[j]))
                        expected[i] += push
                        expected[j] -= push
                        cost += np.log1p(np.exp(scores[j] - scores[i]))
        np.testing.assert_allclose(result.lambdas, expected, atol=1e-9)
        self.assertAlmostEqual(result.cost, cost, places=8)
        self.assertTrue((result.curvature >= 0).all())
        dataset = dorm.Dataset(np.empty((len(y), 0)), y, qid=qid)
        np.testing.assert_array_equal(dorm.lambdas(scores, dataset, spec="ranknet").lambdas, result.lambdas)

    def test_xgboost(self):
        try:
            import xgboost
        except ImportError:
            self.skipTest("xgboost is not installed for Python (apt-get install python3-xgboost)")
        X, y, qid = ranking_data(seed=25)
        X, y, qid = (array[np.argsort(qid, kind="stable")] for array in (X, y, qid))

        def objective(scores, matrix):
            gradients = dorm.lambdas(scores, y, qid, "dorm")
            return -gradients.lambdas, gradients.curvature

        settings = {"max_depth": 3, "eta": 0.3, "base_score": 0.0}
        booster = xgboost.train(settings, xgboost.DMatrix(X, y), 20, obj=objective)
        scores = booster.predict(xgboost.DMatrix(X))
        self.assertGreater(ndcg(scores, y, qid, 5).mean(), ndcg(X[:, -1], y, qid, 5).mean())


class CrossValidation(unittest.TestCase):
    def test_folds_are_of_whole_queries(self):
        X, y, qid = ranking_data(seed=27)
        order = np.random.RandomState(2).permutation(len(y))
        X, y, qid = X[order], y[order], qid[order]
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1)
        result = dorm.cross_validate(ranker, X, y, qid, folds=3, measures=["ndcg@5", "map"])
        self.assertEqual(len(result.rankers), 3)
        self.assertEqual(sorted(np.bincount(result.fold_of_query)), [8, 8, 8])
        np.testing.assert_allclose(result.evaluations["ndcg@5"].per_query, ndcg(result.scores, y, qid, 5), atol=1e-12)
        fold_of = dict(zip(dict.fromkeys(qid), result.fold_of_query))
        folds = np.array([fold_of[one] for one in qid])
        for fold in range(3):  # the scores of a fold are those of a ranker that has not seen it
            other = dorm.Ranker("ndcg@5", trainer="svm", C=1).fit(X[folds != fold], y[folds != fold], qid=qid[folds != fold])
            held_out = folds == fold
            np.testing.assert_array_equal(other.predict(X[held_out], qid[held_out]), result.scores[held_out])
        frame = FakeFrame({**{f"f{i}": X[:, i] for i in range(X.shape[1])}, "qid": qid})
        again = dorm.cross_validate(ranker, frame, y, folds=3)
        np.testing.assert_array_equal(again.scores, result.scores)
        self.assertFalse(hasattr(ranker, "model_"))


if __name__ == "__main__":
    unittest.main()
