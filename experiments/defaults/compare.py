"""compare.py: the default less every other method on the test queries of all folds together.

    compare.py FOLDER METHOD... prints a table, with tabs, from the files FOLDER/METHOD-FOLD, which hold the values of
    one measure, one line `query value` each as `dorm eval --per-query` writes them.
"""
import glob
import sys

import summary


def values(folder, method):
    """The values of all test queries by name; a query is in the test part of one fold."""
    found = {}
    for path in glob.glob("%s/%s-[1-5]" % (folder, method)):
        with open(path) as file:
            for line in list(file)[1:]:
                query, value = line.split("\t")[:2]
                assert query not in found, query
                found[query] = float(value)
    return [found[query] for query in sorted(found)]


def main():
    folder, first, *others = sys.argv[1:]
    found = {method: values(folder, method) for method in [first] + others}
    pairs = [summary.paired(found[first], found[method]) for method in others]
    corrected = summary.holm([p for _, _, p in pairs])
    print("method\tndcg@10\tndcg@10 ±\t%s less it\t%s less it ±\tp alone\tp by Holm" % (first, first))
    print("%s\t%.4f\t%.4f\t\t\t\t" % ((first,) + summary.mean_error(found[first])))
    for method, (difference, error, p), holm in zip(others, pairs, corrected):
        cells = "%s\t%.4f\t%.4f\t%+.4f\t%.4f" % ((method,) + summary.mean_error(found[method]) + (difference, error))
        print("%s\t%s\t%s" % (cells, summary.p_text(p), summary.p_text(holm)))


main()
