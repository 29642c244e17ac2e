"""allocate_films.py FOLDER [--quick]: the table of allocate.sh on standard output."""

import sys

import dorm
import numpy as np

folder = sys.argv[1]
table = np.loadtxt(f"{folder}/u.data", dtype=int)
user, item, rating = table[:, 0], table[:, 1], table[:, 2].astype(float)
counts = np.bincount(item)[item]  # ratings of the film
fame = np.select([counts < 30, counts < 100, counts < 200], ["below 30", "below 100", "below 200"], "200 or more")
rating += np.random.RandomState(1).uniform(0, 0.5, len(rating))  # breaks ties, as predictions would
learned, held_out = user % 2 == 0, user % 2 == 1


def play(scores, qid, worths, groups):
    """Worth and shares of the ranking by these scores."""
    order = np.lexsort((-scores, qid))
    first = np.flatnonzero(np.r_[True, np.diff(qid[order]) != 0])
    position = np.arange(len(order)) - np.repeat(first, np.diff(np.r_[first, len(order)]))
    exposure = np.where(position < 10, 1 / np.log2(position + 2), 0)
    shares = {g: exposure[groups[order] == g].sum() / exposure.sum() for g in np.unique(groups)}
    return (exposure * worths[order]).sum(), shares


def part(chosen):
    return user[chosen], item[chosen], rating[chosen], fame[chosen]


def serve(chosen, prices, parity):
    """Worth of the rankings by score and price, and the least share of a group over what parity requires."""
    qid, _, scores, groups = part(chosen)
    least = {q: scores[qid == q].min() for q in np.unique(qid)}
    gains = scores - np.array([least[q] for q in qid])
    worth, shares = play(gains + np.array([prices[g] for g in groups]), qid, gains, groups)
    return worth, min(shares[g] / (parity * (groups == g).mean()) for g in shares)


print("parity\tworth lost, %\tworth lost by prices, %\tleast share over required, prices, users learned from\t"
      "the same, other users\tgap")
for parity in (0.5,) if "--quick" in sys.argv else (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1):
    qid, _, scores, groups = part(learned)
    require = f"parity >= {parity}"
    prices = dorm.allocate(scores, qid=qid, groups=groups, require=require, threads=1).prices
    qid, _, scores, groups = part(held_out)
    exact = dorm.allocate(scores, qid=qid, groups=groups, require=require, threads=1)
    _, kept_there = serve(learned, prices, parity)
    worth, kept = serve(held_out, prices, parity)
    print(f"{parity}\t{100 * (1 - exact.worth / exact.free_worth):.3f}\t{100 * (1 - worth / exact.free_worth):.3f}\t"
          f"{kept_there:.3f}\t{kept:.3f}\t{exact.gap:.1e}", flush=True)
