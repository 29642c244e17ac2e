"""What include/dorm/ declares, for ctypes: the structs, numbers and functions that this package uses.

`make check` compares all of it with a table that a C compiler makes of the header (tests/python/abi.py).
"""

import ctypes
from ctypes import c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

VERSION = (0, 1, 0)  # DORM_VERSION_MAJOR, DORM_VERSION_MINOR, DORM_VERSION_PATCH
PACKAGE_VERSION = "0.1.0"

CONSTANTS = {
    "DORM_VERSION_MAJOR": VERSION[0],
    "DORM_VERSION_MINOR": VERSION[1],
    "DORM_VERSION_PATCH": VERSION[2],
    "DORM_OK": 0,
    "DORM_STOPPED": 1,
    "DORM_BAD_USAGE": 2,
    "DORM_IO_ERROR": 3,
    "DORM_BAD_DATA": 4,
    "DORM_NUMERICAL_FAILURE": 5,
    "DORM_BAD_MODULE": 6,
    "DORM_OUT_OF_MEMORY": 7,
    "DORM_EVENT_NOTE": 0,
    "DORM_EVENT_WARNING": 1,
    "DORM_EVENT_ITERATION": 2,
    "DORM_EVENT_CANDIDATE": 3,
    "DORM_EVENT_STEP": 4,
    "DORM_EVENT_DETAIL": 5,
    "DORM_PLUGIN_ABI": 1,
    "DORM_STORAGE_AUTO": 0,
    "DORM_STORAGE_DENSE": 1,
    "DORM_STORAGE_SPARSE": 2,
    "DORM_STORAGE_FILE": 3,
}

OK, STOPPED, BAD_USAGE, IO_ERROR, BAD_DATA, NUMERICAL_FAILURE, BAD_MODULE, OUT_OF_MEMORY = range(8)
NOTE, WARNING, ITERATION = 0, 1, 2
EVENT_KINDS = ("note", "warning", "iteration", "candidate", "step", "detail")


class SizedStructure(ctypes.Structure):
    """A struct that the caller allocates: its first field, struct_size, is set when it is made."""

    def __init__(self, **fields):
        fields.setdefault("struct_size", ctypes.sizeof(self))
        super().__init__(**fields)


class dorm_setting_info(ctypes.Structure):
    _fields_ = [
        ("key", c_char_p),
        ("kind", c_int),
        ("is_list", c_int),
        ("min", c_double),
        ("max", c_double),
        ("choices", c_char_p),
        ("default_text", c_char_p),
        ("help", c_char_p),
        ("instead", c_char_p),
    ]


class dorm_read_options(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("num_threads", c_size_t),
        ("storage", c_int),
        ("use_cache", c_int),
        ("sort_queries", c_int),
        ("labels_optional", c_int),
        ("ignore_weights", c_int),
        ("num_shards", c_size_t),
        ("query_column", c_char_p),
        ("label_column", c_char_p),
        ("id_column", c_char_p),
        ("columns", c_char_p),
        ("folder", c_char_p),
    ]


class dorm_arrays(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("num_docs", c_size_t),
        ("num_queries", c_size_t),
        ("query_start", c_void_p),
        ("num_features", c_size_t),
        ("feature_ids", c_void_p),
        ("query_ids", c_void_p),
        ("doc_ids", c_void_p),
        ("labels", c_void_p),
        ("floats", c_void_p),
        ("doubles", c_void_p),
        ("row_stride", ctypes.c_ssize_t),
        ("column_stride", ctypes.c_ssize_t),
        ("row_start", c_void_p),
        ("indices", c_void_p),
        ("storage", c_int),
        ("query_weights", c_void_p),
        ("doc_weights", c_void_p),
    ]


class dorm_certificate(ctypes.Structure):
    _fields_ = [
        ("primal", c_double),
        ("dual", c_double),
        ("gap", c_double),
        ("reference_constant", c_double),
        ("iterations", c_size_t),
        ("num_columns", c_size_t),
        ("num_support", c_size_t),
        ("seconds", c_double),
        ("score_seconds", c_double),
        ("oracle_seconds", c_double),
        ("qp_seconds", c_double),
        ("join_seconds", c_double),
        ("num_barriers", c_size_t),
    ]


