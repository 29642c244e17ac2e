"""Ranker: the command's models to the bit, what it says of them, files and pickles, Ctrl-C, threads."""

import contextlib
import copy
import io
import os
import pickle
import signal
import subprocess
import threading
import unittest
import unittest.mock

import numpy as np

import dorm
from cases import FakeFrame, FakeSparse, differing, fit_small, lines_of, ranking_data

COMMAND = os.environ["DORM"]


def run(*arguments):
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL)


class LikeTheCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for part, name in enumerate(("train", "validation", "test"), 1):
            run("generate", "artificial", "--seed", "4", "--part", str(part), "--queries", "15", "-o", f"{name}.txt")
        cls.train = dorm.read_letor("train.txt")
        cls.validation = dorm.read_letor("validation.txt")
        cls.test = dorm.read_letor("test.txt")

    def command(self, *settings, options=("--for-serving",)):
        keywords = [word for one in settings for word in ("-s", one)]
        run("train", "train.txt", "validation.txt", "-q", "-s", "output.model=model.dorm", *options, *keywords)
        run("predict", "model.dorm", "test.txt", "-o", "scores.txt")
        with open("model.dorm", "rb") as file:
            return lines_of(file.read()), np.loadtxt("scores.txt")

    def same(self, ranker, expected, scores, X=lambda dataset: dataset.X, frame=False):
        train, validation, test = self.train, self.validation, self.test
        if frame:
            ranker.fit(X(train), train.y, eval_set=(X(validation), validation.y))
            found = ranker.predict(X(test))
        else:
            held_out = (X(validation), validation.y)
            ranker.fit(X(train), train.y, qid=train.qid, eval_set=held_out, eval_qid=validation.qid)
            found = ranker.predict(X(test), test.qid)
        self.assertEqual(differing(lines_of(ranker.model_.to_text()), expected), [])
        np.testing.assert_array_equal(found, scores)

    def test_defaults(self):
        self.same(dorm.Ranker(for_serving=False), *self.command(options=()))
        expected, scores = self.command()
        ranker = dorm.Ranker().fit(self.train, eval_set=self.validation)
        self.assertEqual(differing(lines_of(ranker.model_.to_text()), expected), [])
        np.testing.assert_array_equal(ranker.predict(self.test), scores)
        np.testing.assert_array_equal(ranker.predict(self.test.X), scores)
        self.assertGreater(float(self.train.X.max()), 0)  # a Dataset of the caller keeps its values

    def test_layouts(self):
        expected, scores = self.command("training.trainer=svm, trees", "solver.C=1", "trees.trees=20")
        ranker = dorm.Ranker(trainer=["svm", "trees"], C=1, trees_trees=20)
        self.same(ranker, expected, scores, lambda dataset: np.asfortranarray(dataset.X))
        self.same(ranker, expected, scores, lambda dataset: dataset.X.astype(np.float64))
        self.same(ranker, expected, scores, lambda dataset: FakeSparse(dataset.X, np.int32, np.float32))
        columns = lambda dataset: {**{str(i): dataset.X[:, i] for i in range(dataset.num_features)}, "qid": dataset.qid}
        self.same(ranker, expected, scores, lambda dataset: FakeFrame(columns(dataset)), frame=True)

    def test_kernels_and_lists(self):
        expected, scores = self.command(
            "loss.name=mrr", "kernel.kernel=rbf:gamma=0.5", "solver.C=1, 0.3", "kernel.rank=20"
        )
        self.same(dorm.Ranker("mrr", kernel="rbf:gamma=0.5", C=[1, 0.3], kernel_rank=20), expected, scores)

    def test_nets(self):
        expected, scores = self.command("training.trainer=net", "loss.name=ndcg@5", "net.epochs=4", "training.seed=1")
        self.same(dorm.Ranker("ndcg@5", trainer="net", net_epochs=4, training_seed=1), expected, scores)

    def test_trees(self):
        expected, scores = self.command("training.trainer=trees, ridge", "trees.trees=100")
        self.same(dorm.Ranker(trainer=["trees", "ridge"], trees_trees=100), expected, scores)


