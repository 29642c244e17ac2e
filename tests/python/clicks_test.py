"""Clicks from arrays: propensities, gains and estimates against numpy, in any order of documents."""

import unittest

import numpy as np

import dorm
from cases import ranking_data

DOCS, IMPRESSIONS = 10, 20_000


class Clicks(unittest.TestCase):
    def setUp(self):
        random = np.random.RandomState(7)
        num = 40 * DOCS
        self.qid = np.repeat(np.arange(40), DOCS)
        self.chance = random.uniform(0.05, 0.6, num)
        self.X = np.column_stack([self.chance + random.normal(0, 0.05, num), random.normal(size=num)])
        ranks = np.empty((2, num), dtype=int)
        for r in range(2):
            scores = random.normal(size=num)
            for q in range(40):
                mine = slice(q * DOCS, (q + 1) * DOCS)
                ranks[r, mine] = np.argsort(np.argsort(-scores[mine]))
        rows = []
        for q, r in zip(random.randint(0, 40, IMPRESSIONS), random.randint(0, 2, IMPRESSIONS)):
            rows.append(q * DOCS + np.argsort(ranks[r, q * DOCS:(q + 1) * DOCS]))
        self.document = np.concatenate(rows)
        self.position = np.tile(np.arange(1, DOCS + 1), IMPRESSIONS)
        self.click = (random.uniform(size=len(self.document)) < self.chance[self.document] / self.position).astype(int)
        self.shuffled = random.permutation(num)  # documents of a query are apart: row i is document shuffled[i]
        self.row_of = np.argsort(self.shuffled)

    def log(self, **more):
        return dorm.ClickLog(self.qid[self.shuffled], self.row_of[self.document], self.position, self.click, **more)

    def by_numpy(self, eta):
        """Gains and impressions by their definition."""
        looks = np.bincount(self.document, np.maximum(self.position**-eta, 0.01), len(self.qid))
        clicks = np.bincount(self.document, self.click, len(self.qid))
        return clicks / looks, np.bincount(self.qid[self.document[self.position == 1]], minlength=40)

    def test_gains_and_estimates(self):
        log = self.log().set_propensities("power", eta=0.7)
        gains, impressions = self.by_numpy(0.7)
        found, weights = log.gains()
        np.testing.assert_allclose(found, gains[self.shuffled], rtol=1e-12)
        by_first = [impressions[q] for q in dict.fromkeys(self.qid[self.shuffled])]
        np.testing.assert_array_equal(weights, by_first)
        scores = np.random.RandomState(1).normal(size=len(self.qid))
        worth = 0
        for q in range(40):
            order = np.argsort(-scores[q * DOCS:(q + 1) * DOCS])[:5] + q * DOCS
            worth += impressions[q] * np.sum(gains[order] / np.log2(np.arange(5) + 2))
        made = log.evaluate(scores[self.shuffled], top=5)
        self.assertAlmostEqual(made.ips, worth / IMPRESSIONS, places=12)
        self.assertEqual((made.num_impressions, made.num_clicks), (IMPRESSIONS, self.click.sum()))
        self.assertTrue(np.isnan(made.dr) and 0 < made.ips_error_impressions < 0.02)
        other = log.evaluate(scores[self.shuffled], -scores[self.shuffled], top=5)
        self.assertAlmostEqual(other.ips, made.ips - log.evaluate(-scores[self.shuffled], top=5).ips, places=12)
        self.assertLess(abs(log.evaluate(scores[self.shuffled], "logged").ips - other.ips), 1)
        made = log.set_model(self.chance[self.shuffled]).evaluate(scores[self.shuffled], top=5)
        self.assertLess(abs(made.dr - made.ips), 4 * made.ips_error_impressions)

    def test_propensities(self):
        log = self.log().set_propensities("harvest")
        self.assertLess(abs(log.eta - 1), 4 * log.eta_error)
        self.assertLess(log.eta_error, 0.05)
        np.testing.assert_allclose(log.propensities, np.arange(1, DOCS + 1)**-log.eta)
        data = dorm.Dataset(self.X[self.shuffled], qid=self.qid[self.shuffled])
        log = dorm.ClickLog(data, self.row_of[self.document], self.position, self.click).set_propensities("em")
        self.assertLess(abs(log.eta - 1), 0.1)

    def test_sums(self):
        cell, which = np.unique(self.document * 100 + self.position, return_inverse=True)
        sums = dorm.ClickLog(self.qid, cell // 100, cell % 100, np.bincount(which, self.click).astype(int),
                             shown=np.bincount(which))
        made, single = (log.set_propensities().evaluate(self.chance[order])
                        for log, order in ((sums, np.arange(len(self.qid))), (self.log(), self.shuffled)))
        self.assertAlmostEqual(made.ips, single.ips, places=9)
        self.assertAlmostEqual(made.ips_error, single.ips_error, places=9)
        self.assertTrue(np.isnan(made.ips_error_impressions) and not np.isnan(single.ips_error_impressions))

    def test_mistakes(self):
        X, y, qid = ranking_data(seed=3)
        for error, message, arguments in (
            (ValueError, r"position\[1\] is 0", ([0, 1], [1, 0], [0, 0])),
            (ValueError, r"document\[0\] is -1", ([-1], [1], [0])),
            (ValueError, "click has 1 entries", ([0, 1], [1, 2], [0])),
            (TypeError, "click has to be a list of whole numbers", ([0], [1], [0.5])),
            (dorm.DataError, "at position 1 already", ([0, 0], [1, 2], [0, 1])),
        ):
            with self.assertRaisesRegex(error, message):
                dorm.ClickLog(qid, *arguments)
        with self.assertRaisesRegex(ValueError, "propensity is 'some'"):
            self.log().set_propensities("some")


if __name__ == "__main__":
    unittest.main()
