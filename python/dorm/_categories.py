"""Columns of categories: of data frames, by their dtype, and of arrays, by categorical_feature of fit.

A category column of a frame becomes one column of codes, which trees split by sets (data.categorical), or a column of 0
and 1 for each category. The names of these columns hold the categories, so that a model gives a category the same code
in every frame: COLUMN=a|b|c is a column of codes 0, 1 and 2, COLUMN=a a column of 0 and 1.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._library import short


def _quoted(category):
    """The text of a category in a name, without commas, bars, control characters and a space at its end."""
    return re.sub(r"[%|,\x00-\x1f\x7f]|\s$", lambda found: f"%{ord(found.group()):02x}", str(category))


def spread(frame, names, is_category, known, coded):
    """The values of a frame [documents][columns], the names of these columns, and the numbers of the columns of codes.
    `known` are the names of a model, whose categories count, or None. `coded` are the names of other category columns
    that become codes. A category that is missing is missing in each of its columns. One that the model does not know has the
    code -1, or is 0 in each."""
    blocks, made, places = [np.empty((len(frame), 0))], [], []
    for place, name in enumerate(names):
        column = frame.iloc[:, place]
        if not is_category[place]:
            blocks.append(column.to_numpy(dtype=np.float64, na_value=np.nan)[:, None])
            made.append(name)
            continue
        start = f"{name}="
        own = [_quoted(one) for one in column.cat.categories]
        wanted = [one[len(start):] for one in ([] if known is None else known) if one.startswith(start)]
        if not wanted:
            wanted = ["|".join(own)] if name in coded and len(own) > 1 else own
        codes = column.cat.codes.to_numpy()  # -1 is missing
        for one in wanted:
            code = {text: number for number, text in enumerate(one.split("|"))}
            is_coded = len(code) > 1
            values = [code.get(text, -1) if is_coded else text in code for text in own]
            blocks.append(np.array([*values, np.nan], dtype=np.float64)[codes][:, None])
            places += [len(made)] if is_coded else []
            made.append(start + one)
    return np.concatenate(blocks, axis=1), np.asarray(made, dtype=object), places


def named(columns: Any, names: Any) -> list[Any]:
    """The columns of a list, by name if there are names, else by number."""
    wanted = []
    for one in columns:
        if isinstance(one, bool) or not isinstance(one, (str, int, np.integer)):
            raise TypeError(f"categorical_feature has {short(one)}: a column is a name or a number")
        is_place = names is not None and not isinstance(one, str) and 0 <= one < len(names)
        wanted.append(names[one] if is_place else one)
    return wanted


def ids_of(wanted, dataset):
    """The ids of the features that `wanted` names, and of all columns of codes."""
    names, places = dataset.feature_names, set(dataset._coded)
    for one in wanted:
        found = [place for place in range(dataset.num_features) if one == (place if names is None else names[place])]
        if not found and not any(names[place].startswith(f"{one}=") for place in places):
            raise ValueError(f"categorical_feature has {short(one)}, which is no column of X")
        places.update(found)
    return [int(dataset.feature_ids[place]) for place in sorted(places)]
