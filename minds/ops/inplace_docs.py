"""Docstrings of the in-place methods of tensors (`inplace_methods`)."""

from __future__ import annotations

import inspect

ARGUMENTS = {
    "accumulate": "(bool): whether the elements are added. Default: False.",
    "dim": "(int): the dimension.",
    "exponent": "(Tensor | number): the exponent; its shape broadcasts.",
    "fill_value": "(number): the value.",
    "from_": "(number): the lower bound. Default: 0.",
    "generator": "(Generator): accepted for torch's sake; random numbers come from `set_seed`.",
    "index": "(Tensor[int]): the positions.",
    "indices": "(tuple[Tensor[int]]): the positions, one tensor for each dimension.",
    "lambd": "(number): the rate, above 0. Default: 1.",
    "mask": "(Tensor[bool]): where; its shape broadcasts.",
    "mat1": "(Tensor[(N, K)]): the first factor.",
    "mat2": "(Tensor[(K, M)]): the second factor.",
    "max": "(Tensor | number): the upper bound. Default: None.",
    "mean": "(Tensor | number): the mean. Default: 0.",
    "min": "(Tensor | number): the lower bound. Default: None.",
    "non_blocking": "(bool): accepted for torch's sake.",
    "other": "(Tensor | number): the second operand; its shape broadcasts.",
    "p": "(Tensor | number): the probability, in [0, 1]. Default: 0.5.",
    "reduce": '(str): ``"add"`` or ``"multiply"`` instead of writing. Default: None.',
    "rounding_mode": '(str): ``"floor"`` or ``"trunc"``. Default: None.',
    "source": "(Tensor): the elements.",
    "src": "(Tensor | number): the elements.",
    "std": "(Tensor | number): the standard deviation. Default: 1.",
    "tensor": "(Tensor): the slices.",
    "value": "(Tensor | number): the value.",
    "values": "(Tensor | number): the elements.",
    "wrap": "(bool): whether a tall matrix has several diagonals. Default: False.",
}
"""What a parameter is; ``alpha``, ``beta`` and ``to`` differ from method to method."""

