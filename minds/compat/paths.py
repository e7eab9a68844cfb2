"""Where MindSpore has a module, and where minds has the names in it; both below the package."""

_CLASSES = """_inner_ops _scalar_ops _sequence_ops array_ops comm_ops custom_ops debug_ops image_ops inner_ops
    linalg_ops manually_defined math_ops nn_ops other_ops random_ops sparse_ops spectral_ops"""

_OPS_INSIDE = """_embedding_cache_ops _infer_ops _map_tensor_ops _ms_kernel _ocr_ops _rl_inner_ops
    _sparse_grad_ops _thor_ops control_ops reshard_ops"""
_GROUPED = "adadelta adagrad adamax adamw asgd nadam radam rmsprop rprop sgd"
_OPTIM = "ada_grad adadelta adamax asgd ftrl lamb lazyadam proximal_ada_grad rmsprop sgd"
_BIJECTORS = "exp gumbel_cdf invert power_transform scalar_affine softplus"
_FUNCTIONS = """comm_func debug_func fft_func other_func parameter_func reshard_func sparse_func
    sparse_unary_func vmap_func"""
_METRICS = """accuracy auc bleu_score confusion_matrix cosine_similarity dice error fbeta hausdorff_distance
    loss mean_surface_distance metric occlusion_sensitivity perplexity precision recall roc
    root_mean_square_surface_distance topk"""
_CALLBACKS = """_backup_and_restore _callback _checkpoint _early_stop _history _lambda_callback
    _loss_monitor _lr_scheduler_callback _on_request_exit _reduce_lr_on_plateau _summary_collector
    _time_monitor"""
_CONVERTERS = "csv_to_mr imagenet_to_mr mnist_to_mr tfrecord_to_mr"
_MULTITYPE = """add bitwise_and bitwise_or bitwise_xor div equal floordiv getitem greater greater_equal in
    invert left_shift less less_equal logic_not logical_and logical_not logical_or mod mul negative
    not_equal not_in ones_like pow right_shift setitem sub uadd zeros_like"""


def _below(home: str, root: str, names: str, end: str = "") -> dict[str, str]:
    """One home for several modules below ``root``."""
    return {f"{root}.{name}{end}": home for name in names.split()}


