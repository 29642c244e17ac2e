"""allocate_films.py DORM FOLDER WORK [--quick]: the table of allocate.sh on standard output."""

import re
import subprocess
import sys

import numpy as np

program, folder, work = sys.argv[1:4]
table = np.loadtxt(f"{folder}/u.data", dtype=int)
user, item, rating = table[:, 0], table[:, 1], table[:, 2].astype(float)
counts = np.bincount(item)[item]  # ratings of the film
fame = np.select([counts < 30, counts < 100, counts < 200], [1, 2, 3], 4)
score = rating + np.random.RandomState(1).uniform(0, 0.5, len(rating))  # breaks ties, as predictions would


def dorm(*arguments):
    """Runs dorm and returns its standard output."""
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def allocate(data, parity, *arguments):
    return dorm("allocate", f"{work}/model.dorm", data, "--groups", "feature:2", "--require", f"parity >= {parity}",
                *arguments)


def worth_of(text):
    """Worth with and without the requirements."""
    return [float(number) for number in re.search(r"worth  (\S+) with the requirements, (\S+) without", text).groups()]


for name, chosen in (("learned", user % 2 == 0), ("other", user % 2 == 1)):
    with open(f"{work}/{name}.txt", "w", encoding="utf-8") as file:
        for one in np.flatnonzero(chosen)[np.argsort(user[chosen], kind="stable")]:
            file.write(f"{rating[one] - 1:.0f} qid:{user[one]} 1:{score[one]:.5f} 2:{fame[one]}\n")
learned, other = f"{work}/learned.txt", f"{work}/other.txt"
dorm("train", learned, "-q", "--trainer", "ridge", "-s", "data.features=1", "-s", "data.normalisation=none", "-o",
     f"{work}/model.dorm")
print("parity\tworth lost, %\tworth lost by prices, %\tbelow the bound, %\tleast share over required\tits error\t"
      "shares missed by more than two errors\tlargest miss, errors")
for parity in (0.5,) if "--quick" in sys.argv else (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1):
    worth, free = worth_of(allocate(other, parity))
    tried = allocate(learned, parity, "--test", other)
    served, bound = (float(number) for number in re.search(r"worth (\S+); with .* at most (\S+)", tried).groups())
    rows = [[float(number) for number in found] for found in re.findall(r"(\S+)   >= (\S+)  (\S+)   \S+\n", tried)]
    share, required, error = min(rows, key=lambda row: row[0] / row[1])
    missed = [(row[1] - row[0]) / row[2] for row in rows]
    print(f"{parity}\t{100 * (1 - worth / free):.3f}\t{100 * (1 - served / free):.3f}\t{100 * (bound - served) / free:.3f}"
          f"\t{share / required:.3f}\t{error / required:.3f}\t{sum(one > 2 for one in missed)} of {len(rows)}"
          f"\t{max(missed):.2f}", flush=True)
