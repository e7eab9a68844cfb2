"""MindSpore's paths of modules, and names that are imported when they are first asked for."""

import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import minds as ms
from minds.base.late import late
from minds.compat.importer import Alias, Importer
from minds.compat.paths import PATHS


@pytest.mark.parametrize("path", PATHS)
def test_a_path_shows_the_names_of_its_home(path):
    module = importlib.import_module(f"minds.{path}")
    home = importlib.import_module(f"minds.{PATHS[path]}")
    assert module.__name__ == f"minds.{path}"
    public = [n for n in getattr(home, "__all__", dir(home)) if not n.startswith("__")]
    for name in public:
        found, own = getattr(module, name), getattr(home, name)
        assert found is own or isinstance(found, Alias) and found.home is own
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        module.nothing


def test_homes_are_modules_of_minds():
    assert not {home for home in PATHS.values() if home in PATHS}


def test_an_alias_hides_no_name_of_the_module_above_it():
    """In a process of its own: what was imported before is not imported again."""
    code = """
import importlib
import minds as ms
from minds.compat.paths import PATHS
before = vars(ms.train).copy()
for path in [p for p in PATHS if p.startswith("train.")]:
    importlib.import_module(f"minds.{path}")
for name, value in before.items():
    found = vars(ms.train)[name]
    assert found is value or dir(found) == dir(value) and "class 'module'" in str(type(value)), name
import minds.train.metrics.accuracy as accuracy
assert accuracy.Accuracy is ms.train.metrics.Accuracy is ms.train.Accuracy
from minds.train.data_sink import data_sink
assert data_sink is ms.train.data_sink is ms.data_sink and callable(data_sink)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_importer_serves_other_roots(monkeypatch):
    finder = Importer("elsewhere", {"deep": "ops", "deep.layers": "nn"})
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    finder.homes["elsewhere"] = "minds"
    layers = importlib.import_module("elsewhere.deep.layers")
    assert layers.Dense is ms.nn.Dense and sys.modules["elsewhere.deep"].add is ms.ops.add
    for name in ("elsewhere", "elsewhere.deep", "elsewhere.deep.layers"):
        del sys.modules[name]


def test_a_late_name_is_imported_once():
    module = type(sys)("some_module")
    sys.modules[module.__name__] = module
    try:
        find, names = late(module.__name__, {"ops": "add  sub"}, ["below"], {"x": 0}.get)
        assert names()[-3:] == ["add", "below", "sub"]
        assert find("add") is ms.ops.add is module.add and find("x") == 0
        with pytest.raises(AttributeError, match="no attribute 'y'"):
            find("y")
    finally:
        del sys.modules[module.__name__]


def test_the_defaults_of_openmp_are_set_before_the_native_core_is_loaded():
    code = (
        "import sys, minds; m = list(sys.modules); "
        "print(m.index('minds.base.threads') < m.index('minds._core'))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "True"


def test_names_at_the_top_are_those_of_their_homes():
    assert set(ms.train.__all__) <= set(dir(ms))
    assert ms.Model is ms.train.Model and ms.context is not None
    assert ms.amp.build_train_network is ms.train.amp.build_train_network
    for name in dir(ms):
        assert getattr(ms, name) is not None, name
    with pytest.raises(AttributeError, match="module 'minds' has no attribute 'nothing'"):
        ms.nothing


def test_mindspore_has_all_functions_in_four_modules():
    for family in ("array_func", "linalg_func", "math_func", "nn_func"):
        module = importlib.import_module(f"minds.ops.function.{family}")
        assert module.add is ms.ops.add and module.relu is ms.ops.relu


def test_checks_of_arguments_give_them_back_or_say_what_is_wrong():
    from minds import _checkparam as check

    assert check.check_int(3, 2, check.GT, "n") == 3 and check.check_positive_float(0.5) == 0.5
    assert check.check_int_range(2, 0, 2, check.INC_RIGHT) == 2 and check.check_bool(True)
    assert (
        check.check_string("a", ["a", "b"]) == "a" and check.check_subclass("c", bool, int) is bool
    )
    assert check._expand_tuple(2)(3) == check._expand_tuple(2)((3, 3)) == (3, 3)
    for call, kind, said in (
        (lambda: check.check_int(2, 2, check.GT, "n", "Op"), ValueError, "Op: n is 2"),
        (lambda: check.check_int(True, 2, check.LT, "n"), TypeError, "n is True"),
        (lambda: check.check_non_negative_int(-1, "n"), ValueError, "at least 0"),
        (
            lambda: check.check_float_range(1.0, 0.0, 1.0, check.INC_LEFT, "p"),
            ValueError,
            r"\[0.0, 1.0\)",
        ),
        (lambda: check.check_value_type("n", 1.0, (int, str)), TypeError, "int, str"),
        (lambda: check.check_string("c", ["a", "b"], "mode"), ValueError, "mode is 'c'"),
        (lambda: check._expand_tuple(2)((1, 2, 3)), TypeError, "a tuple of 2 ints"),
        (lambda: check._expand_tuple(2)(0.5), TypeError, "the argument is 0.5"),
        (lambda: ms.ops.functional.scalar_cast(1, ms.int8), ValueError, "input_y is Int8"),
    ):
        with pytest.raises(kind, match=said):
            call()


def test_scalar_cast():
    from minds.ops.functional import scalar_cast

    def f(n):
        return scalar_cast(n, ms.int64), scalar_cast(n, ms.float64), scalar_cast(n, ms.bool_)

    assert f(8.5) == ms.jit(f)(8.5) == (8, 8.5, True)


def test_small_things_of_the_inside():
    from minds._c_expression import security
    from minds.communication import create_group
    from minds.ops._primitive_cache import _get_cache_prim
    from minds.ops.vm_impl_registry import vm_impl_registry

    assert not security.enable_security()
    made = _get_cache_prim(ms.ops.Softmax)
    assert made(0) is made(0) is not made(1)
    assert vm_impl_registry.register(ms.ops.Add)(len) is vm_impl_registry["Add"] is len
    assert ms.jit(len).__code__.co_name == "staging_specialize"
    with pytest.raises(RuntimeError, match="init"):
        create_group("two", [0, 1])


def test_an_import_does_not_load_what_only_several_processes_and_files_need():
    code = (
        "import sys, minds; print(sorted({'importlib.metadata', 'json', 'minds.base.ranks_watch', "
        "'minds.jit.reach', 'minds.sharding.step', 'socket', 'tempfile'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("ops.function.array_func", "gather_ext split_view arg_max_with_value_ relu"),
        ("ops.function.random_func", "rand_ext normal_ uniform_ exponential_"),
        ("ops", "diff_ext isnan_ext clamp_ tanh_"),
        ("ops.functional", "diff_ext normal_"),
        ("ops.functional_overload", "any chunk"),
        ("nn.layer", "Dense Conv2d LSTM"),
        ("nn.layer.activation", "PReLUExt SeLU ReLU"),
        ("nn.layer.normalization", "BatchNorm2d LayerNorm"),
        ("nn.optim.ada_grad", "Adagrad"),
        ("mint", "relu Conv2d Adam vector_norm all_reduce"),
        ("common", "float16 Generator COOTensor from_numpy enable_dynamic"),
        ("context", "STRICT LAX COMPATIBLE"),
        ("graph.api", "jit"),
        ("train.callback._checkpoint", "ModelCheckpoint"),
        ("", "Event synchronize get_level experimental rewrite"),
    ],
)
def test_a_module_has_the_names_that_mindspore_has_in_it(path, names):
    module = importlib.import_module(f"minds.{path}".rstrip("."))
    for name in names.split():
        assert callable(getattr(module, name)) or getattr(module, name) is not None


def test_generated_names_take_torchs_parameters():
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    index = ms.Tensor([[0, 0], [1, 0]])
    found = ms.ops.function.array_func.gather_ext(x, 1, index)
    assert found.asnumpy().tolist() == [[1.0, 1.0], [4.0, 3.0]]
    assert ms.ops.auto_generate.select_ext_view(x, 1, 0).asnumpy().tolist() == [1.0, 3.0]
    assert ms.ops.clamp_(x, 0, 2) is x and x.asnumpy().max() == 2


def test_signatures_of_primitives_are_kept():
    from minds.ops import signature as sig

    made = sig.make_sig("x", sig.sig_rw.RW_WRITE, dtype=sig.sig_dtype.T1)
    assert made.name == "x" and made.rw is sig.sig_rw.RW_WRITE and made.dtype is sig.sig_dtype.T1
    assert sig.make_sig().default is sig.sig_kind.KIND_EMPTY_DEFAULT_VALUE


def test_no_path_hides_a_module_of_minds():
    home = pathlib.Path(ms.__file__).parent
    places = {path: home.joinpath(*path.split(".")) for path in PATHS}
    assert not [
        p
        for p, at in places.items()
        if at.with_suffix(".py").exists() or (at / "__init__.py").exists()
    ]


def test_checks_of_dtypes_and_sequences():
    from minds import _checkparam as check

    numbers = ms.common.dtype.number_type
    assert check.check_tensor_dtype_valid("x", ms.float32, numbers, "Op") is ms.float32
    check.check_tensors_dtypes_same_and_valid({"x": ms.int8, "y": ms.int8}, numbers, "Op")
    assert check.check_subclass("x", ms.bool_, ms.common.dtype.tensor_type, "Op") is ms.bool_
    assert check.check_equal_int(2, 2) == 2 and check.check("a", 1, "b", 2, check.LT) == 1
    assert check.check_number_range(0.5, 0.0, 1.0, check.INC_BOTH, float) == 0.5
    assert check.check_positive_int_sequence((1, 2)) == (1, 2)
    check.check_size_and_element_type_of_tuple("t", (1, 2), 2, int)
    for call, kind, said in (
        (lambda: check.check_tensor_dtype_valid("x", ms.int8, [ms.bool_], "Op"), TypeError, "Bool"),
        (
            lambda: check.check_tensors_dtypes_same_and_valid(
                {"x": ms.int8, "y": ms.int16}, numbers
            ),
            TypeError,
            "Int8, as x",
        ),
        (lambda: check.check("a", 1, "b", 2, check.GT, "Op"), ValueError, "greater than b, 2"),
        (lambda: check.check_positive_int_sequence([1, 0], "dims"), ValueError, r"dims\[1\] is 0"),
        (lambda: check.check_subclass("x", ms.int8, [ms.int16]), TypeError, "x is Int8"),
        (lambda: check.check_isinstance("x", 1, str), ValueError, "x is 1"),
        (lambda: check.check_element_type_of_iterable("x", [1, "a"], [int]), TypeError, r"x\[1\]"),
    ):
        with pytest.raises(kind, match=said):
            call()


def test_tensors_of_buffers():
    data = bytes(range(8))
    assert ms.frombuffer(data, ms.uint8, 2, 3).asnumpy().tolist() == [3, 4]
    assert ms.frombuffer(data, ms.int32).shape == (2,) and ms.frombuffer(data).dtype is ms.float32
    for bad in (data[:3], 3):
        with pytest.raises(RuntimeError, match="frombuffer"):
            ms.frombuffer(bad, ms.int32)


def test_second_paths_are_attributes():
    ops = importlib.import_module("minds.ops")
    assert ops.operations.array_ops.TensorScatterAdd is ops.operations.TensorScatterAdd
    assert ops.auto_generate.gen_ops_prim.Abs is ops.operations.Abs
    with pytest.raises(AttributeError, match="no_such_ops"):
        ops.operations.no_such_ops


def test_types_of_the_native_module():
    typing = importlib.import_module("minds._c_expression.typing")
    assert typing.type_id_to_type(34) is ms.int32
    assert isinstance(ms.float32, typing.Float) and not isinstance(ms.int32, typing.Float)
    assert isinstance(ms.bool_, typing.Bool) and isinstance(ms.uint8, typing.Number)
    assert typing.TensorType(ms.int8) == typing.TensorType(ms.int8) != typing.TensorType(ms.int16)
    with pytest.raises(ValueError, match="number of no dtype"):
        typing.type_id_to_type(1)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_generated_primitives(mode):
    generated = importlib.import_module("minds.ops.auto_generate")

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.total, self.plus = generated.SumExt(), generated.AddExt()

        def construct(self, x):
            return self.total(x, (0,), True, ms.float32) + self.plus(x, x, 2)

    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    ms.set_context(mode=mode)
    out, slope = Net()(ms.Tensor(x)), ms.grad(Net())(ms.Tensor(x))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(out.asnumpy(), x.sum(0, keepdims=True) + 3 * x)
    np.testing.assert_allclose(slope.asnumpy(), np.full((2, 2), 5.0))


def test_kinds_of_generated_ops():
    generated = importlib.import_module("minds.ops.auto_generate")
    x = ms.Tensor([3, 6])
    assert generated.Muls()(x, 2).tolist() == [6, 12]
    assert generated.BitwiseXorTensor()(x, ms.Tensor([1, 1])).tolist() == [2, 7]
    y = ms.Tensor([0.0])
    assert generated.InplaceExp()(y) is y and y.tolist() == [1.0]
    with pytest.raises(AttributeError):
        generated.NoSuchThingExt


@pytest.mark.parametrize("before", ["gc.enable()", "gc.disable()"])
def test_an_import_leaves_the_search_for_garbage_as_it_is(before):
    code = f"import gc; {before}; was = gc.isenabled(); import minds; print(was == gc.isenabled())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "True"


def test_names_that_live_in_several_modules():
    import minds.multiprocessing as processes
    from minds.ops import all_reduce, get_world_size
    from minds.train.callback import SummaryLandscape
    from minds.train.serialization import Cast, Generator, get_rank

    assert all_reduce is ms.mint.distributed.all_reduce and get_world_size() == 1
    assert SummaryLandscape is ms.train.SummaryLandscape and Cast is ms.ops.Cast
    assert Generator is ms.Generator and get_rank() == 0
    assert processes.Queue is not None and processes.cpu_count() > 0


def test_dtypes_by_their_number_of_bits():
    from minds.compat import native_types as typing

    assert typing.Int(64) is ms.int64 and typing.UInt(8) is ms.uint8
    assert typing.Float(16) is ms.float16 and typing.BFloat(16) is ms.bfloat16
    assert typing.Complex(64) is ms.complex64 and str(typing.Number()) == "Number"
    with pytest.raises(RuntimeError, match="none of 7 bits"):
        typing.Int(7)
