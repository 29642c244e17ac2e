"""What users of Python, scikit-learn and LightGBM expect: names, warnings, callbacks, threads, forks, copies, types."""

import inspect
import os
import pickle
import signal
import subprocess
import sys
import time
import unittest
import warnings
from unittest import mock

import numpy as np

import dorm
from cases import ranking_data

try:
    import pandas
except ImportError:
    pandas = None
try:
    import xgboost
except ImportError:
    xgboost = None


def python(code, **variables):
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True,
                          check=False, timeout=300)
    if done.returncode:
        raise AssertionError(done.stderr[-2000:])
    return done.stdout


class Small(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y, cls.qid = ranking_data(seed=51, num_queries=40)
        cls.other = ranking_data(seed=52, num_queries=20)
        cls.third = ranking_data(seed=53, num_queries=20)


class Settings(Small):
    def test_signature(self):
        names = list(inspect.signature(dorm.Ranker).parameters)
        self.assertEqual(names[:4], ["loss", "trainer", "C", "kernel"])
        self.assertIn("solver_gap", names)
        self.assertNotIn("output_model", names)
        self.assertIn("solver_gap=0.01", dorm.Ranker.__doc__)
        for name in names[4:]:
            self.assertEqual(getattr(dorm.Ranker(**{name: None}), name), None)

    def test_table(self):
        table = dorm.settings()
        self.assertEqual(table["solver_gap"].default, 0.01)
        self.assertEqual(table["trees_leaves"].default, [4, 10])
        self.assertIs(table["trees_raw_values"].default, False)
        self.assertIn("net_epochs", dorm.settings("net"))
        self.assertLess(len(dorm.settings("net")), len(table))
        self.assertIn("solver_gap", repr(table))
        self.assertIn("<table>", table._repr_html_())
        self.assertIn("ndcg", dorm.list_losses())
        self.assertIn("err", dorm.list_measures())
        self.assertIn("Ranker", dir(dorm))

    def test_names_of_other_libraries(self):
        for name, sentence in (("n_estimators", "trees_trees"), ("num_leaves", "trees_leaves"), ("verbose", "progress"),
                               ("random_state", "training_seed"), ("early_stopping_rounds", "dorm.early_stopping")):
            with self.assertRaisesRegex(TypeError, f"no setting '{name}': dorm has .*{sentence}"):
                dorm.Ranker(**{name: 1})
        with self.assertRaisesRegex(TypeError, "did you mean solver_gap"):
            dorm.Ranker(solver_gapp=1)

    def test_warnings(self):
        with self.assertWarnsRegex(dorm.Warning, "trees.trees = 500 is not used") as caught:
            dorm.Ranker("ndcg@10", trainer="svm", C=1, trees_trees=500).fit(self.X, self.y, qid=self.qid)
        self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(dorm.Warning, "the validation data are the training data"):
            dorm.Ranker(trainer="svm", C=1).fit(self.X, self.y, qid=self.qid, eval_set=(self.X, self.y), eval_qid=self.qid)
        with self.assertWarnsRegex(dorm.Warning, "all documents of 40 of 40 queries"):
            dorm.evaluate(self.y + 1, self.X[:, 0], qid=self.qid, measures="map")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ranker = dorm.Ranker(trainer="svm", C=1).fit(self.X, self.y, qid=self.qid)
            ranker.predict(self.X, self.qid)
        fewer = dorm.Dataset(self.X[:, :3], self.y, qid=self.qid)
        with self.assertWarnsRegex(dorm.Warning, "^the data set has 3 of the 5 features of the model; the") as caught:
            ranker.predict(fewer)
        self.assertEqual(caught.filename, __file__)
        with self.assertWarnsRegex(dorm.Warning, "the data set has 3 of the 5 features of the training data set"):
            dorm.Ranker(trainer="svm", C=1).fit(dorm.Dataset(self.X, self.y, qid=self.qid), eval_set=fewer)

    def test_load(self):
        """A model gives back what was set, as numbers and lists, and trains again to the same bits."""
        for params in ({"trainer": "svm", "C": [1, 10], "solver_gap": 0.02, "data_rank_block": 0, "for_serving": False},
                       {"trainer": "ridge", "loss": "mrr", "data_rank_block": [0, 0.25], "for_serving": False},
                       {"trainer": "trees", "trees_trees": 20}, {"trainer": "svm", "C": 3},
                       {"loss": "ndcg", "trees_leaves": [8, 32], "trees_trees": 10, "for_serving": False},
                       {"trainer": "net", "net_epochs": 3}, {"trees_trees": 10}):
            ranker = dorm.Ranker(**params).fit(self.X, self.y, qid=self.qid)
            ranker.save("loaded.dorm")
            loaded = dorm.Ranker.load("loaded.dorm")
            self.assertEqual(loaded.get_params(), dorm.Ranker(**params).get_params())
            again = loaded.fit(self.X, self.y, qid=self.qid)
            np.testing.assert_array_equal(again.predict(self.X, self.qid), ranker.predict(self.X, self.qid))


class Models(Small):
    def test_serving(self):
        ranker = dorm.Ranker("ndcg@10", trees_trees=30).fit(self.X, self.y, qid=self.qid)
        by_hand = dorm.Ranker("ndcg@10", trees_trees=30, for_serving=False, data_normalisation="global-minmax",
                              data_rank_block=0, trees_raw_values=True).fit(self.X, self.y, qid=self.qid)
        self.assertFalse(ranker.model_.needs_query)
        np.testing.assert_array_equal(ranker.predict(self.X), by_hand.predict(self.X))
        np.testing.assert_array_equal(ranker.rank(self.X), np.argsort(np.argsort(-ranker.predict(self.X), kind="stable")))
        alone = np.concatenate([ranker.predict(self.X[[j]]) for j in range(20)])
        np.testing.assert_allclose(alone, ranker.predict(self.X)[:20])
        ranker.export("json", "exported.json", name="mine")
        with open("exported.json", encoding="utf-8") as file:
            self.assertIn("mine", file.read())
        with self.assertRaisesRegex(ValueError, "format"):
            ranker.export("nothing", "exported.json")
        within = dorm.Ranker(trainer="svm", C=1, for_serving=False).fit(self.X, self.y, qid=self.qid)
        with self.assertRaises(dorm.DataError):
            within.export("json", "exported.json")
        with self.assertRaisesRegex(TypeError, "for_serving=True"):
            within.predict(self.X)

    def test_every_trainer_needs_no_query(self):
        """predict(X) follows fit without a word of queries, for every trainer and for few documents."""
        some = self.qid < np.sort(np.unique(self.qid))[8]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for params in ({}, {"trainer": "svm", "C": 1}, {"trainer": "ridge"}, {"trainer": "trees", "trees_trees": 5},
                           {"trainer": "net", "net_epochs": 2}, {"trainer": ["svm", "trees"], "C": 1, "trees_trees": 5},
                           {"trainer": "adarank"}, {"trainer": "smooth"}, {"kernel": "rbf:gamma=1", "C": 1}):
                ranker = dorm.Ranker(**params).fit(self.X[some], self.y[some], qid=self.qid[some])
                scores = ranker.predict(self.X)
                np.testing.assert_array_equal(scores, ranker.predict(self.X, self.qid))
                np.testing.assert_allclose(ranker.predict(self.X[:1]), scores[:1])

    def test_importances(self):
        """The mean size of contributions, by the weights of a linear model; the data are of weights 1 to 5."""
        ranker = dorm.Ranker(trainer="svm", C=1, for_serving=False).fit(self.X, self.y, qid=self.qid)
        given = dorm.importances(ranker, self.X, self.qid)
        rows = np.empty_like(self.X)
        for one in np.unique(self.qid):
            inside = self.qid == one
            x = self.X[inside].astype(np.float32).astype(float)
            scaled = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
            rows[inside] = np.abs(scaled - scaled.mean(axis=0))
        expected = rows.mean(axis=0) * np.abs(ranker.coef_)
        np.testing.assert_allclose(given, expected / expected.sum(), atol=1e-4)
        for trainer in ("svm", "trees"):
            one = dorm.Ranker(trainer=trainer).fit(self.X, self.y, qid=self.qid)
            self.assertAlmostEqual(one.feature_importances_.sum(), 1)
            self.assertEqual(one.feature_importances_.argmax(), 4)
        net = dorm.Ranker(trainer="net", net_epochs=2).fit(self.X, self.y, qid=self.qid)
        self.assertFalse(hasattr(net, "feature_importances_"))

    def test_contributions(self):
        ranker = dorm.Ranker(trees_trees=20).fit(self.X, self.y, qid=self.qid)
        parts = ranker.predict(self.X, self.qid, pred_contrib=True)
        self.assertEqual(parts.shape, (len(self.X), 6))
        np.testing.assert_allclose(parts.sum(axis=1), ranker.predict(self.X, self.qid), atol=1e-4)
        without = ranker.predict(self.X, pred_contrib=True)  # against the mean over all rows
        np.testing.assert_array_equal(without, ranker.predict(self.X, 0, pred_contrib=True))
        self.assertEqual(len(set(without[:, 5])), 1)
        compares = dorm.Ranker(trainer="svm", C=1, for_serving=False).fit(self.X, self.y, qid=self.qid)
        with self.assertRaisesRegex(TypeError, "qid is missing: contributions"):
            compares.predict(self.X, pred_contrib=True)

    def test_init_model(self):
        first = dorm.Ranker(trainer="trees", trees_trees=10, trees_leaves=4).fit(self.X, self.y, qid=self.qid)
        first.save("first.dorm")
        X, y, qid = self.other
        scores = []
        for start in (first, first.model_, "first.dorm", None):
            more = dorm.Ranker(trainer="trees", trees_trees=10, trees_leaves=4, selection_folds=0)
            scores.append(more.fit(X, y, qid=qid, init_model=start).predict(X, qid))
        np.testing.assert_array_equal(scores[0], scores[1])
        np.testing.assert_array_equal(scores[0], scores[2])
        self.assertGreater(np.abs(scores[0] - scores[3]).max(), 0)
        self.assertNotIn("data_from", dorm.Ranker.load("first.dorm").get_params())

    def test_copies(self):
        data = dorm.Dataset(self.X, self.y, qid=self.qid, sample_weight=np.arange(len(self.y)) % 3,
                            doc_ids=[f"d{j}" for j in range(len(self.y))], feature_names=list("abcde"))
        again = pickle.loads(pickle.dumps(data))
        for name in ("X", "y", "qid", "doc_ids", "feature_names", "doc_weights", "feature_ids"):
            np.testing.assert_array_equal(getattr(again, name), getattr(data, name), name)
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1).fit(data)
        np.testing.assert_array_equal(ranker.predict(again), ranker.predict(data))
        many = dorm.Ranker("ndcg@5", trainer="svm").fit(data).candidates_
        for shown in (ranker, ranker.model_, data, many, dorm.evaluate(data, self.X[:, 0])):
            self.assertLess(len(repr(shown)), 400)
        self.assertEqual(repr(ranker), "Ranker(loss='ndcg@5', trainer='svm', C=1)")
        for shown in (ranker, ranker.model_, data):
            self.assertIn("<", shown._repr_html_())