class dorm_candidate(ctypes.Structure):
    _fields_ = [
        ("number", c_size_t),
        ("reference", c_char_p),
        ("position_weights", c_char_p),
        ("truncation", c_size_t),
        ("rank_block", c_double),
        ("ridge", c_double),
        ("C", c_double),
        ("round", c_size_t),
        ("certificate", dorm_certificate),
        ("validation", c_double),
        ("validation_error", c_double),
        ("score_scale", c_double),
        ("is_selected", c_int),
        ("kernel", c_char_p),
        ("kernel_rank", c_size_t),
        ("kernel_trace", c_double),
        ("kernel_residual", c_double),
        ("kernel_bound", c_double),
        ("rho", c_double),
        ("training", c_double),
    ]


class dorm_event(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("text", c_char_p),
        ("candidate", ctypes.POINTER(dorm_candidate)),
        ("num_done", c_size_t),
        ("num_candidates", c_size_t),
        ("seconds", c_double),
    ]


class dorm_stream_report(ctypes.Structure):
    _fields_ = [
        ("num_queries", c_size_t),
        ("num_lines", c_size_t),
        ("num_trained", c_size_t),
        ("num_features", c_size_t),
        ("num_measured", c_size_t),
        ("progressive", c_double),
        ("progressive_error", c_double),
        ("num_recent", c_size_t),
        ("recent", c_double),
        ("recent_error", c_double),
        ("C", c_double),
        ("seconds", c_double),
        ("num_resumed", c_size_t),
    ]


class dorm_evaluation(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("mean", c_double),
        ("standard_error", c_double),
        ("num_queries", c_size_t),
        ("num_empty", c_size_t),
        ("lower_is_better", c_int),
        ("conventions", c_char_p),
        ("is_weighted", c_int),
        ("total_weight", c_double),
        ("effective_queries", c_double),
    ]


class dorm_measure_info(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("lower_is_better", c_int),
        ("num_parameters", c_size_t),
        ("parameters", c_void_p),
    ]


class dorm_comparison(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("num_pairs", c_size_t),
        ("first", c_double),
        ("second", c_double),
        ("difference", c_double),
        ("standard_error", c_double),
        ("t", c_double),
        ("t_test", c_double),
        ("randomisation", c_double),
        ("num_rounds", c_size_t),
    ]


class dorm_click_options(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("propensity", c_int),
        ("eta", c_double),
        ("path", c_char_p),
        ("curve", c_int),
    ]


class dorm_click_evaluation(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("num_impressions", c_size_t),
        ("num_queries", c_size_t),
        ("num_clicks", c_size_t),
        ("ips", c_double),
        ("ips_error", c_double),
        ("ips_error_impressions", c_double),
        ("snips", c_double),
        ("snips_error", c_double),
        ("snips_error_impressions", c_double),
        ("unshown", c_double),
        ("ips_least", c_double),
        ("ips_most", c_double),
        ("dr", c_double),
        ("dr_error", c_double),
        ("dr_error_impressions", c_double),
    ]


class dorm_bound(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("count", c_size_t),
        ("mean", c_double),
        ("lower", c_double),
        ("hoeffding_bentkus", c_double),
    ]


class dorm_depth(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("num_queries", c_size_t),
        ("depth", c_size_t),
        ("depth_share", c_double),
        ("margin", c_double),
        ("margin_share", c_double),
        ("margin_docs", c_double),
    ]


class dorm_allocation_options(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("num_groups", c_size_t),
        ("group_of", c_void_p),
        ("least", c_void_p),
        ("most", c_void_p),
        ("names", c_void_p),
        ("top", c_size_t),
        ("gap", c_double),
        ("max_passes", c_size_t),
        ("num_threads", c_size_t),
    ]


