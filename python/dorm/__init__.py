"""dorm learns to rank by optimising the ranking measure itself.

    import dorm
    ranker = dorm.Ranker(loss="ndcg@10").fit(X, y, qid=qid)
    scores = ranker.predict(X_new)
    print(dorm.evaluate(y_new, scores, qid=qid_new, measures="ndcg@10"))

dorm.settings() shows what can be set. The package calls the C library libdorm: the one in its wheel, of `make install`,
Debian's libdorm0, or the file that the environment variable DORM_LIBRARY names. manual/python.md is the tutorial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import numpy as _numpy  # noqa: F401
except ImportError as missing:
    raise ImportError(
        "dorm needs numpy in this python3: apt-get install python3-numpy and take /usr/bin/python3, or pip install numpy"
    ) from missing
from ._library import (
    DataError,
    Error,
    FileError,
    MemoryShortage,
    MissingFileError,
    ModuleError,
    NumericalError,
    Stopped,
    UsageError,
    Warning,
    library_version,
)
from ._settings import settings
from ._structs import PACKAGE_VERSION
from ._training import Candidate, Certificate, Event
from .clicks import ClickEvaluation, ClickLog
from .dataset import Dataset, read_letor
from .explaining import explain, importances
from .losses import Violations, oracle
from .measures import (
    Bound,
    Certified,
    Comparison,
    CrossValidation,
    Depth,
    Evaluation,
    Gradients,
    certify,
    compare,
    cross_validate,
    evaluate,
    lambdas,
    list_losses,
    list_measures,
    lower_bound,
)
from .model import Model
from .policies import Allocation, PriceTrial, allocate, try_prices
from .tasks import Apart, diversify, probe, rank_apart, rating_features, read_trec, report, train_stream, write_trec
from .ranker import NotFittedError, Ranker, early_stopping

if TYPE_CHECKING:
    from . import plot

__version__ = PACKAGE_VERSION


def __getattr__(name: str) -> Any:
    if name == "plot":  # imported when it is used
        import importlib

        return importlib.import_module(".plot", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Allocation",
    "Apart",
    "Bound",
    "Candidate",
    "Certificate",
    "Certified",
    "ClickEvaluation",
    "ClickLog",
    "Comparison",
    "CrossValidation",
    "DataError",
    "Dataset",
    "Depth",
    "Error",
    "Evaluation",
    "Event",
    "FileError",
    "Gradients",
    "MemoryShortage",
    "MissingFileError",
    "Model",
    "ModuleError",
    "NotFittedError",
    "NumericalError",
    "PriceTrial",
    "Ranker",
    "Stopped",
    "UsageError",
    "Violations",
    "Warning",
    "allocate",
    "certify",
    "compare",
    "cross_validate",
    "diversify",
    "early_stopping",
    "evaluate",
    "explain",
    "importances",
    "lambdas",
    "library_version",
    "list_losses",
    "list_measures",
    "lower_bound",
    "oracle",
    "probe",
    "plot",
    "rank_apart",
    "rating_features",
    "read_letor",
    "read_trec",
    "report",
    "settings",
    "train_stream",
    "try_prices",
    "write_trec",
]
