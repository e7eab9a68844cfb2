"""What MindSpore's models import from inside its module `train.serialization`."""

from __future__ import annotations

import os
import stat

import numpy as np

from ..base import dtype as dt
from ..common import dtype as names
from ..tensor import Tensor
from ..train.serialization import check_fit, load_by_prefix, save_checkpoint

_SPELLED = """Bool Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Float16 Float32 Float64 BFloat16
    Complex64 Complex128""".split()
tensor_to_ms_type: dict[str, dt.DType] = {
    name: getattr(names, "bool_" if name == "Bool" else name.lower()) for name in _SPELLED
}
"""The dtypes as checkpoint files spell them."""

tensor_to_ms_type["str"] = names.string


def _get_merged_param_data(net, *of):
    """The data of a parameter, which are whole already: ``of`` ends with them and with whether parts are
    to be joined.
    """
    return of[-2]


def tensor_to_np_type(tensor_type_str: str) -> np.dtype:
    """NumPy's dtype for one that a checkpoint file spells."""
    return np.dtype(tensor_to_ms_type[tensor_type_str].np)


def _save_graph(network, file_name: str) -> None:
    """Write a network's tree of cells to a file that cannot be written over; MindSpore writes its graph."""
    with open(file_name, "w", encoding="utf-8") as file:
        file.write(f"{network!r}\n")
    os.chmod(file_name, stat.S_IRUSR)


def _exec_save(ckpt_file_name: str, data_list: dict, enc_key=None, enc_mode="AES-GCM", *of) -> None:
    """Write a checkpoint of values by name: tensors, or lists that end with an array. ``of`` has no
    effect.
    """
    rows = [
        {"name": n, "data": v if isinstance(v, Tensor) else Tensor(np.asarray(v[-1]))}
        for n, v in data_list.items()
    ]
    save_checkpoint(rows, ckpt_file_name, enc_key=enc_key, enc_mode=enc_mode)


def _update_param(param, new_param, strict_load: bool) -> None:
    """Give a parameter the value of another one, as `load_param_into_net` does."""
    check_fit(param, new_param, strict_load)
    param.set_data(new_param)


def _load_dismatch_prefix_params(net, parameter_dict, param_not_load, strict_load: bool) -> None:
    """Load parameters under names that are longer than those of the network, which are taken from the
    list of those to load.
    """
    own = {name: p for name, p in net.parameters_dict().items() if name in param_not_load}
    for name in load_by_prefix(own, parameter_dict):
        param_not_load.remove(name)


__all__ = ["tensor_to_ms_type", "tensor_to_np_type"]
