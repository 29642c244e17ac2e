"""Measures what Python costs in addition to the library: python_bench.py [DOCUMENTS [FEATURES]]

Prints, for Ranker.fit on that many documents of 120 a query with float32 features (500,000 x 136 by default):
  - the processor seconds of fit, the part of them inside the C library, and the rest divided by this part;
  - the growth of memory during fit, during the same calls of the library without this package, and the difference in
    copies of the data; then the same for data in which the documents of a query are apart;
and the microseconds of predict for 10 documents, the median and the least of many calls.

Training is short: a structured SVM of one reference, C = 1, a gap of 0.5, one thread. Each figure comes from a process of
its own. Needs Linux (/proc) and DORM_LIBRARY and PYTHONPATH as in manual/python.md.
"""

import ctypes
import gc
import json
import subprocess
import sys
import time

import numpy as np

import dorm
from dorm import _arrays, _structs
from dorm._library import lib

DOCS_PER_QUERY = 120
SETTINGS = {
    "data_rank_block": 0,
    "ranking_reference": "mu:1",
    "ranking_rounds": 1,
    "solver_gap": 0.5,
    "solver_threads": 1,
}


def data(num_docs, num_features):
    random = np.random.default_rng(1)
    X = random.random((num_docs, num_features), dtype=np.float32)
    y = np.digitize(X[:, :5].sum(axis=1) + random.random(num_docs, dtype=np.float32), [3.2, 3.7]).astype(np.float64)
    return X, y, np.arange(num_docs) // DOCS_PER_QUERY


def memory(name):
    """VmRSS or VmHWM of this process in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def watched(work):
    """Seconds of work(), and by how much the memory grew at most."""
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # VmHWM begins again at the present size
    before = memory("VmRSS")
    start = time.process_time()
    work()
    return time.process_time() - start, memory("VmHWM") - before


class Clock:
    """Takes the place of functions of the library and adds up the seconds inside them."""

    def __init__(self, *names):
        self.seconds = 0.0
        for name in names:
            setattr(lib, name, self._timed(getattr(lib, name)))

    def _timed(self, function):
        def call(*arguments):
            start = time.process_time()
            try:
                return function(*arguments)
            finally:
                self.seconds += time.process_time() - start

        return call


def measure_fit(X, y, qid):
    clock = Clock("dorm_dataset_new", "dorm_train_consuming")
    ranker = dorm.Ranker("ndcg@10", trainer="svm", C=1, for_serving=False, **SETTINGS)
    seconds, growth = watched(lambda: ranker.fit(X, y, qid=qid))
    return {"seconds": seconds, "inside": clock.seconds, "growth": growth}


def measure_apart(X, y, qid):
    """Documents d, d + queries, ... are of one query."""
    return measure_fit(X, y, np.arange(len(qid)) % (int(qid[-1]) + 1))


def check(context, status):
    if status != _structs.OK:
        raise SystemExit(lib.dorm_context_message(context).decode())


def measure_library(X, y, qid):
    """The same calls, on a struct that is filled here."""
    start = np.flatnonzero(np.diff(qid, prepend=-1, append=qid[-1] + 1)).astype(np.uintp)
    arrays = _structs.dorm_arrays(
        struct_size=ctypes.sizeof(_structs.dorm_arrays),
        num_docs=len(y),
        num_queries=len(start) - 1,
        query_start=start.ctypes.data,
        num_features=X.shape[1],
        labels=y.ctypes.data,
        floats=X.ctypes.data,
    )
    context, settings, dataset, training = lib.dorm_context_new(), *(ctypes.c_void_p() for _ in range(3))
    place = ctypes.addressof
    lib.dorm_set_blas_threads(1)
    check(context, lib.dorm_settings_new(context, place(settings)))
    for key, value in {"loss_name": "ndcg@10", "training_trainer": "svm", "solver_C": 1, **SETTINGS}.items():
        key = key.replace("_", ".", 1).encode()
        check(context, lib.dorm_settings_set(context, settings, key, str(value).encode()))

    def work():
        check(context, lib.dorm_dataset_new(context, place(arrays), place(dataset)))
        check(context, lib.dorm_train_consuming(context, settings, dataset, None, place(training)))

    seconds, growth = watched(work)
    return {"seconds": seconds, "growth": growth}


def measure_predict(X, y, qid):
    few = slice(0, 200 * DOCS_PER_QUERY)
    ten = np.ascontiguousarray(X[:10])
    result = {}
    for name, settings in (("within queries", {"for_serving": False}), ("for serving", {"for_serving": True})):
        ranker = dorm.Ranker("ndcg@10", trainer="svm", C=1, **{**SETTINGS, **settings})
        ranker.fit(X[few], y[few], qid=qid[few])
        arguments = [("qid=0", 0), ("an array of one id", np.zeros(10, dtype=int))]
        if not ranker.model_.needs_query:
            arguments.append(("without qid", None))
        for what, ids in arguments:
            times = np.empty(5000)
            for i in range(len(times)):
                start = time.perf_counter()
                ranker.predict(ten, ids)
                times[i] = time.perf_counter() - start
            result[f"{name}, {what}"] = (1e6 * np.median(times), 1e6 * times.min())
    return result


def child(name, shape):
    command = [sys.executable, __file__, *map(str, shape), name]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    shape = [int(word) for word in sys.argv[1:3]]
    shape += [500000, 136][len(shape) :]
    if len(sys.argv) > 3:
        json.dump(globals()[f"measure_{sys.argv[3]}"](*data(*shape)), sys.stdout)
        return
    copy = shape[0] * shape[1] * 4
    fit, apart, library = (child(name, shape) for name in ("fit", "apart", "library"))
    print(f"{shape[0]} documents, {shape[1]} features, {copy / 1e6:.0f} MB")
    for name, one in (("fit", fit), ("fit, documents apart", apart)):
        rest = one["seconds"] - one["inside"]
        extra = (one["growth"] - library["growth"]) / copy
        print(
            f"{name}: {one['seconds']:.2f} s, inside the library {one['inside']:.2f} s, the rest {rest:.3f} s "
            f"({100 * rest / one['inside']:.1f} %)"
        )
        print(
            f"{name}: memory grows by {one['growth'] / 1e6:.0f} MB, {extra:+.2f} copies of the data beside the library"
        )
    print(f"the library alone: {library['seconds']:.2f} s, memory grows by {library['growth'] / 1e6:.0f} MB")
    for name, (median, least) in child("predict", [max(shape[0] // 10, 24000), shape[1]]).items():
        print(f"predict 10 documents, {name}: median {median:.1f} us, least {least:.1f} us")


if __name__ == "__main__":
    main()
