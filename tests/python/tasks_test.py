"""Groups, streams, probes, TREC files and ratings: as the command does them."""

import os
import subprocess
import unittest

import numpy as np

import dorm
from cases import ranking_data

COMMAND = os.environ["DORM"]


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


class Tasks(unittest.TestCase):
    def setUp(self):
        self.X, self.y, self.qid = ranking_data(seed=61)

    def test_diversify(self):
        """Among the first three positions at most one document of each group, if there are three groups."""
        random = np.random.RandomState(5)
        groups, scores = random.randint(0, 6, len(self.y)), random.normal(size=len(self.y))
        order = random.permutation(len(self.y))  # the documents of a query are apart
        diverse = np.empty(len(self.y))
        diverse[order] = dorm.diversify(scores[order], [f"g{one}" for one in groups[order]], qid=self.qid[order], top=3)
        for one in np.unique(self.qid):
            inside = np.flatnonzero(self.qid == one)
            top = inside[np.argsort(-diverse[inside], kind="stable")][:3]
            if len(set(groups[inside])) >= 3:
                self.assertEqual(len(set(groups[top])), 3)
            self.assertEqual(np.argmax(diverse[inside]), np.argmax(scores[inside]))
        with self.assertRaisesRegex(ValueError, "an entry for each"):
            dorm.diversify(scores, groups[1:], qid=self.qid)
        data = dorm.Dataset(self.X, self.y, qid=self.qid)
        data.set_groups([[one, 100 + one] for one in groups])
        ranker = dorm.Ranker("ndcg@5", trainer="svm", C=1, diversity_groups="given").fit(data)
        values = []
        for own in (np.arange(len(self.y)), groups, groups * 0):  # the more documents share a group, the more redundant
            data.set_groups(own)
            values.append(dorm.evaluate(data, self.X[:, 4], measures="redundancy@5").mean)
        self.assertEqual(values[0], 0)
        self.assertTrue(values[0] < values[1] < values[2])
        self.assertTrue(np.isfinite(ranker.predict(data)).all())

    def test_stream(self):
        run("generate", "artificial", "--seed", "4", "--part", "1", "--queries", "60", "-o", "stream.txt")
        reports = []
        settings = {"loss_name": "ndcg@5", "stream_every": 20}
        model = dorm.train_stream("stream.txt", "streamed.dorm", report=reports.append, **settings)
        self.assertEqual([one.num_queries for one in reports][-1], 60)
        self.assertGreaterEqual(len(reports), 3)
        run("train", "--stream", "stream.txt", "-s", "loss.name=ndcg@5", "-s", "stream.every=20", "-o", "by_command.dorm")
        data = dorm.read_letor("stream.txt")
        np.testing.assert_array_equal(model.score(data), dorm.Model.read("by_command.dorm").score(data))

        def fail(report):
            raise KeyError("own")

        with self.assertRaisesRegex(KeyError, "own"):
            dorm.train_stream("stream.txt", "streamed.dorm", report=fail, **settings)
        with self.assertRaises(FileNotFoundError):
            dorm.train_stream("nowhere.txt", "streamed.dorm")

    def test_probe(self):
        ranker = dorm.Ranker("ndcg@5", trainer="ridge").fit(self.X, self.y, qid=self.qid)
        found = dorm.probe(ranker, self.X, self.y, qid=self.qid, measure="ndcg@5", directions=50)
        expected = dorm.evaluate(self.y, ranker.predict(self.X, self.qid), qid=self.qid, measures="ndcg@5").mean
        self.assertAlmostEqual(found.value, expected)
        self.assertEqual(found.num_directions, 50)
        for row in found.rows:
            self.assertEqual(row.num_better + row.num_equal + row.num_worse, 50)
            self.assertEqual(row.num_better > 0, row.largest_gain > 0)

    def test_trec(self):
        ids = [f"d{j}" for j in range(len(self.y))]
        data = dorm.Dataset(self.X, self.y, qid=self.qid, doc_ids=ids)
        dorm.write_trec(data, self.X[:, 4], run="run.txt", qrels="qrels.txt")
        again, scores = dorm.read_trec("qrels.txt", "run.txt")
        self.assertEqual(again.num_docs, len(self.y))
        for measure in ("map:ties=docid", "ndcg@10:gain=linear,ties=docid"):
            expected = dorm.evaluate(data, self.X[:, 4].astype(np.float32), measures=measure).mean
            self.assertAlmostEqual(dorm.evaluate(again, scores, measures=measure).mean, expected)

    def test_ratings(self):
        run("generate", "ratings", "--num-users", "20", "--num-items", "30", "--ratings", "8", "--seed", "3", "-o", "ratings.txt")
        with open("ratings.txt", encoding="utf-8") as file:
            lines = file.readlines()
        for name, chosen in (("some.txt", [line for i, line in enumerate(lines) if i % 4]), ("held.txt", lines[::4])):
            with open(name, "w", encoding="utf-8") as file:
                file.writelines(chosen)
        train, test = dorm.rating_features("some.txt", "held.txt")
        self.assertEqual((train.num_docs, test.num_docs), (len(lines) - len(lines[::4]), len(lines[::4])))
        self.assertEqual(train.num_features, test.num_features)
        scores = dorm.Ranker(trainer="ridge").fit(train).predict(test)
        self.assertTrue(np.isfinite(scores).all())

    def test_report(self):
        """The page has the numbers of the library, and the ranker keeps nothing of it."""
        ranker = dorm.Ranker("ndcg@5", trainer="ridge").fit(self.X, self.y, qid=self.qid)
        other = dorm.Ranker("map", trainer="svm", C=1).fit(self.X, self.y, qid=self.qid)
        X, y, qid = ranking_data(seed=62)
        data = dorm.Dataset(X, y, qid=qid)
        data.write("more.txt")
        dorm.report(ranker, data, "more.txt", path="page.html", against=other, measure="ndcg@5")
        with open("page.html", encoding="utf-8") as file:
            page = file.read()
        mean = dorm.evaluate(data, ranker.predict(data), measures="ndcg@5").mean
        self.assertGreater(page.count(f"{mean:.4g}"[1:]), 1)
        self.assertIn("Wins and losses", page)
        with self.assertRaisesRegex(ValueError, "measure"):
            dorm.report(ranker, data, path="page.html", measure="nothing")
        with self.assertRaises(dorm.FileError):
            dorm.report(ranker, data, path="nowhere/page.html")


if __name__ == "__main__":
    unittest.main()