class dorm_allocation(ctypes.Structure):
    _fields_ = [
        ("free_worth", c_double),
        ("worth", c_double),
        ("bound", c_double),
        ("gap", c_double),
        ("violation", c_double),
        ("num_passes", c_size_t),
        ("num_groups", c_size_t),
        ("prices", ctypes.POINTER(c_double)),
        ("shares", ctypes.POINTER(c_double)),
        ("free_shares", ctypes.POINTER(c_double)),
    ]


class dorm_price_trial(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("worth", c_double),
        ("bound", c_double),
        ("shares", c_void_p),
        ("errors", c_void_p),
    ]


class dorm_interacting(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("value", c_double),
        ("bound", c_double),
        ("largest_gap", c_double),
        ("num_proved", c_size_t),
    ]


class dorm_lambda_summary(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("cost", c_double),
        ("num_pairs", c_size_t),
        ("num_queries", c_size_t),
    ]


class dorm_probe_options(SizedStructure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("epsilon", c_double),
        ("delta", c_double),
        ("num_directions", c_size_t),
        ("num_steps", c_size_t),
        ("steps", c_void_p),
        ("skips_single", c_int),
        ("seed", c_uint64),
        ("num_threads", c_size_t),
    ]


class dorm_probe_row(ctypes.Structure):
    _fields_ = [
        ("step", c_double),
        ("length", c_double),
        ("num_better", c_size_t),
        ("num_equal", c_size_t),
        ("num_worse", c_size_t),
        ("largest_gain", c_double),
        ("least_share", c_double),
        ("most_share", c_double),
    ]


class dorm_probe_moves(ctypes.Structure):
    _fields_ = [
        ("num_moves", c_size_t),
        ("num_rows", c_size_t),
        ("rows", ctypes.POINTER(dorm_probe_row)),
        ("num_rising", c_size_t),
        ("least_share", c_double),
        ("most_share", c_double),
    ]


class dorm_probe(ctypes.Structure):
    _fields_ = [
        ("measure", c_char_p),
        ("lower_is_better", c_int),
        ("value", c_double),
        ("num_weights", c_size_t),
        ("norm", c_double),
        ("epsilon", c_double),
        ("delta", c_double),
        ("directions", dorm_probe_moves),
        ("singles", dorm_probe_moves),
        ("curves", c_void_p),
    ]


class dorm_loss_query(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("num_docs", c_size_t),
        ("labels", ctypes.POINTER(c_double)),
    ]


_numbers = ctypes.POINTER(c_double)
ProductFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, ctypes.POINTER(dorm_loss_query), _numbers, _numbers)
CostsFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, ctypes.POINTER(dorm_loss_query), _numbers)


class dorm_loss_module(ctypes.Structure):
    _fields_ = [
        ("abi", c_uint32),
        ("struct_size", c_uint32),
        ("name", c_char_p),
        ("help", c_char_p),
        ("num_parameters", c_size_t),
        ("parameters", c_void_p),
        ("create", c_void_p),
        ("destroy", c_void_p),
        ("fill_product", ProductFunction),
        ("fill_costs", CostsFunction),
        ("find_worst", c_void_p),
        ("prepare", c_void_p),
    ]


STRUCTS = (
    dorm_loss_query,
    dorm_loss_module,
    dorm_setting_info,
    dorm_read_options,
    dorm_arrays,
    dorm_certificate,
    dorm_candidate,
    dorm_event,
    dorm_stream_report,
    dorm_evaluation,
    dorm_measure_info,
    dorm_probe_options,
    dorm_probe_row,
    dorm_probe_moves,
    dorm_probe,
    dorm_comparison,
    dorm_allocation_options,
    dorm_allocation,
    dorm_price_trial,
    dorm_interacting,
    dorm_bound,
    dorm_click_options,
    dorm_click_evaluation,
    dorm_depth,
    dorm_lambda_summary,
)

