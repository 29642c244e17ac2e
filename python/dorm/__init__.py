"""dorm learns to rank by optimising the ranking measure itself.

    import dorm
    ranker = dorm.Ranker(loss="ndcg@10").fit(X, y, qid=qid)
    scores = ranker.predict(X_new, qid=qid_new)
    print(dorm.evaluate(scores, y_new, qid_new, "ndcg@10").mean)

It is a door to the C library libdorm, which must be installed: Debian's libdorm0, or the file that the environment
variable DORM_LIBRARY names. manual/python.md is the tutorial.
"""

from ._library import (
    DataError,
    Error,
    FileError,
    MemoryShortage,
    ModuleError,
    NumericalError,
    Stopped,
    UsageError,
    library_version,
)
from . import plot
from ._structs import PACKAGE_VERSION
from ._training import Candidate, Certificate, Event
from .dataset import Dataset, read_letor
from .explaining import explain
from .losses import Violations, oracle
from .measures import Comparison, CrossValidation, Evaluation, Gradients, compare, cross_validate, evaluate, lambdas
from .model import Model
from .ranker import NotFittedError, Ranker

__version__ = PACKAGE_VERSION
__all__ = [
    "Candidate",
    "Certificate",
    "Comparison",
    "CrossValidation",
    "DataError",
    "Dataset",
    "Error",
    "Evaluation",
    "Event",
    "FileError",
    "Gradients",
    "MemoryShortage",
    "Model",
    "ModuleError",
    "NotFittedError",
    "NumericalError",
    "Ranker",
    "Stopped",
    "UsageError",
    "Violations",
    "compare",
    "cross_validate",
    "evaluate",
    "explain",
    "lambdas",
    "library_version",
    "oracle",
    "plot",
    "read_letor",
]