class Attributes(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=11)

    def test_scores_by_the_weights(self):
        """The score is the sum of weights times values, each feature between 0 and 1 within its query."""
        ranker, scores = fit_small(self.X, self.y, self.qid)
        X = self.X.astype(np.float32).astype(np.float64)
        expected = np.empty(len(X))
        for one in np.unique(self.qid):
            rows = X[self.qid == one]
            low, high = rows.min(axis=0), rows.max(axis=0)
            expected[self.qid == one] = (rows - low) / (high - low) @ ranker.coef_
        np.testing.assert_allclose(scores, expected, atol=1e-5)
        self.assertEqual(list(ranker.rank_coef_), [0] * self.X.shape[1])
        self.assertEqual(ranker.n_features_in_, self.X.shape[1])
        self.assertFalse(hasattr(ranker, "feature_names_in_"))

    def test_certificate(self):
        ranker, _ = fit_small(self.X, self.y, self.qid)
        self.assertEqual([one.number for one in ranker.candidates_], list(range(1, len(ranker.candidates_) + 1)))
        self.assertEqual({one.C for one in ranker.candidates_}, {0.0, 1.0, 10.0})
        certificate = ranker.certificate_
        self.assertLessEqual(certificate.dual, certificate.primal)
        self.assertAlmostEqual(certificate.gap, (certificate.primal - certificate.dual) / certificate.primal)
        self.assertLess(certificate.gap, 0.01)
        self.assertTrue(np.isnan(ranker.validation_score_))
        self.assertEqual(ranker.stopped_, "")

    def test_kernels_have_no_coef(self):
        ranker = dorm.Ranker(kernel="rbf:gamma=1", C=1, data_rank_block=0).fit(self.X, self.y, qid=self.qid)
        with self.assertRaisesRegex(AttributeError, "only a linear model"):
            ranker.coef_
        with self.assertRaisesRegex(ValueError, "only linear parts and trees"):
            dorm.explain(ranker, self.X, self.qid)

    def test_ranks(self):
        ranker, scores = fit_small(self.X, self.y, self.qid)
        positions = ranker.rank(self.X, self.qid)
        for one in np.unique(self.qid):
            inside = self.qid == one
            self.assertEqual(sorted(positions[inside]), list(range(inside.sum())))
            np.testing.assert_array_equal(np.argsort(-scores[inside], kind="stable")[positions[inside]],
                                          np.arange(inside.sum()))
        order = np.random.RandomState(0).permutation(len(self.y))
        np.testing.assert_array_equal(ranker.rank(self.X[order], self.qid[order]), positions[order])
        self.assertEqual(list(ranker.rank(np.zeros((3, self.X.shape[1])), qid=0)), [0, 1, 2])

    def test_score(self):
        ranker, scores = fit_small(self.X, self.y, self.qid)
        expected = dorm.evaluate(self.y, scores, qid=self.qid, measures="ndcg@5").mean
        self.assertEqual(ranker.score(self.X, self.y, qid=self.qid), expected)
        errors = dorm.evaluate(self.y, scores, qid=self.qid, measures="pair_error")
        self.assertTrue(errors.lower_is_better)
        self.assertEqual(ranker.score(self.X, self.y, qid=self.qid, measure="pair_error"), -errors.mean)

    def test_models_that_need_no_query(self):
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1).fit(self.X, self.y, qid=self.qid)
        self.assertFalse(ranker.model_.needs_query)
        np.testing.assert_array_equal(ranker.predict(self.X), ranker.predict(self.X, self.qid))

    def test_settings(self):
        ranker = dorm.Ranker("ndcg@5", solver_gap=0.1, **{"selection.start": False, "selection.average": 2})
        self.assertEqual(ranker.get_params()["solver_gap"], 0.1)
        ranker.set_params(C=3, selection_average=1)
        self.assertEqual(repr(ranker), "Ranker(loss='ndcg@5', C=3, solver_gap=0.1, selection_start=False, "
                                       "selection_average=1)")
        ranker.fit(self.X, self.y, qid=self.qid)
        settings = ranker.model_.describe()["settings"]
        given = [settings[key] for key in ("solver.gap", "selection.start", "solver.C")]
        self.assertEqual(given, ["0.1", "no", "3"])

    def check_sums(self, ranker, X, qid):
        parts, means = dorm.explain(ranker, X, qid, with_mean=True)
        scores = ranker.predict(X, qid)
        np.testing.assert_allclose(parts.sum(axis=1) + means, scores, atol=1e-5)
        for one in np.unique(qid):
            inside = qid == one
            np.testing.assert_allclose(means[inside], scores[inside].mean(), atol=1e-12)
            np.testing.assert_allclose(parts[inside].sum(axis=0), 0, atol=1e-9)
        return parts

    def test_explanations(self):
        """Contributions add up to the score within the query, and each is that of its formula."""
        order = np.random.RandomState(2).permutation(len(self.y))
        X, y, qid = self.X[order], self.y[order], self.qid[order]
        for normalisation in ("minmax", "zscore", "global-minmax", "none"):
            ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1, data_rank_block=0.5, data_normalisation=normalisation)
            self.check_sums(ranker.fit(X, y, qid=qid), X, qid)
        ranker, _ = fit_small(X, y, qid)
        parts = dorm.explain(ranker, X, qid)
        inside = qid == qid[0]
        rows = X[inside]
        rows = (rows - rows.min(axis=0)) / (rows.max(axis=0) - rows.min(axis=0))
        np.testing.assert_allclose(parts[inside], (rows - rows.mean(axis=0)) * ranker.coef_, atol=1e-5)
        np.testing.assert_array_equal(dorm.explain(ranker.model_, X, qid), parts)
        np.testing.assert_array_equal(dorm.explain(ranker, dorm.Dataset(X, qid=qid)), parts)
        np.testing.assert_array_equal(dorm.explain(ranker, FakeSparse(X, np.int32, np.float64), qid), parts)

    def test_trees_without_validation_data_have_folds_each_time(self):
        """The folds of one fit are no setting of the next: with validation data a loaded ranker has none."""
        ranker = dorm.Ranker("ndcg@5", trainer="trees", trees_trees=5, data_rank_block=0)
        ranker.fit(self.X, self.y, qid=self.qid)
        self.assertTrue(np.isnan(ranker.validation_score_))
        ranker.save("folds.dorm")
        loaded = dorm.Ranker.load("folds.dorm")
        self.assertIsNone(loaded.get_params().get("selection_folds"))
        loaded.fit(self.X, self.y, qid=self.qid, eval_set=(self.X, self.y), eval_qid=self.qid)
        self.assertGreater(loaded.validation_score_, 0)

    def test_explanations_of_trees(self):
        """One split on feature 2 at 0.5, with the leaves -1 and 3: only that feature counts, and by its leaf less the
        mean of the query's leaves; a linear part adds its own."""
        text = (
            "dorm model 1\nnormalisation none\nrank_block 0\nfeature 1 2\nfeature 2 0\nmissing 1 0\nmissing 2 0\n"
            "part trees 2 regression relevance 0 1 1\nlevels\ntree 3\n"
            "split value 2 0.5 1 absent:0 gain:1\nleaf -1\nleaf 3\nend 2\n"
        )
        X = np.array([[1, 0], [2, 1], [3, 1], [10, 1], [20, 1.0]])
        parts, means = dorm.explain(dorm.Model.from_text(text), X, [1, 1, 1, 2, 2], with_mean=True)
        leaves = np.array([-1, 3, 3, 3, 3])
        np.testing.assert_allclose(parts[:, 0], 2 * (X[:, 0] - [2, 2, 2, 15, 15]))
        np.testing.assert_allclose(parts[:, 1], 2 * (leaves - np.array([5, 5, 5, 9, 9]) / 3))
        np.testing.assert_allclose(means, 2 * np.array([2, 2, 2, 15, 15]) + 2 * np.array([5, 5, 5, 9, 9]) / 3)

    def test_explanations_of_trained_trees(self):
        for objective in ("dorm", "regression", "ordinal", "classification"):
            for settings in ({}, {"trees_start": "ridge"}):
                if settings and objective in ("ordinal", "classification"):
                    continue
                ranker = dorm.Ranker("ndcg@5", trainer="trees", trees_objective=objective, trees_trees=20,
                                     trees_leaves=4, data_rank_block=0.5, trees_min_docs_in_leaf=5, **settings)
                ranker.fit(self.X, self.y, qid=self.qid)
                parts = self.check_sums(ranker, self.X, self.qid)
                self.assertGreater(np.abs(parts).max(), 0.01)