LogFunction = ctypes.CFUNCTYPE(None, c_void_p, ctypes.POINTER(dorm_event))
StreamFunction = ctypes.CFUNCTYPE(None, c_void_p, ctypes.POINTER(dorm_stream_report))
CancelFunction = ctypes.CFUNCTYPE(c_int, c_void_p)

_pointer = c_void_p
_text = c_char_p

# name: (type of the result, types of the arguments). Every struct and array goes as a pointer without a type.
FUNCTIONS = {
    "dorm_version": (_text, []),
    "dorm_nearest_word": (_text, [_text, c_size_t, _pointer]),
    "dorm_set_blas_threads": (None, [c_int]),
    "dorm_context_new": (_pointer, []),
    "dorm_context_free": (None, [_pointer]),
    "dorm_context_message": (_text, [_pointer]),
    "dorm_context_set_log": (None, [_pointer, LogFunction, _pointer]),
    "dorm_context_set_cancel": (None, [_pointer, CancelFunction, _pointer]),
    "dorm_setting_info_at": (ctypes.POINTER(dorm_setting_info), [c_size_t]),
    "dorm_settings_new": (c_int, [_pointer, _pointer]),
    "dorm_settings_free": (None, [_pointer]),
    "dorm_settings_obey_all": (None, [_pointer]),
    "dorm_settings_get": (_text, [_pointer, _text]),
    "dorm_settings_set": (c_int, [_pointer, _pointer, _text, _text]),
    "dorm_dataset_read_with": (c_int, [_pointer, _text, _pointer, _pointer]),
    "dorm_dataset_new": (c_int, [_pointer, _pointer, _pointer]),
    "dorm_dataset_arrays": (c_int, [_pointer, _pointer, _pointer]),
    "dorm_dataset_columns": (_text, [_pointer]),
    "dorm_dataset_set_weights": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_dataset_write": (c_int, [_pointer, _pointer, _text]),
    "dorm_dataset_free": (None, [_pointer]),
    "dorm_dataset_query_id": (_text, [_pointer, c_size_t]),
    "dorm_dataset_doc_id": (_text, [_pointer, c_size_t]),
    "dorm_dataset_set_groups": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_dataset_read_subtopics": (c_int, [_pointer, _pointer, _text]),
    "dorm_diversify": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_model_probe": (c_int, [_pointer, _pointer, _pointer, _text, _pointer, _pointer]),
    "dorm_probe_free": (None, [_pointer]),
    "dorm_trec_read": (c_int, [_pointer, _text, _text, c_int, _pointer, _pointer]),
    "dorm_scores_free": (None, [_pointer]),
    "dorm_trec_run_write": (c_int, [_pointer, _text, _pointer, _pointer, _text]),
    "dorm_trec_qrels_write": (c_int, [_pointer, _text, _pointer]),
    "dorm_ratings_read": (c_int, [_pointer, _pointer, _text, _text, _pointer, _pointer]),
    "dorm_ratings_free": (None, [_pointer]),
    "dorm_attributes_read": (c_int, [_pointer, _text, _pointer]),
    "dorm_attributes_free": (None, [_pointer]),
    "dorm_rating_features_fit": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_rating_features_free": (None, [_pointer]),
    "dorm_rating_features_training": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_rating_features_predict": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_train": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_train_consuming": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_train_stream": (c_int, [_pointer, _pointer, StreamFunction, _pointer, _pointer]),
    "dorm_training_free": (None, [_pointer]),
    "dorm_training_take_model": (_pointer, [_pointer]),
    "dorm_training_num_candidates": (c_size_t, [_pointer]),
    "dorm_training_candidate": (ctypes.POINTER(dorm_candidate), [_pointer, c_size_t]),
    "dorm_training_num_training_queries": (c_size_t, [_pointer]),
    "dorm_training_validation": (c_double, [_pointer]),
    "dorm_training_estimate": (c_double, [_pointer, ctypes.POINTER(c_double)]),
    "dorm_training_baseline": (c_double, [_pointer, c_int, ctypes.POINTER(c_size_t)]),
    "dorm_loss_info_at": (ctypes.POINTER(dorm_loss_module), [c_size_t]),
    "dorm_loss_register": (c_int, [_pointer, _pointer, _pointer]),
    "dorm_most_violated": (
        c_int,
        [_pointer, _text, _pointer, _text, _pointer, _pointer, _pointer, _pointer],
    ),
    "dorm_model_read": (c_int, [_pointer, _text, _pointer]),
    "dorm_model_write": (c_int, [_pointer, _pointer, _text]),
    "dorm_model_to_text": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_text_free": (None, [_pointer]),
    "dorm_model_from_text": (c_int, [_pointer, _text, c_size_t, _pointer]),
    "dorm_model_describe": (c_int, [_pointer, _pointer, _pointer]),
    "dorm_model_export": (c_int, [_pointer, _pointer, _text, _text, _text, _text]),
    "dorm_model_use_module": (c_int, [_pointer, _pointer, _text]),
    "dorm_model_needs_query": (c_int, [_pointer]),
    "dorm_model_free": (None, [_pointer]),
    "dorm_model_score": (c_int, [_pointer, _pointer, _pointer, c_size_t, _pointer]),
    "dorm_model_score_rows": (c_int, [_pointer, _pointer, _pointer, c_size_t, _pointer]),
    "dorm_model_explain": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_model_part": (_text, [_pointer, c_size_t, _pointer, _pointer]),
    "dorm_model_weight": (c_int, [_pointer, c_size_t, _pointer, _pointer, _pointer]),
    "dorm_model_setting_is_given": (c_int, [_pointer, _text]),
    "dorm_model_setting": (_text, [_pointer, _text]),
    "dorm_model_settings": (c_int, [_pointer, _pointer, _pointer]),
    "dorm_measure_info_at": (ctypes.POINTER(dorm_measure_info), [c_size_t]),
    "dorm_lambdas": (c_int, [_pointer, _text, _pointer, _pointer, c_size_t, _pointer, _pointer, _pointer]),
    "dorm_evaluate": (c_int, [_pointer, _text, _pointer, _pointer, _pointer, _pointer]),
    "dorm_compare_weighted": (
        c_int, [_pointer, c_size_t, _pointer, _pointer, _pointer, c_size_t, c_uint64, _pointer],
    ),
    "dorm_lower_bound": (
        c_int, [_pointer, c_size_t, _pointer, c_double, c_double, c_double, _pointer],
    ),
    "dorm_allocate": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_try_prices": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer, _pointer, _pointer]),
    "dorm_rank_interacting": (c_int, [_pointer, _pointer, _pointer, _pointer, c_size_t, _pointer, _pointer]),
    "dorm_policy_result": (_pointer, [_pointer]),
    "dorm_policy_free": (None, [_pointer]),
    "dorm_measure_range": (c_int, [_pointer, _text, _pointer, _pointer]),
    "dorm_clicks_read": (c_int, [_pointer, _text, _pointer, _pointer]),
    "dorm_clicks_free": (None, [_pointer]),
    "dorm_clicks_num_impressions": (c_size_t, [_pointer]),
    "dorm_clicks_num_clicks": (c_size_t, [_pointer]),
    "dorm_clicks_num_positions": (c_size_t, [_pointer]),
    "dorm_clicks_set_propensities": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_clicks_propensity": (c_double, [_pointer, c_size_t]),
    "dorm_clicks_eta": (c_double, [_pointer]),
    "dorm_clicks_eta_error": (c_double, [_pointer]),
    "dorm_clicks_set_model": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "dorm_clicks_evaluate": (c_int, [_pointer, _pointer, _pointer, _pointer, _pointer, c_size_t, _pointer]),
    "dorm_clicks_compare_logged": (c_int, [_pointer, _pointer, _pointer, _pointer, c_size_t, _pointer]),
    "dorm_dataset_set_clicks": (c_int, [_pointer, _pointer, _pointer]),
    "dorm_find_depth": (c_int, [_pointer, _pointer, _pointer, c_double, c_double, _pointer]),
}
