"""Calls every public function with arguments that are wrong in shape, type, length or value: fuzz.py [SECONDS [SEED]]

The calls run in a child process. Each has to return, or to raise an exception with a sentence; the child must not
end, hang for a minute, or raise what says nothing (IndexError, KeyError ...). What is found is printed with the number
of its call; `fuzz.py --replay NUMBER` makes that call again, with its traceback.
"""

import faulthandler
import io
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings

import numpy as np

import dorm
from cases import FakeFrame, FakeSparse, ranking_data
from dorm import _settings

try:
    import pandas
except ImportError:
    pandas = None
try:
    from scipy import sparse
except ImportError:
    sparse = None
try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None

LONGEST = 60  # seconds of one call
GOOD = (TypeError, ValueError, OSError, ArithmeticError, MemoryError, ImportError, dorm.Error, dorm.NotFittedError)
WORDS = [
    "",
    "0",
    "-1",
    "nan",
    "inf",
    "1e400",
    "yes",
    "auto",
    ",",
    "1,2",
    "1:2",
    "ndcg@0",
    "\0",
    "é",
    "x" * 5000,
    "%s%n",
    "ndcg:gain=linear",
    "mu:0.5",
    "rbf:gamma=1",
    "/",
    ".",
    "from ./nothing.so",
    "net",
    "trees",
    "ridge",
    "svm",
    "map",
    "p@3",
    "minus_loss(mrr)",
    "none",
    "ranknet",
    "dorm",
    "ranknet-weight-pairs of map",
    "1",
    "3",
    "0.5",
    "2",
]


class Odd:
    """An object whose conversion to an array fails."""

    def __array__(self, *arguments):
        raise RuntimeError("this object does not want to be an array")

    def __len__(self):
        return 1 << 40


class Liar(np.ndarray):
    """An array that says it is of another shape."""

    @property
    def shape(self):
        return (1 << 40, 7)


