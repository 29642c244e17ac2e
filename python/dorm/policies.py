"""Rankings under requirements on the exposure of groups."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
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


class PriceTrial(NamedTuple):
    """What try_prices returns. `boosted` are the scores plus the price of each document's group, `worth` is the worth of
    their rankings, and no policy that meets the requirements on these data is worth more than `bound`. shares and errors
    are dictionaries by group; an error is the standard error, over queries, of a share less what is required of it."""

    worth: float
    bound: float
    shares: dict[Any, float]
    errors: dict[Any, float]
    boosted: Any

    def __repr__(self) -> str:
        return f"<worth {self.worth:.6g}, at most {self.bound:.6g}, {len(self.shares)} groups>"


_FORM = re.compile(r"\s*(?:share\((.*)\)\s*(>=|<=)|(parity|merit)\s*(>=))\s*(\S+)\s*")


def _bounds(require, names, sizes, merits):
    """Least and largest shares of the groups, NaN for none, and which least shares are multiples of merits or sizes."""
    least, most, kinds = np.full(len(names), np.nan), np.full(len(names), np.nan), np.full(len(names), None)
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
        inside = np.array([pattern is None or name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))
                           for name in names])
        if not inside.any():
            raise ValueError(f"{short(one)}: no group has this name")
        share = value * {"parity": sizes, "merit": merits}.get(kind, np.ones(len(names)))
        if found.group(2) == "<=":
            most[inside] = np.fmin(most[inside], share[inside])
        else:
            inside &= ~(least >= share)
            least[inside], kinds[inside] = share[inside], kind
    return least, most, kinds


class _Problem:
    """Documents in groups under requirements, as the library takes them. Scores are worth what they exceed the smallest of
    their query by."""

    def __init__(self, scores, qid, group, groups, require, top, **options):
        members = np.asarray(groups)
        self.held = Held(np.zeros(np.shape(members)), qid, group)
        self.scores, queries = self.held.scores(scores), self.held.queries
        self.keys, group_of = np.unique(members, return_inverse=True)
        self.group_of = np.ascontiguousarray(queries.arrange(group_of.reshape(-1)), dtype=np.uint32)
        self.gains = self.scores - queries.spread(np.minimum.reduceat(self.scores, queries.first))
        names = [str(key) for key in self.keys]
        sizes, merits = (np.bincount(self.group_of, weights, len(names)) for weights in (None, self.gains))
        self.bounds = _bounds(require, names, sizes / len(self.scores), merits / max(self.gains.sum(), 1e-300))
        self.texts = (ctypes.c_char_p * len(names))(*(text(name) for name in names))
        self.options = _structs.dorm_allocation_options(
            num_groups=len(names),
            group_of=self.group_of.ctypes.data,
            least=self.bounds[0].ctypes.data,
            most=self.bounds[1].ctypes.data,
            names=ctypes.addressof(self.texts),
            top=whole(top, "top"),
            **options,
        )
        self.arguments = (self.held.pointer, _arrays.pointer(self.gains), ctypes.addressof(self.options))

    def by_group(self, values):
        return dict(zip(self.keys.tolist(), values.tolist()))

    def boosted(self, prices):
        return self.held.queries.put_back(self.scores + prices[self.group_of])


def allocate(scores: Any, *, qid: Any = None, group: Any = None, groups: Any, require: str | list[str], top: int = 10,
             gap: float = 1e-6, threads: int = 0) -> Allocation:
    """Finds the rankings that are worth most while groups of documents get their share of exposure over all queries.
    `groups` names the group of each document; `require` has requirements such as "share(new) >= 0.1",
    "share(seller*) >= 0.01", "parity >= 0.9" or "merit >= 0.9", as in `dorm allocate`; `top` positions are looked at, 0:
    all. Scores are worth what they exceed the smallest of their query by."""
    problem = _Problem(scores, qid, group, groups, require, top, gap=float(gap), num_threads=threads_of(threads))
    policy = ctypes.c_void_p()
    own = context()
    own.check(lib.dorm_allocate(own.pointer, *problem.arguments, ctypes.addressof(policy)))
    try:
        found = ctypes.cast(lib.dorm_policy_result(policy), ctypes.POINTER(_structs.dorm_allocation)).contents
        by_group = [np.ctypeslib.as_array(values, (len(problem.keys),)).copy()
                    for values in (found.prices, found.shares, found.free_shares)]
        numbers = [getattr(found, name) for name in Allocation._fields[:5]]
    finally:
        lib.dorm_policy_free(policy)
    return Allocation._make([*numbers, *map(problem.by_group, by_group), problem.boosted(by_group[0])])


def try_prices(prices: Mapping[Any, float], scores: Any, *, qid: Any = None, group: Any = None, groups: Any,
               require: str | list[str], top: int = 10) -> PriceTrial:
    """Tries the prices of an Allocation on documents that they were not learned from, as `dorm allocate --test` does. allocate
    has the same other arguments. A group without a price has the price 0."""
    if not isinstance(prices, Mapping):
        raise TypeError(f"prices is {short(prices)}: it has to be a dictionary by group, as allocate returns it")
    problem = _Problem(scores, qid, group, groups, require, top)
    of_group = np.array([float(prices.get(key, 0)) for key in problem.keys.tolist()])
    if not np.isfinite(of_group).all():
        raise ValueError("prices has to hold finite numbers")
    shares, errors, made = np.empty((3, len(of_group)))
    trial = _structs.dorm_price_trial(shares=shares.ctypes.data, errors=made.ctypes.data)
    own = context()
    for kind, claims in ((None, None), ("parity", np.ones(len(problem.gains))), ("merit", problem.gains)):
        own.check(lib.dorm_try_prices(own.pointer, *problem.arguments, of_group.ctypes.data,
                                      None if claims is None else claims.ctypes.data, ctypes.addressof(trial)))
        inside = problem.bounds[2] == kind
        errors[inside] = made[inside]
    by_group = map(problem.by_group, (shares, errors))
    return PriceTrial._make([trial.worth, trial.bound, *by_group, problem.boosted(of_group)])