class LikeLightGBM(Small):
    def test_eval_sets(self):
        (X, y, qid), (X3, y3, qid3) = self.other, self.third
        ranker = dorm.Ranker("ndcg@5", trainer="trees", trees_trees=30, trees_leaves=4)
        ranker.fit(self.X, self.y, qid=self.qid, eval_set=[(X, y), (X3, y3)], eval_qid=[qid, qid3],
                   eval_names=["first", "second"], eval_metric=["ndcg", "map@10"], eval_at=[1, 5])
        self.assertEqual(list(ranker.evals_result_), ["first", "second"])
        self.assertEqual(set(ranker.best_score_["second"]), {"ndcg@1", "ndcg@5", "map@10"})
        for name, (A, labels, ids) in (("first", self.other), ("second", self.third)):
            scores = ranker.predict(A, ids)
            for measure in ("ndcg@1", "map@10"):
                expected = dorm.evaluate(labels, scores, qid=ids, measures=measure).mean
                self.assertEqual(ranker.best_score_[name][measure], expected)
        alone = dorm.Ranker("ndcg@5", trainer="trees", trees_trees=30, trees_leaves=4)
        alone.fit(self.X, self.y, qid=self.qid, eval_set=(X, y), eval_qid=qid)
        np.testing.assert_array_equal(alone.predict(X3, qid3), ranker.predict(X3, qid3))  # the first one chooses
        self.assertEqual(alone.best_score_, {"valid_0": {"ndcg@5": alone.validation_score_}})
        best = max((one for one in alone.candidates_ if one.is_selected), key=lambda one: one.validation)
        self.assertEqual(alone.best_iteration_, best.round)
        curve = alone.evals_result_["valid_0"]["ndcg@5"]
        self.assertGreaterEqual(len(curve), best.round + 1)
        self.assertAlmostEqual(curve[best.round - 1], best.validation)
        linear = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 3]).fit(self.X, self.y, qid=self.qid, eval_set=(X, y), eval_qid=qid)
        self.assertEqual(len(linear.evals_result_["valid_0"]["ndcg@5"]), len(linear.candidates_) + 1)
        seen = []

        def top(labels, scores, weights, group):
            seen.append((labels.sum(), len(scores), weights, group.sum()))
            return "top", float(labels[np.argmax(scores)]), True

        order = np.random.RandomState(3).permutation(len(y))  # the documents of a query are apart
        one = dorm.Ranker("ndcg@5", trainer="svm", C=1).fit(
            self.X, self.y, qid=self.qid, eval_set=[(X[order], y[order])], eval_qid=[qid[order]], eval_metric=[top, "map"])
        self.assertEqual(seen, [(y.sum(), len(y), None, len(y))])
        self.assertEqual(set(one.best_score_["valid_0"]), {"ndcg@5", "top", "map"})
        self.assertEqual(one.best_score_["valid_0"]["top"], y[np.argmax(one.predict(X, qid))])
        with self.assertRaisesRegex(TypeError, "has to return"):
            one.fit(self.X, self.y, qid=self.qid, eval_set=(X, y), eval_qid=qid, eval_metric=lambda y, scores: 1.0)
        with mock.patch.object(dorm._training, "train") as train, self.assertRaisesRegex(ValueError, "unknown measure 'auc'"):
            one.fit(self.X, self.y, qid=self.qid, eval_set=(X, y), eval_qid=qid, eval_metric=["map", "auc"])
        train.assert_not_called()
        with self.assertRaisesRegex(TypeError, "eval_qid has to be a list"):
            ranker.fit(self.X, self.y, qid=self.qid, eval_set=[(X, y), (X3, y3)], eval_qid=qid)

    def test_memory_of_the_data(self):
        """Training takes the memory of data sets that fit made and needs no more."""
        (X, y, qid), data = self.other, dorm.Dataset(self.X, self.y, qid=self.qid)
        valid = {"eval_set": (X, y), "eval_qid": qid}
        for given, keywords, expected in (
            ((self.X, self.y), {"qid": self.qid}, True), ((self.X, self.y), {"qid": self.qid, **valid}, True), ((data,), {}, False),
            ((self.X, self.y), {"qid": self.qid, "eval_set": dorm.Dataset(X, y, qid=qid)}, False),
            ((self.X, self.y), {"qid": self.qid, "eval_metric": "map", **valid}, False),
        ):
            with mock.patch.object(dorm._training, "train", wraps=dorm._training.train) as train:
                dorm.Ranker(trainer="ridge", selection_folds=0).fit(*given, **keywords)
            self.assertIs(bool(train.call_args[0][4]), expected, keywords)

    def test_callbacks(self):
        X, y, qid = self.other
        events = []
        ranker = dorm.Ranker("ndcg@5", trainer="trees", trees_trees=300, trees_leaves=4, trees_learning_rate=0.3)
        keywords = {"qid": self.qid, "eval_set": (X, y), "eval_qid": qid}
        ranker.fit(self.X, self.y, callbacks=[events.append, dorm.early_stopping(3)], **keywords)
        self.assertTrue(any(event.kind == "candidate" for event in events))
        self.assertEqual(ranker.model_.setting("training.patience"), "3")
        self.assertIsNone(ranker.get_params().get("training_patience"))

        def stop(event):
            if event.kind == "candidate":
                raise StopIteration

        stopped = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 3, 10]).fit(self.X, self.y, callbacks=[stop], **keywords)
        self.assertTrue(stopped.stopped_)
        with self.assertRaisesRegex(TypeError, "callbacks has 3"):
            ranker.fit(self.X, self.y, qid=self.qid, callbacks=[3])

    def rows_of_the_table(self):
        """{name: the cells of LGBMRanker, XGBRanker and dorm} of the table of manual/python.md."""
        manual = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../manual/python.md")
        with open(manual, encoding="utf-8") as file:
            lines = file.read().split("| LGBMRanker |")[1].split("\n\n")[0].splitlines()[2:]
        cells = [line.split("|") for line in lines]
        return {one[1].strip(): one[2:5] for one in cells}

    def test_table(self):
        """Of what the table has, dorm lacks GPU and Windows alone."""
        rows = self.rows_of_the_table()
        self.assertEqual([name for name, cells in rows.items() if "○" in cells[2]], ["GPU; Windows"])
        for name, cells in rows.items():
            self.assertEqual([sum(map(one.count, "●◐○")) for one in cells], [len(name.split("; "))] * 3, name)

    @unittest.skipIf(xgboost is None, "xgboost is not installed (apt-get install python3-xgboost)")
    def test_table_of_xgboost(self):
        """What the table says of XGBRanker is what it does: a mark is ● if and only if it is there."""
        kind, order = xgboost.XGBRanker, np.argsort(self.qid, kind="stable")
        X, y, qid = self.X[order], self.y[order], self.qid[order]
        fit, new = (inspect.signature(one).parameters for one in (kind.fit, xgboost.XGBModel.__init__))

        def fits(data=X, own=(), **keywords):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    kind(n_estimators=2, tree_method="hist", **dict(own)).fit(data, y, qid=qid, **keywords)
                return True
            except (ValueError, xgboost.core.XGBoostError):
                return False

        valid = {"eval_set": [(X, y), (X, y)], "eval_qid": [qid, qid]}
        expected = {
            "`fit(group=)`; `fit(qid=)`; `predict(X)`": ["group" in fit, fits(), "qid" not in inspect.signature(kind.predict).parameters],
            "`sample_weight` per document; per query": [
                fits(sample_weight=np.ones(len(y))), fits(sample_weight=np.ones(len(set(qid))))],
            "several `eval_set`; `eval_names`; `eval_at`": [fits(**valid), "eval_names" in fit, "eval_at" in fit],
            "`eval_metric`; a function as one": [
                fits(own={"eval_metric": "map"}, **valid), fits(own={"eval_metric": lambda y, scores: 1.0}, **valid)],
            "early stopping; `callbacks`": ["early_stopping_rounds" in new, "callbacks" in new],
            "`evals_result_`; `best_iteration_`; `best_score_`": [
                hasattr(kind, name) for name in ("evals_result_", "best_iteration_", "best_score_")],
            "`feature_importances_`; `pred_contrib`": [
                hasattr(kind, "feature_importances_"), "pred_contrib" in inspect.signature(kind.predict).parameters],
            "`init_model`; own objective": ["init_model" in fit, fits(own={"objective": lambda y, scores: (y, y)})],
            "`n_jobs`; `predict` after `fork`": ["n_jobs" in new, False],  # the child waits for the threads of its parent
            "`clone`, pickles; `score`; type annotations": [
                pickle.loads(pickle.dumps(kind(n_estimators=2))).n_estimators == 2, hasattr(kind, "score"),
                os.path.exists(os.path.join(os.path.dirname(xgboost.__file__), "py.typed"))],
        }
        rows = self.rows_of_the_table()
        if pandas is not None:
            frame = pandas.DataFrame({"a": X[:, 0], "b": pandas.Categorical(np.where(X[:, 1] > 0.5, "x", "y"))})
            holes = np.where(X > 0.9, np.nan, X)
            expected["pandas categories; missing values"] = [fits(frame, {"enable_categorical": True}), fits(holes)]
        for name, there in expected.items():
            self.assertEqual([mark == "●" for mark in rows[name][1].split()], there, name)

    def test_order_of_arguments(self):
        with self.assertRaisesRegex(ValueError, "the order is y_true, scores"):
            dorm.evaluate(self.X[:, 0], self.y, qid=self.qid)
        with self.assertRaises(TypeError):
            dorm.evaluate(self.y, self.X[:, 0], self.qid)
        with self.assertRaisesRegex(TypeError, "the order is y_true, scores"):
            dorm.evaluate(self.X[:, 0], dorm.Dataset(self.X, self.y, qid=self.qid))