class Call:
    """One call, all of whose choices come from its number."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.numpy = np.random.RandomState(number % (1 << 32))
        self.X, self.y, self.qid = ranking_data(seed=number % 50, num_queries=6, num_features=3)

    # ---- Values ----

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self):
        return self.pick(
            0,
            1,
            -1,
            2,
            7,
            1 << 31,
            1 << 32,
            1 << 63,
            1 << 64,
            -(1 << 63),
            10**400,
            0.5,
            -0.0,
            1e-300,
            1e300,
            float("nan"),
            float("inf"),
            True,
            np.int8(3),
            np.float16(1),
            np.uint64(2**64 - 1),
            1j,
        )

    def word(self):
        return self.pick(*WORDS)

    def scalar(self):
        return self.pick(
            None,
            self.number(),
            self.word(),
            b"bytes",
            b"\xff\0",
            object(),
            int,
            len,
            {},
            {"a": 1},
            set(),
            (),
            [],
            [[]],
            [1, [2, 3]],
            range(3),
            iter([1]),
            Odd(),
            slice(2),
            Ellipsis,
            NotImplemented,
        )

    def shape(self):
        n = len(self.y)
        return self.pick(
            (),
            (0,),
            (1,),
            (n,),
            (n - 1,),
            (n + 1,),
            (n, 1),
            (1, n),
            (0, 3),
            (n, 0),
            (n, 3),
            (n, 4),
            (3, n),
            (n, 3, 1),
            (2, 2, 2, 2),
            (n * 3,),
        )

    def array(self):
        shape = self.shape()
        kind = self.pick(
            "f8",
            "f4",
            "f2",
            "g",
            ">f8",
            ">f4",
            "i1",
            "u1",
            "i4",
            "i8",
            "u8",
            ">i4",
            "?",
            "c16",
            "O",
            "S3",
            "U3",
            "M8[s]",
            "m8[s]",
            "V4",
            [("a", "f4"), ("b", "i4")],
        )
        with np.errstate(all="ignore"):
            try:
                array = np.asarray(self.numpy.uniform(-2, 5, shape) * self.pick(1, 1, 1e30, 1e300)).astype(kind)
            except (TypeError, ValueError):
                array = np.zeros(shape, dtype=kind)
        if array.size and array.dtype.kind == "f" and self.pick(True, False):
            array.flat[self.random.randrange(array.size)] = self.pick(np.nan, np.inf, -np.inf, -1, 0)
        if array.dtype.kind == "O" and array.size:
            array.flat[0] = self.scalar() if array.ndim else None
        return self.laid_out(array)

    def laid_out(self, array):
        """The same numbers in another layout, or another kind of array."""
        way = self.random.randrange(10) if isinstance(array, np.ndarray) and array.ndim else 10
        if way == 0:
            return array[::-1]
        if way == 1 and array.ndim > 1:
            return array[:, ::-1]
        if way == 2:
            return np.asfortranarray(array)
        if way == 3:
            return np.broadcast_to(array.flat[0], array.shape) if array.size else array
        if way == 4:
            array.flags.writeable = False
        if way == 5:
            return np.ma.masked_array(array, mask=self.numpy.uniform(size=array.shape) < 0.2)
        if way == 6 and array.ndim == 2 and array.dtype.kind in "fi":
            return np.asmatrix(array)
        if way == 7 and array.dtype.kind in "fi" and array.ndim:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        if way == 8:
            return array.tolist()
        if way == 9 and array.ndim == 2 and self.pick(True, False, False):
            return array.view(Liar)
        return array

    def sparse(self):
        matrix = FakeSparse(np.where(self.X > 0.5, self.X, 0), self.pick(np.int32, np.int64), self.pick("f4", "f8"))
        if sparse is not None and self.pick(True, False):
            kind = self.pick("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
            matrix = sparse.csr_matrix(np.where(self.X > 0.5, self.X, 0)).asformat(kind)
        for _ in range(self.random.randrange(3)):
            field = self.pick("indptr", "indices", "data", "shape")
            if not hasattr(matrix, field) or getattr(matrix, field) is None:
                continue
            value = getattr(matrix, field)
            if field == "shape":
                value = self.pick((len(self.y), 1), (1 << 40, 3), (-1, 3), (3,), None, (len(self.y), 1 << 33))
            else:
                value = np.array(value)
                way = self.random.randrange(8)
                if way < 4 and value.size and value.ndim == 1 and value.dtype.kind in "iuf":
                    value[self.random.randrange(len(value))] = self.pick(-1, 0, 1, 100, 2**31 - 1, -(2**31))
                else:
                    value = self.pick(
                        value[:-1],
                        value[::-1],
                        value.astype("f2"),
                        value.astype(object),
                        value[:0],
                        None,
                        np.append(value, value),
                        value[None],
                    )
            try:
                object.__setattr__(
                    matrix, "_shape" if field == "shape" and sparse and sparse.issparse(matrix) else field, value
                )
            except (AttributeError, TypeError):
                pass
        return matrix

    def frame(self):
        columns = {f"f{i}": self.X[:, i] for i in range(3)}
        if self.pick(True, False):
            columns["qid"] = self.pick(self.qid, self.qid.astype(str), self.qid * np.nan, self.array())
        if self.pick(True, False):
            columns[self.pick("f0", "g", "")] = self.array()
        if pandas is None or self.pick(True, False, False):
            return FakeFrame(columns)
        try:
            frame = pandas.DataFrame({**columns, "g": self.pick(0, None, "a", pandas.NA, pandas.Timestamp(0))})
        except Exception:
            frame = pandas.DataFrame(self.X)
        way = self.random.randrange(9)
        if way == 0:
            frame = frame.convert_dtypes()
        elif way == 1:
            frame = frame.astype("category")
        elif way == 2:
            frame.columns = ["a"] * len(frame.columns)
        elif way == 3:
            frame = frame.iloc[:0]
        elif way == 4:
            frame = frame.iloc[:, 0]
        elif way == 5:
            frame.index = frame.index[::-1]
        elif way == 6:
            frame.columns = pandas.MultiIndex.from_product([["a"], range(len(frame.columns))])
        elif way == 7:
            frame.columns = range(len(frame.columns))
        return frame

    def any(self):
        return self.pick(self.scalar, self.array, self.array, self.array, self.sparse, self.frame, self.dataset)()

    def dataset(self):
        return dorm.Dataset(self.X, self.y, qid=self.qid, storage=self.pick("dense", "sparse"))

    def rows(self):
        return self.pick(lambda: self.X, lambda: self.X, self.any, self.array, self.sparse, self.frame, self.dataset)()

    def labels(self):
        return self.pick(lambda: self.y, lambda: self.y, self.array, self.any)()

    def queries(self):
        """Keywords qid and group."""
        way = self.random.randrange(6)
        if way < 2:
            return {"qid": self.qid}
        if way == 2:
            return {"qid": self.pick(self.array, self.any)()}
        if way == 3:
            return {"group": self.pick(self.array, self.any, lambda: [len(self.y)], lambda: [1] * len(self.y))()}
        return self.pick(
            {},
            {"qid": 0},
            {"qid": self.qid[::-1]},
            {"qid": list(map(str, self.qid))},
            {"qid": self.qid.astype("f8") + 1e300},
            {"qid": self.qid.astype("u8") + np.uint64(1 << 63)},
            {"qid": self.qid, "group": [1]},
        )

    def settings(self):
        # The data are small, but some settings would make any training long.
        keywords = {"trees_trees": 5, "net_epochs": 2, "kernel_rank": 5, "C": 1, "solver_max_iterations": 20}
        for _ in range(self.random.randrange(4)):
            name = self.pick(
                *sorted(_settings.BY_NAME), "loss", "trainer", "C", "kernel", "qid_column", "log", "progress"
            )
            if name in (
                "trees_trees",
                "net_epochs",
                "kernel_rank",
                "solver_max_iterations",
                "net_hidden",
                "solver_threads",
                "net_rounds",
                "selection_folds",
                "output_candidates",
                "output_checkpoint",
                "training_seed",
                "solver_max_seconds",
            ):
                continue
            keywords[name] = self.pick(self.word, self.word, self.number, self.scalar)()
        return keywords

    def ranker(self):
        """A fitted ranker, of one of the kinds."""
        kind = self.random.randrange(5)
        settings = (
            {},
            {"trainer": "trees", "trees_trees": 3},
            {"trainer": "net", "net_epochs": 1},
            {"kernel": "rbf:gamma=1", "kernel_rank": 4},
            {"data_normalisation": "global-minmax"},
        )[kind]
        key = (kind, len(self.y))
        if key not in _rankers:
            _rankers[key] = dorm.Ranker("ndcg@5", C=1, **settings).fit(self.X, self.y, qid=self.qid)
        return _rankers[key]

    def broken(self, content):
        """Bytes with some of them changed, lost or doubled."""
        content = bytearray(content)
        for _ in range(self.random.randrange(1, 5)):
            place = self.random.randrange(len(content) + 1)
            way = self.random.randrange(4)
            if way == 0:
                content[place : place + 1] = bytes([self.random.randrange(256)])
            elif way == 1:
                del content[place : place + self.random.randrange(40)]
            elif way == 2:
                content[place:place] = self.word().encode()
            else:
                content[place:place] = content[place : place + 60]
        return bytes(content)

    def path(self):
        return self.pick(
            "nothing.txt",
            "",
            ".",
            "/dev/null",
            "\0",
            None,
            3,
            1 << 70,
            b"x",
            b"\xff",
            object(),
            "a" * 300,
            "/proc/self/mem",
            "nowhere/x",
        )

    def maybe(self, value):
        return self.any() if self.random.randrange(4) == 0 else value

    # ---- Calls ----

    def call_fit(self):
        ranker = dorm.Ranker(**self.settings())
        keywords = self.queries()
        if self.pick(True, False, False):
            keywords["eval_set"] = self.pick(
                (self.X, self.y), (self.rows(), self.labels()), [(self.X, self.y)], self.any()
            )
            keywords[self.pick("eval_qid", "eval_group")] = self.pick(self.qid, self.any())
        if self.random.randrange(8) == 0:
            keywords[self.pick("sample_weight", "query_weight")] = self.any()
        if self.random.randrange(6) == 0:
            keywords[self.pick("eval_metric", "eval_at", "eval_names", "callbacks", "init_model", "categorical_feature")] = self.pick(
                self.any(), [self.word()], self.ranker()
            )
        if self.pick(True, False, False):
            return list(ranker.fit_events(self.rows(), self.labels(), **keywords))
        ranker.fit(self.rows(), self.labels(), **keywords)
        return ranker.predict(self.X, self.qid)

    def call_ranker(self):
        ranker = dorm.Ranker(**self.settings())
        ranker.set_params(**self.pick({}, {"C": self.any()}, self.settings(), {self.word(): 1}))
        repr(ranker)
        pickle.loads(pickle.dumps(dorm.Ranker(C=1)))
        return ranker.predict(self.rows())

    def call_predict(self):
        ranker, keywords = self.ranker(), self.queries()
        if self.random.randrange(8) == 0:
            return ranker.predict(self.rows(), **keywords, pred_contrib=self.maybe(True))
        return self.pick(ranker.predict, ranker.rank)(self.rows(), **keywords)

    def call_score(self):
        return self.ranker().score(
            self.rows(), self.labels(), **self.queries(), measure=self.pick(None, "map", self.word(), self.any())
        )

    def call_attributes(self):
        ranker = self.ranker()
        try:
            return getattr(ranker, self.pick("certificate_", "coef_", "rank_coef_", "candidates_", "model_"))
        except AttributeError as error:
            raise ValueError(str(error)) from None

    def call_files(self):
        way = self.random.randrange(5)
        if way == 0:
            return self.ranker().save(self.path())
        if way == 1:
            return dorm.Ranker.load(self.path())
        if way == 2:
            return dorm.Model.read(self.path())
        if way == 3:
            return self.ranker().model_.use_module(self.path())
        return self.dataset().write(self.path())

    def call_model(self):
        model = self.ranker().model_
        way = self.random.randrange(6)
        if way < 3:
            again = dorm.Model.from_text(self.broken(model.to_text()))
            again.describe()
            return again.score(self.X, qid=self.qid)
        if way == 3:
            return dorm.Model.from_text(self.any())
        if way == 4:
            return model.setting(self.pick(self.word(), self.any()))
        return model.score(
            self.rows(),
            **self.queries(),
            threads=self.maybe(1),
            feature_ids=self.pick(None, [1, 2, 3], [3, 2, 1], [0, 1 << 63, 1], self.any()),
        )

    def call_dataset(self):
        dataset = dorm.Dataset(
            self.rows(),
            self.labels(),
            **self.queries(),
            qid_column=self.maybe(None),
            feature_ids=self.pick(None, [1, 2, 3], [0, 5, 1 << 40], [2, 1, 3], self.any()),
            doc_ids=self.pick(None, None, self.any(), ["a\0"] * len(self.y), ["é"] * len(self.y)),
            storage=self.maybe("auto"),
        )
        return [getattr(dataset, name) for name in ("X", "y", "qid", "group", "query_ids", "doc_ids", "feature_ids")]

    def call_read(self):
        lines = [
            f"{label:g} qid:{one} " + " ".join(f"{i + 1}:{x:.3f}" for i, x in enumerate(row)) + " # d\n"
            for label, one, row in zip(self.y, self.qid, self.X)
        ]
        path = "fuzzed.txt"
        with open(path, "wb") as file:
            file.write(self.broken("".join(lines).encode()))
        keywords = {name: self.maybe(True) for name in ("sort_queries", "labels_optional") if self.pick(True, False)}
        return dorm.read_letor(
            self.pick(path, path, path, self.path()), storage=self.maybe("auto"), threads=self.maybe(1), **keywords
        ).X

    def call_evaluate(self):
        return dorm.evaluate(
            self.labels(),
            self.pick(self.labels(), self.dataset()),
            **self.queries(),
            measures=self.pick("map", self.word(), [self.word()], self.any()),
        )

    def call_compare(self):
        return dorm.compare(
            self.labels(),
            self.labels(),
            self.pick(self.labels(), self.dataset()),
            **self.queries(),
            measure=self.pick("map", self.word(), self.any()),
            num_rounds=self.pick(10, 10, 0, -1, 2.5, None, "3", self.array()),
            seed=self.pick(1, self.number(), self.any()),
        )

    def call_allocate(self):
        arguments = {
            **self.queries(),
            "groups": self.pick(self.labels(), self.any()),
            "require": self.pick("share(*) >= 0.1", "parity >= 0.5", [self.word()], self.any()),
            "top": self.pick(10, self.number()),
        }
        if self.random.randrange(2):
            return dorm.allocate(self.labels(), **arguments)
        prices = self.pick({}, {0: 1, 1: self.number(), 2.0: self.any()}, self.any())
        return dorm.try_prices(prices, self.labels(), **arguments)

    def call_certify(self):
        return dorm.certify(
            self.labels(),
            self.pick(self.labels(), self.dataset()),
            **self.queries(),
            measure=self.pick("map", self.word(), self.any()),
            against=self.pick(None, self.labels()),
            confidence=self.pick(0.9, self.number()),
            share=self.pick(0.9, self.number()),
        )

    def call_lower_bound(self):
        return dorm.lower_bound(self.labels(), confidence=self.pick(0.9, self.number()))

    def call_lambdas(self):
        return dorm.lambdas(
            self.labels(),
            self.pick(self.labels(), self.dataset()),
            **self.queries(),
            spec=self.pick("dorm", self.word(), self.any()),
            threads=self.maybe(1),
        )

    def call_oracle(self):
        return dorm.oracle(
            self.labels(),
            self.pick(self.labels(), self.dataset()),
            **self.queries(),
            loss=self.pick("ndcg@10", self.word(), self.any(), lambda labels: (-np.arange(len(labels)), labels)),
            position_weights=self.pick("loss", "power:0.5", self.word(), self.any()),
        )

    def call_cross_validate(self):
        ranker = self.pick(dorm.Ranker(**self.settings()), dorm.Ranker("map", C=1), self.any())
        return dorm.cross_validate(
            ranker,
            self.rows(),
            self.labels(),
            **self.queries(),
            folds=self.pick(2, 3, self.any()),
            measures=self.pick("map", ["map"], self.any()),
            seed=self.pick(1, self.any()),
        )

    def call_tasks(self):
        way = self.random.randrange(7)
        if way == 6:
            spec = self.pick("groups", "features:seconds=0.01", f"groups:top={self.number()}", self.word(), self.any())
            return dorm.rank_apart(self.labels(), spec, groups=self.pick(None, self.qid, self.any()),
                                   data=self.pick(None, None, self.dataset(), self.any()), **self.queries())
        if way == 0:
            return dorm.diversify(self.labels(), self.pick(self.qid, self.any()), **self.queries(), top=self.maybe(3),
                                  capacity=self.maybe(1))
        if way == 1:
            return dorm.probe(self.ranker(), self.rows(), self.labels(), **self.queries(), measure=self.pick("map", self.word()),
                              directions=self.pick(3, self.any()), seed=self.maybe(1))
        if way == 2:
            return dorm.train_stream(self.path(), "streamed.dorm", **self.pick({}, {"stream_every": self.any()}))
        if way == 3:
            return dorm.read_trec(self.path(), self.path())
        if way == 4:
            return dorm.write_trec(self.dataset(), self.labels(), run=self.pick("run.txt", self.path()), tag=self.maybe("a"))
        return dorm.importances(self.pick(self.ranker(), self.any()), self.rows(), **self.queries())

    def call_report(self):
        return dorm.report(self.pick(self.ranker(), self.ranker(), self.any()), self.pick(self.dataset(), self.any()),
                           path=self.pick("report.html", self.path()), measure=self.pick(None, "map", self.word()))

    def call_listed(self):
        dorm.list_losses(), dorm.list_measures(), repr(dorm.settings()), dorm.settings(self.word())
        data = dorm.Dataset(self.X, self.y, qid=self.qid, feature_names=self.pick(None, ["a", "b", "c"], self.any()))
        return pickle.loads(pickle.dumps(data)).X

    def call_export(self):
        return self.ranker().export(self.pick("json", self.word()), self.pick("exported.json", self.path()),
                                    self.maybe("name"))

    def call_explain(self):
        return dorm.explain(
            self.pick(self.ranker(), self.ranker().model_, self.any()),
            self.rows(),
            **self.queries(),
            with_mean=self.maybe(True),
        )

    def call_plot(self):
        if pyplot is None:
            return None
        plot, evaluation = dorm.plot, dorm.evaluate(self.y, self.y, qid=self.qid)
        try:
            return self.pick(
                lambda: plot.convergence(self.any(), self.maybe(1)),
                lambda: plot.learning_curve(
                    self.pick(dorm.Ranker(C=1), self.any()),
                    self.rows(),
                    self.labels(),
                    self.any(),
                    self.pick((self.X, self.y), self.any()),
                    self.qid,
                    shares=self.pick([1], self.any()),
                ),
                lambda: plot.c_path(self.pick(self.ranker(), self.any())),
                lambda: plot.weights(
                    self.pick(self.ranker(), self.ranker().model_, self.any()), self.maybe(None), self.maybe(3)
                ),
                lambda: plot.contributions(self.ranker(), self.rows(), **self.queries(), document=self.maybe(0)),
                lambda: plot.by_query(self.pick(evaluation, self.any())),
                lambda: plot.two_rankers(self.pick(evaluation, self.any()), evaluation, self.maybe(("a", "b"))),
            )()
        finally:
            pyplot.close("all")

    def call_nearest(self):
        return dorm.Ranker(**{self.pick(self.word(), "solver_gaq", "é" * 300): 1})

    def run(self):
        calls = sorted(name for name in dir(self) if name.startswith("call_"))
        weights = [4 if name in ("call_fit", "call_predict", "call_dataset") else 1 for name in calls]
        return getattr(self, self.random.choices(calls, weights)[0])()


_rankers = {}


_INSIDE = r"object has no attribute|'\w+' object|object of type|cannot unpack|^argument \d|unsupported operand"


def sentence(error):
    """Whether an exception says something: two words or more, and nothing that only the inside understands."""
    text = str(error).split(", which says: ")[0]  # what scipy says is its own
    return len(re.findall(r"\w+", text)) >= 2 and not re.search(_INSIDE, text)


def fault(number):
    """What is wrong with the outcome of a call; None if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Call(number).run()
    except GOOD as error:
        if not sentence(error):
            return f"{type(error).__name__} without a sentence: {str(error)[:200]!r}", traceback.format_exc()
    except RuntimeError as error:
        if "does not want to be" not in str(error):
            return f"{type(error).__name__}: {str(error)[:200]}", traceback.format_exc()
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}", traceback.format_exc()
    return None


