"""dorm.allocate against scipy's linear programme over all doubly stochastic matrices; tried prices and rankings with
similar documents apart against the command."""

import os
import re
import subprocess
import unittest

import numpy as np

import dorm

PROBLEMS = 500
NAMED = re.compile(r"share\((\d+)\) (>=|<=)")


def random_problem(random):
    """Gains, queries, groups and requirements of 1 to 5 queries of 1 to 7 documents."""
    sizes = random.randint(1, 8, random.randint(1, 6))
    qid = np.repeat(np.arange(len(sizes)), sizes)
    gains = random.randint(0, 6, len(qid)) if random.randint(2) else 3 * random.uniform(size=len(qid))
    groups = random.randint(0, random.randint(1, 5), len(qid))
    require = []
    for group in np.unique(groups):
        share = random.uniform(0, 0.6)
        if random.randint(2):
            require.append((group, ">=", share))
        elif random.randint(2):
            require.append((group, "<=", 0.3 + share))
    return gains.astype(float), qid, groups, require, random.randint(0, 5)


def weights_of(count, top):
    return np.array([1 / np.log2(p + 2) if not top or p < top else 0.0 for p in range(count)])


class Problem:
    """The linear programme: x[j, p] is the probability of document j at position p of its query."""

    def __init__(self, gains, qid, groups, require, top):
        self.gains, self.queries = gains.copy(), [np.flatnonzero(qid == query) for query in np.unique(qid)]
        worth, exposure, rows = [], [], []
        for docs in self.queries:
            self.gains[docs] -= self.gains[docs].min()
            weights = weights_of(len(docs), top)
            worth.append(np.outer(self.gains[docs], weights).ravel())
            exposure.append([np.outer(groups[docs] == group, weights).ravel() for group, _, _ in require])
            rows += [(len(worth) - 1, axis, k) for axis in (0, 1) for k in range(len(docs))]
        self.worth = np.concatenate(worth)
        start = np.cumsum([0, *map(len, worth)])
        self.equal = np.zeros((len(rows), len(self.worth)))
        for row, (query, axis, k) in zip(self.equal, rows):
            count = len(self.queries[query])
            square = row[start[query]:start[query + 1]].reshape(count, count)
            square[(slice(None), k) if axis else k] = 1
        self.total = sum(weights_of(len(docs), top).sum() for docs in self.queries)
        self.signs = np.array([-1.0 if sign == ">=" else 1.0 for _, sign, _ in require])
        self.limits = self.signs * [share for _, _, share in require]
        self.shares = np.zeros((len(require), len(self.worth)))
        for i in range(len(require)):
            self.shares[i] = self.signs[i] * np.concatenate([rows[i] for rows in exposure]) / self.total

    def solve(self, linprog):
        """The largest worth; None if no policy meets the requirements."""
        found = linprog(-self.worth, self.shares if len(self.shares) else None, self.limits if len(self.shares) else None,
                        self.equal, np.ones(len(self.equal)), method="highs")
        return -found.fun if found.status == 0 else None

    def bound(self, prices, groups, require, top):
        """The dual value of prices: a positive one pays for a least share, a negative one for a largest."""
        boosts = np.array([prices[group] for group in groups])
        value = sum((np.sort((self.gains + boosts)[docs])[::-1] * weights_of(len(docs), top)).sum() for docs in self.queries)
        limits = {(group, sign): share for group, sign, share in require}
        return value - self.total * sum(price * limits[group, ">=" if price > 0 else "<="]
                                        for group, price in prices.items() if price)


