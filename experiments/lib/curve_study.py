"""curve_study.py: an experiment that shows measures by method against the number
of training queries."""
import blocks
import curves
import datasets
import methods
from study import Study


def run(name, title, panels, paper, baseline_name, claims=None):
    """panels: (measure, its title, measure to tune by). `claims(study, collection,
    found, chosen, measure, sizes)`: more notes."""
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
            study.add(
                blocks.figure(
                    id,
                    heading,
                    "training queries",
                    measure_title,
                    curves.series_by_size(found, chosen, collection, measure, study.quick),
                    logx=True,
                    paper=paper,
                )
            )
            notes = [
                "tuned by validation %s; standard errors over %s, paired for differences"
                % (select, curves.over(collection, study.quick))
            ]
            if claims:
                notes += claims(study, collection, found, chosen, measure, sizes)
            study.add(
                curves.table_by_size(
                    id + "-table", heading, found, chosen, collection, measure, sizes, study.quick, baseline, notes
                )
            )
            curves.raw_rows(study, found, collection, methods.NAMES)
    study.finish()
