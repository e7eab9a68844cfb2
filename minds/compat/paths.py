"""Where MindSpore has a module, and where minds has the names in it; both below the package."""

_CLASSES = """_inner_ops _sequence_ops array_ops comm_ops custom_ops debug_ops image_ops inner_ops
    linalg_ops manually_defined math_ops nn_ops other_ops random_ops sparse_ops spectral_ops"""

PATHS = {
    "_extends": "compat.extends",
    "_extends.parse": "compat.extends",
    "common._monad": "compat.monad",
    "common.api": "compat.api",
    "common.jit_config": "compat.jit_config",
    "common.parameter": "tensor",
    "common.sparse_tensor": "ops.sparse_tensor",
    "common.tensor": "tensor",
    "context": "compat.context",
    "log": "compat.log",
    "nn.loss.loss": "nn.loss",
    "nn.metrics": "metrics",
    "ops._grad": "ops.primitive",
    "ops._grad.grad_base": "ops.primitive",
    "ops._grad_experimental": "ops.primitive",
    "ops._grad_experimental.grad_base": "ops.primitive",
    "ops.auto_generate": "compat.auto_generate",
    "ops.auto_generate.gen_ops_def": "compat.auto_generate",
    "ops.auto_generate.gen_ops_prim": "compat.auto_generate",
    "ops.function.grad": "ops.functional",
    "ops.function.grad.grad_func": "ops.functional",
    "ops.operations._csr_ops": "compat.csr_ops",
    **{f"ops.operations.{name}": "ops.operations" for name in _CLASSES.split()},
    "runtime": "compat.runtime",
    "train.metrics": "metrics",
}
