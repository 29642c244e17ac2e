"""What watches a training besides the callback of its user: a progress bar, and an iterator over the events."""

import contextlib
import copy
import queue
import threading

from ._library import short


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "progress=True draws its bar with tqdm, which is not installed (apt-get install python3-tqdm, or pip "
            "install tqdm)"
        ) from None
    return tqdm(unit="candidate", leave=False)


def _show(bar, event):
    if event.candidate is None:
        return
    bar.total = event.num_candidates
    bar.n = event.num_done
    one = event.candidate
    words = {"C": f"{one.C:g}"} if one.C else {}
    if event.kind == "iteration":
        if one.certificate.iterations:
            words["gap"] = f"{one.certificate.gap:.2g}"
        else:
            words["round"] = one.round
    elif one.validation == one.validation and one.validation:
        words["validation"] = f"{one.validation:.4f}"
    bar.set_postfix(words, refresh=False)
    bar.refresh() if event.kind == "candidate" else bar.update(0)


def _check_log(log):
    if log is not None and not callable(log):
        raise TypeError(f"log is {short(log)}: it has to be a function that takes a dorm.Event")


@contextlib.contextmanager
def listener(logs, progress):
    """The callback of a training whose events go to `logs` and, with progress, to a bar; None if nobody listens."""
    for log in logs:
        _check_log(log)
    logs = [log for log in logs if log is not None]

    def hear(event):
        if progress:
            _show(bar, event)
        for log in logs:
            log(event)

    with _bar() if progress else contextlib.nullcontext() as bar:
        yield hear if logs or progress else None


def _take_results(ranker, worker):
    """Gives the ranker what a copy of it has learned: the attributes whose names end with an underscore."""
    for name in [name for name in vars(ranker) if name.endswith("_")]:
        delattr(ranker, name)
    for name, value in vars(worker).items():
        if name.endswith("_"):
            setattr(ranker, name, value)


def events_of(ranker, arguments, keywords):
    """Fits the ranker in a thread and yields its events. What the thread's copy has learned becomes the ranker's, also
    when the loop is left early."""
    told = queue.SimpleQueue()
    is_left = threading.Event()
    log = ranker.log
    _check_log(log)
    worker = copy.copy(ranker)

    def hear(event):
        if is_left.is_set():
            raise StopIteration
        if log is not None:
            log(event)
        told.put((event, None))

    def work():
        error = None
        try:
            worker.fit(*arguments, **keywords)
        except BaseException as one:  # it is raised again by the iterator
            error = one
        told.put((None, error))

    worker.log = hear
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    error = None
    try:
        event = True
        while event is not None:
            event, error = told.get()
            if event is not None:
                yield event
    finally:
        is_left.set()
        thread.join()
        _take_results(ranker, worker)
    if error is not None:
        raise error
