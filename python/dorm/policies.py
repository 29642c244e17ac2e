"""Rankings under requirements on the exposure of groups."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _structs
from ._library import context, lib, short, text, threads_of, whole
from .dataset import Held


class Allocation(NamedTuple):
    """What allocate returns. No policy that meets the requirements is worth more than `bound`. prices, shares and
    free_shares (of the best rankings without requirements) are dictionaries by group; `boosted` are the scores plus the
    price of each document's group: sorting by them is nearly the best policy."""

    worth: float
    free_worth: float
    bound: float
    gap: float
    violation: float
    prices: dict[Any, float]
    shares: dict[Any, float]
    free_shares: dict[Any, float]
    boosted: Any

    def __repr__(self) -> str:
        return f"<worth {self.worth:.6g} of {self.free_worth:.6g}, gap {self.gap:.2g}, {len(self.prices)} groups>"


_FORM = re.compile(r"\s*(?:share\((.*)\)\s*(>=|<=)|(parity|merit)\s*(>=))\s*(\S+)\s*")


def _bounds(require, names, sizes, merits):
    """Least and largest shares of the groups, NaN for none."""
    least, most = np.full(len(names), np.nan), np.full(len(names), np.nan)
    if not isinstance(require, (str, list, tuple)):
        raise TypeError(f"require is {short(require)}: it has to be a requirement or a list of them")
    for one in [require] if isinstance(require, str) else require:
        found = _FORM.fullmatch(one) if isinstance(one, str) else None
        try:
            value = float(found.group(5)) if found else None
        except ValueError:
            value = None
        if value is None or not 0 <= value <= 1:
            raise ValueError(f"{short(one)} is not 'share(NAME) >= X', 'share(NAME) <= X', 'parity >= X' or 'merit >= X', "
                             "with X from 0 to 1")
        pattern, kind = found.group(1), found.group(3)
        inside = [pattern is None or name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))
                  for name in names]
        if not any(inside):
            raise ValueError(f"{short(one)}: no group has this name")
        share = value * {"parity": sizes, "merit": merits}.get(kind, np.ones(len(names)))
        if found.group(2) == "<=":
            most[inside] = np.fmin(most[inside], share[inside])
        else:
            least[inside] = np.fmax(least[inside], share[inside])
    return least, most


def allocate(scores: Any, *, qid: Any = None, group: Any = None, groups: Any, require: str | list[str], top: int = 10,
             gap: float = 1e-6, threads: int = 0) -> Allocation:
    """Finds the rankings that are worth most while groups of documents get their share of exposure over all queries.
    `groups` names the group of each document; `require` has requirements such as "share(new) >= 0.1",
    "share(seller*) >= 0.01", "parity >= 0.9" or "merit >= 0.9", as in `dorm allocate`; `top` positions are looked at, 0:
    all. Scores are worth what they exceed the smallest of their query by."""
    members = np.asarray(groups)
    held = Held(np.zeros(np.shape(members)), qid, group)
    ordered = held.scores(scores)
    keys, group_of = np.unique(members, return_inverse=True)
    group_of = np.ascontiguousarray(held.queries.arrange(group_of.reshape(-1)), dtype=np.uint32)
    start = held.queries.start.astype(np.intp)
    gains = ordered - np.repeat(np.minimum.reduceat(ordered, start[:-1]), np.diff(start))
    names = [str(key) for key in keys]
    sizes = np.bincount(group_of, minlength=len(keys)) / len(group_of)
    merits = np.bincount(group_of, weights=gains, minlength=len(keys)) / max(gains.sum(), 1e-300)
    least, most = _bounds(require, names, sizes, merits)
    texts = (ctypes.c_char_p * len(names))(*(text(name) for name in names))
    options = _structs.dorm_allocation_options(
        num_groups=len(keys),
        group_of=group_of.ctypes.data,
        least=least.ctypes.data,
        most=most.ctypes.data,
        names=ctypes.addressof(texts),
        top=whole(top, "top"),
        gap=float(gap),
        num_threads=threads_of(threads),
    )
    policy = ctypes.c_void_p()
    own = context()
    own.check(lib.dorm_allocate(own.pointer, held.pointer, _arrays.pointer(gains), ctypes.addressof(options),
                                ctypes.addressof(policy)))
    try:
        found = ctypes.cast(lib.dorm_policy_result(policy), ctypes.POINTER(_structs.dorm_allocation)).contents
        prices, shares, free = (np.ctypeslib.as_array(values, (len(keys),)).copy()
                                for values in (found.prices, found.shares, found.free_shares))
        numbers = [getattr(found, name) for name in Allocation._fields[:5]]
    finally:
        lib.dorm_policy_free(policy)
    by_group = [dict(zip(keys.tolist(), values.tolist())) for values in (prices, shares, free)]
    boosted = held.queries.put_back(ordered + prices[group_of])
    return Allocation(**dict(zip(Allocation._fields, [*numbers, *by_group, boosted])))
