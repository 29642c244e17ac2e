"""Ranker: an estimator in the manner of scikit-learn."""

from __future__ import annotations

import contextlib
import html
import inspect
import os
import sys
from typing import Any, Iterator

import numpy as np

from . import _arrays, _categories, _evals, _progress, _settings, _training
from ._library import short, threads_of, warn
from .dataset import Dataset, _listed
from .explaining import explain, importances
from .losses import OwnLoss, known
from .measures import evaluate, take_rows
from .model import Model, model_of

# Parameters with names of their own, and the settings that they are.
_OWN = {"loss": "loss.name", "trainer": "training.trainer", "C": "solver.C", "kernel": "kernel.kernel"}
_DEFAULTS = {"qid_column": None, "log": None, "progress": False, "n_jobs": None, "for_serving": True}
_PARAMETERS = (*_OWN, *_DEFAULTS)
_SERVING = {"data.normalisation": "global-minmax", "data.rank_block": 0, "trees.raw_values": True}


class NotFittedError(ValueError, AttributeError):
    """The ranker has no model yet."""


class early_stopping:
    """A callback of fit: trees and nets stop after so many rounds or epochs without a better value on eval_set."""

    def __init__(self, stopping_rounds: int) -> None:
        self.stopping_rounds = stopping_rounds


class _Base:
    """The base class of Ranker until scikit-learn is imported; then that is BaseEstimator."""


def _join_sklearn():
    """Makes Ranker an estimator of scikit-learn once somebody has imported that, since importing it takes a second."""
    base = sys.modules.get("sklearn.base")
    if Ranker.__bases__ == (_Base,) and hasattr(base, "BaseEstimator"):
        Ranker.__bases__ = (base.BaseEstimator,)
        super(Ranker, Ranker).__init_subclass__()  # the methods that route metadata


