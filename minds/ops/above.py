"""Names that MindSpore has among the ops and that live on floors above them: by the module that
each lives in.
"""

HOMES = {
    "compat.register": "CustomRegOp DataType custom_info_register get_vm_impl_fn vm_impl_registry",
    "transforms.check_grad": "check_grad",
    "transforms.custom": "HookBackward InsertGradientOf custom_bprop custom_vjp",
    "transforms.custom_kernel": "Custom",
    "transforms.kernel_script": "kernel ms_kernel",
    "transforms.grad": "GradOperation get_grad grad value_and_grad",
    "transforms.jacobian": "hessian jacfwd jacrev",
    "transforms.jet": "derivative jet",
    "transforms.jvp": "jvp",
    "transforms.linearize": "linearize",
    "transforms.recompute": "recompute recompute_block",
    "transforms.vjp": "vjp",
    "transforms.vmap": "vmap",
}
