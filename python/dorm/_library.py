"""The C library: found, checked and called. Every failure of a call becomes an exception with the library's
sentence."""

import ctypes
import os
import threading

import numpy as np

from . import _structs

SONAME = "libdorm.so.0"


class Error(Exception):
    """A call of the library failed; the text says why."""


class UsageError(Error, ValueError):
    """A bad argument or setting."""


class DataError(Error, ValueError):
    """Bad data, or a bad model."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class NumericalError(Error, ArithmeticError):
    """A number left its range, or a factorisation failed."""


class ModuleError(Error, RuntimeError):
    """A module with a loss, a kernel or a gradient function was refused, or is missing."""


class MemoryShortage(Error, MemoryError):
    """The library is out of memory."""


class Stopped(Error, RuntimeError):
    """The work was stopped before there was a result."""


_ERRORS = {
    _structs.STOPPED: Stopped,
    _structs.BAD_USAGE: UsageError,
    _structs.IO_ERROR: FileError,
    _structs.BAD_DATA: DataError,
    _structs.NUMERICAL_FAILURE: NumericalError,
    _structs.BAD_MODULE: ModuleError,
    _structs.OUT_OF_MEMORY: MemoryShortage,
}


def _version_of(library, path):
    try:
        function = library.dorm_version
    except AttributeError:
        raise ImportError(f"{path} is not the library of dorm: it has no function dorm_version") from None
    function.restype = ctypes.c_char_p
    function.argtypes = []
    return function().decode("ascii", "replace")


def _load():
    path = os.environ.get("DORM_LIBRARY") or SONAME
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"dorm needs its C library, and {path} cannot be loaded ({error}): install libdorm0, or name the file of "
            "the library in the environment variable DORM_LIBRARY"
        ) from None
    version = _version_of(library, path)
    wanted = _structs.VERSION
    if version.split(".")[:2] != [str(number) for number in wanted[:2]]:
        raise ImportError(
            f"the C library {path} is dorm {version}, but this Python package is for dorm {wanted[0]}.{wanted[1]}: "
            "install both of one version"
        )
    for name, (result, arguments) in _structs.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"the C library {path} has no function {name}: it is older than this package") from None
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()
library_version = lib.dorm_version().decode("ascii")


class _OneBlasThread:
    """OpenBLAS on one thread, so that numbers repeat bit for bit; afterwards on as many as before, where it is
    OpenBLAS. The number is one for the whole process, so several threads that want this share it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    def __enter__(self):
        with self._lock:
            if self._users == 0:
                try:
                    self._before = lib.openblas_get_num_threads()
                except AttributeError:
                    self._before = 0
                lib.dorm_set_blas_threads(1)
            self._users += 1

    def __exit__(self, *reason):
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._before > 0:
                lib.dorm_set_blas_threads(self._before)


one_blas_thread = _OneBlasThread()


class Context:
    """A dorm_context. One serves one thread at a time."""

    def __init__(self):
        self.pointer = lib.dorm_context_new()
        if not self.pointer:
            raise MemoryShortage("out of memory for a context")
        self.losses = {}  # those that the context may call, by name

    def __del__(self):
        if getattr(self, "pointer", None):
            lib.dorm_context_free(self.pointer)

    def message(self):
        return lib.dorm_context_message(self.pointer).decode("utf-8", "replace")

    def check(self, status):
        """Raises the exception of a status other than DORM_OK."""
        if status != _structs.OK:
            raise _ERRORS.get(status, Error)(self.message())


_of_thread = threading.local()


def context():
    """The context of this thread, for calls without log and cancellation."""
    try:
        return _of_thread.context
    except AttributeError:
        _of_thread.context = Context()
        return _of_thread.context


def text(value):
    """A text for the library."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{short(value)} has to be a text or a path")
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        raise ValueError(f"{short(value)} cannot be written as bytes") from None
    if b"\0" in encoded:
        raise ValueError(f"a text for dorm must not contain a zero character: {value!r}")
    return encoded


def short(value):
    """A value in a message."""
    try:
        words = repr(value)
    except Exception:
        words = f"a {type(value).__name__}"
    return words if len(words) < 200 else words[:200] + "..."


def whole(value, name, least=0, most=2**63):
    """A whole number within bounds, for an argument of the library."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {short(value)}: it has to be a whole number")
    if not least <= value <= most:
        raise ValueError(f"{name} is {short(int(value))}: it has to be from {least} to {most}")
    return int(value)


def decode(value):
    return None if value is None else value.decode("utf-8", "replace")


class Handle:
    """Owns a pointer that a function of the library frees."""

    _free = None  # the name of that function

    def __init__(self, pointer):
        self._pointer = pointer

    def __del__(self):
        pointer = getattr(self, "_pointer", None)
        if pointer:
            getattr(lib, self._free)(pointer)
            self._pointer = None


def make(function, *arguments):
    """Calls function(context, *arguments, &result) and returns the pointer that it made."""
    result = ctypes.c_void_p()
    own = context()
    own.check(function(own.pointer, *arguments, ctypes.addressof(result)))
    return result.value