@unittest.skipIf(pandas is None, "pandas is not installed (apt-get install python3-pandas)")
class Frames(Small):
    def setUp(self):
        index = [f"r{j}" for j in np.random.RandomState(1).permutation(len(self.y))]
        self.frame = pandas.DataFrame(self.X.copy(), columns=list("abcde"), index=index)
        self.ranker = dorm.Ranker(trainer="svm", C=1)

    def test_names_in_the_model(self):
        self.ranker.fit(self.frame, self.y, qid=self.qid).save("named.dorm")
        loaded = dorm.Ranker.load("named.dorm")
        self.assertEqual(list(loaded.feature_names_in_), list("abcde"))
        np.testing.assert_array_equal(loaded.predict(self.frame, self.qid), self.ranker.predict(self.X, self.qid))
        with self.assertRaisesRegex(ValueError, "the model was trained on"):
            loaded.predict(self.frame[list("edcba")], self.qid)

    def test_rows_and_columns_of_the_caller(self):
        order = np.random.RandomState(3).permutation(len(self.y))
        frame, qid = self.frame.iloc[order], self.qid[order]
        bad = frame.copy()
        bad.iloc[17, 3] = np.inf
        sentence = f"row '{bad.index[17]}' .number 17., column 'd'"
        with self.assertRaisesRegex(ValueError, sentence):
            self.ranker.fit(bad, self.y[order], qid=qid)
        self.ranker.fit(frame, self.y[order], qid=qid)
        with self.assertRaisesRegex(ValueError, sentence):
            self.ranker.predict(bad, qid)
        with self.assertRaisesRegex(ValueError, f"eval_set: {sentence}"):
            self.ranker.fit(frame, self.y[order], qid=qid, eval_set=(bad, self.y[order]), eval_qid=qid)
        with self.assertRaisesRegex(ValueError, "y of eval_set is -1 for document 4"):
            negative = np.where(np.arange(len(qid)) == 4, -1, self.y)
            self.ranker.fit(frame, self.y[order], qid=qid, eval_set=(frame, negative), eval_qid=qid)
        wide = pandas.DataFrame(np.tile(self.X, 3), columns=[f"c{j}" for j in range(15)])
        with self.assertRaisesRegex(ValueError, r"c7', ... \(15 in all\)], but .* 'd', 'e'\], in this order"):
            self.ranker.predict(wide, self.qid)
        labels = pandas.Series(self.y, index=self.frame.index)
        labels.iloc[5] = -1
        with self.assertRaisesRegex(ValueError, f"row '{labels.index[5]}'"):
            self.ranker.fit(self.frame, labels, qid=self.qid)

    def test_categories(self):
        """A column of categories is a column of 0 and 1 for each of them."""
        kind = np.where(self.X[:, 0] > 0.7, "big", np.where(self.X[:, 0] > 0.3, "middle", "small"))
        frame = self.frame.assign(kind=pandas.Categorical(kind))
        by_hand = np.column_stack([self.X, *[(kind == one) for one in ("big", "middle", "small")]])
        self.ranker.fit(frame, self.y, qid=self.qid)
        other = dorm.Ranker(trainer="svm", C=1).fit(by_hand, self.y, qid=self.qid)
        expected = other.predict(by_hand, self.qid)
        np.testing.assert_array_equal(self.ranker.predict(frame, self.qid), expected)
        self.ranker.save("categories.dorm")
        again = frame.assign(kind=pandas.Categorical(kind, ["unknown", "small", "middle", "big"]))
        np.testing.assert_array_equal(dorm.Ranker.load("categories.dorm").predict(again, self.qid), expected)
        with self.assertRaisesRegex(TypeError, "astype.'category'"):
            self.ranker.fit(frame.assign(kind=kind), self.y, qid=self.qid)

    def test_categories_of_trees(self):
        """Half of 60 brands are relevant: one split by a set finds them, and knows them by name in other frames."""
        random = np.random.RandomState(4)
        brands = np.array([f"brand {j}, 50%|{j}" for j in range(60)])
        place, qid = random.randint(0, 60, 1200), np.arange(1200) // 20
        y = (place * place % 7 % 2).astype(float)
        frame = pandas.DataFrame({"x": random.uniform(size=1200), "brand": pandas.Categorical(brands[place], brands)})
        settings = {"trainer": "trees", "trees_trees": 1, "trees_leaves": 2, "trees_feature_share": 1, "selection_folds": 0}
        scored, numbers = dorm.Ranker(**settings), np.column_stack([frame.x, place])
        half = qid < 30
        scored.fit(frame, y, qid=qid, eval_set=(frame[half], y[half]), eval_qid=qid[half])
        scores = scored.predict(frame)
        self.assertEqual(len(set(scores[y == 1])), 1)
        self.assertGreater(scores[y == 1].min(), scores[y == 0].max())
        self.assertEqual(scored.n_features_in_, 2)
        self.assertEqual(scored.model_.setting("data.categorical"), "2")
        for data, columns in ((numbers, [1]), (frame.assign(brand=place), ["brand"]), (frame.assign(brand=place), [1]),
                              (numbers, np.array([1])), (dorm.Dataset(numbers, y, qid=qid, feature_names=["x", "b"]), ["b"])):
            labels = {} if isinstance(data, dorm.Dataset) else {"y": y, "qid": qid}
            same = dorm.Ranker(**settings).fit(data, categorical_feature=columns, **labels)
            np.testing.assert_array_equal(same.predict(numbers), scores)
        plain = dorm.Ranker(**settings).fit(numbers, y, qid=qid).predict(numbers)
        self.assertLess(plain[y == 1].min(), plain[y == 0].max())  # one split of numbers cannot
        scored.save("brands.dorm")
        few = np.flatnonzero(place < 10)
        other = frame.iloc[few].assign(brand=pandas.Categorical(brands[place[few]], ["new", *brands[9::-1]]))
        loaded = dorm.Ranker.load("brands.dorm")
        for scorer in (scored.predict, loaded.predict, loaded.model_.score):
            np.testing.assert_array_equal(scorer(other), scores[few])
        other = other.assign(brand=pandas.Categorical(np.where(few % 2, "new", None), ["new"]))
        by_hand = np.column_stack([other.x, np.where(few % 2, -1, np.nan)])
        np.testing.assert_array_equal(loaded.predict(other), scored.model_.score(by_hand))
        more = dorm.Ranker(**settings).fit(other.assign(brand=frame.brand.iloc[few].cat.remove_unused_categories()), y[few],
                                           qid=qid[few], init_model=scored)
        self.assertEqual(list(more.feature_names_in_), list(scored.feature_names_in_))
        with self.assertRaisesRegex(ValueError, "the model was trained on"):
            scored.predict(frame.assign(colour=frame.brand))
        np.testing.assert_allclose(dorm.explain(scored, frame, qid).sum(axis=1),
                                   scores - [scores[qid == one].mean() for one in qid], atol=1e-5)
        with self.assertRaisesRegex(ValueError, "categorical_feature has 'colour', which is no column of X"):
            scored.fit(frame, y, qid=qid, categorical_feature=["colour"])
        with self.assertRaisesRegex(TypeError, "categorical_feature is a str: it has to be a list"):
            scored.fit(frame, y, qid=qid, categorical_feature="brand")


    def test_categories_by_default(self):
        """Categories are sets if the trainer became trees alone, and columns of 0 and 1 otherwise."""
        frame = self.frame.assign(kind=pandas.Categorical(np.where(self.X[:, 0] > 0.7, "big", "small")))
        few = np.isin(self.qid, np.unique(self.qid)[:8])
        trained = set()
        for params, which in (({}, slice(None)), ({"trainer": "auto"}, slice(None)), ({"trainer": ["svm", "trees"]}, slice(None)),
                              ({}, few), ({"for_serving": False}, slice(None)), ({"kernel": "rbf:gamma=1"}, slice(None)),
                              ({"data_rank_block": 1}, slice(None)),
                              ({"ranking_position_functions": 2, "ranking_position_weights": "power:0.5"}, slice(None))):
            ranker = dorm.Ranker(trees_trees=3, **params)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dorm.Warning)
                ranker.fit(frame[which], self.y[which], qid=self.qid[which])
            trainer = ranker.model_.setting("training.trainer")
            self.assertEqual(ranker.n_features_in_, 6 if trainer == "trees" else 7, params)
            trained.add(trainer)
        self.assertEqual(trained, {"trees", "svm", "svm, trees"})


