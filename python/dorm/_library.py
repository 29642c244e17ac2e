"""The C library: found, checked and called. Every failure of a call becomes an exception with the library's
sentence, every warning a warning of Python."""

from __future__ import annotations

import ctypes
import errno
import glob
import os
import shutil
import sys
import threading
import warnings
from typing import Any

import numpy as np

from . import _structs

_FOLDER = os.path.dirname(os.path.abspath(__file__))
SONAME = "libdorm.0.dylib" if sys.platform == "darwin" else "libdorm.so.0"


class Warning(UserWarning):
    """What is probably wrong with data, settings or a model."""


class Error(Exception):
    """A call of the library failed; the text says why."""


class UsageError(Error, ValueError):
    """A bad argument or setting."""


class DataError(Error, ValueError):
    """Bad data, or a bad model."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


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


def _path():
    """The library: DORM_LIBRARY, that of a wheel, that of the installation that the package is of, or the system's."""
    named = os.environ.get("DORM_LIBRARY")
    if named:
        return named
    for path in glob.glob(os.path.join(glob.escape(_FOLDER), "_lib", "libdorm*")):
        return path
    try:
        from . import _installed  # written by `make install`
    except ImportError:
        return SONAME
    return _installed.LIBRARY if os.path.exists(_installed.LIBRARY) else SONAME


def command():
    """The path of the command `dorm` of the wheel, the build folder or the installation that the library is of; otherwise
    the command in PATH."""
    folder = os.path.dirname(lib._name)
    beside = (os.path.join(folder, *words, "dorm") for words in ([".."], [], ["..", "bin"]) if folder)
    for path in beside:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which("dorm")
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "the command dorm is not installed beside its library, nor in PATH")
    return found


def _load():
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"dorm needs its C library, and {path} cannot be loaded ({error}): pip install dorm-rank, install libdorm0, "
            "or name the file of the library in the environment variable DORM_LIBRARY"
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
library_version: str = lib.dorm_version().decode("ascii")


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


# ---- Fork: the threads of OpenMP are gone in a child, and waiting for them would never end --------


_in_child = False


def _after_fork():
    global _in_child
    _in_child = True
    one_blas_thread.__init__()
    try:
        lib.omp_set_num_threads(1)
    except AttributeError:
        pass


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def threads_of(threads, name="threads", least=0):
    """A number of threads for the library: 0 is one for each processor that OMP_NUM_THREADS allows; -1, where
    `least` allows it, likewise, and -2 one less. In a child of fork it is 1."""
    threads = whole(threads, name, least)
    if threads < -1 and hasattr(os, "sched_getaffinity"):
        threads = max(1, len(os.sched_getaffinity(0)) + 1 + threads)
    return 1 if _in_child else max(threads, 0)


# ---- Contexts --------------------------------------------------------------------------


def warn(message):
    """Warns the caller of the package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER + os.sep):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, Warning, stacklevel=level)


def is_warning(event):
    """Whether an event is to become a warning: also what says that a setting is not used."""
    return event.kind == _structs.WARNING or (event.kind == _structs.NOTE and b" is not used: " in (event.text or b""))


class Context:
    """A dorm_context. One serves one thread at a time."""

    def __init__(self):
        self.pointer = lib.dorm_context_new()
        if not self.pointer:
            raise MemoryShortage("out of memory for a context")
        self.losses = {}  # those that the context may call, by name
        self._warnings = warnings_of_context = []
        self._hear = _structs.LogFunction(
            lambda user, event: warnings_of_context.append(decode(event.contents.text)) if is_warning(event.contents) else None
        )
        lib.dorm_context_set_log(self.pointer, self._hear, None)

    def __del__(self):
        if getattr(self, "pointer", None):
            lib.dorm_context_free(self.pointer)

    def message(self):
        return lib.dorm_context_message(self.pointer).decode("utf-8", "replace")

    def check(self, status):
        """Raises the exception of a status other than DORM_OK; otherwise warns of what the call warned of."""
        heard = self._warnings[:]
        self._warnings.clear()
        if status != _structs.OK:
            raise error_of(status, self.message())
        for message in heard:
            warn(message)


def error_of(status, message):
    """The exception of a status."""
    if status == _structs.IO_ERROR and message.endswith(os.strerror(errno.ENOENT)):
        return MissingFileError(errno.ENOENT, message)
    return _ERRORS.get(status, Error)(message)


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

    _free = ""  # the name of that function

    def __init__(self, pointer):
        self._pointer = pointer

    def __del__(self):
        pointer = getattr(self, "_pointer", None)
        if pointer:
            getattr(lib, self._free)(pointer)
            self._pointer = None


def make(function: Any, *arguments: Any) -> Any:
    """Calls function(context, *arguments, &result) and returns the pointer that it made."""
    result = ctypes.c_void_p()
    own = context()
    own.check(function(own.pointer, *arguments, ctypes.addressof(result)))
    return result.value
