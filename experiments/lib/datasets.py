"""datasets.py: the data of the experiments, cut into training, validation and test.

  mq2008      LETOR 4.0 MQ2008, all 784 queries. Split s belongs to the (s / 5)-th
              random partition into five folds; from fold s % 5 on, there are three
              folds to train on, one to choose by and one to test by
  artificial  `dorm generate artificial`: 1,000 queries of 50 documents each for
              training, validation and test, 367 features (60 of 20 and 10 when quick)
  small-artificial
              the same generator: 500 queries of 20 documents, 20 features
  movielens-rows
              the six rating features of MovieLens 100K, with users as queries. `queries` is the number of ratings of
              each user to train on, of every fourth user for validation; the other ratings are the test part
  page-blocks, pendigits, optdigits, covertype
              UCI sets, with the class, counted from 0, as relevance. Split s cuts
              the rows at random into three pools, and each part has queries of 100
              documents that are drawn from its own pool. Features are z-scores by the
              training pool. Covertype's classes are drawn in the proportions of the
              whole set

The parts of a split are files in the work folder: LETOR text (or dorm's cache) for
dorm, and NAME.npz for Python. They are made once; remove the folder `data` there to
have them made again.
"""
import hashlib
import os
import re
import subprocess

import numpy as np

import letor

SEED = 20070401
PARTS = ("train", "validation", "test")
DOCS_PER_QUERY = 100

PLACES = {
    "mq2008": (
        "mq2008/Fold1/train.txt",
        "MQ2008 is part of LETOR 4.0 (Microsoft Research): Fold1..Fold5, each with train.txt, vali.txt, test.txt.",
    ),
    "page-blocks": ("uci/uci-page-blocks/page-blocks.data", "UCI Page Blocks: archive.ics.uci.edu, page-blocks.data."),
    "pendigits": ("uci/uci-pendigits/pendigits.tra", "UCI Pen Digits: archive.ics.uci.edu, pendigits.tra and .tes."),
    "optdigits": (
        "uci/uci-optdigits/optdigits.tra",
        "UCI Optical Digits: archive.ics.uci.edu, optdigits.tra and .tes.",
    ),
    "covertype": (
        "uci/uci-covtype-20k/covtype.20k.data",
        "UCI Covertype: archive.ics.uci.edu, the first 20,000 rows of covtype.data.",
    ),
    "movielens": ("movielens-100k/u.data", "MovieLens 100K: grouplens.org, ml-100k with u.data, u.item and u.user."),
    "movielens-rows": ("movielens-100k/u.data", "MovieLens 100K: grouplens.org, ml-100k with u.data."),
    "near-duplicates": (
        "near-duplicates/fingerprint-groups.jsonl",
        "Near-duplicates of GOV2 (Webis, SIGIR 2020): fingerprint-groups.jsonl, one group of document ids per line.",
    ),
}
ARTIFICIAL = ("artificial", "small-artificial")
UCI = ("page-blocks", "pendigits", "optdigits", "covertype")
TITLES = {
    "mq2008": "MQ2008",
    "artificial": "artificial data",
    "small-artificial": "artificial data of 20 features",
    "page-blocks": "Page Blocks",
    "pendigits": "Pen Digits",
    "optdigits": "Optical Digits",
    "covertype": "Covertype",
    "movielens": "MovieLens 100K",
    "movielens-rows": "MovieLens features",
}

# The shares of the classes in the whole Covertype set of 581,012 documents.
COVERTYPE_SHARES = np.array([211840, 283301, 35754, 2747, 9493, 17367, 20510]) / 581012


class MissingData(Exception):
    pass


def folder():
    return os.environ["DORM_DATA"]


def work():
    path = os.environ.get("DORM_WORK") or os.path.join(os.environ["DORM_PROJECT"], "build", "experiments")
    os.makedirs(path, exist_ok=True)
    return path


def files(collection):
    """(path, SHA-256) of each file of a collection, from experiments/data.sha256."""
    inside = os.path.dirname(PLACES[collection][0]).replace("/Fold1", "") + "/"
    with open(os.path.join(os.environ["DORM_PROJECT"], "experiments", "data.sha256")) as file:
        sums = [line.split() for line in file]
    return [(path, digest) for digest, path in sums if path.startswith(inside)]


def require(collection):
    """Fails if a file of the collection is missing, and names each such file with its checksum."""
    if collection not in PLACES:
        return
    missing = [(path, digest) for path, digest in files(collection) if not os.path.exists(os.path.join(folder(), path))]
    if missing:
        listed = "".join("\n  %s  sha256 %s" % pair for pair in missing)
        raise MissingData(
            "there are no data at %s\n%s\nMissing under %s (DORM_DATA):%s"
            % (os.path.join(folder(), missing[0][0]), PLACES[collection][1], folder(), listed)
        )


def shape(collection, quick):
    """The queries per part, documents per query and features of the artificial data."""
    if quick:
        return 60, 20, 10
    return (1000, 50, 367) if collection == "artificial" else (500, 20, 20)


