"""Ranker: an estimator in the manner of scikit-learn."""

import importlib.util
import warnings

import numpy as np

from . import _arrays, _progress, _settings, _training
from ._library import short
from .dataset import Dataset
from .losses import OwnLoss, known
from .measures import evaluate
from .model import Model

_base = object
if importlib.util.find_spec("sklearn") is not None:
    from sklearn.base import BaseEstimator as _base

# Parameters with names of their own, and the settings that they are.
_OWN = {"loss": "loss.name", "trainer": "training.trainer", "C": "solver.C", "kernel": "kernel.kernel"}
_PARAMETERS = (*_OWN, "qid_column", "log", "progress")


class NotFittedError(ValueError, AttributeError):
    """The ranker has no model yet."""


class Ranker(_base):
    """Learns to rank by optimising the ranking measure itself.

    loss, trainer, C and kernel are the settings loss.name ("ndcg@10"; or a callable: loss(labels) of one query
    returns (a, b), weights of the positions and gains of the documents, or a matrix cost[document][position]),
    training.trainer ("svm", "ridge", "trees", "net", or a list of them), solver.C and kernel.kernel of the command
    `dorm train`; every other setting is a keyword with an underscore for its dot, as in solver_gap=0.001. None
    stands for the default of the command; a list tries each of its values. qid_column names the column of X that
    holds the query, or gives its number; a data frame with a column "qid" needs no such name. log is called with a
    dorm.Event for each step; if it raises StopIteration, the training ends with the best model so far.
    progress=True shows a bar (by tqdm).

    After fit: model_ (a dorm.Model), candidates_, certificate_ (of the candidate in the model that is farthest from
    its optimum), coef_ and rank_coef_ (weights of the normalised features and of their ranks, for linear models),
    validation_score_ (NaN without eval_set), expected_ and interval_ (what new queries will show, with a 95 % interval;
    NaN unless folds were averaged, as they are without eval_set), baselines_ (what "chance", the best single "feature"
    and "linear" models have beside that), stopped_ (why training ended early; "" if it did not), n_features_in_,
    feature_names_in_ (of frames), n_queries_in_ (queries that were trained on).
    """

    _estimator_type = "ranker"

    def __init__(self, loss=None, trainer=None, C=None, kernel=None, *, qid_column=None, log=None,
                 progress=False, **settings):
        self.loss = loss
        self.trainer = trainer
        self.C = C
        self.kernel = kernel
        self.qid_column = qid_column
        self.log = log
        self.progress = progress
        self._set(settings)

    # ---- Parameters ----

    def _set(self, settings):
        for name, value in settings.items():
            key = _settings.key_of(name)
            if key in _OWN.values():
                raise TypeError(f"the setting {key} is the parameter {[own for own in _OWN if _OWN[own] == key][0]}")
            setattr(self, key.replace(".", "_", 1), value)

    def _given(self):
        """The other settings, which are attributes of their own names."""
        return {name: value for name, value in vars(self).items() if name in _settings.BY_NAME}

    def get_params(self, deep=True):
        params = {name: getattr(self, name) for name in _PARAMETERS}
        params.update(self._given())
        return params

    def set_params(self, **params):
        for name, value in params.items():
            if name in _PARAMETERS:
                setattr(self, name, value)
            else:
                self._set({name: value})
        return self

    def __repr__(self):
        params = self.get_params()
        if not self.progress:
            del params["progress"]
        given = [f"{name}={short(value)}" for name, value in params.items() if value is not None]
        return f"Ranker({', '.join(given)})"

    def _more_tags(self):  # for scikit-learn before 1.6
        return {"allow_nan": True, "requires_y": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    def _all_settings(self):
        values = {key: getattr(self, name) for name, key in _OWN.items()}
        own_loss = OwnLoss(self.loss) if callable(self.loss) else None
        if own_loss is not None:
            values["loss.name"] = own_loss.name
        values.update((_settings.key_of(name), value) for name, value in self._given().items())
        return _settings.Settings(values), own_loss

    # ---- Data ----

    def _dataset(self, X, y, qid, group, what, sample_weight=None, query_weight=None):
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
                    query_weight=query_weight),
            True,
        )

    def _eval_dataset(self, eval_set, eval_qid, eval_group, eval_query_weight):
        if eval_set is None:
            if eval_qid is not None or eval_group is not None or eval_query_weight is not None:
                raise TypeError("eval_qid, eval_group and eval_query_weight belong to eval_set, which is missing")
            return None, True
        if isinstance(eval_set, list) and len(eval_set) == 1:  # as LightGBM and XGBoost write it
            eval_set = eval_set[0]
            eval_qid = eval_qid[0] if isinstance(eval_qid, list) and len(eval_qid) == 1 else eval_qid
            eval_group = eval_group[0] if isinstance(eval_group, list) and len(eval_group) == 1 else eval_group
        if isinstance(eval_set, Dataset):
            return self._dataset(eval_set, None, eval_qid, eval_group, "eval_set", None, eval_query_weight)
        if not isinstance(eval_set, tuple) or len(eval_set) != 2:
            raise TypeError("eval_set has to be a pair (X, y), or a Dataset")
        return self._dataset(eval_set[0], eval_set[1], eval_qid, eval_group, "eval_set", None, eval_query_weight)

    # ---- Training ----

    def fit(self, X, y=None, *, qid=None, group=None, eval_set=None, eval_qid=None, eval_group=None, sample_weight=None,
            query_weight=None, eval_query_weight=None):
        """Trains. By eval_set, a pair (X, y) with queries eval_qid or eval_group, dorm chooses among its candidates.
        The documents of a query may be apart. query_weight has a weight of 0 or more for each query, in the order in
        which they first appear: a query of weight 2 counts as if it stood there twice. sample_weight has one for each
        document or each query; one that is the same for all documents of each query is of the queries, another one
        multiplies the gains of the documents. Ctrl-C keeps the best model so far and raises KeyboardInterrupt."""
        settings, own_loss = self._all_settings()
        train, own_train = self._dataset(X, y, qid, group, "X", sample_weight, query_weight)
        validation, own_validation = self._eval_dataset(eval_set, eval_qid, eval_group, eval_query_weight)
        if validation is not None and train.num_features != validation.num_features and own_train and own_validation:
            raise ValueError(f"eval_set has {validation.num_features} features, but X has {train.num_features}")
        if validation is not None:
            self._check_names(train.feature_names, validation.feature_names, "eval_set", "X has")
        if train.num_features == 0:
            raise ValueError(f"X has 0 feature(s) (shape={train.shape}) while a minimum of 1 is required.")
        feature_ids = np.array(train.feature_ids, dtype=np.int64)
        with _progress.listener(self.log, self.progress) as log:
            consuming = own_train and own_validation
            result, interrupted = _training.train(settings, train, validation, log, consuming, own_loss)
        if result is not None:
            self._take(result, feature_ids, train.feature_names)
        if interrupted:
            raise KeyboardInterrupt
        return self

    def fit_events(self, *arguments, **keywords):
        """Trains as fit does, with the same arguments, and yields each dorm.Event as it comes. After the last one the
        ranker is fitted; leaving the loop early ends the training with the best model so far."""
        return _progress.events_of(self, arguments, keywords)

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
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _model(self):
        try:
            return self.model_
        except AttributeError:
            raise NotFittedError("this Ranker has no model yet: call fit first") from None

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    # ---- Scores ----

    def predict(self, X, qid=None, *, group=None):
        """One score for each document; higher is better. Where scores depend on the other documents of the query, as
        they do by default, qid or group is needed; qid=0 says that all rows are of one query."""
        model = self._model()
        if isinstance(X, Dataset):
            return model.score(X, qid=qid, group=group)
        rows = _arrays.Rows(X, self.qid_column)
        self._check_features(rows)
        return model._score_rows(rows, qid, group, self.feature_ids_)

    def _check_features(self, rows):
        self._check_names(getattr(self, "feature_names_in_", None), rows.names, "X", "the model was trained on")
        if rows.num_features != self.n_features_in_:
            raise ValueError(f"X has {rows.num_features} features, but the model was trained on {self.n_features_in_}")

    @staticmethod
    def _check_names(wanted, given, what, who):
        """Columns of frames go by their place, so they have to be the same in the same order."""
        if wanted is not None and given is not None and list(wanted) != list(given):
            raise ValueError(
                f"the columns of {what} are {list(given)[:8]}, but {who} {list(wanted)[:8]}, in this order"
            )

    def rank(self, X, qid=None, *, group=None):
        """The position of each document within its query, 0 for the best; equal scores keep the order of X."""
        scores = self.predict(X, qid, group=group)
        if isinstance(X, Dataset):
            queries = X._queries()
        else:
            queries = _arrays.queries_of(len(scores), self._qid_of(X) if qid is None and group is None else qid, group)
        sorted_scores = queries.arrange(scores)
        of_query = np.repeat(np.arange(len(queries)), np.diff(queries.start.astype(np.intp)))
        order = np.lexsort((np.arange(len(scores)), -sorted_scores, of_query))
        positions = np.empty(len(scores), dtype=np.intp)
        positions[order] = np.arange(len(scores)) - queries.start.astype(np.intp)[of_query]
        return queries.put_back(positions)

    def _qid_of(self, X):
        return _arrays.Rows(X, self.qid_column).qid

    def score(self, X, y=None, *, qid=None, group=None, measure=None, query_weight=None):
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
            result = evaluate(scores, y, qid, measure, group=group, query_weight=query_weight)
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
    def coef_(self):
        return self._linear(0)

    @property
    def rank_coef_(self):
        return self._linear(1)

    @property
    def certificate_(self):
        self._model()
        certificates = [one.certificate for one in self.candidates_ if one.is_selected and one.certificate.iterations]
        if not certificates:
            raise AttributeError("no candidate in this model comes from a convex problem, so there is no certificate")
        return max(certificates, key=lambda certificate: certificate.gap)

    def save(self, path):
        """Writes the model as a file of `dorm`, which other programs read too."""
        self._model().write(path)

    @classmethod
    def load(cls, path):
        """A Ranker with the model of a file and the settings that made it. Settings that name files are left out, with a
        warning: a model opens no file."""
        model = Model.read(path)
        values, left_out = {}, []
        usable = model._usable(_settings.TABLE)
        for key, (default, _) in _settings.TABLE.items():
            own = [name for name in _OWN if _OWN[name] == key]
            try:
                name = own[0] if own else _settings.key_of(key).replace(".", "_", 1)
            except TypeError:
                continue  # a setting of the command
            if usable[key] != model.setting(key):
                left_out.append(f"{name}={model.setting(key)!r}")
            elif usable[key] != default:
                values[name] = usable[key]
        if left_out:
            warnings.warn(f"{path}: a model opens no file, so these are left out: {', '.join(left_out)}; to use them, "
                          "give them to set_params", stacklevel=2)
        ranker = cls(**values)
        ranker.model_ = model
        ranker.candidates_ = []
        ranker.validation_score_ = ranker.expected_ = np.nan
        ranker.interval_ = (np.nan, np.nan)
        ranker.baselines_ = dict.fromkeys(("chance", "feature", "linear"), np.nan)
        ranker.stopped_ = ""
        ids = model.weights()[0]
        ranker.feature_ids_ = ids
        ranker.n_features_in_ = len(ids)
        return ranker