class Copies(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=13)
        self.ranker, self.expected = fit_small(self.X, self.y, self.qid)

    def test_files(self):
        self.ranker.save("copy.dorm")
        loaded = dorm.Ranker.load("copy.dorm")
        np.testing.assert_array_equal(loaded.predict(self.X, self.qid), self.expected)
        same = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10], for_serving=False)
        self.assertEqual(loaded.get_params(), same.get_params())
        np.testing.assert_array_equal(loaded.coef_, self.ranker.coef_)
        again = loaded.fit(self.X, self.y, qid=self.qid)  # by the settings of the file
        np.testing.assert_array_equal(again.predict(self.X, self.qid), self.expected)
        os.remove("copy.dorm")

    def test_files_that_a_model_names(self):
        """A model that was read makes Python open no file: neither for a measure nor for another training."""
        named = {
            "loss.name": "evil:k=2 from ./evil.so", "data.from": "evil.dorm",
            "selection.measure": "minus_loss(evil from ./evil.so)", "net.start": "file:evil.dorm",
            "kernel.kernel": "linear + gram:evil.txt(1)", "training.lambda": "evil of cost:file=evil.txt",
        }
        lines = self.ranker.model_.to_text().decode().split("\n")
        kept = [line for line in lines if not any(line.startswith(f"setting {key} ") for key in named)]
        kept[1:1] = [f"setting {key} = {value}" for key, value in named.items()]
        with open("naming.dorm", "w") as file:
            file.write("\n".join(line for line in kept if not line.startswith("checksum")))
        with self.assertWarnsRegex(UserWarning, "naming.dorm: a model opens no file.*loss='evil:k=2 from ./evil.so'"):
            loaded = dorm.Ranker.load("naming.dorm")
        os.remove("naming.dorm")
        self.assertEqual(loaded.model_.setting("loss.name"), "evil:k=2 from ./evil.so")
        self.assertFalse([value for value in loaded.get_params().values() if "evil" in str(value)])
        with self.assertRaisesRegex(ValueError, "chosen by minus_loss.evil from ./evil.so., but a model opens no file"):
            loaded.score(self.X, self.y, qid=self.qid)
        self.assertGreater(loaded.score(self.X, self.y, qid=self.qid, measure="ndcg@5"), 0)
        with self.assertRaisesRegex(ValueError, "chosen by"):
            pickle.loads(pickle.dumps(loaded)).score(self.X, self.y, qid=self.qid)
        loaded.fit(self.X, self.y, qid=self.qid)

    def test_pickles(self):
        for other in (pickle.loads(pickle.dumps(self.ranker)), copy.deepcopy(self.ranker)):
            np.testing.assert_array_equal(other.predict(self.X, self.qid), self.expected)
            self.assertEqual(repr(other.candidates_), repr(self.ranker.candidates_))
            self.assertEqual(other.get_params(), self.ranker.get_params())
            self.assertEqual(other.model_.to_text(), self.ranker.model_.to_text())

    def test_threads(self):
        """Models are scored by many threads, each with a context of its own."""
        found = [None] * 8

        def work(i):
            for _ in range(20):
                found[i] = self.ranker.predict(self.X, self.qid)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for scores in found:
            np.testing.assert_array_equal(scores, self.expected)

    def test_training_in_a_thread(self):
        found = []
        thread = threading.Thread(target=lambda: found.append(fit_small(self.X, self.y, self.qid)[1]))
        thread.start()
        thread.join()
        np.testing.assert_array_equal(found[0], self.expected)


