"""optima.py: are the weights of trained nets local optima of their measure, and does training leave them? Figures 1 to 4
and 6, and section 8, of "On the Local Optimality of LambdaRank"."""
import blocks
from nets import EPOCHS, HIDDEN, LAYERS, MEASURES, NAMES, QUICK, RATES, STEPS, TRAINED, TWO_SIDED
from nets import difference, measure_of, net, part, run_all

# ---- Figures 1 to 4 and 6 -----------------------------------------------------------


def rising(moves, first, last):
    """Of the rows first to last - 1: how many moves are better, and how many better or equal, as the paper counts."""
    return [(row["better"], row["better"] + row["equal"]) for row in moves["rows"][first:last]]


def curve_figure(id, title, probe):
    rows = [["direction %d" % (c + 1)] + ["%.4f" % value for value in [probe["value"]] + curve[: len(STEPS)]]
            for c, curve in enumerate(probe["curves"])]
    return blocks.figure(id, title, "step", "measure", ["direction"] + ["%g" % x for x in [0] + STEPS], rows, at=[0] + STEPS)


def steps_option():
    return ["--steps", ",".join("%g" % step for step in STEPS), "--directions", "20" if QUICK else "459"]


def figures_1_to_4():
    jobs = {}
    for data in ("mq2008-", "artificial-"):
        for trained in TRAINED:
            for hidden in HIDDEN:
                measure = measure_of(trained)
                train_part = part(data, 1, "train", measure)
                # single weights at two steps: of two layers of 300 inputs there are 3,020
                probes = [[train_part, measure, "--no-single", *steps_option()],
                          [train_part, measure, "--directions", "1", "--steps", "0.1,1"]]
                common = {"train": train_part, "measure": measure, "probes": probes}
                jobs[data, trained, hidden, "converged"] = dict(common, settings=net(hidden, trained), rates=RATES)
                jobs[data, trained, hidden, "stopped"] = dict(
                    common, settings=net(hidden, trained, "net.learning_rate=" + ",".join(RATES), "training.patience=100"),
                    validation=part(data, 1, "validation", measure))
        train_part = part(data, 1, "train", "ndcg")
        jobs[data, "ndcg", 0, "random"] = {
            "train": train_part, "settings": net(0, "ndcg", "net.learning_rate=1e-12", "net.epochs=1"),
            "probes": [[train_part, "ndcg", "--no-single", *steps_option()],
                       [train_part, "ndcg", "--directions", "1", "--steps", "0.1,1"]]}
    found = run_all(jobs, "Figures 1 to 4 and 6")
    rows, figures = [], []
    for (data, measure, hidden, kind), result in found.items():
        probe, single = result["probes"]
        absolute = rising(probe["directions"], 0, len(STEPS))
        relative = rising(probe["directions"], len(STEPS), 2 * len(STEPS))
        none = [step for step, (count, _) in zip(STEPS, absolute) if not count]
        rows.append([data[:-1], NAMES[measure], LAYERS[hidden], kind, "%.4f" % probe["value"], "%.3g" % probe["norm"],
                     *[str(count) for k in (0, 4, 9) for count in absolute[k]], "%g" % none[0] if none else "above 1",
                     *[str(count) for k in (0, 4) for count in relative[k]],
                     "%d of %d" % (single["singles"]["rows"][0]["better"], single["singles"]["moves"])])
        if kind in ("converged", "random") and measure != TWO_SIDED:
            number = 6 if kind == "random" else MEASURES.index(measure) + 1
            figures.append(curve_figure(
                "lambdarank-figure%d-%s-%d" % (number, data[:-1], hidden),
                "Figure %d: training %s along four directions, %s, %s" % (
                    number, NAMES[measure], data[:-1], LAYERS[hidden] if kind == "converged" else "random weights"), probe))
    columns = ["data", "measure", "net", "weights", "value", "|w|", "step 0.1", "0.1, not lower", "0.5", "0.5, not lower", "1",
               "1, not lower", "none from", "0.1 |w|", "0.1 |w|, not lower", "0.5 |w|", "0.5 |w|, not lower", "single, 0.1"]
    return [blocks.table("lambdarank-optimality", "Local optimality: how many of 459 directions raise the training measure, "
                         "and how many do not lower it, as the paper counts", columns, rows)] + figures


# ---- Section 8 -----------------------------------------------------------------------------------------

EARLY = {"epoch 7": 7, "epoch 12": 12}
RATE = "net.learning_rate=0.003"
FULL_BATCH_RATES = ["0.01", "0.1", "1"]
LATER = {"1 epoch": 1, "5 epochs": 5, "%d epochs" % EPOCHS: EPOCHS}


def starts():
    """{name: (measure that trained the weights, settings)}: two layers, at which learning for NDCG@10 begins."""
    found = {name: ("ndcg@10", net(10, "ndcg@10", RATE, "net.epochs=%d" % epochs)) for name, epochs in EARLY.items()}
    found.update({NAMES[trained]: (trained, net(10, trained, RATE)) for trained in ("mrr", TWO_SIDED)})
    return found


def section_8():
    """Weights of early epochs, and weights trained for MRR: are they local optima of NDCG@10, and does learning leave
    them? A full batch has no random choice but the fall of the rate."""
    jobs = {}
    for data in ("mq2008-", "artificial-"):
        train_part = part(data, 1, "train", "ndcg")
        for name, (trained, settings) in starts().items():
            common = {"train": train_part, "measure": "ndcg@10", "first": settings, "evals": {"train": [train_part, "ndcg@10"]},
                      "first_train": part(data, 1, "train", trained)}
            jobs[data, name, "probe"] = {
                "train": common["first_train"], "settings": settings,
                "probes": [[train_part, "ndcg@10", "--no-single", *steps_option()]]}
            for later, epochs in LATER.items():
                go_on = net(10, "ndcg@10", "net.start=auto", "data.from=@first", "net.epochs=%d" % epochs)
                jobs[data, name, later] = dict(common, settings=go_on + [RATE])
                if epochs <= 5:
                    jobs[data, name, "full batch, " + later] = dict(common, settings=go_on + ["net.batch=0"],
                                                                    rates=FULL_BATCH_RATES)
    found = run_all(jobs, "Section 8")
    columns = ["data", "weights", "NDCG@10", "step 0.1", "0.1, not lower", "0.5 |w|", "0.5 |w|, not lower"]
    kinds = [kind for data, name, kind in jobs if kind != "probe" and (data, name) == ("mq2008-", "MRR")]
    rows = []
    for data, name, kind in jobs:
        if kind != "probe":
            continue
        probe = found[data, name, kind]["probes"][0]
        rises = rising(probe["directions"], 0, 1) + rising(probe["directions"], len(STEPS) + 4, len(STEPS) + 5)
        row = [data[:-1], name, "%.4f" % probe["value"], *[str(count) for pair in rises for count in pair]]
        for later in kinds:
            result = found[data, name, later]
            row.append(difference([result["evals"]["train"]], [result["first"]["train"]]))
        rows.append(row)
    return [blocks.table("lambdarank-escape", "Section 8: weights of nets with two layers, how many of 459 directions raise "
                         "training NDCG@10, and its change when learning continues from them", columns + kinds, rows)]