PATHS = {
    "tools": "profiler.dump",
    "tools.data_dump": "profiler.dump",
    "boost": "train.boost",
    "boost.grad_accumulation": "train.boost",
    "_c_expression": "compat.c_expression",
    "_c_expression.amp": "compat.c_expression",
    "_c_expression.typing": "compat.native_types",
    "_c_dataengine": "compat.dataengine",
    "_checkparam": "compat.checks",
    "_extends": "compat.extends",
    "_extends.parse": "compat.extends",
    "amp": "train.amp",
    "common._grad_function": "compat.autograd",
    "common.dump": "profiler.dump",
    "common.file_system": "compat.file_system",
    "common._monad": "compat.monad",
    "common._decorator": "compat.deprecation",
    "common._register_for_tensor": "compat.internals",
    "common._stub_tensor": "compat.internals",
    "common._utils": "compat.deprecation",
    "common.api": "compat.api",
    "common.hook_handle": "nn.hooks",
    "common.jit_config": "compat.jit_config",
    "common.lazy_inline": "compat.api",
    "common.np_dtype": "compat.np_dtype",
    "common.parameter": "parameters",
    "common.sparse_tensor": "ops.sparse_tensor",
    "common.tensor": "tensor",
    "communication._comm_helper": "compat.groups",
    "context": "compat.context",
    "dataset.audio.transforms": "dataset.audio",
    "dataset.audio.utils": "dataset.audio",
    "dataset.callback": "dataset",
    "dataset.callback.ds_callback": "dataset.callbacks",
    "dataset.core": "dataset",
    "dataset.core.datatypes": "compat.datatypes",
    "dataset.engine": "dataset",
    **{
        f"dataset.engine.{n}": "dataset"
        for n in """cache_client datasets datasets_audio datasets_standard_format datasets_text
            datasets_user_defined datasets_vision samplers""".split()
    },
    **_below("mindrecord.converters", "mindrecord.tools", _CONVERTERS),
    **_below("mindrecord.cifar", "mindrecord.tools", "cifar10_to_mr cifar100_to_mr"),
    "mindrecord.tools": "mindrecord",
    "dataset.engine.iterators": "dataset.iterators",
    "dataset.engine.serializer_deserializer": "dataset",
    "dataset.core.config": "dataset.config",
    "dataset.text.transforms": "compat.text_transforms",
    "dataset.text.utils": "dataset.text",
    "dataset.transforms.vision": "dataset.vision",
    "dataset.transforms.vision.c_transforms": "dataset.vision.c_transforms",
    "dataset.transforms.vision.py_transforms": "dataset.vision.py_transforms",
    "dataset.vision.py_transforms_util": "compat.image_functions",
    "log": "compat.log",
    "mindrecord.common": "mindrecord.errors",
    "mindrecord.common.exceptions": "mindrecord.errors",
    "mindrecord.filereader": "mindrecord.reader",
    "mindrecord.filewriter": "mindrecord.writer",
    "mindrecord.mindpage": "mindrecord.reader",
    "multiprocessing": "compat.processes",
    "nn.loss.loss": "nn.loss",
    "nn.metrics": "metrics",
    "ops._grad": "ops.primitive",
    "ops._grad.grad_base": "ops.primitive",
    "ops._grad_experimental": "ops.primitive",
    "ops._grad_experimental.grad_base": "ops.primitive",
    "ops._primitive_cache": "compat.internals",
    **{f"ops._utils{n}": "compat.op_utils" for n in ("", ".utils")},
    "ops.auto_generate": "compat.auto_generate",
    "ops.auto_generate.gen_ops_def": "compat.auto_generate",
    "ops.auto_generate.gen_ops_prim": "compat.auto_generate",
    "ops.composite.base": "compat.composites",
    "ops.composite.multitype_ops": "ops.composite",
    "ops.function.grad": "ops.functional",
    "ops.function.grad.grad_func": "ops.functional",
    "ops.operations._csr_ops": "compat.csr_ops",
    **{f"ops.operations.{name}": "ops.operations" for name in _CLASSES.split()},
    "ops.operations._quant_ops": "compat.quantisers",
    "ops.operations.linalg_ops": "compat.linalg_ops",
    "ops.vm_impl_registry": "compat.register",
    "runtime": "compat.runtime",
    "train._utils": "compat.training",
    **{
        f"train.callback._{n}": "train.callback"
        for n in """checkpoint early_stop flops_collector history lambda_callback loss_monitor
            lr_scheduler_callback on_request_exit reduce_lr_on_plateau summary_collector time_monitor
            backup_and_restore""".split()
    },
    "train.data_sink": "train.sinking",
    "train.metrics": "metrics",
    "train.summary.enums": "compat.summary_enums",
    "train.summary.summary_record": "compat.summaries",
    "utils": "compat.utils",
    "utils.dlpack": "compat.dlpack",
    **_below(
        "experimental.optim",
        "experimental.optim",
        _GROUPED,
    ),
    **_below("common", "graph", "jit_config lazy_inline mutable"),
    **_below("compat.api", "graph", "api no_inline"),
    **_below("compat.parallel_state", "parallel", "_auto_parallel_context _ps_context _utils"),
    **_below("compat.cost_model", "parallel", "_cost_model_context"),
    **_below("compat.algo_parameters", "parallel", "algo_parameter_config"),
    "parallel.nn.parallel_cell_wrapper": "parallel.nn",
    "parallel.nn.parallel_grad_reducer": "nn.wrap.grad_reducer",
    "parallel.distributed.distributed_data_parallel": "parallel.distributed",
    "parallel.checkpoint_transform": "parallel",
    "parallel.checkpoint_convert": "parallel",
    "parallel.transform_safetensors": "parallel",
    "parallel.parameter_broadcast": "compat.checkpoint_parts",
    **_below("compat.recurrent", "nn.layer", "rnn_cells rnns"),
    "nn.layer.normalization": "compat.normalisers",
    **_below("compat.runtime", "runtime", "event executor memory stream"),
    **_below("compat.runtime", "hal", "event stream"),
    **_below(
        "mint.nn", "mint.nn.layer", "_functions activation basic conv normalization padding pooling"
    ),
    **_below("nn", "nn.layer", "channel_shuffle dense timedistributed"),
    **_below(
        "nn",
        "nn.optim",
        _OPTIM,
    ),
    **_below(
        "nn.probability.bijector",
        "nn.probability.bijector",
        _BIJECTORS,
    ),
    **_below(
        "nn.probability.distribution",
        "nn.probability.distribution",
        "distribution transformed_distribution",
    ),
    **{
        f"nn.probability.distribution._utils{n}": "compat.distribution_checks"
        for n in ("", ".utils", ".custom_ops")
    },
    **_below("numpy", "numpy", "array_creations array_ops dtypes logic_ops math_ops"),
    **_below("ops.composite", "ops.composite", "env_ops math_ops"),
    **_below("ops.composite", "ops.composite.multitype_ops", _MULTITYPE, "_impl"),
    **_below(
        "ops.functional",
        "ops.function",
        _FUNCTIONS,
    ),
    **_below("ops.operations", "ops.operations", _OPS_INSIDE),
    **_below("rewrite", "rewrite.api", "node node_type pattern_engine scoped_value symbol_tree"),
    **_below("train", "train", "data_sink"),
    **_below(
        "train.second_order", "train", "train_thor train_thor.convert_utils train_thor.model_thor"
    ),
    **_below("compat.callbacks", "train.callback", _CALLBACKS),
    **_below("metrics", "train.metrics", _METRICS),
    "common.generator": "ops.generator",
    "common.no_inline": "compat.api",
    "common.recompute": "transforms.recompute",
    "common.symbol": "jit.signature",
    "device_context": "compat.device_context",
    **{f"device_context.{n}": f"compat.device_context.{n}" for n in ("ascend", "cpu", "gpu")},
    "graph": "compat.graph_paths",
    "graph.symbol": "jit.signature",
    "hal.device": "hal",
    "mint.distributed.distributed": "mint.distributed",
    "ops.communication": "mint.distributed",
    "mint.nn.layer": "mint.nn",
    "nn.layer.thor_layer": "nn.layer.thor",
    "nn.utils": "compat.api",
    "nn.utils.init": "compat.api",
    **{
        f"ops_generate{n}": "compat.generating"
        for n in ("", ".common", ".gen_utils", ".common.gen_utils")
    },
    "onnx": "train",
    "onnx.onnx_export": "train",
    "ops.auto_generate.gen_extend_func": "compat.auto_generate",
    "ops.auto_generate.pyboost_inner_prim": "compat.auto_generate",
    "ops.functional_overload": "mint",
    "ops.operations.manually_defined.ops_def": "ops.operations",
    "ops.op_info_register": "compat.register",
    "ops.signature": "compat.signature",
    "rewrite.api": "rewrite",
    "rewrite.common": "rewrite.namespace",
    "rewrite.common.namespace": "rewrite.namespace",
    "scipy.ops_wrapper": "compat.diagonals",
    **{
        f"{m}.{n}": "compat.array_checks"
        for m in ("numpy", "scipy")
        for n in ("utils", "utils_const")
    },
}

NAMED_ABOVE = ("train.data_sink",)
"""The paths whose last name is a function in the module above."""