FACTOR = "(number): what {} is multiplied by. Default: 1."
OTHERS = {
    ("add_", "alpha"): FACTOR.format("``other``"),
    ("addmm_", "alpha"): FACTOR.format("the product"),
    ("addmm_", "beta"): FACTOR.format("this tensor"),
    ("index_add_", "alpha"): FACTOR.format("``source``"),
    ("random_", "to"): "(int): the upper bound, exclusive. Default: None, ``from_`` is it.",
    ("sub_", "alpha"): FACTOR.format("``other``"),
    ("uniform_", "to"): "(number): the upper bound. Default: 1.",
}
SUMMARIES = {
    "bernoulli_": "Draw 0 and 1 with probability ``p`` of 1.",
    "copy_": "Take the elements of another tensor.",
    "exponential_": r"Draw from the exponential distribution of density :math:`\lambda e^{-\lambda x}`.",
    "fill_": "Give all elements one value.",
    "fill_diagonal_": "Give the elements of the diagonal one value.",
    "index_copy_": "Write slices at positions along a dimension.",
    "index_put_": "Write elements at positions.",
    "masked_scatter_": "Write elements one after the other where a mask is true.",
    "normal_": "Draw from a normal distribution.",
    "put_": "Write elements at positions of the flattened tensor.",
    "random_": "Draw whole numbers.",
    "scatter_": "Write elements at positions along a dimension.",
    "scatter_add_": "Add elements at positions along a dimension.",
    "uniform_": "Draw from the uniform distribution between two bounds.",
    "zero_": "Give all elements the value 0.",
}
EXAMPLES = {
    "abs_": ("print(Tensor([-1.0, 2.0]).abs_())", "[1. 2.]"),
    "add_": ("print(Tensor([1.0, 2.0]).add_(3, alpha=2))", "[7. 8.]"),
    "addmm_": ("print(ops.zeros((1, 1)).addmm_(ops.ones((1, 2)), ops.ones((2, 1))))", "[[2.]]"),
    "bernoulli_": ("print(Tensor([5.0, 5.0]).bernoulli_(1.0))", "[1. 1.]"),
    "ceil_": ("print(Tensor([0.5, 2.0]).ceil_())", "[1. 2.]"),
    "clamp_": ("print(Tensor([-1.0, 2.0]).clamp_(0, 1))", "[0. 1.]"),
    "copy_": ("print(Tensor([1.0, 2.0]).copy_(Tensor([3, 4])))", "[3. 4.]"),
    "cos_": ("print(Tensor([0.0]).cos_())", "[1.]"),
    "div_": ("print(Tensor([3.0, 4.0]).div_(2))", "[1.5 2. ]"),
    "erfinv_": ("print(Tensor([0.0]).erfinv_())", "[0.]"),
    "exp_": ("print(Tensor([0.0]).exp_())", "[1.]"),
    "exponential_": ("bool((Tensor([0.0, 0.0]).exponential_() >= 0).all())", "True"),
    "fill_": ("print(Tensor([1.0, 2.0]).fill_(3))", "[3. 3.]"),
    "fill_diagonal_": ("print(ops.zeros((2, 2)).fill_diagonal_(1.0).sum())", "2.0"),
    "floor_": ("print(Tensor([0.5, 2.0]).floor_())", "[0. 2.]"),
    "floor_divide_": ("print(Tensor([3.0, 4.0]).floor_divide_(2))", "[1. 2.]"),
    "index_add_": (
        "print(Tensor([1.0, 2.0]).index_add_(0, Tensor([1]), Tensor([5.0])))",
        "[1. 7.]",
    ),
    "index_copy_": (
        "print(Tensor([1.0, 2.0]).index_copy_(0, Tensor([1]), Tensor([5.0])))",
        "[1. 5.]",
    ),
    "index_fill_": ("print(Tensor([1.0, 2.0]).index_fill_(0, Tensor([1]), 5.0))", "[1. 5.]"),
    "index_put_": (
        "print(Tensor([1.0, 2.0]).index_put_((Tensor([1]),), Tensor([5.0])))",
        "[1. 5.]",
    ),
    "log_": ("print(Tensor([1.0]).log_())", "[0.]"),
    "masked_fill_": (
        "print(Tensor([1.0, 2.0]).masked_fill_(Tensor([False, True]), 5.0))",
        "[1. 5.]",
    ),
    "masked_scatter_": (
        "print(Tensor([1.0, 2.0]).masked_scatter_(Tensor([False, True]), Tensor([5.0])))",
        "[1. 5.]",
    ),
    "mul_": ("print(Tensor([1.0, 2.0]).mul_(3))", "[3. 6.]"),
    "neg_": ("print(Tensor([1.0, 2.0]).neg_())", "[-1. -2.]"),
    "normal_": ("print(Tensor([0.0, 0.0]).normal_(5, 0))", "[5. 5.]"),
    "pow_": ("print(Tensor([1.0, 2.0]).pow_(3))", "[1. 8.]"),
    "put_": ("print(Tensor([1.0, 2.0]).put_(Tensor([1]), Tensor([5.0])))", "[1. 5.]"),
    "random_": ("print(Tensor([5.0, 5.0]).random_(1))", "[0. 0.]"),
    "reciprocal_": ("print(Tensor([2.0, 4.0]).reciprocal_())", "[0.5  0.25]"),
    "relu_": ("print(Tensor([-1.0, 2.0]).relu_())", "[0. 2.]"),
    "remainder_": ("print(Tensor([3.0, 4.0]).remainder_(2))", "[1. 0.]"),
    "rsqrt_": ("print(Tensor([4.0]).rsqrt_())", "[0.5]"),
    "scatter_": ("print(Tensor([1.0, 2.0]).scatter_(0, Tensor([1]), Tensor([5.0])))", "[1. 5.]"),
    "scatter_add_": (
        "print(Tensor([1.0, 2.0]).scatter_add_(0, Tensor([1]), Tensor([5.0])))",
        "[1. 7.]",
    ),
    "sigmoid_": ("print(Tensor([0.0]).sigmoid_())", "[0.5]"),
    "sign_": ("print(Tensor([-3.0, 2.0]).sign_())", "[-1.  1.]"),
    "sin_": ("print(Tensor([0.0]).sin_())", "[0.]"),
    "sqrt_": ("print(Tensor([4.0]).sqrt_())", "[2.]"),
    "square_": ("print(Tensor([3.0]).square_())", "[9.]"),
    "sub_": ("print(Tensor([1.0, 2.0]).sub_(3))", "[-2. -1.]"),
    "tanh_": ("print(Tensor([0.0]).tanh_())", "[0.]"),
    "trunc_": ("print(Tensor([-1.5, 2.5]).trunc_())", "[-1.  2.]"),
    "uniform_": ("print(Tensor([0.0, 0.0]).uniform_(5, 5))", "[5. 5.]"),
    "zero_": ("print(Tensor([1.0, 2.0]).zero_())", "[0. 0.]"),
}


def of_method(name: str, signature: inspect.Signature) -> str:
    """The docstring of an in-place method.

    Args:
        name (str): the method, ``"exp_"``.
        signature (Signature): its parameters, the tensor first.
    """
    does = SUMMARIES.get(name, f"`Tensor.{name[:-1]}` in place.")
    taken = [
        f"    {p} {OTHERS.get((name, p)) or ARGUMENTS[p]}" for p in list(signature.parameters)[1:]
    ]
    call, result = EXAMPLES[name]
    names = "Tensor, ops" if "ops." in call else "Tensor"
    return "\n\n".join(
        [
            f"{does} The result becomes the value of this tensor, in its own dtype.",
            *(["Args:\n" + "\n".join(taken)] if taken else []),
            "Returns:\n    Tensor: this one.",
            "Raises:\n    RuntimeError: the result has another shape than this tensor.",
            f"Examples:\n    >>> from minds import {names}\n    >>> {call}\n    {result}",
        ]
    )


__all__ = ["of_method"]
