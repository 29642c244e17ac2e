"""What scikit-learn asks of an estimator: clone, pipelines, grid searches by whole queries."""

import unittest

import numpy as np

import dorm
from cases import ranking_data

try:
    import sklearn
    from sklearn.base import BaseEstimator, clone
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
except ImportError:
    sklearn = None


@unittest.skipIf(sklearn is None, "scikit-learn is not installed (apt-get install python3-sklearn)")
class Sklearn(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=31)
        self.with_qid = np.insert(self.X, 0, self.qid, axis=1)

    def test_clone(self):
        ranker = dorm.Ranker("ndcg@5", C=[1, 3], solver_gap=0.02, qid_column=0)
        other = clone(ranker)
        self.assertIsInstance(ranker, BaseEstimator)
        self.assertIsNot(other, ranker)
        self.assertEqual(other.get_params(), ranker.get_params())
        np.testing.assert_array_equal(
            other.fit(self.with_qid, self.y).predict(self.with_qid),
            ranker.fit(self.with_qid, self.y).predict(self.with_qid),
        )

    def test_grid_search(self):
        search = GridSearchCV(
            dorm.Ranker("ndcg@5", qid_column=0), {"C": [1, 10], "solver_gap": [0.1, 0.01]}, cv=GroupKFold(3)
        )
        search.fit(self.with_qid, self.y, groups=self.qid)
        self.assertTrue(np.isfinite(search.cv_results_["mean_test_score"]).all())
        self.assertEqual(search.predict(self.with_qid).shape, self.y.shape)
        by_hand = [
            dorm.Ranker("ndcg@5", C=1, solver_gap=0.1, qid_column=0)
            .fit(self.with_qid[train], self.y[train])
            .score(self.with_qid[test], self.y[test])
            for train, test in GroupKFold(3).split(self.X, self.y, self.qid)
        ]
        self.assertAlmostEqual(search.cv_results_["mean_test_score"][0], np.mean(by_hand))

    def test_pipeline(self):
        """The scaler changes the ids of queries too, but not which documents belong together."""
        pipeline = make_pipeline(StandardScaler(), dorm.Ranker("ndcg@5", C=1, qid_column=0))
        scores = cross_val_score(pipeline, self.with_qid, self.y, groups=self.qid, cv=GroupKFold(3))
        self.assertTrue((scores > 0.3).all())
        pipeline = make_pipeline(StandardScaler(), dorm.Ranker("ndcg@5", C=1)).fit(self.X, self.y, ranker__qid=self.qid)
        self.assertEqual(pipeline.named_steps["ranker"].n_features_in_, self.X.shape[1])

    def test_folds_with_groups_are_refused(self):
        sizes = [int((self.qid == one).sum()) for one in dict.fromkeys(self.qid)]
        search = GridSearchCV(dorm.Ranker("ndcg@5"), {"C": [1, 10]}, cv=GroupKFold(3), error_score="raise")
        with self.assertRaisesRegex(ValueError, "group adds up to"):
            search.fit(self.X, self.y, groups=self.qid, group=sizes)


if __name__ == "__main__":
    unittest.main()
