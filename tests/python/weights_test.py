"""Weights of queries and documents: what they mean, where they come from, and what is refused."""

import unittest

import numpy as np

import dorm
from cases import ranking_data


def repeat(X, y, qid, weights):
    """Each query as often as its weight says, each time under an id of its own."""
    rows = [(one, copy) for i, one in enumerate(dict.fromkeys(qid)) for copy in range(int(weights[i]))]
    chosen = [np.flatnonzero(qid == one) for one, _ in rows]
    ids = np.repeat(np.arange(len(rows)), [len(one) for one in chosen])
    chosen = np.concatenate(chosen)
    return X[chosen], y[chosen], ids


class Weights(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=11)
        self.queries = list(dict.fromkeys(self.qid))
        self.weights = np.random.RandomState(3).randint(0, 4, len(self.queries)).astype(float)
        self.of_docs = np.array([self.weights[self.queries.index(one)] for one in self.qid])

    def fit(self, X, y, **keywords):
        return dorm.Ranker(loss="ndcg@5", trainer="svm", C=1, solver_gap=1e-5, ranking_rounds=1).fit(X, y, **keywords)

    def test_weights_are_repeated_queries(self):
        X, y, ids = repeat(self.X, self.y, self.qid, self.weights)
        one = self.fit(self.X, self.y, qid=self.qid, query_weight=self.weights)
        two = self.fit(X, y, qid=ids)
        np.testing.assert_allclose(one.coef_, two.coef_, rtol=0.02, atol=0.02 * np.abs(two.coef_).max())
        self.assertAlmostEqual(one.certificate_.primal, two.certificate_.primal, delta=2e-5 * two.certificate_.primal)
        plain = self.fit(self.X, self.y, qid=self.qid)
        self.assertGreater(np.abs(plain.coef_ - two.coef_).max(), 0.05 * np.abs(two.coef_).max())

    def test_ways_to_say_it(self):
        expected = self.fit(self.X, self.y, qid=self.qid, query_weight=self.weights).model_.to_text()
        order = np.random.RandomState(1).permutation(len(self.y))
        order = order[np.argsort([self.queries.index(one) for one in self.qid[order]], kind="stable")]
        for keywords in ({"sample_weight": self.weights}, {"sample_weight": self.of_docs},
                         {"sample_weight": self.of_docs.reshape(-1, 1)}, {"query_weight": list(self.weights)}):
            again = self.fit(self.X, self.y, qid=self.qid, **keywords)
            self.assertEqual(again.model_.to_text(), expected)
        dataset = dorm.Dataset(self.X, self.y, qid=self.qid, sample_weight=self.of_docs)
        np.testing.assert_array_equal(dataset.query_weights, self.weights)
        self.assertIsNone(dataset.doc_weights)
        self.assertEqual(self.fit(dataset, None).model_.to_text(), expected)
        dataset.write("weighted.txt")
        self.assertEqual(np.loadtxt("weighted.txt.weight").size, len(self.weights))
        self.assertEqual(self.fit(dorm.read_letor("weighted.txt"), None).model_.to_text(), expected)
        self.assertIsNone(dorm.read_letor("weighted.txt", use_weights=False).query_weights)
        self.assertIsNone(dorm.Dataset(self.X, self.y, qid=self.qid).query_weights)

    def test_documents_apart(self):
        """Weights follow their documents; those of queries the order in which the queries first appear."""
        order = np.random.RandomState(1).permutation(len(self.y))
        of_docs = np.random.RandomState(2).uniform(0, 2, len(self.y))
        dataset = dorm.Dataset(self.X[order], self.y[order], qid=self.qid[order], sample_weight=of_docs[order])
        by_values = {tuple(row): weight for row, weight in zip(self.X.astype(np.float32), of_docs)}
        np.testing.assert_array_equal(dataset.doc_weights, [by_values[tuple(row)] for row in dataset.X])
        first = list(dict.fromkeys(self.qid[order]))
        weights = [self.weights[self.queries.index(one)] for one in first]
        dataset = dorm.Dataset(self.X[order], self.y[order], qid=self.qid[order], sample_weight=self.of_docs[order])
        np.testing.assert_array_equal(dataset.query_weights, weights)

    def test_weights_of_documents_are_scaled_gains(self):
        scale = np.random.RandomState(5).uniform(0, 2, len(self.y))
        settings = {"loss": "dcg:gain=linear", "trainer": "svm", "C": 1, "ranking_rounds": 1, "solver_gap": 1e-5}
        one = dorm.Ranker(**settings).fit(self.X, self.y, qid=self.qid, sample_weight=scale)
        two = dorm.Ranker(**settings).fit(self.X, self.y * scale, qid=self.qid)
        np.testing.assert_allclose(one.coef_, two.coef_, rtol=0.02, atol=0.02 * np.abs(two.coef_).max())
        both = dorm.Dataset(self.X, self.y, qid=self.qid, sample_weight=scale, query_weight=self.weights)
        np.testing.assert_array_equal(both.doc_weights, scale)
        np.testing.assert_array_equal(both.query_weights, self.weights)
        with self.assertRaisesRegex(dorm.UsageError, "loss 'mrr' has no gain"):
            dorm.Ranker("mrr", trainer="svm").fit(self.X, self.y, qid=self.qid, sample_weight=scale)

    def test_measures(self):
        scores = self.X @ np.arange(5)
        plain = dorm.evaluate(self.y, scores, qid=self.qid, measures="ndcg@5")
        weighted = dorm.evaluate(self.y, scores, qid=self.qid, measures="ndcg@5", query_weight=self.weights)
        mean = np.average(plain.per_query, weights=self.weights)
        n = self.weights.sum() ** 2 / (self.weights**2).sum()
        spread = np.average((plain.per_query - mean) ** 2, weights=self.weights)
        self.assertAlmostEqual(weighted.mean, mean, places=12)
        self.assertAlmostEqual(weighted.effective_queries, n, places=9)
        self.assertAlmostEqual(weighted.standard_error, np.sqrt(spread / (n - 1)), places=12)
        self.assertTrue(weighted.is_weighted and not plain.is_weighted)
        self.assertEqual(weighted.num_queries, (self.weights > 0).sum())
        other = self.X @ np.arange(5)[::-1]
        compared = dorm.compare(self.y, scores, other, qid=self.qid, measure="ndcg@5", query_weight=self.weights)
        other_mean = dorm.evaluate(self.y, other, qid=self.qid, measures="ndcg@5", query_weight=self.weights).mean
        self.assertAlmostEqual(compared.difference, mean - other_mean, places=12)
        dataset = dorm.Dataset(self.X, self.y, qid=self.qid, query_weight=self.weights)
        self.assertEqual(dorm.evaluate(dataset, scores, measures="ndcg@5").mean, weighted.mean)
        ranker = self.fit(self.X, self.y, qid=self.qid)
        self.assertAlmostEqual(
            ranker.score(self.X, self.y, qid=self.qid, query_weight=self.weights), ranker.score(dataset), places=12)

    def test_validation_and_folds(self):
        weights = self.weights + 1
        ranker = dorm.Ranker(loss="ndcg@5", trainer="svm", C=[1, 10])
        ranker.fit(self.X, self.y, qid=self.qid, eval_set=(self.X, self.y), eval_qid=self.qid, eval_query_weight=weights)
        expected = dorm.evaluate(self.y, ranker.predict(self.X, self.qid), qid=self.qid, measures=ranker.model_.setting(
            "selection.measure"), query_weight=weights)
        self.assertAlmostEqual(ranker.validation_score_, expected.mean, places=9)
        folds = dorm.cross_validate(dorm.Ranker(loss="ndcg@5", trainer="svm", C=1), self.X, self.y, self.qid, folds=3,
                                    query_weight=weights)
        again = dorm.evaluate(self.y, folds.scores, qid=self.qid, measures="ndcg@10", query_weight=weights)
        self.assertEqual(folds.evaluations.mean, again.mean)

    def test_refusals(self):
        count, queries = len(self.y), len(self.queries)
        cases = (
            ({"query_weight": self.weights[:-1]}, ValueError,
             f"query_weight has {queries - 1} weights, but there are {queries} queries"),
            ({"sample_weight": self.of_docs[:-1]}, ValueError,
             f"sample_weight has {count - 1} weights, but there are {count} documents and {queries} queries"),
            ({"sample_weight": self.weights, "query_weight": self.weights}, ValueError,
             f"sample_weight has {queries} weights, but there are {count} documents"),
            ({"query_weight": -self.weights - 1}, ValueError, "query_weight is -"),
            ({"sample_weight": np.where(np.arange(count) == 3, np.nan, 1)}, ValueError,
             "sample_weight is nan at entry 3"),
            ({"sample_weight": np.where(np.arange(count) == 4, np.inf, 1)}, ValueError,
             "sample_weight is inf at entry 4"),
            ({"query_weight": ["a"] * queries}, TypeError, "query_weight has the type"),
            ({"eval_query_weight": self.weights}, TypeError, "belong to eval_set"),
        )
        for keywords, kind, sentence in cases:
            with self.assertRaisesRegex(kind, sentence):
                self.fit(self.X, self.y, qid=self.qid, **keywords)
        dataset = dorm.Dataset(self.X, self.y, qid=self.qid)
        with self.assertRaisesRegex(TypeError, "which has its weights"):
            self.fit(dataset, None, query_weight=self.weights)
        with self.assertRaisesRegex(dorm.DataError, "have the weight 0"):
            self.fit(self.X, self.y, qid=self.qid, query_weight=0 * self.weights)


if __name__ == "__main__":
    unittest.main()
