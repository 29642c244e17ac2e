"""One call of dorm_train: its log, Ctrl-C, and what it returns as Python objects."""

from __future__ import annotations

import collections
import ctypes
import signal
import threading
from typing import Any

from . import _structs
from ._library import Context, decode, error_of, is_warning, lib, one_blas_thread, warn
from .model import Model


def _fields_of(name: str, struct: Any) -> Any:
    return collections.namedtuple(name, [field for field, _ in struct._fields_])


class Certificate(_fields_of("Certificate", _structs.dorm_certificate)):  # type: ignore[misc]
    """Primal and dual value of a convex problem, and the gap between them."""

    __slots__ = ()

    def __repr__(self):
        return f"<primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.2g}, {self.iterations} passes>"


class Candidate(_fields_of("Candidate", _structs.dorm_candidate)):  # type: ignore[misc]
    """A model that training made: its settings, its certificate and its value on validation data or folds."""

    __slots__ = ()

    def __repr__(self):
        words = f"C {self.C:g}, reference {self.reference}" if self.C else self.reference or "start"
        chosen = ", in the model" if self.is_selected else ""
        return f"<candidate {self.number}: {words}, validation {self.validation:.4f}{chosen}>"


class Candidates(list):  # type: ignore[type-arg]
    """The candidates of a training, of which print shows the number."""

    def __repr__(self):
        return f"<{len(self)} candidates, {sum(one.is_selected for one in self)} in the model>"


class Event(_fields_of("Event", _structs.dorm_event)):  # type: ignore[misc]
    """What the log callback of Ranker gets; kind is note, warning, iteration, candidate, step or detail."""

    __slots__ = ()

    def __repr__(self):
        return f"<{self.kind}{f' {self.num_done}/{self.num_candidates}' if self.candidate else ''}: {self.candidate or self.text}>"


def _plain(value):
    if isinstance(value, bytes):
        return decode(value)
    if isinstance(value, _structs.dorm_certificate):
        return Certificate(*(getattr(value, name) for name in Certificate._fields))
    return value


def _candidate(struct):
    fields = {name: _plain(getattr(struct, name)) for name in Candidate._fields}
    fields["is_selected"] = bool(fields["is_selected"])
    return Candidate(**fields)


def _event(struct):
    return Event(
        _structs.EVENT_KINDS[struct.kind] if struct.kind < len(_structs.EVENT_KINDS) else "other",
        decode(struct.text) or "",
        _candidate(struct.candidate.contents) if struct.candidate else None,
        struct.num_done,
        struct.num_candidates,
        struct.seconds,
    )


class _Watch:
    """Lets Ctrl-C and failures of the log callback end the work of the library cleanly. The exception itself comes
    after the call, since none can pass through C."""

    def __init__(self, log):
        self._log = log
        self.interrupted = False
        self.left = False  # the log callback wants no more
        self.error = None
        self.context = Context()
        self._handler = None
        self._cancel_function = _structs.CancelFunction(self._cancel)
        self._log_function = _structs.LogFunction(self._hear)
        lib.dorm_context_set_cancel(self.context.pointer, self._cancel_function, None)
        self.warnings = []
        self.curves = {}  # number of a candidate: the validation value after each round or epoch
        lib.dorm_context_set_log(self.context.pointer, self._log_function, None)

    def _interrupt(self, number, frame):
        self.interrupted = True

    def _cancel(self, user):
        return int(self.interrupted or self.left or self.error is not None)

    def _hear(self, user, event):
        try:
            if is_warning(event.contents):
                self.warnings.append(decode(event.contents.text))
            if event.contents.kind == _structs.ITERATION and event.contents.candidate:
                one = event.contents.candidate.contents
                if one.validation == one.validation:
                    self.curves.setdefault(one.number, []).append(one.validation)
            if self._log is not None and self.error is None and not self.left:
                self._log(_event(event.contents))
        except StopIteration:
            self.left = True
        except BaseException as error:  # it is raised again after the call
            self.error = error

    def __enter__(self):
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self._handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *reason):
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        # The context must not call back into what is gone.
        lib.dorm_context_set_cancel(self.context.pointer, _structs.CancelFunction(), None)
        lib.dorm_context_set_log(self.context.pointer, _structs.LogFunction(), None)


class Result:
    """The model of a training, its candidates, and why it stopped early ("" if it did not)."""

    def __init__(self, pointer, stopped):
        try:
            count = lib.dorm_training_num_candidates(pointer)
            self.candidates = Candidates(_candidate(lib.dorm_training_candidate(pointer, i).contents) for i in range(count))
            self.num_queries = lib.dorm_training_num_training_queries(pointer)
            self.validation = lib.dorm_training_validation(pointer)
            error = ctypes.c_double()
            self.expected = lib.dorm_training_estimate(pointer, ctypes.byref(error))
            self.expected_error = error.value
            self.baselines = {
                name: lib.dorm_training_baseline(pointer, i, None) for i, name in enumerate(("chance", "feature", "linear", "serving"))
            }
            self.model = Model(lib.dorm_training_take_model(pointer))
            self.stopped = stopped
        finally:
            lib.dorm_training_free(pointer)


def train(settings, dataset, validation, log, consuming, loss=None):
    """Trains; `loss` is an OwnLoss that the settings name, or None; `consuming` gives the memory of the data sets'
    values away. Returns the result, and whether Ctrl-C ended the work; the result is None if that was before there was
    a model."""
    function = lib.dorm_train_consuming if consuming else lib.dorm_train
    place = ctypes.c_void_p()
    with _Watch(log) as watch, one_blas_thread:
        pointer = watch.context.pointer
        if loss is not None:
            loss.register(watch.context)
        status = function(
            pointer,
            settings.pointer,
            dataset._pointer,
            validation._pointer if validation else None,
            ctypes.addressof(place),
        )
    result = None
    if place.value:
        result = Result(place.value, watch.context.message() if status == _structs.STOPPED else "")
        result.curves = watch.curves
    if loss is not None and not watch.interrupted:
        loss.reraise()
    if watch.error is not None:
        raise watch.error
    if status not in (_structs.OK, _structs.STOPPED) or (result is None and not watch.interrupted):
        raise error_of(status, watch.context.message())
    for message in watch.warnings:
        warn(message)
    return result, watch.interrupted
