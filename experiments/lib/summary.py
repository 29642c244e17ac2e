"""summary.py: means, standard errors and paired comparisons."""
import math

import blocks
import numpy as np


def mean_error(values):
    """The mean and its standard error."""
    values = np.asarray(values, float)
    error = values.std(ddof=1) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()), float(error)


def paired(one, other):
    """The mean of one less other over the pairs, its standard error, and the
    two-sided p-value of Student's t-test."""
    difference, error = mean_error(np.asarray(one, float) - np.asarray(other, float))
    count = len(one)
    if count < 2 or error == 0:
        return difference, error, 1.0 if difference == 0 else 0.0 if count > 1 else float("nan")
    return difference, error, student_tail(abs(difference) / error, count - 1)


def unpaired(one, other):
    """The mean of one less the mean of other, its standard error, and the two-sided
    p-value of Welch's t-test: the samples need not be paired, nor vary alike."""
    (first, error), (second, other_error) = mean_error(one), mean_error(other)
    both = math.hypot(error, other_error)
    if both == 0:
        return first - second, both, 1.0 if first == second else 0.0
    freedom = both**4 / (error**4 / (len(one) - 1) + other_error**4 / (len(other) - 1))
    return first - second, both, student_tail(abs(first - second) / both, freedom)


def student_tail(t, freedom):
    """P(|T| > t), by the integral of the density by Simpson's rule over theta with
    t = sqrt(freedom) tan(theta), where the density is a power of the cosine."""
    top = math.atan(t / math.sqrt(freedom))
    n = 2000
    theta = np.linspace(0, top, n + 1)
    density = np.cos(theta) ** (freedom - 1)
    weights = np.ones(n + 1)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    constant = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    return max(0.0, 1 - 2 * constant * float(weights @ density) * (top / n) / 3)


def holm(p_values):
    """The p-values corrected for their number by Holm (1979): the k-th smallest of n, from 0, times n - k, at most 1,
    and no less than those before it."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for k, number in enumerate(sorted(range(len(p_values)), key=lambda number: p_values[number])):
        largest = max(largest, min(1.0, (len(p_values) - k) * p_values[number]))
        corrected[number] = largest
    return corrected


def p_text(p):
    return "< 1e-12" if p < 1e-12 else "%.2g" % p


def holm_column(columns, rows, name):
    """Puts a column behind the column `name`, of one-sided or two-sided p-values, with Holm's correction for their
    number. Rows without a p-value have none there either. Returns that number."""
    k = columns.index(name)
    with_p = [row for row in rows if row[k]]
    corrected = holm([float(row[k]) for row in with_p])
    for row in rows:
        row.insert(k + 1, "")
    for row, p in zip(with_p, corrected):
        row[k], row[k + 1] = p_text(float(row[k])), p_text(p)
    columns.insert(k + 1, name + ", by Holm")
    return len(corrected)


def all_comparisons(name, found):
    """One table of all differences in the tables `found` that have a p-value, with Holm's correction for their number.
    The words of a row name a difference."""
    listed = []
    for block in found:
        for row in block["rows"] if block["kind"] == "table" else []:
            words = [cell for cell in row if cell and not blocks.CELL.match(cell)]
            name_of_row = ", ".join([block["title"].partition(":")[0]] + words)
            for column, cell in zip(block["columns"], row):
                match = blocks.CELL.match(cell)
                if match and match.group(4):
                    listed.append(("%s: %s" % (name_of_row, column), match))
    corrected = holm([0.0 if match.group(3) == "<" else float(match.group(4)) for _, match in listed])
    rows = [
        [what, "%s ± %s" % match.group(1, 2), "< " * (match.group(3) == "<") + match.group(4), p_text(p)]
        for (what, match), p in zip(listed, corrected)
    ]
    note = "paired t-tests, two-sided; Holm's correction for %d comparisons" % len(rows)
    columns = ["comparison", "difference", "p alone", "p by Holm"]
    return blocks.table(name + "-comparisons", "All comparisons of " + name, columns, rows, [note])


def of(result, name):
    """The mean of a measure over the test queries of one job."""
    return float(np.mean(result["measures"][name]))


def pooled(results, name):
    """The observations that are compared, in the same order for all methods: one value per test query. A query that
    several splits test counts once, with its mean over them: splits that share queries are not independent of each
    other. Results whose queries have no numbers (`queries`), as those of repetitions that draw their queries anew, have
    one value each."""
    if len(results) == 1:
        return list(results[0]["measures"][name])
    if not all(result.get("queries") for result in results):
        return [of(result, name) for result in results]
    by_query = {}
    for result in results:
        for query, value in zip(result["queries"], result["measures"][name]):
            by_query.setdefault(query, []).append(value)
    return [float(np.mean(by_query[query])) for query in sorted(by_query)]


def within(difference, error, times=2):
    return difference >= -times * error