class Ranker(_Base):
    """Learns to rank by optimising the ranking measure itself.

    loss, trainer, C and kernel are the settings loss.name ("ndcg@10"; or a callable: loss(labels) of one query
    returns (a, b), weights of the positions and gains of the documents, or a matrix cost[document][position]),
    training.trainer ("svm", "ridge", "trees", "net", or a list of them), solver.C and kernel.kernel of the command
    `dorm train`; every other setting is a keyword with an underscore for its dot, as in solver_gap=0.001. None
    stands for the default; a list tries each of its values. qid_column names the column of X that holds the query, or
    gives its number; a data frame with a column "qid" needs no such name. log is called with a dorm.Event for each step;
    if it raises StopIteration, the training ends with the best model so far. progress=True shows a bar (by tqdm). n_jobs
    is the number of threads, -1 or None one per processor. The model scores each document by itself, as search engines
    do; for_serving=False lets it compare the documents of a query, and predict needs qid then.

    After fit: model_ (a dorm.Model), candidates_, certificate_ (of the candidate in the model that is farthest from
    its optimum), coef_ and rank_coef_ (weights of the normalised features and of their ranks, for linear models),
    feature_importances_, validation_score_ (NaN without eval_set), expected_ and interval_ (what new queries will show,
    with a 95 % interval; NaN unless folds were averaged, as they are without eval_set), baselines_ (what "chance", the
    best single "feature", "linear" models and models for "serving" have beside that), evals_result_, best_score_ and
    best_iteration_ (of eval_set), stopped_ (why training ended early; "" if it did not), n_features_in_,
    feature_names_in_ (of frames),
    n_queries_in_ (queries that were trained on).

    The settings with their defaults (dorm.settings() describes them):
    """

    _estimator_type = "ranker"

    def __init__(self, loss: Any = None, trainer: Any = None, C: Any = None, kernel: Any = None, *, qid_column: Any = None,
                 log: Any = None, progress: bool = False, n_jobs: int | None = None, for_serving: bool = True,
                 **settings: Any) -> None:
        _join_sklearn()
        self.loss = loss
        self.trainer = trainer
        self.C = C
        self.kernel = kernel
        self.qid_column = qid_column
        self.log = log
        self.progress = progress
        self.n_jobs = n_jobs
        self.for_serving = for_serving
        self._set(settings)

    # ---- Parameters ----

    def _set(self, settings):
        for name, value in settings.items():
            key = _settings.key_of(name)
            if key in _OWN.values():
                raise TypeError(f"the setting {key} is the parameter {[own for own in _OWN if _OWN[own] == key][0]}")
            setattr(self, _settings.name_of(key), value)

    def _given(self):
        """The other settings, which are attributes of their own names."""
        return {name: value for name, value in vars(self).items() if name in _settings.BY_NAME}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        _join_sklearn()
        params = {name: getattr(self, name) for name in _PARAMETERS}
        params.update(self._given())
        return params

    def set_params(self, **params: Any) -> Ranker:
        for name, value in params.items():
            if name in _PARAMETERS:
                setattr(self, name, value)
            else:
                self._set({name: value})
        return self

    def __setstate__(self, state):
        vars(self).update(dict(_DEFAULTS, **state))

    def __repr__(self) -> str:
        given = [
            f"{name}={short(value)}"
            for name, value in self.get_params().items()
            if value is not None and value is not _DEFAULTS.get(name)
        ]
        return f"Ranker({', '.join(given)})"

    def _repr_html_(self) -> str:
        words = f"<code>{html.escape(repr(self))}</code>"
        if not hasattr(self, "model_"):
            return words
        low, high = self.interval_
        expected = f"<p>expected on new queries: {self.expected_:.4f} ({low:.4f} to {high:.4f})</p>"
        return words + (expected if self.expected_ == self.expected_ else "") + self.model_._repr_html_()

    def _more_tags(self):  # for scikit-learn before 1.6
        return {"allow_nan": True, "requires_y": True}

    def __sklearn_tags__(self):
        _join_sklearn()
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    def _all_settings(self, extra):
        """The settings as the library takes them, and the loss if it is one of Python."""
        values = dict(_SERVING) if self.for_serving else {}
        if self.n_jobs is not None:
            values["solver.threads"] = self._threads()
        values.update((key, getattr(self, name)) for name, key in _OWN.items())
        own_loss = OwnLoss(self.loss) if callable(self.loss) else None
        if own_loss is not None:
            values["loss.name"] = own_loss.name
        values.update((_settings.key_of(name), value) for name, value in self._given().items() if value is not None)
        values.update(extra)
        return _settings.Settings(values), own_loss

    # ---- Data ----

    def _dataset(self, X, y, qid, group, what, sample_weight=None, query_weight=None, known=None,
                 coded=()):
        """A data set of the arguments, and whether it is of our own making."""
        if isinstance(X, Dataset):
            if y is not None or qid is not None or group is not None:
                raise TypeError(f"{what} is a Dataset, which has its labels and queries: leave y, qid and group out")
            if sample_weight is not None or query_weight is not None:
                raise TypeError(f"{what} is a Dataset, which has its weights: give sample_weight or query_weight to it")
            return X, False
        if y is None:
            raise ValueError(
                f"y is missing: a Ranker requires y to be passed, but the target y is None ({what} needs labels)"
            )
        if qid is None and group is None and self.qid_column is None and not (
            _arrays.is_frame(X) and "qid" in X.columns
        ):
            raise TypeError(
                "qid is missing: which documents belong to which query? Give qid (one id for each document), group "
                "(the number of documents of each query), or a column of X (qid_column)"
            )
        return (
            Dataset(X, y, qid=qid, group=group, qid_column=self.qid_column, sample_weight=sample_weight,
                    query_weight=query_weight, _known=known, _coded=coded, _what=what),
            True,
        )

    def _eval_datasets(self, eval_set, eval_qid, eval_group, eval_query_weight, train):
        """[(data set, whether it is our own)] of eval_set: one pair (X, y) or Dataset, or a list of them."""
        if eval_set is None:
            if eval_qid is not None or eval_group is not None or eval_query_weight is not None:
                raise TypeError("eval_qid, eval_group and eval_query_weight belong to eval_set, which is missing")
            return []
        is_list = isinstance(eval_set, list)
        if not is_list:
            eval_set = [eval_set]
        columns = []
        for name, values in (("eval_qid", eval_qid), ("eval_group", eval_group), ("eval_query_weight", eval_query_weight)):
            alone = not is_list or (len(eval_set) == 1 and not (isinstance(values, list) and len(values) == 1))
            values = [values] if alone else [None] * len(eval_set) if values is None else values
            if not isinstance(values, (list, tuple)) or len(values) != len(eval_set):
                raise TypeError(f"{name} has to be a list with an entry for each of the {len(eval_set)} pairs of eval_set")
            columns.append(values)
        made = []
        for one, qid, group, weight in zip(eval_set, *columns):
            if isinstance(one, Dataset):
                made.append(self._dataset(one, None, qid, group, "eval_set", None, weight))
            elif isinstance(one, tuple) and len(one) == 2:
                made.append(self._dataset(*one, qid, group, "eval_set", None, weight, train.feature_names))
            else:
                raise TypeError("eval_set has to be a pair (X, y), a Dataset, or a list of them")
        for data, is_own in made:
            if train.num_features != data.num_features and is_own:
                raise ValueError(f"eval_set has {data.num_features} features, but X has {train.num_features}")
            self._check_names(train.feature_names, data.feature_names, "eval_set", "X has")
        return made

    # ---- Training ----

    def fit(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, eval_set: Any = None, eval_qid: Any = None,
            eval_group: Any = None, sample_weight: Any = None, query_weight: Any = None, eval_query_weight: Any = None,
            eval_names: Any = None, eval_metric: Any = None, eval_at: Any = None, callbacks: Any = None,
            init_model: Any = None, categorical_feature: Any = "auto") -> Ranker:
        """Trains.

        By eval_set, a pair (X, y) with queries eval_qid or eval_group, dorm chooses among its candidates. With a list of
        pairs it chooses by the first; the others are measured when the model is finished. evals_result_ has for each of
        eval_names (valid_0, valid_1, ...) and each measure of eval_metric, at each truncation of eval_at, a list that ends
        with the value of the model. A measure is a text or, as in LightGBM, a function of y_true and scores, or of these,
        weights and sizes of queries, that returns (name, value, whether higher is better). For the measure of selection on the first pair, the rounds of boosting or epochs of
        the best candidate come before, or, if there are none, all candidates.

        The documents of a query may be apart. query_weight has a weight of 0 or more for each query, in the order in
        which they first appear: a query of weight 2 counts as if it stood there twice. sample_weight has one for each
        document or each query; one that is the same for all documents of each query is of the queries, another one
        multiplies the gains of the documents.

        callbacks are called with each dorm.Event, as log is; early_stopping(rounds) sets the patience. init_model, a
        Ranker, a Model or a file, is the model that training goes on from. Ctrl-C keeps the best model so far and raises
        KeyboardInterrupt.

        Trees split the columns of categorical_feature by sets of values. It has names, or numbers that do not count
        the column of the queries. "auto" takes the category columns of a frame if the trainer is "trees", as it is by default.
        Other trainers get a column of 0 and 1 for each category."""
        categories, coded = self._categories(X, categorical_feature)
        first = Model.read(init_model) if isinstance(init_model, (str, os.PathLike)) else init_model
        known = None if first is None else model_of(first).feature_names
        train, own_train = self._dataset(X, y, qid, group, "X", sample_weight, query_weight, known, coded)
        if train.num_features == 0:
            raise ValueError(f"X has 0 feature(s) (shape={train.shape}) while a minimum of 1 is required.")
        evaluated = self._eval_datasets(eval_set, eval_qid, eval_group, eval_query_weight, train)
        names = _evals.names_of(eval_names, len(evaluated))
        measures = _evals.measures_of(eval_metric, eval_at, "ndcg@10")
        if eval_metric is not None:
            _evals.check(self, evaluated, measures)
        extra, listeners = self._callbacks(callbacks)
        if train.feature_names is not None and _is_plain(train):
            extra["data.columns"] = ",".join(train.feature_names)
        ids = _categories.ids_of(categories, train)
        if ids:
            extra["data.categorical"] = [*np.atleast_1d(getattr(self, "data_categorical", None) or []).tolist(), *ids]
        sample = self._sample(X, train)
        feature_ids = np.array(train.feature_ids, dtype=np.int64)
        later = evaluated[1:] if eval_metric is None and eval_at is None else evaluated  # measured when the model is finished
        consuming = own_train and (not evaluated or (evaluated[0][1] and later is not evaluated))
        with _start(init_model) as path, _progress.listener([self.log, *listeners], self.progress) as log:
            if path is not None:
                extra["data.from"] = path
            settings, own_loss = self._all_settings(extra)
            validation = evaluated[0][0] if evaluated else None
            result, interrupted = _training.train(settings, train, validation, log, consuming, own_loss)
        if result is not None:
            self._take(result, feature_ids, train.feature_names)
            chosen_by = self.model_.setting("selection.measure")
            self.evals_result_ = _evals.curves_of(self, names, result.curves, chosen_by) if evaluated else {}
            measures = _evals.measures_of(eval_metric, eval_at, chosen_by)
            for name, (data, _) in zip(names[len(evaluated) - len(later):], later):
                _evals.measure(self, data, measures, self.evals_result_.setdefault(name, {}), chosen_by)
            self.best_score_ = {
                name: {one: values[-1] for one, values in own.items()} for name, own in self.evals_result_.items()
            }
            if sample is not None:
                self._weigh_features(sample)
        if interrupted:
            raise KeyboardInterrupt
        return self

    def fit_events(self, *arguments: Any, **keywords: Any) -> Iterator[Any]:
        """Trains as fit does, with the same arguments, and yields each dorm.Event as it comes. After the last one the
        ranker is fitted; leaving the loop early ends the training with the best model so far."""
        return _progress.events_of(self, arguments, keywords)

    def _categories(self, X, categorical_feature):
        """The columns that categorical_feature names, and the columns of a frame that become codes if they are of
        categories."""
        names = X.feature_names if isinstance(X, Dataset) else None
        if _arrays.is_frame(X):
            column = "qid" if self.qid_column is None else self.qid_column
            names = [str(name) for name in X.columns if name != column]
        if isinstance(categorical_feature, str) and categorical_feature == "auto":
            return [], names if _arrays.is_frame(X) and self._grows_trees(len(getattr(X, "index", ()))) else []
        wanted = [] if categorical_feature is None else _listed(categorical_feature, "categorical_feature")
        wanted = _categories.named(wanted, names)
        return wanted, wanted

    def _grows_trees(self, num_docs):
        """Whether trees are the only trainer, by name or by default (training/automatic.c)."""
        if self.trainer is not None and not (isinstance(self.trainer, str) and self.trainer == "auto"):
            return isinstance(self.trainer, str) and self.trainer == "trees"
        others = [*map(_settings.name_of, _SERVING), "ranking_position_functions"]
        return self.for_serving and self.kernel is None and num_docs >= 200 and not set(others) & set(self._given())

    def _callbacks(self, callbacks):
        """Settings that callbacks stand for, and those that listen."""
        extra, listeners = {}, []
        for one in [] if callbacks is None else _listed(callbacks, "callbacks"):
            if hasattr(one, "stopping_rounds"):
                extra["training.patience"] = one.stopping_rounds
            elif callable(one):
                listeners.append(one)
            else:
                raise TypeError(f"callbacks has {short(one)}: it has to hold functions that take a dorm.Event")
        return extra, listeners

    def _take(self, result, feature_ids, names):
        self.model_ = result.model
        self.candidates_ = result.candidates
        self.validation_score_ = result.validation
        self.expected_ = result.expected
        half = 1.96 * result.expected_error
        self.interval_ = (result.expected - half, result.expected + half)
        self.baselines_ = result.baselines
        self.stopped_ = result.stopped
        self.n_queries_in_ = result.num_queries
        self.n_features_in_ = len(feature_ids)
        self.feature_ids_ = feature_ids
        chosen = [one for one in self.candidates_ if one.is_selected]
        self.best_iteration_ = max(chosen, key=lambda one: one.validation).round if chosen else 0
        for name in ("feature_names_in_", "feature_importances_"):
            vars(self).pop(name, None)
        if names is not None:
            self.feature_names_in_ = names

    def _sample(self, X, train):
        """Some documents of whole queries, copied before training takes the memory of the rest; None for a data set
        that lies in a file."""
        count = int(np.searchsorted(train.query_start, _SAMPLE, side="right")) - 1
        if count == 0 or train._arrays.storage == 3:
            return None
        start = train.query_start[: count + 1].astype(np.int64)
        rows = train.X[: start[-1]]
        return Dataset(np.array(rows) if isinstance(rows, np.ndarray) else rows.copy(), group=np.diff(start),
                       feature_ids=train.feature_ids.astype(np.int64))

    def _weigh_features(self, sample):
        """feature_importances_: the mean absolute contributions of the features to the scores of some documents."""
        if all(kind in ("linear", "trees") for kind, _, _ in self.model_.parts) and not self.model_.setting("features.cross"):
            self.feature_importances_ = importances(self.model_, sample)

    def _model(self):
        try:
            return self.model_
        except AttributeError:
            raise NotFittedError("this Ranker has no model yet: call fit first") from None

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    # ---- Scores ----

    def predict(self, X: Any, qid: Any = None, *, group: Any = None, pred_contrib: bool = False) -> Any:
        """One score for each document; higher is better. With for_serving=False qid or group is needed; qid=0 says that all
        rows are of one query. pred_contrib=True gives what each feature adds to the
        score instead (dorm.explain), with the mean score of the query as the last column."""
        model = self._model()
        if pred_contrib:
            return np.column_stack(explain(self, X, qid, group=group, with_mean=True))
        if isinstance(X, Dataset):
            self._check_names(getattr(self, "feature_names_in_", None), X.feature_names, "X", "the model was trained on")
            return model.score(X, qid=qid, group=group, threads=self._threads())
        rows = _arrays.Rows(X, self.qid_column, known=getattr(self, "feature_names_in_", None))
        self._check_features(rows)
        return model._score_rows(rows, qid, group, self.feature_ids_, self._threads())

    def _threads(self):
        return threads_of(0 if self.n_jobs is None else self.n_jobs, "n_jobs", -(2**31))

    def _check_features(self, rows):
        self._check_names(getattr(self, "feature_names_in_", None), rows.names, "X", "the model was trained on")
        if rows.num_features != self.n_features_in_:
            raise ValueError(f"X has {rows.num_features} features, but the model was trained on {self.n_features_in_}")

    @staticmethod
    def _check_names(wanted, given, what, who):
        """Columns of frames go by their place, so they have to be the same in the same order."""
        if wanted is not None and given is not None and list(wanted) != list(given):
            raise ValueError(
                f"the columns of {what} are {_few(given)}, but {who} {_few(wanted)}, in this order"
            )

    def rank(self, X: Any, qid: Any = None, *, group: Any = None) -> Any:
        """The position of each document within its query, 0 for the best; equal scores keep the order of X. Without qid or
        group all rows are one query."""
        scores = self.predict(X, qid, group=group)
        if isinstance(X, Dataset):
            queries = X._queries()
        else:
            queries = _arrays.queries_of(len(scores), self._qid_of(X) if qid is None and group is None else qid, group)
        sorted_scores = queries.arrange(scores)
        order = np.lexsort((np.arange(len(scores)), -sorted_scores, queries.spread(np.arange(len(queries)))))
        positions = np.empty(len(scores), dtype=np.intp)
        positions[order] = np.arange(len(scores)) - queries.spread(queries.first)
        return queries.put_back(positions)

    def _qid_of(self, X):
        return _arrays.Rows(X, self.qid_column).qid

    def score(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, measure: str | None = None,
              query_weight: Any = None) -> float:
        """The mean of a measure over the queries, weighted by query_weight. Without `measure` it is the one by which the
        model was selected. It is negated where less is better."""
        scores = self.predict(X, qid, group=group)
        measure = measure or self._measure()
        if isinstance(X, Dataset):
            y = X
        elif y is None:
            raise TypeError("y is missing: score needs labels")
        elif qid is None and group is None:
            qid = self._qid_of(X)
        with known(self.loss):  # the measure may be minus a loss of Python
            result = evaluate(y, scores, qid=qid, measures=measure, group=group, query_weight=query_weight)
        return -result.mean if result.lower_is_better else result.mean

    def _measure(self):
        key, model = "selection.measure", self._model()
        chosen_by = model.setting(key)
        if model._usable([key])[key] != chosen_by:
            raise ValueError(f"the model was chosen by {chosen_by}, but a model opens no file: give measure")
        return chosen_by

    # ---- The model ----

    def _linear(self, column):
        model = self._model()
        others = sorted({kind for kind, _, _ in model.parts if kind != "linear"})
        if others:
            raise AttributeError(
                f"only a linear model has coef_ and rank_coef_; this one has parts of the kind {others}"
            )
        ids, *weights = model.weights()
        result = np.zeros(self.n_features_in_)
        place = {int(one): i for i, one in enumerate(self.feature_ids_)}
        for one, weight in zip(ids, weights[column]):
            if int(one) in place:
                result[place[int(one)]] = weight
        return result

    @property
    def coef_(self) -> Any:
        return self._linear(0)

    @property
    def rank_coef_(self) -> Any:
        return self._linear(1)

    @property
    def certificate_(self) -> Any:
        self._model()
        certificates = [one.certificate for one in self.candidates_ if one.is_selected and one.certificate.iterations]
        if not certificates:
            raise AttributeError("no candidate in this model comes from a convex problem, so there is no certificate")
        return max(certificates, key=lambda certificate: certificate.gap)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a file of `dorm`, which other programs read too."""
        self._model().write(path)

    def export(self, to: str, path: str | os.PathLike[str], name: str = "dorm") -> None:
        """Writes the model for another program, as Model.export."""
        self._model().export(to, path, name)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ranker:
        """A Ranker with the model of a file and the settings that were given to its training. Settings that
        name files are left out, with a warning: a model opens no file."""
        model = Model.read(path)
        values, left_out = {}, []
        usable = model._usable(_settings.TABLE)
        names = {key: own for own, key in _OWN.items()}
        for key, setting in _settings.TABLE.items():
            if key not in _settings.BY_NAME.values() or _settings._is_for_command(key) or key == "data.from":
                continue
            name = names.get(key, setting.name)
            value = setting.value_of(usable[key])
            if usable[key] != model.setting(key):
                left_out.append(f"{name}={model.setting(key)!r}")
            elif model._is_given(key):
                values[name] = value
        if left_out:
            warn(f"{path}: a model opens no file, so these are left out: {', '.join(left_out)}; to use them, give them to "
                 "set_params")
        values["for_serving"] = all(values.get(_settings.name_of(key)) == value for key, value in _SERVING.items())
        if values["for_serving"]:
            values = {name: value for name, value in values.items() if _settings.BY_NAME.get(name) not in _SERVING}
        ranker = cls(**values)
        ranker.model_ = model
        ranker.candidates_ = []
        ranker.validation_score_ = ranker.expected_ = np.nan
        ranker.interval_ = (np.nan, np.nan)
        ranker.baselines_ = dict.fromkeys(("chance", "feature", "linear", "serving"), np.nan)
        ranker.stopped_ = ""
        ranker.feature_ids_ = model.weights()[0]
        ranker.n_features_in_ = len(ranker.feature_ids_)
        if model.feature_names is not None and len(model.feature_names) == ranker.n_features_in_:
            ranker.feature_names_in_ = model.feature_names
        return ranker


_SAMPLE = 300  # documents, at most, for feature_importances_


def _few(names):
    return f"[{', '.join(map(repr, names[:8]))}{f', ... ({len(names)} in all)' if len(names) > 8 else ''}]"


def _is_plain(dataset):
    """Whether the names of the features can be kept in the model's file, a list with commas."""
    names = dataset.feature_names
    return (np.asarray(dataset.feature_ids) == np.arange(1, len(names) + 1)).all() and all(
        name and name == name.strip() and name.isprintable() and "," not in name for name in names
    )


@contextlib.contextmanager
def _start(init_model):
    """The path of a model that training goes on from, or None."""
    if init_model is None or isinstance(init_model, (str, os.PathLike)):
        yield init_model
        return
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "init_model.dorm")
        model_of(init_model).write(path)
        yield path


def _signed():
    """Gives Ranker its whole signature and the list of its settings."""
    own = inspect.signature(Ranker.__init__).parameters
    named = [one for name, one in own.items() if name != "self" and one.kind != inspect.Parameter.VAR_KEYWORD]
    rest = {name: one for name, one in _settings.settings().items() if one.key not in _OWN.values()}
    named += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in rest]
    Ranker.__signature__ = inspect.Signature(named)
    Ranker.__doc__ = str(Ranker.__doc__) + "\n".join(f"    {name}={one.default!r}" for name, one in rest.items())


_join_sklearn()
_signed()
