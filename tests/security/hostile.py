"""hostile.py: models whose settings, remarks and parts name files, read by every command that takes a model and by Python.

    hostile.py COUNT SEED      makes COUNT models in this folder and runs all commands and calls on each
    hostile.py calls MODEL...  makes the calls of Python (run by the former)

tests/security/hostile.sh makes the folder: data.txt, clicks.txt, pairs.txt; the files that models name: evil.so, whose
constructor makes the file `loaded`, fifo, and secret, which holds the word HIDDEN. Under watch.so all that a program opens is
in the file `watched`. A program may open the files that its arguments name, files beside them (data.txt.weight), their folder,
and files of the system; it may load nothing that a model names; it ends within two seconds.
"""

import os
import random
import re
import signal
import subprocess
import sys

SECONDS = 2
SOURCES = os.environ["srcdir"]
DATA, LOG, PAIRS, WATCHED, LOADED = "data.txt", "clicks.txt", "pairs.txt", "watched", "loaded"
SYSTEM = ("/usr/", "/lib", "/etc/", "/proc/", "/sys/", "/dev/", os.path.dirname(os.environ["LIBDORM"]) + "/",
          os.path.realpath(SOURCES + "/python") + "/", os.path.realpath(sys.prefix) + "/")
TEXTS = ("from {}", "x from {}", "x:k=1 from {}", "cost:file={}", "minus_loss(x from {})", "minus_loss(cost:file={})",
         "lambdarank of x from {}", "ranknet-weight-pairs of cost:file={}", "gram:{}(1)", "linear + 2 * gram:{}(1)",
         "linear + x from {}", 'gram:"{}"(1)')
PARTS = ("kernel 0 1 gram:{path}({id})\npivot 1 {id}:1", 'kernel 0 1 linear + gram : "{path}"({id})\npivot 1 {id}:1',
         "kernel 0 1 x({id}) from module\npivot 1 {id}:1")
REFUSED = ("kernel 0 1 x({id}) from {path}\npivot 1 {id}:1", "part {path} 1", "part net 1 {path}", "part trees 1 {path} 0 1",
           "kernel 0 1 {path}\npivot 1 {id}:1", "positions 1 0 file:{path}", "file {path}", "setting loss.name = from {path}")


# ---- Models --------------------------------------------------------------------------------------


def table():
    """(key, kind) of each setting; SPEC has a path as its argument."""
    with open(SOURCES + "/settings/settings_list.h") as file:
        for row in file.read().split("\nSETTING(")[1:]:
            key, kind = re.search(r'"([^"]+)",\s*(\w+)', row).groups()
            yield key, "SPEC" if "<path>" in row else "NUMBER" if kind in ("SPEC", "CHOICE", "INTEGER") else kind


def bases():
    folder = SOURCES + "/tests/models/0.1.0/"
    for name in sorted(os.listdir(folder)):
        if name.endswith(".dorm"):
            with open(folder + name) as file:
                yield file.read().splitlines()


def hostile_value(kind, draw, path):
    if kind == "TEXT":
        return draw.choice(TEXTS).format(path)
    return "file:" + path if kind == "SPEC" else path


def with_checksum(text):
    """FNV-1a of the lines."""
    sum_ = 0xCBF29CE484222325
    for byte in text.encode():
        sum_ = (sum_ ^ byte) * 0x100000001B3 % 2**64
    return f"{text}checksum {sum_:016x}\n"


def make_model(base, settings, draw, paths):
    """A model that names paths in few or in most places; one of five also where it cannot, and is refused."""
    share = draw.choice((0.3, 0.9))
    named = [key for key, kind in settings if kind in ("PATH", "TEXT", "SPEC") and draw.random() < share]
    is_refused = draw.random() < 0.2
    if is_refused and draw.random() < 0.5:
        named.append(draw.choice([key for key, kind in settings if kind == "NUMBER"]))
    kinds = dict(settings)
    keep = [line for line in base if not line.startswith("checksum") and line.split(" ")[1:2] not in [[k] for k in named]]
    head = [f"setting {key} = {hostile_value(kinds[key], draw, draw.choice(paths))}" for key in named]
    if base[0].startswith("dorm model"):
        head += [f"remark {draw.choice(TEXTS + ('{}',)).format(draw.choice(paths))}" for _ in range(3)]
        part = draw.choice(REFUSED if is_refused else PARTS + ("",) * 6)
        feature = next(line.split()[1] for line in base if line.startswith("feature "))
        if part:
            keep[-1:-1] = part.format(path=draw.choice(paths), id=feature).split("\n")
    return with_checksum("\n".join(keep[:1] + head + keep[1:]) + "\n")


# ---- Commands ------------------------------------------------------------------------------------


