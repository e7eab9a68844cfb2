"""Names that MindSpore has among the ops and that live on floors above them: by the module that
each lives in.
"""

HOMES = {
    "compat.register": "CustomRegOp DataType custom_info_register get_vm_impl_fn vm_impl_registry",
    "compat.native_types": "typeof",
    "transforms.check_grad": "check_grad",
    "transforms.custom": "HookBackward InsertGradientOf Morph custom_bprop custom_vjp",
    "transforms.custom_kernel": "Custom PyFunc",
    "transforms.kernel_script": "kernel ms_kernel",
    "transforms.grad": "GradOperation get_grad grad value_and_grad",
    "transforms.jacobian": "hessian jacfwd jacrev",
    "transforms.jet": "derivative jet",
    "transforms.jvp": "jvp",
    "transforms.linearize": "linearize",
    "transforms.recompute": "recompute recompute_block",
    "transforms.vjp": "vjp",
    "transforms.vmap": "vmap",
    "mint.distributed": """P2POp all_gather all_gather_into_tensor all_gather_into_tensor_uneven
        all_gather_object all_reduce all_to_all all_to_all_single barrier batch_isend_irecv broadcast
        broadcast_object_list destroy_process_group gather_object get_backend get_global_rank
        get_group_rank get_process_group_ranks get_rank get_world_size init_process_group irecv
        is_available is_initialized isend new_group recv recv_object_list reduce_scatter
        reduce_scatter_tensor reduce_scatter_tensor_uneven scatter_object_list send
        send_object_list""",
}


def names() -> list[str]:
    """The names that `ops` gives out of these."""
    return [n for home, found in HOMES.items() if home != "mint.distributed" for n in found.split()]
