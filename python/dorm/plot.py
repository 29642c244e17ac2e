"""Pictures of rankers, by matplotlib, which is asked for only when a picture is drawn.

Every function draws on `ax`, the axes of matplotlib, or on new ones, and returns them; nothing is shown or written.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _arrays
from ._library import whole
from .explaining import explain, importances
from .measures import Evaluation, check_ranker, evaluate, take_rows
from .model import Model, model_of

__all__ = [
    "by_query",
    "c_path",
    "contributions",
    "convergence",
    "curves",
    "importance",
    "learning_curve",
    "race",
    "two_rankers",
    "weights",
]


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "dorm.plot draws with matplotlib, which is not installed (apt-get install python3-matplotlib, or pip "
            "install matplotlib)"
        ) from None
    return pyplot.subplots(constrained_layout=True)[1]


def _legend(ax, *arguments):
    """Beside the axes, so that it hides no data."""
    ax.legend(*arguments, loc="upper left", bbox_to_anchor=(1.16 if hasattr(ax, "right_ax") else 1.01, 1), frameon=False)


def _names(ranker, count, names):
    """Names of the features: those given, those of the frame that the ranker was trained on, or their ids."""
    if names is None:
        names = getattr(ranker, "feature_names_in_", None)
    if names is None:
        names = [f"feature {int(one)}" for one in getattr(ranker, "feature_ids_", np.arange(1, count + 1))]
    if isinstance(names, str) or not hasattr(names, "__len__") or np.ndim(names) != 1:
        raise TypeError("names has to be a list of the names of all features")
    if len(names) != count:
        raise ValueError(f"names has {len(names)} entries, but there are {count} features")
    return [str(name) for name in names]


def _events(events):
    if not isinstance(events, (list, tuple)) or not all(
        hasattr(one, "kind") and hasattr(one, "candidate") for one in events
    ):
        raise TypeError("events has to be a list of dorm.Event, as log=events.append of a Ranker collects them")
    return events


# ---- Training -----------------------------------------------------------------------


def convergence(events: Any, number: int | None = None, ax: Any = None) -> Any:
    """Primal and dual value of a candidate after each pass over the queries; the optimum lies between the two curves.
    `events` are those of a training (`Ranker(log=events.append)`), `number` is that of the candidate, by default of the
    one with the most passes."""
    passes = [one.candidate for one in _events(events) if one.kind == "iteration" and one.candidate.certificate.iterations]
    if not passes:
        raise ValueError("events has no pass of a solver: only candidates of trainer='svm' have such a curve")
    if number is None:
        numbers = [one.number for one in passes]
        number = max(dict.fromkeys(numbers), key=numbers.count)
    number = whole(number, "number")
    own = [one.certificate for one in passes if one.number == number]
    if not own:
        raise ValueError(f"events has no pass of candidate number {number}")
    C = next(one.C for one in passes if one.number == number)
    steps = [one.iterations for one in own]
    ax = _axes(ax)
    ax.plot(steps, [one.primal for one in own], label="primal")
    ax.plot(steps, [one.dual for one in own], label="dual")
    ax.set_xlabel("passes over the queries")
    ax.set_ylabel("value of the convex problem")
    ax.set_title(f"candidate {number}, C = {C:g}, gap {own[-1].gap:.2g}")
    _legend(ax)
    return ax


def learning_curve(ranker: Any, X: Any, y: Any, qid: Any, eval_set: Any, eval_qid: Any, *,
                   shares: Sequence[float] = (0.1, 0.2, 0.4, 0.7, 1), measure: str | None = None, seed: int = 1,
                   ax: Any = None) -> Any:
    """How a measure on other data grows with the number of training queries: trains a copy of the ranker on each of
    these shares of the queries, drawn so that a larger set holds the smaller ones. Bars are standard errors. X is an
    array, a sparse matrix or a frame; the curve is `ax.lines[0]`."""
    shares = list(np.sort(np.asarray(shares, dtype=float).ravel()))
    if len(shares) == 0 or not 0 < shares[0] <= shares[-1] <= 1:
        raise ValueError("shares has to hold numbers above 0 and at most 1")
    check_ranker(ranker)
    rows = _arrays.Rows(X, ranker.qid_column)
    queries = _arrays.queries_of_ids(qid, rows.num_docs)
    labels = _arrays.labels_of(y, rows.num_docs)
    if not isinstance(eval_set, tuple) or len(eval_set) != 2:
        raise TypeError("eval_set has to be a pair (X, y)")
    query_of = queries.put_back(queries.spread(np.arange(len(queries))))
    order = np.random.RandomState(whole(seed, "seed", 0, 2**32 - 1)).permutation(len(queries))
    counts, results = [], []
    for share in shares:
        count = max(1, int(round(share * len(queries))))
        chosen = np.flatnonzero(np.isin(query_of, order[:count]))
        one = type(ranker)(**ranker.get_params())
        one.fit(take_rows(X, chosen), labels[chosen], qid=query_of[chosen])
        scores = one.predict(eval_set[0], qid=eval_qid)
        results.append(evaluate(eval_set[1], scores, qid=eval_qid, measures=measure or one.model_.setting("selection.measure")))
        counts.append(count)
    ax = _axes(ax)
    ax.errorbar(counts, [one.mean for one in results], [one.standard_error for one in results], marker="o", capsize=3)
    ax.set_xlabel("training queries")
    ax.set_ylabel(results[0].conventions.split(":")[0])
    return ax


def c_path(ranker: Any, ax: Any = None) -> Any:
    """The validation value of the candidates over C, and on a second axis (`ax.right_ax`) the gap of their
    certificates. The line goes through the best candidate of each C, with standard errors; crosses are the candidates
    in the model."""
    model_of(ranker)
    candidates = [one for one in getattr(ranker, "candidates_", []) if one.C > 0]
    if not candidates:
        raise ValueError("this ranker has no candidates of trainer='svm', so there is no path over C")
    if np.isnan([one.validation for one in candidates]).all():
        raise ValueError("the candidates have no validation value: give eval_set to fit, or set selection_folds")
    ax = _axes(ax)
    best: dict[float, Any] = {}
    for one in candidates:
        if one.C not in best or one.validation > best[one.C].validation:
            best[one.C] = one
    path = [best[C] for C in sorted(best)]
    ax.plot([one.C for one in candidates], [one.validation for one in candidates], ".", color="0.7")
    ax.errorbar(
        [one.C for one in path],
        [one.validation for one in path],
        [one.validation_error for one in path],
        marker="o",
        capsize=3,
        label="validation",
    )
    chosen = [one for one in candidates if one.is_selected]
    ax.plot([one.C for one in chosen], [one.validation for one in chosen], "kx", label="in the model")
    right = ax.twinx()
    right.plot([one.C for one in path], [one.certificate.gap for one in path], "s--", color="C1", label="gap")
    right.set_ylabel("gap")
    right.set_ylim(bottom=0)
    ax.set_xscale("log")
    ax.set_xlabel("C")
    ax.set_ylabel("validation")
    lines = ax.get_legend_handles_labels()[0] + right.get_legend_handles_labels()[0]
    ax.right_ax = right
    _legend(ax, lines, [line.get_label() for line in lines])
    return ax


def curves(ranker: Any, measure: str | None = None, ax: Any = None) -> Any:
    """The values of evals_result_ as training went on, a line for each pair of eval_set: rounds of boosting or epochs, or
    else candidates, and last the model. `measure` is by default the first that there is."""
    model_of(ranker)
    results = getattr(ranker, "evals_result_", {})
    measure = measure or next((name for own in results.values() for name in own), None)
    lines = {name: own[measure] for name, own in results.items() if measure in own}
    if not lines:
        raise ValueError(f"evals_result_ has no {measure or 'measure'}: give eval_set to fit")
    ax = _axes(ax)
    for name, values in lines.items():
        ax.plot(np.arange(1, len(values) + 1), values, marker="o" if len(values) < 50 else None, label=name)
    ax.set_xlabel("rounds, epochs or candidates, and last the model")
    ax.set_ylabel(measure)
    _legend(ax)
    return ax


def race(ranker: Any, top: int = 20, ax: Any = None) -> Any:
    """The `top` candidates by their values on validation data or folds, with standard errors, the best above; those in the
    model are filled."""
    model_of(ranker)
    known = [one for one in getattr(ranker, "candidates_", []) if one.validation == one.validation]
    if not known:
        raise ValueError("the candidates have no validation value: give eval_set to fit, or set selection_folds")
    known = sorted(known, key=lambda one: -one.validation)[: whole(top, "top", 1)][::-1]
    ax = _axes(ax)
    for place, one in enumerate(known):
        fill = "C0" if one.is_selected else "none"
        ax.errorbar(one.validation, place, xerr=one.validation_error, fmt="o", color="C0", markerfacecolor=fill, capsize=3)
    ax.set_yticks(np.arange(len(known)))
    ax.set_yticklabels([f"{one.reference or 'start'}{f', C = {one.C:g}' if one.C else ''}" for one in known])
    ax.set_xlabel(ranker.model_.setting("selection.measure").split(":")[0])
    return ax


# ---- Models -------------------------------------------------------------------------


def _bars(ax, values, names, top):
    """Horizontal bars of the `top` values of largest size, the largest above. values is [kinds][features]."""
    top = whole(top, "top", 1)
    sizes = np.abs(values).sum(axis=0)
    order = np.argsort(-sizes, kind="stable")[:top][::-1]
    height = 0.8 / len(values)
    for k, row in enumerate(values):
        ax.barh(np.arange(len(order)) + (len(values) - 1 - 2 * k) * height / 2, row[order], height)
    ax.set_yticks(np.arange(len(order)))
    ax.set_yticklabels([names[f] for f in order])
    ax.axvline(0, color="0.3", linewidth=0.8)


def weights(ranker: Any, names: Any = None, top: int = 20, ax: Any = None) -> Any:
    """The weights of a linear model, of the features and, where it has a rank block, of their ranks: the `top` features
    with the largest ones. `names` are of all features, by default those of the frame."""
    if any(kind != "linear" for kind, _, _ in model_of(ranker).parts):
        raise ValueError("only a linear model has weights of features")
    if isinstance(ranker, Model):
        ids, values, ranks = ranker.weights()
        names = [f"feature {one}" for one in ids] if names is None else names
    else:
        values, ranks = ranker.coef_, ranker.rank_coef_
    names = _names(ranker, len(values), names)
    ax = _axes(ax)
    has_ranks = bool(np.any(ranks))
    _bars(ax, np.array([values, ranks] if has_ranks else [values]), names, top)
    ax.set_xlabel("weight")
    if has_ranks:
        _legend(ax, ax.containers, ["value", "rank within the query"])
    return ax


def importance(ranker: Any, X: Any = None, qid: Any = None, *, group: Any = None, names: Any = None, top: int = 20,
               ax: Any = None) -> Any:
    """How much the features move the scores: feature_importances_, or dorm.importances on these documents."""
    model_of(ranker)
    shares = getattr(ranker, "feature_importances_", None) if X is None else importances(ranker, X, qid, group=group)
    if shares is None:
        raise ValueError("this ranker has no feature_importances_: give X and qid, and a model of linear parts and trees")
    names = _names(ranker, len(shares), names)
    ax = _axes(ax)
    _bars(ax, shares[None], names, top)
    ax.set_xlabel("share of the contributions to scores")
    return ax


def contributions(ranker: Any, X: Any, qid: Any = None, *, group: Any = None, document: int = 0, names: Any = None,
                  top: int = 10, ax: Any = None) -> Any:
    """What the features add to the score of one document, against the mean of its query (dorm.explain)."""
    document = whole(document, "document", -(2**62))
    table = explain(ranker, X, qid, group=group)
    if not -len(table) <= document < len(table):
        raise ValueError(f"there is no document {document}: X has {len(table)}")
    row = table[document]
    ax = _axes(ax)
    _bars(ax, row[None], _names(ranker, len(row), names), top)
    ax.set_xlabel("score minus the mean of the query")
    ax.set_title(f"document {document}: {row.sum():+.3g}")
    return ax


# ---- Measures -----------------------------------------------------------------------


def _per_query(evaluation, name):
    if not isinstance(evaluation, Evaluation):
        raise TypeError(f"{name} has to be what dorm.evaluate returns for one measure")
    return evaluation.per_query


def by_query(evaluation: Evaluation, ax: Any = None) -> Any:
    """The value of each query, from the worst to the best, with the mean. `evaluation` is what dorm.evaluate returns
    for one measure."""
    values = _per_query(evaluation, "evaluation")
    values = np.sort(values[~np.isnan(values)])
    values = values[::-1] if evaluation.lower_is_better else values
    ax = _axes(ax)
    ax.plot(np.arange(1, len(values) + 1), values, drawstyle="steps-mid")
    ax.axhline(
        evaluation.mean,
        linestyle="--",
        color="0.4",
        label=f"mean {evaluation.mean:.4f} ± {evaluation.standard_error:.4f}",
    )
    ax.set_xlabel("queries, the worst first")
    ax.set_ylabel(evaluation.conventions.split(":")[0])
    _legend(ax)
    return ax


def two_rankers(first: Evaluation, second: Evaluation, names: Sequence[str] = ("first", "second"), ax: Any = None) -> Any:
    """Two rankers against each other: a point for each query, below the diagonal where the first has the larger value.
    Both are what dorm.evaluate returns, for the same measure and queries."""
    x, y = _per_query(first, "first"), _per_query(second, "second")
    if not isinstance(names, (list, tuple)) or len(names) != 2:
        raise TypeError("names has to be a pair of texts")
    if x.shape != y.shape:
        raise ValueError(f"first has {len(x)} queries, but second has {len(y)}")
    if first.conventions != second.conventions:
        raise ValueError(f"first is {first.conventions}, but second is {second.conventions}")
    better, worse = (y < x, y > x) if first.lower_is_better else (y > x, y < x)
    ax = _axes(ax)
    ax.scatter(x, y, s=12, alpha=0.6)
    ends = [np.nanmin([x, y]), np.nanmax([x, y])]
    ax.plot(ends, ends, color="0.4", linewidth=0.8)
    measure = first.conventions.split(":")[0]
    ax.set_xlabel(f"{measure} of {names[0]}")
    ax.set_ylabel(f"{measure} of {names[1]}")
    ax.set_title(
        f"{names[1]} better {int(better.sum())} times, worse {int(worse.sum())}, " f"equal {int((x == y).sum())}"
    )
    return ax
