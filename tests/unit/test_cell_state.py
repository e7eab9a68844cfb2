"""`Cell`'s state as a dict with hooks, and settings under MindSpore's names."""

import numpy as np
import pytest
import scipy.linalg as reference

import minds as ms
from minds import Tensor, nn, ops, train
from minds.scipy import linalg


class Counted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = nn.Dense(2, 3)
        self.register_buffer("seen", Tensor([1.0]))
        self.steps = 0

    def get_extra_state(self):
        return {"steps": self.steps}

    def set_extra_state(self, state):
        self.steps = state["steps"]


def test_extra_state_is_saved_and_taken_back():
    a, b = nn.SequentialCell(Counted()), nn.SequentialCell(Counted())
    a[0].steps = 7
    assert list(a.state_dict()) == ["0.seen", "0._extra_state", "0.d.weight", "0.d.bias"]
    assert repr(b.load_state_dict(a.state_dict())) == "<All keys matched successfully>"
    assert b[0].steps == 7
    np.testing.assert_array_equal(b[0].d.weight.asnumpy(), a[0].d.weight.asnumpy())


def test_what_is_missing_and_not_expected():
    net = nn.SequentialCell(nn.Dense(2, 1))
    left = net.load_state_dict({"0.bias": net[0].bias, "0.more": net[0].bias}, strict=False)
    assert left.missing_keys == ["0.weight"] and left.unexpected_keys == ["0.more"]
    with pytest.raises(RuntimeError, match="missing"):
        net.load_state_dict({})
    with pytest.raises(RuntimeError, match="shape"):
        net.load_state_dict({"0.bias": Tensor([1.0, 2.0]), "0.weight": net[0].weight})
    with pytest.raises(TypeError, match="dict"):
        net.load_state_dict([1])
    with pytest.raises(TypeError, match="prefix"):
        net.state_dict(prefix=3)


def test_hooks_of_the_state():
    net, log = nn.SequentialCell(nn.Dense(2, 1)), []
    handles = [
        net[0].register_state_dict_pre_hook(lambda c, prefix, keep: log.append(prefix)),
        net.register_state_dict_post_hook(lambda c, state, prefix, m: state.pop("0.bias")),
        net[0].register_load_state_dict_pre_hook(
            lambda c, state, prefix, m, strict, missing, unexpected, errors: log.append(len(state))
        ),
        net.register_load_state_dict_post_hook(lambda c, left: left.missing_keys.clear()),
    ]
    state = net.state_dict()
    assert list(state) == ["0.weight"] and log == ["0."]
    assert net.load_state_dict(state).missing_keys == [] and log == ["0.", 1]
    for h in handles:
        h.remove()
        h.remove()
    assert list(net.state_dict()) == ["0.weight", "0.bias"] and len(log) == 2
    with pytest.raises(TypeError, match="function"):
        net.register_state_dict_pre_hook(3)


def test_a_cell_may_save_and_load_in_its_own_way():
    class Doubled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([1.0]))

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            destination[prefix + "twice"] = self.w * 2

        def _load_from_state_dict(self, state, prefix, *rest):
            self.w.set_data(state[prefix + "twice"] / 2)

    a, b = nn.SequentialCell(Doubled()), nn.SequentialCell(Doubled())
    a[0].w.set_data(Tensor([5.0]))
    b.load_state_dict(a.state_dict())
    assert b[0].w.asnumpy() == 5


