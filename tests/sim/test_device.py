"""Tensors, memory, streams and the device process itself, as a user meets them."""

import os
import pickle
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
import pytest
from placed import MODES, assert_same, bits, on, simulated, two_devices

import minds as ms
from minds import Tensor, nn, ops


def run_alone(source: str, **env) -> str:
    """What a program prints in a process of its own; its errors too."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:  # the compiler reads sources
        file.write(textwrap.dedent(source))
        file.flush()
        done = subprocess.run(
            [sys.executable, file.name],
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
    return done.stdout + ("" if done.returncode == 0 else f"\nexit code {done.returncode}")


# ---- tensors


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float64", "complex64"]
)
def test_there_and_back(dtype, device):
    x = Tensor(np.array([[1, 0, 3], [4, 5, 6]]), getattr(ms, dtype))
    there = x.to(device)
    assert there.device == f"{device}:0" and x.device == "CPU"
    back = there.cpu()
    assert back.device == "CPU" and bits(back) == bits(there) == bits(x)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1000, 100)])
def test_shapes_there_and_back(shape, device):
    x = Tensor(np.random.default_rng(0).standard_normal(shape))
    assert bits(x.to(device)) == bits(x)


def test_what_a_closure_holds_on_a_device_is_compared(device):
    with on(device, ms.GRAPH_MODE):
        x, held = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)
        factor = ms.value_and_grad(lambda x: (x * held).sum())
        found = [float(factor(x)[0].asnumpy()) for _ in range(3)]
        held[0] = 5
        found.append(float(factor(x)[0].asnumpy()))
    assert found == [11, 11, 11, 13]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int32"])
@pytest.mark.parametrize("mode", MODES)
def test_numbers_of_a_program(mode, dtype, device):
    with on(device, MODES[mode]):
        x = Tensor(np.arange(1, 5), getattr(ms, dtype))
        fn = (lambda x: x * 2 + 3) if dtype == "int32" else (lambda x: x * 0.5 + 3)
        found = (ms.jit(fn) if mode == "graph" else fn)(x).astype(ms.float32).asnumpy()
    factor = 2 if dtype == "int32" else 0.5
    assert found.tolist() == [n * factor + 3 for n in range(1, 5)]


@two_devices
def test_between_devices(device):
    x = Tensor(np.arange(1000.0))
    there = x.to(f"{device}:0").to(f"{device}:1")
    assert there.device == f"{device}:1" and bits(there) == bits(x)


@two_devices
@pytest.mark.parametrize("mode", MODES)
def test_devices_are_not_mixed(mode, device):
    a, b = Tensor([1.0, 2.0]).to(f"{device}:0"), Tensor([1.0, 2.0]).to(f"{device}:1")
    add = ms.jit(lambda x, y: x + y) if mode == "graph" else ops.add
    with on(device), pytest.raises((ValueError, RuntimeError)) as raised:
        bits(add(a, b))
    assert f"{device}:0" in str(raised.value) and f"{device}:1" in str(raised.value)


def test_numbers_and_texts(device):
    with on(device):
        x = Tensor([1.5, -2.0])
        assert float(x[0]) == 1.5 and x.sum().item() == -0.5 and x.tolist() == [1.5, -2.0]
        assert bool((x > 1).any()) and len(x) == 2 and "1.5" in str(x)


def test_views_are_copies_for_numpy(device):
    x = Tensor([1.0, 2.0]).to(device)
    a = np.asarray(x)
    a[0] = 7
    assert x.tolist() == [1.0, 2.0]


def test_dlpack_goes_through_the_host(device):
    x = Tensor([1.0, 2.0]).to(device)
    assert np.from_dlpack(x.cpu()).tolist() == [1.0, 2.0]


def test_pickle(device):
    x = Tensor(np.arange(6.0).reshape(2, 3)).to(device)
    again = pickle.loads(pickle.dumps(x))
    assert bits(again) == bits(x)


# ---- parameters, checkpoints, data


def test_checkpoints(device, tmp_path):
    path = str(tmp_path / "net.ckpt")
    with on(device):
        net = nn.Dense(3, 2)
        ms.save_checkpoint(net, path)
        wanted = bits(list(net.get_parameters()))
        other = nn.Dense(3, 2)
        ms.load_param_into_net(other, ms.load_checkpoint(path))
        assert bits(list(other.get_parameters())) == wanted
        assert {p.device for p in other.get_parameters()} == {f"{device}:0"}
    here = nn.Dense(3, 2)
    ms.load_param_into_net(here, ms.load_checkpoint(path))
    assert bits(list(here.get_parameters())) == wanted
    assert {p.device for p in here.get_parameters()} == {"CPU"}


@pytest.mark.parametrize("mode", MODES)
def test_model_over_a_dataset(mode, device):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((32, 4)).astype(np.float32)
    y = (x.sum(1) > 0).astype(np.int32)

    def run():
        ms.common.set_seed(1)
        data = ms.dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(8)
        net = nn.Dense(4, 2)
        model = ms.train.Model(
            net,
            nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
            nn.Momentum(net.trainable_params(), 0.1, 0.9),
            metrics={"accuracy"},
        )
        model.train(2, data)
        return model.eval(data), list(net.get_parameters())

    assert_same(run, device, MODES[mode])


def test_random_numbers_are_the_cpus(device):
    def run():
        ms.set_seed(5)
        return ops.standard_normal((3, 4)), ops.rand(5), nn.Dropout(p=0.5)(ops.ones((20,)))

    assert_same(run, device)


# ---- memory


def test_memory_is_counted(device):
    with on(device):
        before = ms.hal.memory_allocated()
        x = ops.zeros((1 << 18,), ms.float32)
        assert ms.hal.memory_allocated() >= before + (1 << 20)
        assert ms.hal.max_memory_allocated() >= before + (1 << 20)
        del x
        assert ms.hal.memory_allocated() <= before + (1 << 10)


OUT_OF_MEMORY = """
    import minds as ms
    ms.set_context(device_target={device!r}, mode=ms.{mode})
    large = int((ms.hal.get_device_properties(0).total_memory / 4) ** 0.5) + 1
    def grow(x):
        y = x.reshape(-1, 1) * x.reshape(1, -1)
        return (y * y.sum(0)).sum()
    held = ms.ops.ones((1 << 22,))
    run = ms.jit(grow) if {compiled} else grow
    try:
        print(float(run(ms.ops.ones((large,)))))
    except MemoryError as e:
        print("caught", e)
    print(float(run(ms.ops.ones((4,)))), float(held[7]))
