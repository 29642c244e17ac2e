"""Settings: the table of the library, and Python values as its texts."""

from __future__ import annotations

import ctypes
import html
import numbers
from typing import Any, NamedTuple

import numpy as np

from ._library import context, decode, lib, make, short, text

# Where data come from and models go is said by arguments of Python's functions, not by settings. The library's table
# names the settings that are for the command; these are the hints for Python.
_REFUSED_SECTIONS = ("ratings", "factorization")
_HINTS = {
    "data.train": "give X and y to fit",
    "data.validation": "give eval_set to fit",
    "data.test": "use score or dorm.evaluate",
    "data.sort_queries": "qid may have any order",
    "data.storage": "X says it",
    "data.cache": "use dorm.read_letor(path, use_cache=True)",
    "data.clicks": "use dorm.ClickLog",
    "data.validation_clicks": "use dorm.ClickLog",
    "data.columns": "give a data frame, or feature_names to Dataset",
    "data.weights": "give query_weight or sample_weight to fit",
    "data.subtopics": "use Dataset.read_subtopics",
    "output.model": "use save",
    "output.candidates": "use candidates_",
}

# Names of other libraries, and what dorm has in their place.
_ELSEWHERE = {
    "n_estimators": "trees_trees",
    "num_iterations": "trees_trees",
    "num_boost_round": "trees_trees",
    "num_leaves": "trees_leaves",
    "max_leaves": "trees_leaves",
    "max_depth": "trees_leaves, the largest number of leaves of a tree",
    "learning_rate": "trees_learning_rate or net_learning_rate",
    "eta": "trees_learning_rate",
    "min_child_samples": "trees_min_docs_in_leaf",
    "min_data_in_leaf": "trees_min_docs_in_leaf",
    "min_child_weight": "trees_min_docs_in_leaf",
    "max_bin": "trees_bins",
    "categorical_feature": "categorical_feature of fit",
    "subsample": "trees_row_share",
    "bagging_fraction": "trees_row_share",
    "colsample_bytree": "trees_feature_share",
    "feature_fraction": "trees_feature_share",
    "early_stopping_rounds": "training_patience, or callbacks=[dorm.early_stopping(rounds)] of fit",
    "objective": "loss, for trees training_lambda too",
    "metric": "selection_measure, or eval_metric of fit",
    "eval_metric": "selection_measure, or eval_metric of fit",
    "eval_at": "eval_at of fit",
    "reg_lambda": "trees_l2, or C, the weight of the losses against the squared norm",
    "lambda_l2": "trees_l2",
    "reg_alpha": "C, the weight of the losses against the squared norm",
    "alpha": "C, the weight of the losses against the squared norm",
    "random_state": "training_seed",
    "seed": "training_seed",
    "nthread": "n_jobs",
    "num_threads": "n_jobs",
    "verbose": "progress=True, or log=print",
    "verbosity": "progress=True, or log=print",
    "boosting_type": "trainer",
    "booster": "trainer",
    "lambdarank_truncation_level": "loss, as in 'ndcg@10'",
    "label_gain": "loss, as in 'ndcg:gain=linear'",
    "importance_type": "feature_importances_ or dorm.explain",
}


class Setting(NamedTuple):
    """A setting: its name as a keyword of Ranker, its default and help, what values it takes, and its key."""

    name: str
    default: Any
    help: str
    kind: str
    choices: str | None
    minimum: float
    maximum: float
    is_list: bool
    key: str

    def value_of(self, words: str) -> Any:
        """The value that a text stands for: a number, a truth value or a text, or a list of them."""
        if self.is_list and "," in words:
            return [self.value_of(word.strip()) for word in words.split(",")]
        if self.kind in ("number", "integer"):
            try:
                number = float(words)
            except ValueError:  # auto
                return words
            return int(number) if self.kind == "integer" or number.is_integer() else number
        if self.choices in ("no, yes", "yes, no"):
            return words == "yes"
        return words


class Table(dict):  # type: ignore[type-arg]
    """Settings by name. It shows itself as a table."""

    def __repr__(self) -> str:
        wide = max(map(len, self), default=0)
        return "\n".join(f"{name:{wide}}  {str(one.default) or '-':12}  {one.help}" for name, one in self.items())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{name}</code></td><td>{html.escape(str(one.default))}</td>"
            f"<td style='text-align:left'>{html.escape(one.help)}</td></tr>"
            for name, one in self.items()
        )
        return f"<table><tr><th>setting</th><th>default</th><th>meaning</th></tr>{rows}</table>"


_REFUSED = {}  # key: what the library says to use instead
_KINDS = ("text", "choice", "number", "integer", "spec", "path")


def name_of(key):
    return key.replace(".", "_", 1)


def _read_table():
    table = {}
    while True:
        row = lib.dorm_setting_info_at(len(table))
        if not row:
            return table
        row = row.contents
        key = decode(row.key)
        if row.instead or key == "data.columns":
            _REFUSED[key] = decode(row.instead)
        one = Setting(name_of(key), None, decode(row.help), _KINDS[row.kind], decode(row.choices), row.min, row.max,
                      bool(row.is_list), key)
        table[key] = one._replace(default=one.value_of(decode(row.default_text)))


TABLE = _read_table()  # key: Setting
BY_NAME = {one.name: key for key, one in TABLE.items()}  # solver_gap: solver.gap


def _is_for_command(key):
    return key.split(".")[0] in _REFUSED_SECTIONS or key in _REFUSED


def settings(pattern: str = "") -> Table:
    """The settings of Ranker by name, each with default, help and values; with a pattern, those whose name or help has
    it. dorm.settings("trees") shows the settings of trees."""
    return Table(
        (one.name, one)
        for key, one in TABLE.items()
        if not _is_for_command(key) and (pattern in one.name or pattern in one.help)
    )


def key_of(name):
    """The key of a setting given as a keyword (solver_gap) or as it is (solver.gap)."""
    key = BY_NAME.get(name, name)
    if key not in TABLE:
        if name in _ELSEWHERE:
            raise TypeError(f"there is no setting {name!r}: dorm has {_ELSEWHERE[name]}")
        words = [word.encode() for word in BY_NAME]
        nearest = lib.dorm_nearest_word(text(name), len(words), (ctypes.c_char_p * len(words))(*words))
        hint = f"; did you mean {decode(nearest)}?" if nearest else "; dorm.settings() shows all"
        raise TypeError(f"there is no setting {name!r}{hint}")
    if _is_for_command(key):
        hint = _HINTS.get(key, _REFUSED.get(key))
        raise TypeError(f"the setting {key} is for the command{f': {hint}' if hint else ''}")
    return key


def value_text(value):
    """A Python value as the text of a setting; lists become values separated by commas."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return ", ".join(map(_one_text, value)) if isinstance(value, (list, tuple)) else _one_text(value)


def _one_text(value):
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    if isinstance(value, str):
        return value
    raise TypeError(f"{short(value)} cannot be the value of a setting")


class Settings:
    """A dorm_settings with these keys and values; None leaves the default."""

    def __init__(self, values):
        self.pointer = make(lib.dorm_settings_new)
        own = context()
        for key, value in values.items():
            if value is not None:
                own.check(lib.dorm_settings_set(own.pointer, self.pointer, text(key), text(value_text(value))))

    def __del__(self):
        if getattr(self, "pointer", None):
            lib.dorm_settings_free(self.pointer)