def parts(collection, split, queries, quick=False):
    """The base paths of the three parts, with `queries` training queries (0: all)."""
    name = "-".join([collection, "s%d" % split, "q%d" % queries] + (["quick"] if quick else []))
    base = os.path.join(work(), "data", name)
    return {part: os.path.join(base, part) for part in PARTS}


def prepare(collection, split, queries, quick=False):
    """Makes the files of `parts` that do not exist yet."""
    paths = parts(collection, split, queries, quick)
    base = os.path.dirname(paths["train"])
    done = os.path.join(base, "done")
    if os.path.exists(done):
        return
    require(collection)
    os.makedirs(base, exist_ok=True)
    if collection == "mq2008":
        _prepare_mq2008(paths, split, queries)
    elif collection in ARTIFICIAL:
        _prepare_artificial(collection, paths, split, queries, quick)
    elif collection == "movielens":
        pass  # collaborative.py splits it
    elif collection == "movielens-rows":
        _prepare_movielens(paths, split, queries)
    else:
        _prepare_uci(collection, paths, split, queries)
    open(done, "w").close()


def text(base):
    """The path of the file that dorm reads."""
    return base + (".cache" if os.path.exists(base + ".cache") else ".txt")


def load(base):
    return letor.load(base + ".npz", base + ".txt")


# ---- MQ2008 ---------------------------------------------------------------------


def mq2008():
    """All queries in the order of the five published test parts, and their lines."""
    packed = os.path.join(work(), "data", "mq2008.npz")
    texts = []
    for fold in range(1, 6):
        texts.append(os.path.join(folder(), "mq2008", "Fold%d" % fold, "test.txt"))
    lines = []
    rankings = []
    if os.path.exists(packed):
        for text in texts:
            lines += query_lines(text)
        return letor.load(packed, None), lines
    os.makedirs(os.path.dirname(packed), exist_ok=True)
    for text in texts:
        ranking, part = letor.read(text)
        rankings.append(ranking)
        lines += part
    sizes = np.concatenate([np.diff(ranking.start) for ranking in rankings])
    whole = letor.Ranking(
        np.vstack([ranking.x for ranking in rankings]),
        np.concatenate([r.r for r in rankings]),
        np.concatenate([[0], np.cumsum(sizes)]),
    )
    whole.save(packed)
    return whole, lines


def query_lines(path):
    """The lines of each query of a file, as bytes."""
    queries = []
    previous = None
    with open(path, "rb") as file:
        for line in file:
            query = line.split(None, 2)[1]
            if query != previous:
                previous = query
                queries.append([])
            queries[-1].append(line)
    return [b"".join(lines) for lines in queries]


