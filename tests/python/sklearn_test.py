"""What scikit-learn asks of an estimator: clone, pipelines, grid searches by whole queries."""

import unittest
import warnings

import numpy as np

import dorm
from cases import ranking_data

try:
    import sklearn
    from sklearn.base import BaseEstimator, clone
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.estimator_checks import check_estimator
except ImportError:
    sklearn = None


class TenADay(dorm.Ranker):
    """A ranker for the checks of scikit-learn, which know of no queries: ten documents each, and one to predict for."""

    def fit(self, X, y=None, *, qid=None):
        return super().fit(X, y, qid=np.arange(np.shape(X)[0]) // 10 if qid is None else qid)

    def predict(self, X, qid=0, *, group=None):
        return super().predict(X, qid, group=group)

    def score(self, X, y=None, *, qid=0):
        return super().score(X, y, qid=qid)


# The checks of scikit-learn that do not apply, with the reason and what the failure says.
NOT_FOR_RANKERS = {
    "check_dtype_object": ("columns of type object are refused, even if they hold numbers", "type object"),
    "check_fit2d_1sample": ("one document is no ranking, and the library says so in its own words", "no query"),
}
NOT_WITHIN_QUERIES = {
    "check_methods_subset_invariance": ("features are normalised within queries, so a score depends on the other "
                                        "documents of its query", "not invariant"),
}


@unittest.skipIf(sklearn is None, "scikit-learn is not installed (apt-get install python3-sklearn)")
class Sklearn(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=31)
        self.with_qid = np.insert(self.X, 0, self.qid, axis=1)

    def test_clone(self):
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 3], solver_gap=0.02, qid_column=0)
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
            dorm.Ranker("ndcg@5", trainer="svm", qid_column=0), {"C": [1, 10], "solver_gap": [0.1, 0.01]}, cv=GroupKFold(3)
        )
        search.fit(self.with_qid, self.y, groups=self.qid)
        self.assertTrue(np.isfinite(search.cv_results_["mean_test_score"]).all())
        self.assertEqual(search.predict(self.with_qid).shape, self.y.shape)
        by_hand = [
            dorm.Ranker("ndcg@5", trainer="svm", C=1, solver_gap=0.1, qid_column=0)
            .fit(self.with_qid[train], self.y[train])
            .score(self.with_qid[test], self.y[test])
            for train, test in GroupKFold(3).split(self.X, self.y, self.qid)
        ]
        self.assertAlmostEqual(search.cv_results_["mean_test_score"][0], np.mean(by_hand))

    def test_pipeline(self):
        """The scaler changes the ids of queries too, but not which documents belong together."""
        pipeline = make_pipeline(StandardScaler(), dorm.Ranker("ndcg@5", trainer="svm", C=1, qid_column=0))
        scores = cross_val_score(pipeline, self.with_qid, self.y, groups=self.qid, cv=GroupKFold(3))
        self.assertTrue((scores > 0.3).all())
        pipeline = make_pipeline(StandardScaler(), dorm.Ranker("ndcg@5", trainer="svm", C=1)).fit(self.X, self.y, ranker__qid=self.qid)
        self.assertEqual(pipeline.named_steps["ranker"].n_features_in_, self.X.shape[1])

    def check(self, ranker, exceptions):
        """All checks of scikit-learn pass but those listed, which fail as the list says."""
        met = set()
        for estimator, check in check_estimator(ranker, generate_only=True):
            name = getattr(check, "func", check).__name__
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    check(estimator)
                except unittest.SkipTest:
                    self.assertIn(name, ("check_estimators_nan_inf",))
                except (AssertionError, TypeError, ValueError) as error:
                    self.assertIn(name, exceptions, str(error))
                    self.assertIn(exceptions[name][1], str(error))
                    met.add(name)
        self.assertEqual(met, set(exceptions))

    def test_check_estimator(self):
        self.check(TenADay(C=1, for_serving=False), {**NOT_FOR_RANKERS, **NOT_WITHIN_QUERIES})

    def test_check_estimator_for_serving(self):
        """Where features are not normalised within queries, scores of subsets are those of the whole."""
        self.check(TenADay(C=1), NOT_FOR_RANKERS)

    def test_routing(self):
        """From 1.4 on scikit-learn hands qid to the folds, which need no column of X then."""
        if not hasattr(dorm.Ranker, "set_fit_request") or "enable_metadata_routing" not in sklearn.get_config():
            self.assertLess([int(part) for part in sklearn.__version__.split(".")[:2]], [1, 4])
            return
        with sklearn.config_context(enable_metadata_routing=True):
            ranker = dorm.Ranker("ndcg@5").set_fit_request(qid=True).set_score_request(qid=True)
            search = GridSearchCV(ranker, {"C": [1, 10]}, cv=GroupKFold(3))
            search.fit(self.X, self.y, qid=self.qid, groups=self.qid)
        other = GridSearchCV(dorm.Ranker("ndcg@5", qid_column=0), {"C": [1, 10]}, cv=GroupKFold(3))
        other.fit(self.with_qid, self.y, groups=self.qid)
        np.testing.assert_array_equal(search.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"])

    def test_pipeline_in_a_search(self):
        pipeline = make_pipeline(StandardScaler(), dorm.Ranker("ndcg@5", qid_column=0))
        search = GridSearchCV(pipeline, {"ranker__C": [1, 10]}, cv=GroupKFold(3), error_score="raise")
        search.fit(self.with_qid, self.y, groups=self.qid)
        self.assertEqual(clone(search.best_estimator_).get_params()["ranker__C"], search.best_params_["ranker__C"])
        self.assertEqual(search.predict(self.with_qid).shape, self.y.shape)

    def test_folds_with_groups_are_refused(self):
        sizes = [int((self.qid == one).sum()) for one in dict.fromkeys(self.qid)]
        search = GridSearchCV(dorm.Ranker("ndcg@5"), {"C": [1, 10]}, cv=GroupKFold(3), error_score="raise")
        with self.assertRaisesRegex(ValueError, "group adds up to"):
            search.fit(self.X, self.y, groups=self.qid, group=sizes)


if __name__ == "__main__":
    unittest.main()
