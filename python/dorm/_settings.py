"""Settings: the table of the library, and Python values as its texts."""

import numbers

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
    "data.clicks": "clicks are not for Python yet; dorm train takes them",
    "data.validation_clicks": "clicks are not for Python yet; dorm train takes them",
    "data.weights": "give query_weight or sample_weight to fit",
    "data.subtopics": "measures of subtopics are not for Python yet",
    "output.model": "use save",
    "output.candidates": "use candidates_",
}


_REFUSED = {}  # key: what the library says to use instead


def _read_table():
    table = {}
    while True:
        row = lib.dorm_setting_at(len(table))
        if not row:
            return table
        key = decode(row.contents.key)
        if row.contents.instead:
            _REFUSED[key] = decode(row.contents.instead)
        table[key] = (decode(row.contents.default_text), decode(row.contents.help))


TABLE = _read_table()  # key: (default, help)
BY_NAME = {key.replace(".", "_", 1): key for key in TABLE}  # solver_gap: solver.gap


def key_of(name):
    """The key of a setting given as a keyword (solver_gap) or as it is (solver.gap)."""
    key = BY_NAME.get(name, name)
    if key not in TABLE:
        import ctypes

        words = [word.encode() for word in BY_NAME]
        nearest = lib.dorm_nearest_word(text(name), len(words), (ctypes.c_char_p * len(words))(*words))
        hint = f"; did you mean {decode(nearest)}?" if nearest else ""
        raise TypeError(f"there is no setting {name!r}{hint}")
    if key.split(".")[0] in _REFUSED_SECTIONS:
        raise TypeError(f"the setting {key} is for the command")
    if key in _REFUSED:
        raise TypeError(f"the setting {key} is for the command: {_HINTS.get(key, _REFUSED[key])}")
    return key


def value_text(value):
    """A Python value as the text of a setting; lists become values separated by commas."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, (list, tuple, np.ndarray)):
        return ", ".join(value_text(one) for one in value)
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