def mq2008_folds(num_queries, split):
    """The numbers of the queries of each part, in the order of its file."""
    order = np.random.RandomState(SEED + split // 5).permutation(num_queries)
    folds = [np.sort(order[k::5]) for k in range(5)]
    k = split % 5
    train = np.concatenate([folds[(k + i) % 5] for i in range(3)])
    train = np.random.RandomState(SEED + 1000 + split).permutation(train)  # its first m queries are nested samples
    return {"train": train, "validation": folds[(k + 3) % 5], "test": folds[(k + 4) % 5]}


def _prepare_mq2008(paths, split, queries):
    whole, lines = mq2008()
    chosen = mq2008_folds(whole.num_queries, split)
    if queries:
        chosen["train"] = chosen["train"][:queries]
    for part in PARTS:
        with open(paths[part] + ".txt", "wb") as file:
            file.write(b"".join(lines[q] for q in chosen[part]))
        whole.subset(chosen[part]).save(paths[part] + ".npz")


# ---- Artificial data ----------------------------------------------------------------


def _prepare_artificial(collection, paths, split, queries, quick):
    """Makes text and, since it is large, dorm's cache of it. A smaller training part
    is the first queries of the whole one; the other parts are those of the whole."""
    count, docs, features = shape(collection, quick)
    if not queries:
        for number, part in enumerate(PARTS):
            _generate(paths[part] + ".txt", count, docs, features, split, number + 1)
            _run([os.environ["DORM"], "cache", paths[part] + ".txt", "-o", paths[part] + ".cache"])
            _parse_dense(paths[part] + ".txt", count, docs, features).save(paths[part] + ".npz")
            if part != "train":
                os.remove(paths[part] + ".txt")
        return
    prepare(collection, split, 0, quick)
    whole = parts(collection, split, 0, quick)
    for part in PARTS[1:]:
        for ending in (".cache", ".npz"):
            if not os.path.lexists(paths[part] + ending):
                os.symlink(whole[part] + ending, paths[part] + ending)
    with open(whole["train"] + ".txt", "rb") as source, open(paths["train"] + ".txt", "wb") as target:
        for _ in range(queries * docs):
            target.write(source.readline())
    load(whole["train"]).subset(np.arange(queries)).save(paths["train"] + ".npz")


def _generate(path, queries, docs, features, split, part):
    _run(
        [
            os.environ["DORM"],
            "generate",
            "artificial",
            "--queries",
            str(queries),
            "-d",
            str(docs),
            "-f",
            str(features),
            "--seed",
            str(split + 1),
            "--part",
            str(part),
            "-o",
            path,
        ]
    )


def _parse_dense(path, queries, docs, features):
    numbers = path + ".numbers"
    with open(numbers, "w") as file:
        subprocess.run(
            ["sed", "s/qid://; s/:/ /g"], stdin=open(path), stdout=file, check=True, env={**os.environ, "LC_ALL": "C"}
        )
    table = np.fromfile(numbers, sep=" ", dtype=np.float32).reshape(queries * docs, 2 + 2 * features)
    os.remove(numbers)
    return letor.Ranking(np.ascontiguousarray(table[:, 3::2]), table[:, 0].astype(float), np.arange(queries + 1) * docs)


def _run(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# ---- MovieLens ------------------------------------------------------------------------


def _prepare_movielens(paths, split, given):
    base = os.path.join(os.path.dirname(paths["train"]), "rows")
    settings = ["ratings.file=" + os.path.join(folder(), PLACES["movielens-rows"][0]), "ratings.split=given:%d" % given]
    settings += ["ratings.output=" + base, "ratings.write=features", "training.seed=%d" % (split + 1), "solver.threads=1"]
    _run([os.environ["DORM"], "ratings", "--quiet"] + [word for setting in settings for word in ("-s", setting)])
    users = query_lines(base + ".train.txt")
    chosen = {"train": [], "validation": [], "test": query_lines(base + ".test.txt")}
    for number, lines in enumerate(users):
        chosen["validation" if number % 4 == 3 else "train"].append(lines)
    for part in PARTS:
        text = re.sub(rb" [78]:[0-9]+", b"", b"".join(chosen[part]))  # the numbers of user and film
        with open(paths[part] + ".txt", "wb") as file:
            file.write(text)
        _parse_sparse(text, [query.count(b"\n") for query in chosen[part]]).save(paths[part] + ".npz")


def _parse_sparse(text, sizes, width=6):
    """Queries of these sizes, in which features that are 0 are left out."""
    rows = [line.partition(b"#")[0].split() for line in text.splitlines()]
    x = np.zeros((len(rows), width))
    for row, words in zip(x, rows):
        for word in words[2:]:
            number, value = word.split(b":")
            row[int(number) - 1] = float(value)
    return letor.Ranking(x, np.array([float(words[0]) for words in rows]), np.concatenate([[0], np.cumsum(sizes)]))


# ---- UCI ------------------------------------------------------------------------------


def _rows(collection):
    """All rows of a UCI set: the features, and the class counted from 0."""
    path = os.path.join(folder(), PLACES[collection][0])
    if collection == "page-blocks":
        table = np.loadtxt(path)
        return table[:, :-1], table[:, -1] - 1
    if collection == "covertype":
        table = np.loadtxt(path, delimiter=",")
        return table[:, :-1], table[:, -1] - 1
    table = np.vstack([np.loadtxt(path, delimiter=","), np.loadtxt(path[:-3] + "tes", delimiter=",")])
    return table[:, :-1], table[:, -1]


def _prepare_uci(collection, paths, split, queries):
    x, r = _rows(collection)
    random = np.random.RandomState(SEED + 7919 * (1 + UCI.index(collection)) + split)
    pools = np.array_split(random.permutation(len(r)), 3)
    mean = x[pools[0]].mean(axis=0)
    deviation = x[pools[0]].std(axis=0)
    x = ((x - mean) / np.where(deviation > 0, deviation, 1)).astype(np.float32)
    x[:, deviation == 0] = 0
    for part, pool in zip(PARTS, pools):
        docs = np.concatenate([_draw(random, collection, r, pool) for _ in range(queries)])
        ranking = letor.Ranking(x[docs], r[docs], np.arange(queries + 1) * DOCS_PER_QUERY, normalise=False)
        letor.write(ranking, paths[part] + ".txt")
        ranking.save(paths[part] + ".npz")


def _draw(random, collection, r, pool):
    """Draws the documents of one query, none of them twice."""
    if collection != "covertype":
        return random.choice(pool, DOCS_PER_QUERY, replace=False)
    counts = random.multinomial(DOCS_PER_QUERY, COVERTYPE_SHARES)
    return random.permutation(
        np.concatenate([random.choice(pool[r[pool] == k], count, replace=False) for k, count in enumerate(counts)])
    )


def fingerprint(collection):
    """A hash that changes when the source data do."""
    if collection not in PLACES:
        return collection
    path = os.path.join(folder(), PLACES[collection][0])
    return hashlib.sha256(("%s %d" % (path.split("/")[-1], os.path.getsize(path))).encode()).hexdigest()
