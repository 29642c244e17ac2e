"""On MQ2008, where the data folder (DORM_DATA) has it: the default Ranker is the command's model to the bit, and so are
its scores, from CSR and a data frame."""

import os
import subprocess
import unittest

import numpy as np

import dorm
from cases import FakeFrame, FakeSparse, differing, lines_of

FOLD = os.path.join(os.environ.get("DORM_DATA", "nowhere"), "mq2008", "Fold1")


def frame_of(dataset):
    """The features and the queries in a frame, of pandas where that is installed."""
    columns = {f"feature {one}": dataset.X[:, i] for i, one in enumerate(dataset.feature_ids)}
    columns["qid"] = dataset.qid
    try:
        from pandas import DataFrame
    except ImportError:
        return FakeFrame(columns)
    return DataFrame(columns)


def sparse_of(dataset):
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return FakeSparse(dataset.X, np.int32, np.float32)
    return csr_matrix(dataset.X)


class LikeTheCommand(unittest.TestCase):
    def test_bits(self):
        if not os.path.exists(os.path.join(FOLD, "test.txt")):
            print("there is no MQ2008 in DORM_DATA: only generated data are compared")
            return
        train, validation, test = (os.path.join(FOLD, f"{part}.txt") for part in ("train", "vali", "test"))
        for words in (["train", train, validation, "-q", "--for-serving", "-s", "output.model=mq.dorm"],
                      ["predict", "mq.dorm", test, "-o", "mq.scores"]):
            subprocess.run([os.environ["DORM"], *words], check=True, stdout=subprocess.DEVNULL)
        with open("mq.dorm", "rb") as file:
            expected = lines_of(file.read()), np.loadtxt("mq.scores")
        train, validation, test = (dorm.read_letor(path) for path in (train, validation, test))
        held_out = (sparse_of(validation), validation.y)
        ranker = dorm.Ranker().fit(sparse_of(train), train.y, qid=train.qid, eval_set=held_out, eval_qid=validation.qid)
        self.compare("CSR", ranker, ranker.predict(sparse_of(test)), *expected)
        ranker = dorm.Ranker().fit(frame_of(train), train.y, eval_set=(frame_of(validation), validation.y))
        self.compare("frame", ranker, ranker.predict(frame_of(test)), *expected)

    def compare(self, name, ranker, found, expected, scores):
        with self.subTest(name):
            self.assertEqual(differing(lines_of(ranker.model_.to_text()), expected), [])
            np.testing.assert_array_equal(found, scores)
            print(f"MQ2008 from {name}: {len(expected)} lines of the model and {len(scores)} scores are the command's")


if __name__ == "__main__":
    unittest.main()
