"""What is found wrong in the contents of an argument starts with the public name, once, in both modes."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

X = Tensor(np.ones((4, 2, 3), np.float32))
LOGITS = Tensor(np.full((6, 2, 5), -1.6, np.float32))
LABELS = Tensor(np.ones((2, 3), np.int32))


def _lengths(*given):
    return Tensor(np.array(given, np.int32))


CASES = {
    "GRU: seq_length must be in [0, 4], got [5 2]": (nn.GRU(3, 5), X, None, _lengths(5, 2)),
    "GRU: seq_length has shape (3,)": (nn.GRU(3, 5), X, None, _lengths(1, 2, 3)),
    "LSTM: seq_length must be in [0, 4], got [-1  2]": (nn.LSTM(3, 5), X, None, _lengths(-1, 2)),
    "ctc_loss: input_lengths must be in [0, 6], got [7 6]": (
        lambda *args: ops.ctc_loss(*args)[0],
        *(LOGITS, LABELS, _lengths(7, 6), _lengths(3, 3)),
    ),
    "ctc_loss: target_lengths must be in [0, 3], got [4 3]": (
        lambda *args: ops.ctc_loss(*args)[0],
        *(LOGITS, LABELS, _lengths(6, 6), _lengths(4, 3)),
    ),
    "multinomial: input must be finite and not negative": (
        lambda w: ops.multinomial(w, 1),
        Tensor([0.0, 0.0]),
    ),
    "reverse_sequence: seq_lengths must be in [0, 3], got [9]": (
        lambda x, n: ops.reverse_sequence(x, n, 1),
        *(Tensor([[1, 2, 3]]), Tensor([9])),
    ),
}


@pytest.mark.parametrize("head", CASES)
def test_says_the_public_name(head):
    fn, *args = CASES[head]
    for run in (fn, ms.jit(lambda *given: fn(*given))):
        with pytest.raises(ValueError) as e:
            run(*args)
        assert str(e.value).startswith(head)


HUGE = {
    "adaptive_avg_pool1d": lambda: ops.adaptive_avg_pool1d(ops.ones((1, 1, 3)), 10**12),
    "adaptive_avg_pool2d": lambda: ops.adaptive_avg_pool2d(ops.ones((2, 3, 1, 4)), (1, 10**12)),
    "affine_grid": lambda: ops.affine_grid(ops.ones((1, 2, 3)), (1, 1, 10**9, 10**9)),
    "block_diag": lambda: ops.block_diag(*[ops.ones((999, 1000))] * 9_999),
    "tri": lambda: ms.numpy.tri(2**31),
}


@pytest.mark.parametrize("name", HUGE)
def test_results_that_no_memory_holds_are_refused_at_once(name):
    with pytest.raises(MemoryError, match=f"^{name}: "):
        HUGE[name]()


def test_signals_have_few_dimensions():
    with pytest.raises(ValueError, match="^FFTWithSize: signal_ndim is 1000000000"):
        ops.FFTWithSize(10**9, False, False)