class Processes(Small):
    def test_fork(self):
        """A child of fork scores and trains, although the threads of its parent are not there."""
        ranker = dorm.Ranker(trainer="trees", trees_trees=5, selection_folds=0, n_jobs=2).fit(self.X, self.y, qid=self.qid)
        many, ids = np.tile(self.X, (40, 1)), np.arange(40 * len(self.X)) // 10
        expected = ranker.predict(many, ids)
        child = os.fork()
        if child == 0:
            good = False
            try:
                good = np.array_equal(ranker.predict(many, ids), expected)
                again = dorm.Ranker(trainer=["svm", "trees"], trees_trees=5, C=1, n_jobs=2)
                good = good and np.isfinite(again.fit(self.X, self.y, qid=self.qid).predict(self.X, self.qid)).all()
                good = good and np.isfinite(dorm.lambdas(self.X[:, 0], self.y, self.qid, threads=2).cost)
            finally:
                os._exit(0 if good else 1)
        for _ in range(600):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.1)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self.fail("the child hangs")
        self.assertEqual(status, 0)

    def test_threads(self):
        """OMP_NUM_THREADS and n_jobs are obeyed: no other thread is there after training and scoring."""
        code = (
            "import numpy as np, dorm, os\n"
            "X = np.random.RandomState(1).uniform(size=(5000, 5)); y = np.arange(5000) % 3; q = np.arange(5000) // 10\n"
            "before = len(os.listdir('/proc/self/task'))\n"
            "r = dorm.Ranker(trainer=['svm', 'trees'], C=1, trees_trees=3, selection_folds=0{0}).fit(X, y, qid=q); r.predict(X, q)\n"
            "print(len(os.listdir('/proc/self/task')) - before)"
        )
        free = {"OMP_NUM_THREADS": "", "OPENBLAS_NUM_THREADS": "1"}
        self.assertEqual(python(code.format(""), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1").strip(), "0")
        self.assertEqual(python(code.format(", n_jobs=1"), **free).strip(), "0")
        self.assertGreaterEqual(int(python(code.format(", n_jobs=3"), **free)), 2)

    def test_threads_of_the_command(self):
        """`dorm train` obeys OMP_NUM_THREADS, and -t before it."""
        with open("threads.txt", "w", encoding="utf-8") as file:
            for j, row in enumerate(np.random.RandomState(1).uniform(size=(8000, 5))):
                file.write(f"{j % 3} qid:{j // 10} " + " ".join(f"{i + 1}:{x:.4f}" for i, x in enumerate(row)) + "\n")

        def most(*words):
            command = [os.environ["DORM"], "train", "-q", "threads.txt", "-o", "threads.dorm", "--trainer", "trees", "-s",
                       "trees.trees=100", "-s", "selection.folds=0", *words]
            process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL)
            seen = 0
            while process.poll() is None:
                try:
                    seen = max(seen, len(os.listdir(f"/proc/{process.pid}/task")))
                except FileNotFoundError:
                    pass
                time.sleep(0.002)
            self.assertEqual(process.returncode, 0)
            return seen

        self.assertEqual(most(), 1)
        self.assertGreaterEqual(most("-t", "3"), 3)

    def test_import(self):
        """Importing dorm takes 60 ms on an idle machine besides numpy, and does not import scikit-learn."""
        code = ("import sys, time, numpy\nt = time.process_time()\nimport dorm\nprint(time.process_time() - t)\n"
                "assert not {'sklearn', 'scipy', 'pandas', 'matplotlib'} & set(sys.modules), sys.modules")
        if "san" in os.environ.get("LD_PRELOAD", ""):
            return
        times = [float(python(code, PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX="cache")) for _ in range(4)]
        self.assertLess(min(times), 0.2)

    def test_missing_file(self):
        with self.assertRaises(FileNotFoundError) as caught:
            dorm.Ranker.load("nowhere.dorm")
        self.assertIsInstance(caught.exception, dorm.FileError)
        with self.assertRaises(FileNotFoundError):
            dorm.read_letor("nowhere.txt")

    def test_memory(self):
        """Many trainings take no more memory than twenty."""
        code = (
            "import sys; sys.path.insert(0, {0!r})\n"
            "import resource, dorm\nfrom cases import ranking_data\n"
            "X, y, q = ranking_data(7, 12)\n"
            "sizes = []\n"
            "for i in range(201):\n"
            "    r = dorm.Ranker(trainer=['svm', 'trees'], C=1, trees_trees=3, ranking_rounds=1, selection_folds=2, n_jobs=1).fit(X, y, qid=q)\n"
            "    r.predict(X, q); dorm.Dataset(X, y, qid=q).X\n"
            "    sizes.append(int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize())\n"
            "print(max(sizes[100:]) - max(sizes[20:100]))"
        ).format(os.path.dirname(os.path.abspath(__file__)))
        if "san" in os.environ.get("LD_PRELOAD", ""):
            return
        self.assertLess(int(python(code)), 1 << 20)


if __name__ == "__main__":
    unittest.main()
