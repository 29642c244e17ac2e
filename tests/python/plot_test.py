"""Pictures: what is drawn is what was computed, by the lines and bars of the axes."""

import unittest
import unittest.mock

import numpy as np

import dorm
from cases import fit_small, ranking_data

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    matplotlib = None


class Missing(unittest.TestCase):
    def test_without_matplotlib(self):
        _, y, qid = ranking_data(seed=41)
        with unittest.mock.patch.dict("sys.modules", {"matplotlib": None, "matplotlib.pyplot": None}):
            with self.assertRaisesRegex(ImportError, "python3-matplotlib"):
                dorm.plot.by_query(dorm.evaluate(y, y, qid=qid))


@unittest.skipIf(matplotlib is None, "matplotlib is not installed (apt-get install python3-matplotlib)")
class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y, cls.qid = ranking_data(seed=43)
        cls.other = ranking_data(seed=43, num_queries=24)
        cls.events = []
        cls.ranker = dorm.Ranker("ndcg@5", trainer="svm", C=[1, 10, 100], log=cls.events.append)
        cls.ranker.fit(cls.X, cls.y, qid=cls.qid, eval_set=(cls.X, cls.y), eval_qid=cls.qid)

    def setUp(self):
        self.ax = pyplot.subplots()[1]
        self.addCleanup(pyplot.close, "all")

    def drawn(self, ax):
        """The picture can be made."""
        ax.figure.canvas.draw()

    def test_convergence(self):
        ax = dorm.plot.convergence(self.events, ax=self.ax)
        self.assertIs(ax, self.ax)
        primal, dual = (line.get_ydata() for line in ax.lines)
        self.assertTrue((np.asarray(primal) >= np.asarray(dual) - 1e-9).all())
        one = next(one for one in self.ranker.candidates_ if one.certificate.iterations)
        ax = dorm.plot.convergence(self.events, one.number)
        self.assertEqual(ax.lines[0].get_ydata()[-1], one.certificate.primal)
        self.assertEqual(ax.lines[1].get_ydata()[-1], one.certificate.dual)
        self.drawn(ax)

    def test_learning_curve(self):
        X, y, qid = self.other
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1)
        ax = dorm.plot.learning_curve(ranker, self.X, self.y, self.qid, (X, y), qid, shares=(0.25, 1), ax=self.ax)
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), [6, 24])
        whole = dorm.Ranker("ndcg@5", trainer="svm", C=1).fit(self.X, self.y, qid=self.qid).score(X, y, qid=qid)
        self.assertEqual(ax.lines[0].get_ydata()[1], whole)
        self.assertFalse(hasattr(ranker, "model_"))
        self.drawn(ax)

    def test_path(self):
        ax = dorm.plot.c_path(self.ranker, ax=self.ax)
        best = {C: max(one.validation for one in self.ranker.candidates_ if one.C == C) for C in (1, 10, 100)}
        line = next(line for line in ax.lines if len(line.get_xdata()) == 3 and line.get_marker() == "o")
        np.testing.assert_array_equal(line.get_xdata(), [1, 10, 100])
        np.testing.assert_array_equal(line.get_ydata(), [best[C] for C in (1, 10, 100)])
        gaps = ax.right_ax.lines[0].get_ydata()
        of_best = [
            next(one.certificate.gap for one in self.ranker.candidates_ if one.validation == best[C] and one.C == C)
            for C in (1, 10, 100)
        ]
        np.testing.assert_array_equal(gaps, of_best)
        self.drawn(ax)

    def test_weights(self):
        ranker, _ = fit_small(self.X, self.y, self.qid)
        names = ["a", "b", "c", "d", "e"]
        ax = dorm.plot.weights(ranker, names, top=3, ax=self.ax)
        order = np.argsort(-np.abs(ranker.coef_), kind="stable")[:3][::-1]
        np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], ranker.coef_[order])
        self.assertEqual([text.get_text() for text in ax.get_yticklabels()], [names[f] for f in order])
        ax = dorm.plot.weights(ranker.model_)
        self.assertEqual(ax.get_yticklabels()[-1].get_text(), f"feature {1 + np.argmax(np.abs(ranker.coef_))}")
        both = dorm.Ranker("ndcg@5", trainer="svm", C=1, data_rank_block=0.5).fit(self.X, self.y, qid=self.qid)
        self.assertEqual(len(dorm.plot.weights(both).containers), 2)
        self.drawn(ax)

    def test_contributions(self):
        ax = dorm.plot.contributions(self.ranker, self.X, self.qid, document=7, ax=self.ax)
        row = dorm.explain(self.ranker, self.X, self.qid)[7]
        self.assertAlmostEqual(sum(bar.get_width() for bar in ax.patches), row.sum())
        self.drawn(ax)

    def test_importance(self):
        ax = dorm.plot.importance(self.ranker, names=["a", "b", "c", "d", "e"], top=2, ax=self.ax)
        shares = self.ranker.feature_importances_
        np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], np.sort(shares)[-2:])
        ax = dorm.plot.importance(self.ranker.model_, self.X, self.qid)
        self.assertAlmostEqual(sum(bar.get_width() for bar in ax.patches), 1)
        self.drawn(ax)

    def test_race_and_curves(self):
        ax = dorm.plot.race(self.ranker, top=3, ax=self.ax)
        values = sorted((one.validation for one in self.ranker.candidates_), reverse=True)[:3]
        self.assertEqual([container.lines[0].get_xdata()[0] for container in ax.containers], values[::-1])
        ax = dorm.plot.curves(self.ranker)
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), self.ranker.evals_result_["valid_0"]["ndcg@5"])
        self.drawn(ax)

    def test_nothing_is_hidden(self):
        """New figures keep the names of features inside, and the legend outside of the axes."""
        names = ["a name of a feature that is very long " * 2, *"bcde"]
        ax = dorm.plot.weights(self.ranker, names)
        self.drawn(ax)
        for label in ax.get_yticklabels():
            self.assertGreaterEqual(label.get_window_extent().x0, 0)
        ax = dorm.plot.c_path(self.ranker)
        self.drawn(ax)
        box, inside = ax.get_legend().get_window_extent(), ax.get_window_extent()
        self.assertGreater(box.x0, inside.x1)
        self.assertLessEqual(box.x1, ax.figure.bbox.x1)

    def test_by_query(self):
        result = dorm.evaluate(self.y, self.X[:, 0], qid=self.qid, measures="ndcg@5")
        ax = dorm.plot.by_query(result, ax=self.ax)
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), np.sort(result.per_query))
        self.assertEqual(ax.lines[1].get_ydata()[0], result.mean)
        self.drawn(ax)

    def test_two_rankers(self):
        first, second = (dorm.evaluate(self.y, self.X[:, f], qid=self.qid, measures="ndcg@5") for f in (0, 4))
        ax = dorm.plot.two_rankers(first, second, ("left", "right"), ax=self.ax)
        points = np.asarray(ax.collections[0].get_offsets())
        np.testing.assert_array_equal(points[:, 0], first.per_query)
        np.testing.assert_array_equal(points[:, 1], second.per_query)
        better = int((second.per_query > first.per_query).sum())
        self.assertTrue(ax.get_title().startswith(f"right better {better} times"))
        self.drawn(ax)

    def test_refusals(self):
        both = dorm.evaluate(self.y, self.X[:, 0], qid=self.qid, measures=["map", "mrr"])
        trees_like = dorm.Ranker("ndcg@5", trainer="ridge").fit(self.X, self.y, qid=self.qid)
        alone = dorm.Ranker("ndcg@5", trainer="svm", C=1).fit(self.X, self.y, qid=self.qid)
        for kind, sentence, call in (
            (TypeError, "for one measure", lambda: dorm.plot.by_query(both)),
            (ValueError, "first is map", lambda: dorm.plot.two_rankers(both["map"], both["mrr"])),
            (TypeError, "events has to be", lambda: dorm.plot.convergence([1, 2])),
            (ValueError, "no pass of a solver", lambda: dorm.plot.convergence([])),
            (ValueError, "no pass of candidate number 99999", lambda: dorm.plot.convergence(self.events, 99999)),
            (ValueError, "no path over C", lambda: dorm.plot.c_path(trees_like)),
            (ValueError, "no validation value", lambda: dorm.plot.c_path(alone)),
            (ValueError, "no feature_importances_", lambda: dorm.plot.importance(alone.model_)),
            (ValueError, "no validation value", lambda: dorm.plot.race(alone)),
            (ValueError, "evals_result_ has no measure", lambda: dorm.plot.curves(alone)),
            (ValueError, "names has 1", lambda: dorm.plot.weights(alone, ["a"])),
            (ValueError, "top is 0", lambda: dorm.plot.weights(alone, top=0)),
            (ValueError, "no document 10000", lambda: dorm.plot.contributions(alone, self.X, self.qid, document=10000)),
            (
                ValueError,
                "shares has",
                lambda: dorm.plot.learning_curve(
                    alone, self.X, self.y, self.qid, (self.X, self.y), self.qid, shares=[0]
                ),
            ),
        ):
            with self.assertRaisesRegex(kind, sentence):
                call()


if __name__ == "__main__":
    unittest.main()