class Policies(unittest.TestCase):
    def setUp(self):
        try:
            from scipy.optimize import linprog
        except ImportError:
            self.skipTest("scipy is not installed (apt-get install python3-scipy)")
        self.linprog = linprog

    def test_worth_prices_and_conflicts_are_those_of_scipy(self):
        random = np.random.RandomState(57)
        num_bound = num_conflicts = 0
        for number in range(PROBLEMS):
            gains, qid, groups, require, top = random_problem(random)
            texts = [f"share({group}) {sign} {float(share)!r}" for group, sign, share in require]
            problem = Problem(gains, qid, groups, require, top)
            best = problem.solve(self.linprog)
            arguments = {"qid": qid, "groups": groups, "require": texts, "top": top, "threads": 1}
            with self.subTest(number=number):
                if best is None:
                    num_conflicts += 1
                    with self.assertRaisesRegex(dorm.DataError, "no policy meets these requirements together") as caught:
                        dorm.allocate(gains, **arguments)
                    named = {(int(group), sign) for group, sign in NAMED.findall(str(caught.exception))}
                    rest = [one for one in require if one[:2] in named]
                    self.assertIsNone(Problem(gains, qid, groups, rest, top).solve(self.linprog))
                    continue
                found = dorm.allocate(gains, gap=1e-11, **arguments)
                scale = max(1, best)
                self.assertLessEqual(abs(found.worth - best), 1e-7 * scale)
                self.assertLessEqual(abs(problem.bound(found.prices, groups, require, top) - best), 1e-7 * scale)
                self.assertLessEqual(found.violation, 1e-8)
                num_bound += found.worth < found.free_worth - 1e-9
                for gap in (0.3, 0.1, 0.03, 0.01, 1e-3):
                    early = dorm.allocate(gains, gap=gap, **arguments)
                    self.assertGreaterEqual(early.bound, best - 1e-9 * scale)
                    if early.violation <= 0:
                        self.assertLessEqual(early.worth, best + 1e-9 * scale)
        self.assertGreater(num_bound, PROBLEMS // 10)
        self.assertGreater(num_conflicts, PROBLEMS // 10)


def run(*words):
    done = subprocess.run([os.environ["DORM"], *words], check=True, capture_output=True, text=True)
    return done.stdout + done.stderr


class AsTheCommand(unittest.TestCase):
    """Three sellers, of which the first has the better offers, in two files; documents come in another order."""

    def setUp(self):
        random = np.random.RandomState(3)
        self.ranker, self.parts = None, {}
        for name in ("seen.txt", "new.txt"):
            sellers = np.tile([1, 2, 3], 120)
            X = np.column_stack([random.uniform(size=360) + 0.5 * (sellers == 1), sellers, random.uniform(size=360)])
            data = dorm.Dataset(X, (X[:, 0] > 1).astype(float), qid=np.repeat(np.arange(30), 12),
                                doc_ids=[f"d{j}" for j in range(360)])
            data.write(name)
            kind = dorm.Ranker("ndcg@10", trainer="ridge", data_features="1,3", for_serving=False)
            self.ranker = self.ranker or kind.fit(data)
            data.set_groups(sellers)
            shuffled = random.permutation(360)
            arrays = {"qid": data.qid[shuffled], "groups": sellers[shuffled]}
            self.parts[name] = data, self.ranker.predict(data), shuffled, arrays
        self.ranker.save("sellers.dorm")

    def test_prices_on_other_data(self):
        for require in ("share(*) >= 0.3", "parity >= 0.9", "merit >= 0.9", "share(1) <= 0.4"):
            words = ["sellers.dorm", "seen.txt", "--groups", "feature:2", "--require", require, "--test", "new.txt"]
            output = run("allocate", *words, "--prices", "prices")
            sentence = r"by the prices: worth (\S+); with the requirements kept at most (\S+)"
            worth, bound = re.search(sentence, " ".join(output.split())).groups()
            rows = [line.split() for line in output.split("error    group\n")[1].splitlines()[:-1]]
            found = trials = None
            for _, scores, shuffled, arrays in self.parts.values():
                found = found or dorm.allocate(scores[shuffled], require=require, **arrays)
                trials = [*(trials or []), dorm.try_prices(found.prices, scores[shuffled], require=require, **arrays)]
            self.assertEqual((f"{trials[1].worth:.6g}", f"{trials[1].bound:.6g}"), (worth, bound))
            for share, _, _, error, group in rows:
                self.assertEqual(f"{trials[1].shares[int(group)]:.4f}", share)
                self.assertEqual(f"{np.hypot(*(one.errors[int(group)] for one in trials)):.4f}", error)
            self.assertEqual(len(rows), 1 if "<=" in require else 3)
            run("predict", "sellers.dorm", "new.txt", "--groups", "feature:2", "--prices", "prices", "-o", "boosted.txt")
            expected = np.loadtxt("boosted.txt")[self.parts["new.txt"][2]]
            np.testing.assert_allclose(trials[1].boosted, expected, rtol=1e-6)
        with self.assertRaisesRegex(TypeError, "a dictionary by group"):
            dorm.try_prices([1.0], scores[shuffled], require=require, **arrays)
        with self.assertRaisesRegex(ValueError, "finite"):
            dorm.try_prices({1: np.nan}, scores[shuffled], require=require, **arrays)

    def test_similar_documents_apart(self):
        data, scores, shuffled, arrays = self.parts["new.txt"]
        with open("pairs", "w", encoding="utf-8") as file:
            file.writelines(f"d{j} d{j + 1} 0.8\n" for j in range(359) if j % 12 < 11)
        for one in ("groups", "features:strength=0.05,top=4", "file:path=pairs,strength=0.5"):
            spec = f"{one}{',' if ':' in one else ':'}seconds=0"
            words = ["sellers.dorm", "new.txt", "--groups", "feature:2", "--interactions", spec, "-o", "apart.txt"]
            said = " ".join(run("predict", *words).split())
            found = dorm.rank_apart(scores, spec, data=data)
            np.testing.assert_array_equal(found.scores, np.loadtxt("apart.txt"))
            self.assertIn(f"worth {found.value:.6g}, at most {found.bound:.6g}; {found.num_proved} of 30 queries", said)
            self.assertFalse(np.array_equal(found.scores, scores))
            if one == "groups":
                mixed = dorm.rank_apart(scores[shuffled], spec, **arrays)
                np.testing.assert_array_equal(mixed.scores, found.scores[shuffled])
        for arguments in ({}, {"groups": arrays["groups"], "interactions": "features"}, {"groups": [1], "data": data}):
            with self.assertRaises(TypeError):
                dorm.rank_apart(scores, **arguments)


if __name__ == "__main__":
    unittest.main()
