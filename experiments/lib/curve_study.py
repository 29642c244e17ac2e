"""curve_study.py: experiments that show a measure against the number of training
queries, for every method."""
import blocks
import curves
import datasets
import methods
from study import Study


def run(name, title, panels, paper, baseline_name, claims=None, claimants=()):
    """`panels` are (measure, its title, the measure to tune by). The function
    `claims(study, collection, found, chosen, measure, sizes)` returns more notes; the methods `claimants` are compared
    with each of the others at the largest size."""
    study = Study(name, title, ["mq2008", "artificial"])
    study.settings = {"methods": "experiments/methods", "tuned by": ", ".join(select for _, _, select in panels)}
    for collection in study.collections:
        for number, (measure, measure_title, select) in enumerate(panels):
            chosen = methods.find(name, collection)
            sizes = curves.sizes(collection, study.quick)
            found = curves.measure(study, collection, chosen, sizes, select)
            baseline = next(method for method in chosen if method.name == baseline_name)
            id = name + "-" + collection + ("-" + measure if len(panels) > 1 else "")
            heading = "%s: %s on %s" % (title, measure_title, datasets.TITLES[collection])
            shown = curves.table_by_size(
                study, id + "-table", heading, found, chosen, collection, measure, sizes, baseline
            )
            counts = [curves.num_queries(collection, size, study.quick) for size in sizes]
            columns = ["%d queries" % count for count in counts]
            study.add(
                blocks.figure_of(
                    id, shown, heading, "training queries", measure_title, columns, at=counts, logx=True, paper=paper
                )
            )
            shown["notes"] = [
                "tuned by validation %s; standard errors over %s, paired for differences"
                % (select, curves.over(collection, study.quick))
            ]
            if claims:
                shown["notes"] += claims(study, collection, found, chosen, measure, sizes)
            study.add(shown)
            if claimants:
                curves.add_claimants(
                    study, id + "-claim", heading + ", less each", found, chosen, collection, measure, sizes[-1], claimants
                )
            curves.add_letters(study, id + "-letter", found, chosen, collection, sizes[-1], measure_title)
            curves.by_split(study, found, collection, measure, id + "-splits")
            curves.observe(study, found, collection, methods.NAMES)
    study.finish()
