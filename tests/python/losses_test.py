"""Losses written in Python against the built-in ones, and the assignment oracle against all rankings."""

import itertools
import math
import pickle
import threading
import unittest

import numpy as np

import dorm
from cases import ranking_data


def ndcg_10(labels):
    """NDCG@10, in the order of operations of losses/product_losses.c, so that the model is the same to the bit."""
    gains = [2.0 ** label - 1 for label in labels]
    weights = [1 / math.log2(p + 2) if p < 10 else 0.0 for p in range(len(gains))]
    ideal = 0.0
    for weight, gain in zip(weights, sorted(gains, reverse=True)):
        ideal += weight * gain
    return weights, [gain / ideal if ideal else 0.0 for gain in gains]


def distance(labels):
    """A loss of general costs: how far a document is from the position that its label asks for."""
    positions = np.arange(len(labels))
    return labels[:, None] * np.abs(positions[None, :] - 0.5 * labels[:, None]) + (positions[None, :] == 1) * 0.25


class PythonLosses(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=11)

    def test_ndcg_is_the_built_in_one_to_the_bit(self):
        held_out = ranking_data(seed=12)
        for extra in ({}, {"eval_set": held_out[:2], "eval_qid": held_out[2]}):
            own = dorm.Ranker(loss=ndcg_10, trainer="svm", C=[1, 10]).fit(self.X, self.y, qid=self.qid, **extra)
            built_in = dorm.Ranker(loss="ndcg", trainer="svm", C=[1, 10]).fit(self.X, self.y, qid=self.qid, **extra)
            np.testing.assert_array_equal(own.coef_, built_in.coef_)
            np.testing.assert_array_equal(own.rank_coef_, built_in.rank_coef_)
            self.assertEqual(
                [one.certificate.primal for one in own.candidates_ if one.round],
                [one.certificate.primal for one in built_in.candidates_ if one.round],
            )
            np.testing.assert_array_equal(own.predict(self.X, self.qid), built_in.predict(self.X, self.qid))
        self.assertIn(b"setting loss.name = ndcg_10\n", own.model_.to_text())
        self.assertIn(b"the loss ndcg_10 was one of the program", own.model_.to_text())
        # A query without a relevant document costs nothing.
        mean = dorm.evaluate(self.y, own.predict(self.X, self.qid), qid=self.qid, measures="ndcg@10:empty=1").mean
        self.assertAlmostEqual(own.score(self.X, self.y, qid=self.qid), mean - 1)

    def test_once_per_query(self):
        calls = []

        def counted(labels):
            if len(labels) > 6:  # the queries of the self-check have at most six documents
                calls.append(labels)
            return ndcg_10(labels)

        sizes = [count for count in np.unique(self.qid, return_counts=True)[1] if count > 6]
        dorm.Ranker(loss=counted, trainer="svm", C=1, data_rank_block=0).fit(self.X, self.y, qid=self.qid)
        self.assertEqual(sorted(map(len, calls)), sorted(sizes))

    def test_general_costs(self):
        ranker = dorm.Ranker(loss=distance, trainer="svm", C=10, ranking_position_weights="power:0.5")
        ranker.fit(self.X, self.y, qid=self.qid)
        random = dorm.oracle(np.zeros(len(self.y)), self.y, self.qid, distance, position_weights="power:0.5")
        self.assertGreater(ranker.score(self.X, self.y, qid=self.qid), -random.losses.mean())
        with self.assertRaisesRegex(dorm.UsageError, "position_weights"):
            dorm.Ranker(loss=distance, trainer="svm", C=10).fit(self.X, self.y, qid=self.qid)

    def test_exceptions_end_training(self):
        class Unhappy(Exception):
            pass

        def fails(labels):
            if len(labels) > 6:
                raise Unhappy(f"{len(labels)} documents")
            return ndcg_10(labels)

        for threads in (1, 4):
            with self.assertRaisesRegex(Unhappy, "documents"):
                dorm.Ranker(loss=fails, trainer="svm", C=1, solver_threads=threads).fit(self.X, self.y, qid=self.qid)

        def interrupts(labels):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            dorm.Ranker(loss=interrupts).fit(self.X, self.y, qid=self.qid)

    def test_bad_losses_are_refused(self):
        for loss, error, message in (
            (lambda labels: (np.arange(len(labels)), labels), dorm.ModuleError, "of the positions increase"),
            (lambda labels: ([np.nan] * len(labels), labels), dorm.ModuleError, "not a number"),
            (lambda labels: (labels[:1], labels), ValueError, "a has the shape"),
            (lambda labels: (labels,), TypeError, "a pair"),
            (lambda labels: labels, ValueError, "the cost has the shape"),
            (lambda labels: ("no", "numbers"), ValueError, "could not convert"),
            (lambda labels: 1 / 0, ZeroDivisionError, "division"),
            (lambda: None, TypeError, "argument"),
        ):
            for _ in range(2):
                with self.assertRaisesRegex(error, message):
                    dorm.Ranker(loss=loss).fit(self.X, self.y, qid=self.qid)
                with self.assertRaisesRegex(error, message):
                    dorm.oracle(self.y, self.y, self.qid, loss)

    def test_names(self):
        def ndcg(labels):
            return ndcg_10(labels)

        for loss, name in ((ndcg, b"python_ndcg"), (lambda labels: ndcg_10(labels), b"lambda")):
            ranker = dorm.Ranker(loss=loss, trainer="svm", C=1).fit(self.X, self.y, qid=self.qid)
            self.assertIn(b"setting loss.name = " + name + b"\n", ranker.model_.to_text())

    def test_copies_and_threads(self):
        ranker = dorm.Ranker(loss=ndcg_10, trainer="svm", C=1).fit(self.X, self.y, qid=self.qid)
        again = pickle.loads(pickle.dumps(ranker))
        np.testing.assert_array_equal(again.predict(self.X, self.qid), ranker.predict(self.X, self.qid))
        loaded = dorm.Model.from_text(ranker.model_.to_text())
        np.testing.assert_array_equal(loaded.score(self.X, qid=self.qid), ranker.predict(self.X, self.qid))
        found = []

        def fit():
            one = dorm.Ranker(loss=ndcg_10, trainer="svm", C=1, solver_threads=2).fit(self.X, self.y, qid=self.qid)
            found.append(one.coef_)

        threads = [threading.Thread(target=fit) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(len(found), 4)
        for coef in found:
            np.testing.assert_array_equal(coef, ranker.coef_)


class Oracle(unittest.TestCase):
    def best(self, scores, labels, c, cost):
        """The largest sum of scores and loss over all rankings, whose least cost is taken away."""
        orders = list(itertools.permutations(range(len(labels))))
        costs = [sum(cost[j, p] for p, j in enumerate(order)) for order in orders]
        sums = [sum(c[p] * scores[j] for p, j in enumerate(order)) for order in orders]
        return max(map(sum, zip(costs, sums))) - min(costs), min(costs)

    def test_all_rankings(self):
        random = np.random.RandomState(5)
        sizes = [1, 2, 3, 4, 5, 6, 7, 7]
        qid = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
        y = random.randint(0, 4, len(qid)).astype(float)
        scores = random.randint(-8, 8, len(qid)) / 4
        for loss, weights in (("ndcg@10", "loss"), (ndcg_10, "loss"), ("ndcg", "power:0.5"), (distance, "power:0.5")):
            found = dorm.oracle(scores, y, qid, loss, position_weights=weights)
            for place, one in enumerate(dict.fromkeys(qid)):
                mine = qid == one
                a, b = map(np.array, ndcg_10(y[mine]))
                c = a if weights == "loss" else (np.arange(len(a)) + 2) ** -0.5
                cost = distance(y[mine]) if loss is distance else -np.outer(b, a)
                value, least = self.best(scores[mine], y[mine], c, cost)
                positions = found.positions[mine]
                self.assertEqual(sorted(positions), list(range(len(a))))
                self.assertAlmostEqual(found.values[place], value, places=10)
                delta = cost[np.arange(len(a)), positions].sum() - least
                self.assertAlmostEqual(found.losses[place], delta, places=10)
                self.assertAlmostEqual(found.values[place], delta + c[positions] @ scores[mine], places=10)

    def test_refusals(self):
        y, qid = np.array([1.0, 0, 1]), np.array([1, 1, 2])
        for arguments, error, message in (
            (([0, 1], y, qid), ValueError, "scores"),
            (([0, np.inf, 1], y, qid), (ValueError, dorm.Error), ""),
            (([0, 1, 2], y, qid, "ngcd"), dorm.UsageError, "ndcg"),
            (([0, 1, 2], y, qid, "rsvm"), dorm.UsageError, "not rankings"),
            (([0, 1, 2], y), TypeError, "qid is missing"),
        ):
            with self.assertRaisesRegex(error, message):
                dorm.oracle(*arguments)
        with self.assertRaisesRegex(dorm.UsageError, "steep"):
            dorm.oracle([0, 1, 2], y, qid, position_weights="steep")


if __name__ == "__main__":
    unittest.main()
