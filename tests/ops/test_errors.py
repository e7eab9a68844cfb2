"""What inference refuses: the fault with its values, what was expected, and a cure; the same text
in both modes.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, nn, ops
from minds.ops import P

A, B = ops.ones((32, 512)), ops.ones((10, 512))
V = ops.ones((3,))
IMAGES = ops.ones((2, 3, 4, 4))
REFUSED = [
    (
        lambda: P.matmul(A, B),
        ValueError,
        "matmul: inner dimensions differ: 512 and 10",
        "expected x.shape[-1] == y.shape[-2]; transpose_b=True would fit",
    ),
    (lambda: P.matmul(V, A), ValueError, "matmul: both operands must be of rank 2 or more", "(3,)"),
    (
        lambda: P.add(A, B),
        ValueError,
        "add: shapes (32, 512) and (10, 512) do not broadcast",
        "equal or 1",
    ),
    (lambda: P.add(A, "x"), TypeError, "add:", "a Tensor or a number"),
    (lambda: P.exp(), TypeError, "exp: missing a required argument: 'input'", "exp(input"),
    (lambda: P.sum(A, 2), ValueError, "sum: axis must be in [-2, 2), got 2", ""),
    (
        lambda: P.sum(A, (0, -2)),
        ValueError,
        "sum: axis must be without repetition, got (0, -2)",
        "",
    ),
    (lambda: P.sum(A > 0), TypeError, "sum: input must be numeric, got bool", "cast it"),
    (
        lambda: P.amax(ops.ones((0, 2)), 0),
        ValueError,
        "amax: the reduced part must be not empty",
        "(0, 2)",
    ),
    (lambda: P.argmax(A, "x"), TypeError, "argmax: axis must be an int, got 'x'", ""),
    (
        lambda: P.reshape(A, (5, -1)),
        ValueError,
        "reshape: 16384 elements do not fill shape (5, -1)",
        "product is 16384",
    ),
    (lambda: P.reshape(A, (-1, -1)), ValueError, "reshape: shape must be with at most one -1", ""),
    (
        lambda: P.transpose(A, (0, 0)),
        ValueError,
        "transpose: perm must be a permutation of 2 dimensions",
        "(0, 0)",
    ),
    (
        lambda: P.broadcast_to(V, (2, 4)),
        ValueError,
        "broadcast_to: shapes (3,) and (2, 4) do not broadcast",
        "",
    ),
    (
        lambda: P.concat((A, B), 1),
        ValueError,
        "concat: tensors[1] has shape (10, 512), tensors[0] has (32, 512)",
        "axis 1",
    ),
    (lambda: P.concat((), 0), ValueError, "concat: tensors must be at least one tensor", ""),
    (
        lambda: P.split(V, (1, 1), 0),
        ValueError,
        "split: sizes must be sizes that add up to 3, got (1, 1)",
        "",
    ),
    (lambda: P.pad(V, ((1, -1),)), ValueError, "pad: paddings must be at least 0", ""),
    (
        lambda: P.select(V, V, V),
        TypeError,
        "select: condition must be of dtype bool, got float32",
        "condition != 0",
    ),
    (lambda: P.tril(V), ValueError, "tril: input must be of rank 2 or more, got shape (3,)", ""),
    (
        lambda: P.strided_slice(V, (0,), (4,), (1,)),
        ValueError,
        "strided_slice: the slice must be inside of shape (3,)",
        "",
    ),
    (
        lambda: P.full((2, -1), 0, ms.float32),
        ValueError,
        "full: shape must be without negative sizes, got (2, -1)",
        "",
    ),
    (lambda: P.arange(0, 3, 0, ms.int64), ValueError, "arange: step must be nonzero", ""),
    (
        lambda: P.gather(V, V, 0),
        TypeError,
        "gather: indices must be of an integer dtype, got float32",
        "cast",
    ),
    (lambda: P.gather(V, Tensor([0]), 1), ValueError, "gather: axis must be in [-1, 1), got 1", ""),
    (lambda: P.gather(V, Tensor([0, 5]), 0), IndexError, "gather:", "5"),
    (
        lambda: P.gather_nd(V, Tensor([[0, 1]])),
        ValueError,
        "gather_nd: the last size of indices must be in [1, 1], got 2",
        "",
    ),
    (
        lambda: P.tensor_scatter(V, Tensor([[0]]), V, "add"),
        ValueError,
        "tensor_scatter: updates must be of shape (1,)",
        "",
    ),
    (
        lambda: P.tensor_scatter(V, Tensor([[0]]), V, "xor"),
        ValueError,
        "tensor_scatter: mode must be one of update, add",
        "",
    ),
    (lambda: P.topk(V, 4), ValueError, "topk: k must be an int in [0, 3], got 4", ""),
    (
        lambda: P.one_hot(V, 3),
        TypeError,
        "one_hot: indices must be of an integer dtype, got float32",
        "",
    ),
    (
        lambda: P.softmax(Tensor([1, 2])),
        TypeError,
        "softmax: input must be floating point, got int64",
        "astype",
    ),
    (lambda: P.nll(ops.ones((2, 3)), Tensor([0, 3])), ValueError, "nll:", "3"),
    (
        lambda: P.nll(ops.ones((2, 3)), Tensor([0])),
        ValueError,
        "nll: target must be of shape (2,)",
        "",
    ),
    (
        lambda: P.conv2d(IMAGES, ops.ones((4, 5, 3, 3))),
        ValueError,
        "conv2d: channels differ: the image has 3, the weights take 5 in 1 group(s)",
        "5 channels",
    ),
    (
        lambda: P.conv2d(IMAGES, ops.ones((4, 3, 5, 5))),
        ValueError,
        "conv2d: the window's height 5 is larger than the padded image's, 4",
        "pad more",
    ),
    (
        lambda: P.conv2d(IMAGES, ops.ones((4, 3, 3, 3)), 0),
        ValueError,
        "conv2d: stride must be at least 1, got 0",
        "",
    ),
    (
        lambda: P.max_pool2d(IMAGES, 2, 2, 2),
        ValueError,
        "max_pool2d: pad must be smaller than the window",
        "outside",
    ),
    (
        lambda: P.avg_pool2d(V, 2),
        ValueError,
        "avg_pool2d: x must be of rank 4 (NCHW), got shape (3,)",
        "",
    ),
    (
        lambda: P.batch_norm(IMAGES, V, ops.ones((2,))),
        ValueError,
        "batch_norm: beta must be of shape (3,)",
        "(2,)",
    ),
    (
        lambda: P.layer_norm(A, V, V),
        ValueError,
        "layer_norm: gamma must be of shape (512,), got (3,)",
        "",
    ),
    (
        lambda: P.bernoulli(P.random_key(), 1.5, (2,), ms.float32),
        ValueError,
        "bernoulli: p must be in [0, 1], got 1.5",
        "",
    ),
    (
        lambda: P.randint(P.random_key(), 3, 3, (2,), ms.int64),
        ValueError,
        "randint: low must be below high",
        "3 and 3",
    ),
    (
        lambda: P.uniform(V, (2,), ms.float32),
        TypeError,
        "uniform: key must be a key from random_key()",
        "",
    ),
    (lambda: P.cast(V, "float99"), TypeError, "cast: 'float99' is not a dtype of minds", ""),
    (
        lambda: P.left_shift(V, 1),
        TypeError,
        "left_shift: input must be of an integer dtype or bool, got float32",
        "",
    ),
    (lambda: ops.stack(()), ValueError, "stack: tensors must be at least one tensor", ""),
    (
        lambda: ops.div(V, 2, rounding_mode="up"),
        ValueError,
        "div: rounding_mode must be None, 'floor' or 'trunc'",
        "'up'",
    ),
    (
        lambda: ops.mse_loss(V, V, "total"),
        ValueError,
        "mse_loss: reduction must be 'mean', 'sum' or 'none', got 'total'",
        "",
    ),
    (
        lambda: ops.conv2d(IMAGES, ops.ones((4, 3, 3, 3)), padding=1),
        ValueError,
        "conv2d: padding must be 0 with pad_mode 'valid'",
        "pad_mode='pad'",
    ),
    (
        lambda: ops.einsum("ij,jk->iz", A, A),
        ValueError,
        "einsum: equation must be one where 'z'",
        "",
    ),
    (lambda: V[3], IndexError, "index 3 is out of range for axis 0 of size 3", ""),
    (lambda: V[0, 0], IndexError, "2 indices for a tensor of rank 1", ""),
    (lambda: V["a"], TypeError, "an index has type str", "ints, slices"),
    (
        lambda: ops.assign(3, V),
        TypeError,
        "assign: variable has type int",
        "a Parameter or a Tensor",
    ),
]


@pytest.mark.parametrize("i", range(len(REFUSED)), ids=lambda i: REFUSED[i][2][:40])
def test_refused(i):
    call, kind, head, more = REFUSED[i]
    with pytest.raises(kind) as e:
        call()
    message = str(e.value)
    assert message.splitlines()[0].startswith(head), message
    assert more in message


def test_compiled_code_names_the_users_line():
    @ms.jit
    def step(x, w):
        return ops.matmul(x, w)

    with pytest.raises(ValueError, match="inner dimensions differ: 512 and 10") as e:
        step(A, B)
    assert "return ops.matmul(x, w)" in str(e.value)
    assert "Tensor[(10, 512), float32]" in str(e.value)


def test_what_another_device_would_know_is_refused():
    """Data formats, modes and generators that make no difference here are not ignored."""
    one = Tensor(np.ones((1, 2, 2, 2, 2), np.float32))
    for made in (
        lambda: ops.MaxPool3D(1, 1, data_format="NDHWC")(one),
        lambda: ops.AvgPool(1, 1, data_format="NHWC")(one),
        lambda: ops.Conv2D(1, 1, data_format="NHWC")(one, one),
    ):
        with pytest.raises(ValueError, match="data_format must be 'NCD?HW'"):
            made()
    for run in (lambda f: f, ms.jit):
        for draw in (
            lambda x: mint.rand(2, generator=x),
            lambda x: mint.randperm(2, generator=x),
            lambda x: x.uniform_(generator=x),
        ):
            with pytest.raises(TypeError, match="generator must be a Generator or None"):
                run(draw)(Tensor(1.0))
    with pytest.raises(ValueError, match="slice_mode"):
        nn.EmbeddingLookup(4, 2, slice_mode="rows")
    with pytest.raises(ValueError, match="padding_mode"):
        mint.nn.Conv2d(1, 1, 1, padding_mode="mirror")


def test_data_formats_and_dtypes_that_are_read():
    x = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2)
    bias = np.array([10.0, 20.0], np.float32)
    for run in (lambda f: f, ms.jit):
        last = run(ops.BiasAdd("NHWC"))(Tensor(x), Tensor(bias))
        np.testing.assert_array_equal(last.asnumpy(), x + bias)
        first = run(ops.BiasAdd())(Tensor(x), Tensor(bias))
        np.testing.assert_array_equal(first.asnumpy(), x + bias[:, None, None])
        count = ops.HistogramFixedWidth(2, "int64")
        found = run(lambda v, r, c=count: c(v, r))(Tensor([0.1, 0.9, 0.8]), Tensor([0.0, 1.0]))
        assert found.dtype is ms.int64 and found.tolist() == [1, 2]
        slope = run(lambda v: ms.numpy.gradient(v, 0.5, edge_order=2))
        y = np.array([1.0, 4.0, 9.0, 25.0])
        np.testing.assert_allclose(slope(Tensor(y)).asnumpy(), np.gradient(y, 0.5, edge_order=2))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_padding_modes_of_a_convolution(mode):
    x = np.random.default_rng(0).standard_normal((1, 2, 5, 6)).astype(np.float32)
    words = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    for padding, (rows, columns) in ((1, (1, 1)), ((2, 1), (2, 1)), ("same", (1, 1))):
        layer = mint.nn.Conv2d(2, 3, 3, padding=padding, padding_mode=mode)
        padded = np.pad(x, ((0, 0), (0, 0), (rows,) * 2, (columns,) * 2), words[mode])
        seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        expected = np.einsum("nchwij,ocij->nohw", seen, layer.weight.asnumpy())
        expected = expected + layer.bias.asnumpy()[:, None, None]
        np.testing.assert_allclose(
            ms.jit(layer)(Tensor(x)).asnumpy(), expected, rtol=1e-4, atol=1e-5
        )


def test_weights_and_lengths_out_of_range():
    """What tensors hold is checked when the program runs, in both modes."""
    nan = float("nan")
    x, h = ops.ones((4, 2, 2)), ops.zeros((1, 2, 3))
    scores = ops.log_softmax(ops.ones((5, 2, 4)), -1)
    labels, five, two = Tensor([[1, 2], [2, 3]]), Tensor([5, 5]), Tensor([2, 2])
    cases = [
        (lambda w: ops.multinomial(w, 1), Tensor(w)) for w in ([0.0, 0.0], [1.0, nan], [2.0, -1.0])
    ]
    cases += [(lambda w: mint.multinomial(w, 1, False), Tensor([0.0, 0.0]))]
    lstm, gru, rnn = nn.LSTM(2, 3), nn.GRU(2, 3), nn.RNN(2, 3)
    for n in (Tensor([5, 1], ms.int32), Tensor([2, -1], ms.int32)):
        cases += [(lambda n: lstm(x, (h, h), n)[0], n), (lambda n: gru(x, h, n)[0], n)]
        cases += [(lambda n: rnn(x, h, n)[0], n)]
        cases += [(lambda n: ops.reverse_sequence(x, n, 0, 1), n)]
        cases += [(lambda n: ops.ctc_loss(scores, labels, n * 3, two)[0], n)]
        cases += [(lambda n: ops.ctc_loss(scores, labels, five, n)[0], n)]
        cases += [(lambda n: ops.ctc_greedy_decoder(scores, n * 2)[1], n)]
    for fn, operand in cases:
        for run in (lambda f: f, ms.jit):
            with pytest.raises(ValueError, match="must be (in|finite)"):
                run(fn)(operand).asnumpy()
    for run in (lambda f: f, ms.jit):
        out = run(lambda n: lstm(x, (h, h), n)[0])(Tensor([4, 0], ms.int32)).asnumpy()
        assert not out[:, 1].any() and out[3, 0].any()
    for matmul in (ops.SparseTensorDenseMatmul(), nn.SparseTensorDenseMatmul()):
        for rows in (2, 4):
            with pytest.raises(ValueError, match="dense must be with 3 rows"):
                matmul(Tensor([[0, 1]]), Tensor([2.0]), (2, 3), ops.ones((rows, 2)))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_greedy_decoder_wants_a_length_for_each_sequence(count, mode):
    def f(scores, n):
        return ops.ctc_greedy_decoder(scores, n)

    run = ms.jit(f) if mode == "graph" else f
    with pytest.raises(ValueError, match=f"ctc_greedy_decoder: .*2 lengths, got {count}"):
        run(ops.ones((4, 2, 3)), ops.ones((count,), ms.int32))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize(
    "call, kind, what",
    [
        (lambda x: ops.cov(np.complex64(1j)), TypeError, "cov: input is complex"),
        (lambda x: ops.cov(np.float32(2)), TypeError, "cov: input is float"),
        (lambda x: ops.norm(np.int64(3), dim=7), TypeError, "norm: A is int"),
        (
            lambda x: ops.linspace(x.astype(ms.complex64), x, 3),
            TypeError,
            "linspace: start must be real",
        ),
        (
            lambda x: ops.linspace(x, x.astype(ms.complex64), 3),
            TypeError,
            "linspace: end must be real",
        ),
        (lambda x: ops.linspace(x, ops.ones((2,)), 3), ValueError, "linspace: .*do not broadcast"),
    ],
)
def test_one_class_in_both_modes(call, kind, what, mode):
    with pytest.raises(kind, match=what):
        (ms.jit(call) if mode == "graph" else call)(ops.ones((3,)))


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize(
    "call, args, kind, what",
    [
        # Of a number of the run there is no more than of a number.
        (ops.full_like, (-0.5, 7), TypeError, "full_like: input is float"),
        (ops.var_mean, (2.5,), TypeError, "var_mean: input is float"),
        (ops.meshgrid, (ops.ones((2,)), 3), TypeError, "meshgrid: inputs.* is int"),
        (ops.MaskedSelect(), (-0.5, 2), TypeError, "MaskedSelect: input is float"),
        # A tensor of several elements is no number and no truth.
        (ops.polygamma, (ops.ones((2, 3)), Tensor([1.0])), ValueError, "polygamma: "),
        (ops.matrix_band_part, (ops.ones((2, 2)), 0, ops.ones((4,))), ValueError, "matrix_band"),
        (ops.Bernoulli(ops.ones((3,)), 2), (ops.ones((2,)), ops.ones((2,))), ValueError, "Bern"),
        # What no array can be, though a size is 0; and what is no size.
        (lambda: ops.zeros((0, 2**31, 2**31)), (), MemoryError, "overflows"),
        (ops.csr2coo, (Tensor([0, 1, 2]), 2**70), OverflowError, "fit"),
    ],
)
def test_one_class_for_arguments_too(call, args, kind, what, mode):
    with pytest.raises(kind, match=what):
        (ms.jit(lambda *a: call(*a)) if mode == "graph" else call)(*args)


def test_an_open_size_that_no_program_holds():
    made = ms.jit(lambda x, n: ops.csr2coo(x, n))
    for n in (2, 3):
        assert made(Tensor([0] * n + [n]), n).shape == (n,)
    with pytest.raises(OverflowError, match="does not fit"):
        made(Tensor([0, 1, 2]), 2**70)


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_sequences_of_tensors_as_operands(mode):
    def f(x, y):
        found = ops.searchsorted(Tensor([1, 2, 3]), (x, y))
        return found, ops.tuple_to_array((x, y)), ops.grad(lambda x: ops.sum(as_one(x, y)))(x)

    def as_one(x, y):
        return ops.tuple_to_array((x * x, y))

    run = ms.jit(f) if mode == "graph" else f
    places, both, slope = run(Tensor([0.5, 2.5]), Tensor([9.0, 1.0]))
    np.testing.assert_array_equal(places.asnumpy(), [[0, 2], [3, 0]])
    np.testing.assert_array_equal(both.asnumpy(), [[0.5, 2.5], [9, 1]])
    np.testing.assert_array_equal(slope.asnumpy(), [1, 5])