"""


@pytest.mark.parametrize("mode", MODES)
def test_out_of_memory_is_an_exception(mode, device):
    source = OUT_OF_MEMORY.format(
        device=device,
        mode="GRAPH_MODE" if mode == "graph" else "PYNATIVE_MODE",
        compiled=mode == "graph",
    )
    text = run_alone(source, MINDS_SIM_MEMORY=str(64 << 20))
    assert "caught" in text and f"{device}:0" in text and text.endswith("64.0 1.0\n"), text
    assert "the largest holders" in text and ".py:8" in text, text


# ---- streams


def test_streams_and_events(device):
    with on(device):
        x = ops.arange(0, 1000).astype(ms.float32)
        ready = ms.hal.Event()
        ready.record()
        side = ms.hal.Stream()
        with ms.hal.StreamCtx(side):
            ready.wait()
            y = x * 2
            done = ms.hal.Event()
            done.record()
        done.wait()
        assert float((y + x)[999]) == 2997
        first, last = ms.hal.Event(enable_timing=True), ms.hal.Event(enable_timing=True)
        first.record()
        for _ in range(5):
            x = x + 1
        last.record()
        last.synchronize()
        assert last.query() and first.elapsed_time(last) > 0
        side.synchronize()
        assert side.query()
        ms.hal.synchronize()


# ---- the process


def test_a_forked_child_is_refused(device):
    text = run_alone(
        f"""
        import os
        import minds as ms
        x = ms.Tensor([1.0]).to({device!r})
        child = os.fork()
        if child == 0:
            try:
                print(x.asnumpy())
            except RuntimeError as e:
                print("child:", str(e).splitlines()[0], flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print("parent:", (x + x).asnumpy())
        """
    )
    assert "child:" in text and "fork" in text and "parent: [2.]" in text, text


def device_process(parent: int) -> list:
    """The processes of a process's devices."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    head, _, tail = f.read().rpartition(")")
            except OSError:
                continue
            if (
                head.endswith(("minds_sim", "cuda_device"))
                and tail.split()[1] == str(parent)
                and tail.split()[0] != "Z"
            ):
                found.append(int(name))
    return found


@simulated
def test_the_death_of_the_device_is_an_exception(device):
    text = run_alone(
        f"""
        import os, signal, sys
        sys.path[:0] = {sys.path!r}
        from test_device import device_process
        import minds as ms
        x = ms.Tensor([1.0]).to({device!r})
        [process] = device_process(os.getpid())
        os.kill(process, signal.SIGKILL)
        for k in range(2):
            try:
                print((x + x).asnumpy())
            except RuntimeError as e:
                print("caught:", str(e).splitlines()[0])
        print((x.device, (ms.Tensor([1.0]) + 1).asnumpy()))
        """
    )
    assert text.count("caught:") == 2 and "by signal 9 (Killed)" in text, text
    assert "[2.]" in text


def test_ctrl_c_leaves_the_device_alive(device):
    text = run_alone(
        f"""
        import os, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
        import minds as ms
        x = ms.Tensor([1.0]).to({device!r})
        try:
            os.killpg(os.getpgid(0), signal.SIGINT)
            for _ in range(10**7):
                x = x + 1
        except KeyboardInterrupt:
            print("interrupted")
        print((ms.Tensor([1.0]).to({device!r}) + 1).asnumpy())
        """.replace("import os, signal", "import os, signal; os.setpgid(0, 0)")
    )
    assert text == "interrupted\n[2.]\n", text


@simulated
def test_the_device_goes_with_its_host(device):
    text = run_alone(
        f"""
        import os, sys
        sys.path[:0] = {sys.path!r}
        from test_device import device_process
        import minds as ms
        x = ms.Tensor([1.0]).to({device!r})
        child = os.fork()
        if child == 0:
            os.close(1), os.close(2)  # the test reads them to their end
            import time
            time.sleep(60)
        print(child, *device_process(os.getpid()), flush=True)
        os.kill(os.getpid(), 9)
        """
    )
    child, process = map(int, text.split("\n")[0].split())
    try:
        for _ in range(200):
            if not alive(process):
                break
            subprocess.run(["sleep", "0.02"], check=True)
        assert not alive(process)
    finally:
        os.kill(child, 9)


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