def child(first, seconds):
    """Makes calls and prints the number of each before it is made."""
    faulthandler.enable()
    end = time.monotonic() + seconds
    number = first
    while time.monotonic() < end:
        os.write(1, b"%d\n" % number)
        found = fault(number)
        if found:
            os.write(1, f"fault {found[0]!r} at {found[1].strip().splitlines()[-3:-1]}\n".encode("utf-8", "replace"))
        number += 1
    os.write(1, b"end\n")


def watch(seconds, seed):
    """Runs children until the time is over; a child that ends is replaced by one that goes on behind the call."""
    end = time.monotonic() + seconds
    number, faults, count = seed * 1000000, {}, 0
    while time.monotonic() < end:
        command = [sys.executable, __file__, "--child", str(number), str(end - time.monotonic())]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, bufsize=0)
            timer, last = None, ""
            for line in io.TextIOWrapper(process.stdout, "utf-8", "replace"):
                if timer:
                    timer.cancel()
                last = line.strip()
                if last.isdecimal():
                    number, count = int(last), count + 1
                elif last.startswith("fault"):
                    faults.setdefault(last, number)
                timer = threading.Timer(LONGEST, process.kill)
                timer.start()
            if timer:
                timer.cancel()
            code = process.wait()
            if last != "end":
                errors.seek(0)
                faults[
                    f"the interpreter ended or hung (code {code}): {errors.read()[-1500:].decode('utf-8', 'replace')}"
                ] = number
        number += 1
    for what, where in faults.items():
        print(f"call {where}: {what}")
    print(f"{count} calls, {len(faults)} faults")
    return len(faults) != 0 or count == 0


def main():
    words = sys.argv[1:]
    if words[:1] == ["--child"]:
        child(int(words[1]), float(words[2]))
        return 0
    if words[:1] == ["--replay"]:
        found = fault(int(words[1]))
        print(found[1] if found else "nothing is wrong")
        return found is not None
    return watch(float(words[0]) if words else 20, int(words[1]) if len(words) > 1 else 1)


if __name__ == "__main__":
    sys.exit(main())