class Interruptions(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=15, num_queries=60)

    def test_log(self):
        events = []
        dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10], log=events.append).fit(self.X, self.y, qid=self.qid)
        kinds = [one.kind for one in events]
        self.assertIn("iteration", kinds)
        finished = [one for one in events if one.kind == "candidate"]
        self.assertEqual([one.candidate.number for one in finished], list(range(1, len(finished) + 1)))
        self.assertEqual(finished[-1].num_done, finished[-1].num_candidates)

    def test_interrupt(self):
        """Ctrl-C in the middle: KeyboardInterrupt, with a model of the candidates made by then."""

        def log(event):
            if event.kind == "candidate" and event.candidate.number == 3:
                os.kill(os.getpid(), signal.SIGINT)

        given = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have let it be ignored
        self.addCleanup(signal.signal, signal.SIGINT, given)
        before = signal.getsignal(signal.SIGINT)
        ranker = dorm.Ranker("ndcg@5", trainer="svm", log=log)
        with self.assertRaises(KeyboardInterrupt):
            ranker.fit(self.X, self.y, qid=self.qid)
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertIn(len(ranker.candidates_), (3, 4))
        self.assertNotEqual(ranker.stopped_, "")
        self.assertEqual(len(ranker.predict(self.X, self.qid)), len(self.y))

    def test_failing_log(self):
        def log(event):
            raise RuntimeError("the log is full")

        with self.assertRaisesRegex(RuntimeError, "the log is full"):
            dorm.Ranker("ndcg@5", trainer="svm", log=log).fit(self.X, self.y, qid=self.qid)

    def test_log_that_has_enough(self):
        """StopIteration in the log ends the training, and is no failure."""
        def log(event):
            if event.kind == "candidate" and event.candidate.number == 3:
                raise StopIteration

        ranker = dorm.Ranker("ndcg@5", trainer="svm", log=log).fit(self.X, self.y, qid=self.qid)
        self.assertIn(len(ranker.candidates_), (3, 4))
        self.assertNotEqual(ranker.stopped_, "")

    def test_iterator(self):
        heard = []
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10], log=heard.append)
        events = list(ranker.fit_events(self.X, self.y, qid=self.qid))
        self.assertEqual(repr(events), repr(heard))
        self.assertEqual(ranker.log, heard.append)
        self.assertEqual(len(ranker.candidates_), len([one for one in events if one.kind == "candidate"]))
        expected = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10]).fit(self.X, self.y, qid=self.qid)
        self.assertEqual(ranker.model_.to_text(), expected.model_.to_text())
        with self.assertRaisesRegex(ValueError, "qid has the shape"):
            list(ranker.fit_events(self.X, self.y, qid=self.qid[1:]))

    def test_iterator_left_early(self):
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10, 100], solver_gap=1e-9)
        for event in ranker.fit_events(self.X, self.y, qid=self.qid):
            if event.kind == "candidate":
                break
        self.assertLess(len(ranker.candidates_), 20)
        self.assertEqual(len(ranker.predict(self.X, self.qid)), len(self.y))

    def test_progress(self):
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10], progress=True)
        written = io.StringIO()
        try:
            import tqdm
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-tqdm"):
                ranker.fit(self.X, self.y, qid=self.qid)
            return
        with contextlib.redirect_stderr(written):
            ranker.fit(self.X, self.y, qid=self.qid)
        count = len(ranker.candidates_)
        self.assertIn(f"{count}/{count}", written.getvalue())
        with unittest.mock.patch.dict("sys.modules", {"tqdm.auto": None}):
            with self.assertRaisesRegex(ImportError, "python3-tqdm"):
                ranker.fit(self.X, self.y, qid=self.qid)
        with self.assertRaisesRegex(TypeError, "log is 3"):
            dorm.Ranker(log=3).fit(self.X, self.y, qid=self.qid)

    def test_limit(self):
        """A solve that stops early leaves a model, and says so."""
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1000, solver_max_iterations=1, solver_gap=1e-6, log=None)
        ranker.fit(self.X, self.y, qid=self.qid)
        self.assertIn("solver.max_iterations", ranker.stopped_)


if __name__ == "__main__":
    unittest.main()
