"""serving.py: how long a model takes to score documents that are in memory, on one thread."""
import os
import sys
import time

LEAST_SECONDS = 0.2


def model(path):
    """A model file of dorm as a function of a ranking, by the Python package and the library beside $DORM."""
    sys.path.insert(0, os.path.join(os.environ["DORM_PROJECT"], "python"))
    folder = os.path.dirname(os.environ["DORM"])
    for library in (os.path.join(folder, ".libs", "libdorm.so"), os.path.join(folder, "..", "lib", "libdorm.so")):
        if os.path.exists(library):
            os.environ.setdefault("DORM_LIBRARY", library)
    import dorm

    read = dorm.Model.read(path)
    return lambda ranking: read.score(ranking.x, qid=ranking.query, threads=1)


def seconds_per_document(score, ranking):
    """Processor seconds: the least of some calls. What `score` keeps from its first call, such as the ranks of
    features, does not count."""
    least, spent, calls = float("inf"), 0.0, 0
    while calls < 2 or (spent < LEAST_SECONDS and calls < 10):
        began = time.process_time()
        score(ranking)
        taken = time.process_time() - began
        least, spent, calls = min(least, taken), spent + taken, calls + 1
    return least / len(ranking.r)
