"""eval_set of Ranker.fit: the names of its pairs, measures, and their values."""

from __future__ import annotations

import inspect
import warnings

import numpy as np

from ._library import short, whole
from .dataset import _listed
from .losses import known
from .measures import evaluate


def names_of(names, count):
    """A name for each pair."""
    if names is None:
        return [f"valid_{i}" for i in range(count)]
    names = [names] if isinstance(names, str) else _listed(names, "eval_names")
    if len(names) != count:
        raise ValueError(f"eval_names has {len(names)} names, but eval_set has {count} pairs")
    return names


def measures_of(metrics, cuts, default):
    """The measures of eval_metric, at each truncation of eval_at if they have none of their own, and its functions."""
    if metrics is None:
        metrics = default if cuts is None else default.split("@")[0]
    metrics = [metrics] if isinstance(metrics, str) or callable(metrics) else _listed(metrics, "eval_metric")
    for one in metrics:
        if not isinstance(one, str) and not callable(one):
            raise TypeError(f"eval_metric has {short(one)}: a measure is a text such as 'ndcg@10', or a function")
    if cuts is None:
        return metrics
    cuts = [whole(cut, "eval_at", 1) for cut in (_listed(cuts, "eval_at") if np.ndim(cuts) else [cuts])]
    return [full for one in metrics
            for full in ([one] if callable(one) or "@" in one else [f"{one}@{cut}" for cut in cuts])]


def check(ranker, evaluated, measures):
    """Fails for a measure that is unknown, or that the data sets do not allow, before the time of a training is spent."""
    named = [one for one in measures if not callable(one)]
    with known(ranker.loss), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data, _ in evaluated:
            evaluate(data, np.zeros(data.num_docs), measures=named)


def curves_of(ranker, names, curves, chosen_by):
    """{first name: {measure of selection: values}}: by rounds or epochs of the best candidate or, if it has none, by
    candidate; then the value of the model."""
    values = [one.validation for one in ranker.candidates_ if one.validation == one.validation]
    chosen = [one for one in ranker.candidates_ if one.is_selected and one.number in curves]
    if chosen:
        values = curves[max(chosen, key=lambda one: one.validation).number]
    return {names[0]: {chosen_by.split(":")[0]: [*values, ranker.validation_score_]}}


def measure(ranker, data, measures, into, chosen_by):
    """Adds the values of the model on a data set; a curve that is there ends with its value already."""
    scores = ranker.model_.score(data)
    named = [one for one in measures if not callable(one)]
    with known(ranker.loss):
        found = evaluate(data, scores, measures=named) if named else {}
    for one, value in found.items():
        into.setdefault(one.split(":")[0] if one == chosen_by else one, [value.mean])
    for function in (one for one in measures if callable(one)):
        name, value, _ = _call(function, data, scores)
        into[name] = [value]


def _call(function, data, scores):
    """What a function of LightGBM's form returns; its arguments are in the order of the queries."""
    weights = None if data.query_weights is None else np.repeat(data.query_weights, data.group)
    arguments = (data.y, data._queries().arrange(scores), weights, data.group)
    try:
        count = len(inspect.signature(function).parameters)
    except ValueError:  # a function of C
        count = 2
    found = function(*arguments[: max(2, count)])
    if not isinstance(found, tuple) or len(found) != 3:
        raise TypeError(
            f"eval_metric: {short(function)} has to return (name, value, whether higher is better), not {short(found)}"
        )
    return found