def commands(model, is_factorisation):
    """Arguments of each command that takes a model; those that are files are all it may open."""
    yield ["recommend", model, "--score", PAIRS, "-o", "made"]
    yield ["show", "--settings", model]
    if is_factorisation:
        yield ["recommend", model, "--user", "u1"]
        yield ["recommend", model, "--ratings", PAIRS]
        return
    train = ["train", "-q", "-s", f"data.train={DATA}", "-s", "solver.C=1", "-s", "ranking.rounds=1", "-s", "output.model=made",
             "-s", "solver.ridge=1", "-s", "net.epochs=2", "-s", "net.hidden=0", "-s", "training.seed=1", "-s"]
    yield ["predict", model, DATA]
    yield ["predict", model, DATA, "--ranked", "-o", "made"]
    yield ["predict", model, DATA, "--diverse"]
    yield ["predict", model, DATA, "--diverse", "--groups", "feature:1"]
    yield ["eval", model, DATA]
    yield ["eval", model, DATA, "-m", "map", "--json", "made"]
    yield ["eval", model, DATA, "--diverse", "--groups", "feature:1"]
    yield ["eval", model, DATA, "--set", "diversity.top=3"]
    yield ["eval", model, DATA, "--clicks", LOG, "--set", "clicks.propensity=power:1"]
    yield ["eval", model, DATA, "--clicks", LOG, "--set", "clicks.propensity=file:curve"]
    yield ["probe", model, DATA, "--directions", "3", "--steps", "0.1"]
    yield ["show", model, DATA]
    yield ["show", "--json", model]
    for name in ("json", "c", "solr"):
        yield ["export", "--to", name, model, "-o", "made"]
    yield ["generate", "clicks", DATA, "--ranker", model, "--impressions", "10", "-o", "made"]
    yield train + [f"data.from={model}"]
    yield train + [f"data.from={model}", "-s", "training.trainer=net"]
    yield train + [f"net.start=file:{model}", "-s", "training.trainer=net"]
    yield train + [f"data.from={model}", "--stream"]


def is_allowed(call, path, named):
    real = os.path.realpath(path)
    if call == "dlopen" and "/" not in path:
        return "evil" not in path
    return real.startswith(SYSTEM) or any(
        real in (one, os.path.dirname(one)) or real.startswith(one + ".") for one in named)


def faults(named, output):
    """What went wrong since the last call."""
    if os.path.exists(LOADED):
        yield "a module was loaded"
        os.remove(LOADED)
    if "HIDDEN" in output:
        yield "a word of a file is in the output"
    with open(WATCHED, errors="replace") as file:
        lines = file.read().splitlines()
    named = [os.path.realpath(one) for one in named]
    for call, path in (line.split(" ", 1) for line in lines):
        if not is_allowed(call, path, named):
            yield f"{call} {path}"
    if not lines:
        yield "nothing was watched"


def run_watched(arguments, named, seconds):
    """Runs a program: its exit code and what is wrong with it."""
    open(WATCHED, "w").close()
    environment = dict(os.environ, LD_PRELOAD=os.environ["WATCH"], DORM_WATCH=os.path.abspath(WATCHED))
    for _ in range(2):  # the machine may be busy once
        try:
            done = subprocess.run(arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=seconds, errors="replace", text=True)
        except subprocess.TimeoutExpired:
            continue
        found = list(faults(named, done.stdout))
        if done.returncode not in range(8):
            found.append(f"exit code {done.returncode}: {done.stdout[-300:]}")
        return done.returncode, found
    return None, [f"more than {seconds} seconds"]


def check(count, seed):
    draw = random.Random(seed)
    paths = ["./evil.so", os.path.abspath("evil.so"), "fifo", os.path.abspath("secret")]
    settings, texts = list(table()), list(bases())
    factors = [base for base in texts if base[0].startswith("dorm factors")]
    codes, bad, models = [], 0, [f"model{i}" for i in range(count)]
    tasks = []
    for i, model in enumerate(models):
        base = draw.choice(texts if i % 4 else factors)
        with open(model, "w") as file:
            file.write(make_model(base, settings, draw, paths))
        tasks += [([os.environ["DORM"]] + arguments, [model, DATA, LOG, PAIRS, "curve", "made"], SECONDS)
                  for arguments in commands(model, base in factors)]
    for batch in [models[i:i + 50] for i in range(0, count, 50)] if "PYTHON" in os.environ else []:
        tasks.append(([os.environ["PYTHON"], __file__, "calls"] + batch, batch + [__file__], 60 * SECONDS))
    for task in tasks:
        code, found = run_watched(*task)
        codes.append(code)
        bad += len(found)
        for fault in found:
            print(f"FAILED: {' '.join(task[0][1:])}: {fault}")
    good = codes.count(0)
    print(f"{count} models, {len(codes)} runs, of which {good} had a result, {bad} faults")
    return bad != 0 or 5 * good < len(codes)


# ---- Calls of Python -----------------------------------------------------------------------------


def attempt(call, *arguments, **keywords):
    """Makes a call, which ends the process if it takes too long."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return call(*arguments, **keywords)
    except (ValueError, TypeError, OSError, AttributeError, ArithmeticError, RuntimeError) as error:
        return str(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def call_all(models):
    import pickle
    import warnings

    import dorm
    import numpy as np

    warnings.simplefilter("ignore")
    draw = np.random.RandomState(1)
    X, y, qid = draw.random_sample((18, 4)), draw.randint(0, 3, 18), np.repeat([1, 2, 3], 6)
    num_read = 0
    for path in models:
        print(path, flush=True)
        model = attempt(dorm.Model.read, path)
        ranker = attempt(dorm.Ranker.load, path)
        if not isinstance(ranker, dorm.Ranker):
            continue
        num_read += 1
        for call in (model.describe, model.to_text, lambda: model.score(X, qid=qid), lambda: ranker.score(X, y, qid=qid),
                     lambda: ranker.predict(X, qid), lambda: dorm.explain(model, X, qid),
                     lambda: pickle.loads(pickle.dumps(ranker)).score(X, y, qid=qid),
                     lambda: ranker.set_params(solver_threads=1, trees_trees=2, net_epochs=2).fit(X, y, qid=qid)):
            attempt(call)
    return 0 if num_read else 8


if sys.argv[1] == "calls":
    sys.exit(call_all(sys.argv[2:]))
else:
    sys.exit(check(int(sys.argv[1]), int(sys.argv[2])))
