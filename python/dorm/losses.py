"""Losses written in Python, and the assignment oracle alone."""

from __future__ import annotations

import contextlib
import ctypes
import re
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _structs
from ._library import context, lib, short, text
from .dataset import Held
from .measures import list_losses


class Violations(NamedTuple):
    """The most violated ranking of each query: `positions`, that of each document within its query, 0 for the top;
    `values`, the maxima, and `losses`, what the rankings cost, both by query."""

    positions: Any
    values: Any
    losses: Any


_PLUGIN_ABI = _structs.CONSTANTS["DORM_PLUGIN_ABI"]


def _name_of(function):
    """A name for the loss in the settings and in the model."""
    name = re.sub("[^A-Za-z0-9_-]", "", getattr(function, "__name__", type(function).__name__))[:40] or "loss"
    return f"python_{name}" if name in list_losses() else name


def _view(pointer, *shape):
    return np.ctypeslib.as_array(pointer, shape=shape)


class OwnLoss:
    """A callable as a loss of the library (dorm_loss_register): loss(labels) returns (a, b), weights of the positions
    and gains of the documents, or a matrix cost[document][position]. Which of the two it does is seen from a query of
    two documents. No exception can pass through C: the first is kept, and raised after the call."""

    def __init__(self, function):
        self._function = function
        self.name = _name_of(function)
        self.error = None
        is_product = isinstance(function(np.array([1.0, 0.0])), tuple)
        # ctypes does not keep what a struct points to: these have to live as long as the library may call them.
        self._callback = (
            _structs.ProductFunction(self._fill_product) if is_product else _structs.CostsFunction(self._fill_costs)
        )
        self._struct = _structs.dorm_loss_module(
            abi=_PLUGIN_ABI,
            struct_size=ctypes.sizeof(_structs.dorm_loss_module),
            name=text(self.name),
            help=b"a loss written in Python",
        )
        setattr(self._struct, "fill_product" if is_product else "fill_costs", self._callback)

    def _call(self, query, fill):
        """Calls the function with the labels of a query and hands what it returns to fill(returned, count)."""
        if self.error is not None:
            return 1
        try:
            count = query.contents.num_docs
            fill(self._function(_view(query.contents.labels, count).copy()), count)
            return 0
        except BaseException as error:
            self.error = error
            return 1

    def _fill_product(self, host, state, query, a, b):
        def fill(returned, count):
            if not isinstance(returned, tuple) or len(returned) != 2:
                raise TypeError(f"loss {self.name}: it has to return a pair (a, b), not {short(returned)}")
            for name, value, place in zip("ab", returned, (a, b)):
                _view(place, count)[:] = self._checked(name, value, (count,))

        return self._call(query, fill)

    def _fill_costs(self, host, state, query, costs):
        def fill(returned, count):
            _view(costs, count, count)[:] = self._checked("the cost", returned, (count, count))

        return self._call(query, fill)

    def _checked(self, what, value, shape):
        array = np.asarray(value, dtype=np.float64)
        if array.shape != shape:
            raise ValueError(f"loss {self.name}: {what} has the shape {array.shape}, but {shape} is needed")
        return array

    def register(self, own):
        """Makes the loss known to a context, which keeps it alive."""
        status = lib.dorm_loss_register(own.pointer, ctypes.addressof(self._struct), None)
        self.reraise()
        own.check(status)  # where it is refused, the context still has the one that it had by this name
        own.losses[self.name] = self

    def reraise(self):
        if self.error is not None:
            error, self.error = self.error, None
            raise error


@contextlib.contextmanager
def known(loss):
    """Makes a loss that is a callable known to the context of this thread; yields the name of the loss."""
    if not callable(loss):
        yield loss
        return
    own = OwnLoss(loss)
    own.register(context())
    try:
        yield own.name
    finally:
        own.reraise()


def oracle(scores: Any, y: Any, qid: Any = None, loss: Any = "ndcg@10", *, group: Any = None,
           position_weights: str = "loss") -> Violations:
    """The most violated ranking of each query at these scores: that which maximises sum_p c[p] scores[p-th document] +
    loss(ranking), found by the assignment oracle that training uses. loss is a text such as "ndcg@10", or a callable
    as for Ranker; position_weights, the c, is as the setting ranking.position_weights: "loss", "power:0.5", "log"; a
    loss of general costs needs another than "loss". y are labels with their queries in qid or group, or a Dataset.
    Returns Violations(positions, values, losses)."""
    held = Held(y, qid, group)
    ordered = held.scores(scores)
    order = np.empty(held.num_docs, dtype=np.uintp)
    values, losses = np.empty(held.num_queries), np.empty(held.num_queries)
    with known(loss) as name:
        own = context()
        own.check(
            lib.dorm_most_violated(
                own.pointer,
                text(name),
                held.pointer,
                text(position_weights),
                _arrays.pointer(ordered),
                _arrays.pointer(order),
                _arrays.pointer(values),
                _arrays.pointer(losses),
            )
        )
    first = held.queries.spread(held.queries.first)
    positions = np.empty(held.num_docs, dtype=np.intp)
    positions[first + order.astype(np.intp)] = np.arange(held.num_docs) - first
    return Violations(held.queries.put_back(positions), values, losses)