def test_settings_that_are_kept():
    net = nn.SequentialCell(nn.Dense(2, 1))
    net.pipeline_stage = 1
    assert net[0].pipeline_stage == 1 and nn.ReLU().pipeline_stage == "NONE"
    with pytest.raises(ValueError, match="0 or more"):
        net.pipeline_stage = -1
    with pytest.raises(TypeError, match="an int"):
        net.pipeline_stage = True
    with pytest.raises(TypeError, match="a str"):
        net.cell_init_args = 1
    with pytest.raises(ValueError, match="less_bn"):
        net.set_boost("more")
    with pytest.raises(ValueError, match="fusion_type"):
        net.set_comm_fusion(-1)
    assert net.set_comm_fusion(3)[0].bias.comm_fusion == 3


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_methods_of_tensors_over_functions(mode):
    ms.set_context(mode=mode)
    x = Tensor([[3.0, 4.0], [0.0, 1.0]])
    run = ms.jit if mode == ms.GRAPH_MODE else lambda f: f
    got = run(lambda x: x.renorm(2, 0, 1.0))(x)
    np.testing.assert_allclose(got.asnumpy(), [[0.6, 0.8], [0, 1]], atol=1e-6)
    got = run(lambda x: x.nextafter(x + 1))(x)
    np.testing.assert_array_equal(got.asnumpy(), np.nextafter(x.asnumpy(), x.asnumpy() + 1))
    g = ms.grad(lambda x: x.renorm(2, 0, 1.0).sum())(Tensor([[0.3, 0.4]]))
    np.testing.assert_allclose(g.asnumpy(), [[1, 1]], atol=1e-6)


def test_random_fills_have_the_distribution():
    ms.set_seed(3)
    x = ops.zeros((200, 500))
    assert abs(np.median(x.cauchy(2.0, 3.0).asnumpy()) - 2) < 0.1
    logs = np.log(x.log_normal(0.5, 0.25).asnumpy())
    assert abs(logs.mean() - 0.5) < 0.01 and abs(logs.std() - 0.25) < 0.01
    u = x.uniform(2.0, 4.0).asnumpy()
    assert u.min() >= 2 and u.max() <= 4 and abs(u.mean() - 3) < 0.02


def test_views_say_how_they_lie():
    x = ops.zeros((2, 3, 4))
    assert x.is_contiguous() and x[1].is_contiguous() and x.reshape(6, 4).is_contiguous()
    assert not x.transpose(2, 1, 0).is_contiguous() and not x[:, 1].is_contiguous()
    assert x.transpose(2, 1, 0).contiguous().is_contiguous()
    assert x.transpose(2, 1, 0).stride() == [1, 4, 12] and x[:, 1].stride() == [12, 1]


def test_sparse_tensors_of_dense():
    x = Tensor([[0.0, 3.0], [4.0, 0.0]])
    assert x.to_coo().indices.asnumpy().tolist() == [[0, 1], [1, 0]]
    assert x.to_csr().indptr.asnumpy().tolist() == [0, 1, 2]
    np.testing.assert_array_equal(x.to_csr().to_dense().asnumpy(), x.asnumpy())


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_lu_solve_is_that_of_scipy(mode, trans):
    ms.set_context(mode=mode)
    r = np.random.RandomState(0)
    a, b = r.randn(4, 4), r.randn(4, 2)
    expected = reference.lu_solve(reference.lu_factor(a), b, trans)
    for right, wanted in ((b, expected), (b[:, 0], expected[:, 0])):

        def solve(a, b):
            return linalg.lu_solve(linalg.lu_factor(a), b, trans)

        run = ms.jit(solve) if mode == ms.GRAPH_MODE else solve
        np.testing.assert_allclose(run(Tensor(a), Tensor(right)).asnumpy(), wanted, rtol=1e-9)
    with pytest.raises(ValueError, match="rows"):
        linalg.lu_solve(linalg.lu_factor(Tensor(a)), Tensor(b[:3]))


def test_repeats_say_how_many_there_are():
    x = Tensor([1, 2])
    assert x.repeat_interleave(2, output_size=4).shape == (4,)
    with pytest.raises(ValueError, match="output_size"):
        x.repeat_interleave(2, output_size=3)


def test_roc_of_matrices_counts_each_element():
    score, label = np.array([[3, 0], [1, 2]]), np.array([[1, 0], [1, 0]])
    wide, flat = train.ROC(), train.ROC()
    wide.update(score, label)
    flat.update(score.ravel(), label.ravel())
    for got, expected in zip(wide.eval(), flat.eval()):
        np.testing.assert_array_equal(got, expected)
