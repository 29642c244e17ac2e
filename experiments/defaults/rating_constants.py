"""rating_constants.py: NDCG@10 on held-out ratings with each constant halved, as it is, and doubled.

The constants stand in the sources as `static const double NAME = VALUE;` or `NAME = VALUE` in an enum. The sources
are copied, and for each change one file is compiled again.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import collaborative
import datasets

PROJECT = os.environ["DORM_PROJECT"]
SEEDS = (101, 102, 103)
SPLIT = "given:20"
RATINGS = "collaborative/ratings/"
FACTORIZATION = "collaborative/factorization/"

# File, constant and what it is measured on: feature ids that are ranked by beside the offset of the item (id 1), or
# another method.
CONSTANTS = [
    (RATINGS + "bias.c", "user_shrinkage", "1"),
    (RATINGS + "bias.c", "ALTERNATIONS", "1"),
    (RATINGS + "fit.c", "item_shrinkage", "1"),
    (RATINGS + "factorisation.c", "user_bias_ridge", "1,4,5"),
    (RATINGS + "factorisation.c", "item_bias_ridge", "1,4,5"),
    (RATINGS + "factorisation.c", "start_deviation", "1,4,5"),
    (RATINGS + "factorisation.c", "em_user_ridge", "1,4,5"),
    (RATINGS + "factorisation.c", "item_ridge", "1,4,5"),
    (RATINGS + "factorisation.c", "ROUNDS", "1,4,5"),
    (RATINGS + "affinities.c", "ridge", "1,4,5"),
    (RATINGS + "joint_affinity.c", "ridge", "1,6"),
    (RATINGS + "joint_affinity.c", "STEPS", "1,6"),
    (RATINGS + "vectors.c", "side_scale", "1,4,5,6"),
    (RATINGS + "vectors.c", "popularity_scale", "1,4,5,6"),
    (RATINGS + "vectors.c", "raters_scale", "1,4"),
    (RATINGS + "vectors.c", "user_side_scale", "1,5,6"),
    (RATINGS + "vectors.c", "user_factor_scale", "1,5"),
    (RATINGS + "vectors.c", "count_shrinkage", "1,4,5,6"),
    (RATINGS + "rating_kernels.c", "norm_shrinkage", "kernels"),
    (FACTORIZATION + "options.c", "default_mu", "factorize"),
    (FACTORIZATION + "factorize.c", "user_gap_share", "factorize"),
    (FACTORIZATION + "item_step.c", "inner_share", "factorize"),
]


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(words), done.stdout[-2000:]))
    return done.stdout


def copy_sources(folder):
    """The sources with a build of their own in `folder`."""
    shutil.copytree(PROJECT, folder + "/source", ignore=shutil.ignore_patterns("build", ".git", "*.o"))
    os.mkdir(folder + "/build")
    if not os.path.exists(folder + "/source/configure"):
        run(folder + "/source", "autoreconf", "-fi")
    run(folder + "/build", "../source/configure", "-q", "--disable-shared")
    run(folder + "/build", "make", "-j2", "dorm")


def pattern(name):
    return re.compile(r"(\b%s = )([0-9.]+)" % name)


def change(folder, path, name, factor):
    """Multiplies a constant and builds; returns the file's old text."""
    path = folder + "/source/" + path
    text = open(path).read()
    value = pattern(name).search(text).group(2)
    changed = "%.17g" % (factor * float(value)) if "." in value or name.islower() else str(int(factor * int(value)))
    with open(path, "w") as out:
        out.write(pattern(name).sub(r"\g<1>" + changed, text, count=1))
    run(folder + "/build", "make", "dorm")
    return text, value, changed


def ndcg(folder, dorm, scores, rows):
    found = run(folder, dorm, "eval", "--scores", scores, rows, "-m", "ndcg@10")
    return float(found.split()[1])


def measure(dorm, sides, seed, methods):
    """NDCG@10 of each method on one split."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        base = ["-q", "-s", "training.seed=%d" % seed, "-s", "solver.threads=1"]
        base_ratings = base + ["-s", "ratings.split=" + SPLIT, "-s",
                               "ratings.file=" + os.path.join(datasets.folder(), collaborative.RATINGS), "-s",
                               "ratings.users=%s/users" % sides, "-s", "ratings.items=%s/items" % sides]
        rows = [method for method in methods if method[0].isdigit()]
        writes = ["features"] * bool(rows) + ["ratings"] + ["kernels"] * ("kernels" in methods)
        features = [] if rows else ["-s", "ratings.features=bias", "-s", "ratings.folds=1"]
        run(folder, dorm, "ratings", *base_ratings, "-s", "ratings.repeats=1", *features, "-s", "ratings.output=all",
            "-s", "ratings.write=" + ",".join(writes if rows else ["features"] + writes))
        train = ["train", "-q", "-s", "training.trainer=svm", "-s", "data.train=all.train.txt", "-s", "data.normalisation=none", "-s", "solver.threads=1"]
        for method in methods:
            if method == "factorize":
                run(folder, dorm, "factorize", *base, "-s", "ratings.file=all.train.tsv", "-s", "output.model=m")
                run(folder, dorm, "recommend", "m", "--score", "all.test.tsv", "-o", "scores")
            else:
                words = ["-s", "data.features=" + method, "-s", "solver.ridge=0.02"]
                if method == "kernels":
                    words = ["-s", "data.features=7-8", "-s", "kernel.rank=500", "-s", "solver.ridge=0.15", "-s",
                             "kernel.kernel=" + collaborative.KERNEL % ("all", "all")]
                run(folder, dorm, *train, *words, "-s", "ranking.rounds=0", "-s", "output.model=m")
                run(folder, dorm, "predict", "m", "all.test.txt", "-o", "scores")
            found[method] = ndcg(folder, dorm, "scores", "all.test.txt")
    return found


def measure_all(folder, methods):
    dorm = folder + "/build/dorm"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda seed: measure(dorm, folder, seed, methods), SEEDS))
    return {method: sum(one[method] for one in results) / len(results) for method in methods}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="measures only constants whose file or name holds one of these")
    words = parser.parse_args().words
    wanted = [row for row in CONSTANTS if not words or any(word in row[0] + " " + row[1] for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        collaborative.write_sides(folder)
        copy_sources(folder)
        everything = sorted({row[2] for row in wanted} | {"1-6" for row in wanted if row[2][0].isdigit()})
        before = measure_all(folder, everything)
        for method in everything:
            print("# as it is, %s: %.4f" % (method, before[method]))
        print("file\tconstant\tvalue\tmeasured on\thalved\tdoubled\tall six, halved\tall six, doubled", flush=True)
        for path, name, method in wanted:
            methods = [method] + ["1-6"] * method[0].isdigit()
            differences = []
            for factor in (0.5, 2):
                text, value, _ = change(folder, path, name, factor)
                after = measure_all(folder, methods)
                with open(folder + "/source/" + path, "w") as out:
                    out.write(text)
                differences.append(["%+.4f" % (after[one] - before[one]) for one in methods])
            cells = [cell for pair in zip(*differences) for cell in pair]
            print("\t".join([path, name, value, method] + cells), flush=True)


main()
