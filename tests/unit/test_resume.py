"""A training that was ended anywhere and goes on gives the numbers of one that was not, to the last
bit: parameters, random numbers, data, callbacks.
"""

import os
import random
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import Tensor, mint, nn, ops, train
from minds.dataset import vision

X = np.random.default_rng(0).normal(size=(26, 1, 6, 6)).astype(np.float32)
Y = np.random.default_rng(1).integers(0, 3, 26).astype(np.int32)
EPOCHS, STEPS = 3, 12


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.drop, self.out = nn.Dropout(p=0.3), nn.Dense(144, 3)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)))
        return self.out(self.drop(x.reshape(x.shape[0], -1)))


class Killed(Exception):
    pass


class Watch(train.Callback):
    """Notes each step's loss; ends the training behind one."""

    def __init__(self, last=None):
        self.losses, self._last = [], last

    def on_train_step_begin(self, run_context):
        if len(self.losses) == self._last:
            raise Killed

    def on_train_step_end(self, run_context):
        p = run_context.original_args()
        self.losses.append((p.cur_epoch_num, p.cur_step_num, p.net_outputs[0].asnumpy().tobytes()))


def batches():
    data = ds.NumpySlicesDataset((X, Y), ["x", "y"])
    flips = [vision.HorizontalFlip(), vision.RandomHorizontalFlip(0.5)]
    return data.map(flips, "x", num_parallel_workers=3).batch(7)


def trained(callbacks, seed=1, sink=False, resume=None):
    """The bits of every parameter after a training."""
    ms.set_seed(seed)
    net = Net()
    adam = nn.Adam(net.trainable_params(), nn.CosineDecayLR(1e-3, 1e-2, STEPS))
    model = train.Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        adam,
        loss_scale_manager=train.DynamicLossScaleManager(1024, 2, 3),
    )
    try:
        model.train(EPOCHS, batches(), callbacks, dataset_sink_mode=sink, resume=resume)
    except Killed:
        pass
    return {p.name: p.asnumpy().tobytes() for p in model.train_network.get_parameters()}


@pytest.fixture(scope="module", params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def whole_run(request):
    """The mode, and the losses and parameters of a training that is not ended."""
    ms.set_context(mode=request.param)
    watch = Watch()
    return request.param, watch, trained(watch)


def ends(config) -> list[int]:
    return list(range(1, STEPS)) if config.getoption("whole") else [1, 6, 11]


def test_ended_anywhere(whole_run, tmp_path, pytestconfig):
    mode, full, parameters = whole_run
    ms.set_context(mode=mode)
    for last in ends(pytestconfig):
        folder = tmp_path / str(last)
        before, after = Watch(last), Watch()
        trained([train.BackupAndRestore(folder, save_steps=1), before], sink=last % 2 == 0)
        found = trained([train.BackupAndRestore(folder, save_steps=1), after], seed=77)
        assert before.losses + after.losses == full.losses
        assert found == parameters
        assert not os.listdir(folder)


def test_between_epochs(whole_run, tmp_path):
    mode, full, parameters = whole_run
    ms.set_context(mode=mode)
    trained([train.BackupAndRestore(tmp_path), Watch(6)])
    after = Watch()
    assert trained([train.BackupAndRestore(tmp_path), after], seed=77) == parameters
    assert after.losses == full.losses[4:]


def test_from_a_checkpoint(whole_run, tmp_path):
    mode, full, parameters = whole_run
    ms.set_context(mode=mode)
    config = train.CheckpointConfig(5, append_info=["step_num", "training_state"])
    trained([train.ModelCheckpoint("net", str(tmp_path), config), Watch(6)])
    path = str(tmp_path / "net-2_1.ckpt")
    assert ms.load_checkpoint(path)["conv.weight"].shape == (4, 1, 3, 3)
    after = Watch()
    assert trained(after, seed=77, resume=path) == parameters
    assert after.losses == full.losses[5:]


def test_a_signal_ends_it(whole_run, tmp_path):
    mode, full, parameters = whole_run
    ms.set_context(mode=mode)

    class Ask(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                signal.raise_signal(signal.SIGTERM)

    before, after = Watch(), Watch()
    handler = signal.getsignal(signal.SIGTERM)
    trained([Ask(), train.OnRequestExit(directory=str(tmp_path)), before])
    assert signal.getsignal(signal.SIGTERM) is handler
    assert sorted(os.listdir(tmp_path / "rank_0")) == ["Net_train.ckpt", "Net_train.mindir"]
    found = trained([train.OnRequestExit(directory=str(tmp_path)), after], seed=77)
    assert before.losses + after.losses == full.losses
    assert found == parameters
    assert os.listdir(tmp_path / "rank_0") == ["Net_train.mindir"]


def test_killed_by_the_system(tmp_path):
    """SIGKILL at an arbitrary moment: what is on disk is whole, and the rest is the same."""
    script = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import test_resume as t
        from minds import train
        watch = t.Watch()
        class Tell(train.Callback):
            def on_train_step_end(self, run_context):
                print(watch.losses[-1], flush=True)
        t.trained([train.BackupAndRestore(sys.argv[1], save_steps=1), watch, Tell()])
        """
    )

    def lines(folder, until=None):
        args = [sys.executable, "-c", script, str(folder)]
        with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as process:
            found = []
            for line in process.stdout:
                found.append(line)
                if len(found) == until:
                    process.kill()
                    break
        return found

    full = lines(tmp_path / "whole")
    assert len(full) == STEPS
    begun = lines(tmp_path / "killed", until=5)
    rest = lines(tmp_path / "killed")
    # The kill came before or after the step of the last line was saved, or later.
    assert begun == full[:5] and rest == full[STEPS - len(rest) :] and len(rest) <= STEPS - 4


def test_callbacks_go_on(tmp_path):
    """Early stopping, a falling rate and the history end as without a break."""

    def results(stop_at, resume):
        ms.set_seed(3)
        net = nn.Dense(2, 1)
        sgd = nn.SGD(net.trainable_params(), 0.1)
        model = train.Model(net, nn.MSELoss(), sgd)
        data = ds.NumpySlicesDataset((X.reshape(-1, 2), np.ones((468, 1), np.float32))).batch(50)
        watched = [
            train.EarlyStopping("loss", patience=3, restore_best_weights=True),
            train.ReduceLROnPlateau("loss", 0.5, patience=1),
            train.History(),
        ]

        class Stop(train.Callback):
            def on_train_epoch_begin(self, run_context):
                if run_context.original_args().cur_epoch_num == stop_at:
                    raise Killed

        # What is saved is the state after all callbacks of an epoch's end.
        try:
            model.train(9, data, [train.BackupAndRestore(tmp_path / resume), *watched, Stop()])
        except Killed:
            pass
        history = watched[2]
        losses = [float(v) for v in history.history["net_output"]]
        return history.epoch, losses, float(sgd.get_lr()), net.weight.asnumpy().tolist()

    full = results(None, "a")
    results(3, "b")
    assert results(None, "b") == full


@pytest.mark.parametrize("workers", [1, 4])
def test_rows_from_anywhere(workers):
    def shuffled():
        return ds.NumpySlicesDataset({"x": np.arange(23), "y": np.arange(23) * 2})

    def noisy(x):
        return x + ds.rowrng.current().normal()

    def mixed(x, y, info):
        return x, [v + ds.rowrng.current().normal() for v in y]

    pipelines = [
        shuffled(),
        shuffled().batch(4),
        shuffled().map(noisy, "x", num_parallel_workers=workers).batch(4, drop_remainder=True),
        shuffled().batch(3, per_batch_map=mixed, num_parallel_workers=workers),
        shuffled().batch(lambda info: info.get_batch_num() + 1).shuffle(3),
        shuffled().filter(lambda x: x % 3 > 0, "x").shuffle(5).repeat(2).batch(3),
        ds.GeneratorDataset(list(range(17)), ["x"], num_parallel_workers=workers).project(["x"]),
        ds.GeneratorDataset(lambda: ((i, i) for i in range(9)), ["x", "z"]).project(["z"]).skip(2),
        ds.zip((shuffled(), shuffled().rename(["x", "y"], ["a", "b"]))).batch(5),
        shuffled().concat(shuffled()).take(30),
    ]
    for data in pipelines:
        rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
        found, states = [], [rows.state()]
        for _ in range(3):
            for row in rows:
                found.append([v.tolist() for v in row])
                states.append(rows.state())
        assert len(found) == 3 * data.get_dataset_size()
        for begin in range(0, len(found), 3):
            again = data.create_tuple_iterator(num_epochs=3, output_numpy=True, state=states[begin])
            rest = []
            for _ in range(again.state()["epoch"], 3):
                rest += [[v.tolist() for v in row] for row in again]
            assert rest == found[begin:]


def test_seeded_epochs_are_their_own():
    """The k-th epoch of a seeded pipeline is the same whether or not those before it were given."""
    ms.set_seed(5)
    data = ds.NumpySlicesDataset(np.arange(20))
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    _, second = [int(x) for (x,) in rows], [int(x) for (x,) in rows]
    again = data.create_tuple_iterator(num_epochs=2, output_numpy=True, state={"epoch": 1})
    assert [int(x) for (x,) in again] == second


def test_generators_of_random_numbers(tmp_path):
    """Those of minds, NumPy, Python and the initialisers go on, and so does one of the user's."""
    path, own = str(tmp_path / "s.ckpt"), ms.Generator().manual_seed(9)

    def drawn():
        return [
            ops.rand(3).asnumpy().tolist(),
            mint.randn(3, generator=own).asnumpy().tolist(),
            ms.common.initializer.initializer("normal", [3]).asnumpy().tolist(),
            np.random.rand(),
            random.random(),
        ]

    drawn()
    train.save_state(path, own)
    expected = drawn()
    drawn()
    ms.set_seed(4)
    train.load_state(path, own)
    assert drawn() == expected


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_generator_draws_the_numbers_of_its_seed(mode):
    ms.set_context(mode=mode)
    own = ms.Generator().manual_seed(6)

    @ms.jit
    def noisy(x, n):
        for _ in range(n):
            x = x + mint.rand(3, generator=own) * mint.randn(3, generator=own)
        return x

    x = ops.zeros(3)
    found = [noisy(x, Tensor(2)), noisy(x, Tensor(1))]
    assert own.get_state().asnumpy().tolist() == [6, *[0] * 7, 6, *[0] * 7]
    ms.manual_seed(6)
    for y, n in zip(found, (2, 1)):
        expected = x
        for _ in range(n):
            expected = expected + mint.rand(3) * mint.randn(3)
        assert y.asnumpy().tolist() == expected.asnumpy().tolist()


def test_methods_draw_from_a_generator():
    own, x = ms.Generator(), ops.zeros(64)

    def drawn():
        own.manual_seed(3)
        made = [
            x.normal_(generator=own),
            x.uniform_(generator=own),
            x.random_(0, 9, generator=own),
            x.bernoulli_(0.5, generator=own),
            x.exponential_(generator=own),
            mint.randint(0, 99, (5,), generator=own),
            mint.randperm(9, generator=own),
            mint.bernoulli(ops.ones(9) / 2, generator=own),
            mint.multinomial(ops.ones(9), 4, generator=own),
            mint.normal(0.0, 1.0, (5,), generator=own),
        ]
        return [v.asnumpy().tolist() for v in made]

    ms.set_seed(1)
    first = drawn()
    ms.set_seed(2)
    assert drawn() == first
    with pytest.raises(TypeError, match="rand: generator must be a Generator or None, got 3"):
        mint.rand(3, generator=3)


def test_loss_scaler_goes_on(tmp_path):
    path = str(tmp_path / "s.ckpt")
    scaler = ms.amp.DynamicLossScaler(1024, 2, 2)
    scaler.adjust(Tensor(False))
    scaler.adjust(Tensor(True))
    train.save_state(path, scaler)
    again = ms.amp.DynamicLossScaler(8, 2, 2)
    train.load_state(path, again)
    again.adjust(Tensor(True))
    assert again.scale_value.asnumpy() == 1024


def test_refusals(tmp_path):
    path, net = str(tmp_path / "s.ckpt"), nn.Dense(2, 1)
    train.save_state(path, net, note={"a": [1, (2.5, None)], "b": Tensor([1.0])})
    found = train.load_state(path, net)
    assert found["note"]["a"] == [1, (2.5, None)] and found["note"]["b"].asnumpy() == [1.0]
    state = ms.get_rng_state().asnumpy().tolist()
    with pytest.raises(ValueError, match="has also 'bias', 'weight'"):
        train.load_state(path)
    with pytest.raises(ValueError, match="'weight' is float32 of shape"):
        train.load_state(path, nn.Dense(3, 1))
    with pytest.raises(ValueError, match="two parameters have the name 'weight'"):
        train.save_state(path, nn.Dense(2, 1), nn.Dense(2, 1))
    with pytest.raises(TypeError, match="a part has type int"):
        train.save_state(path, 3)
    with pytest.raises(TypeError, match="note has type object"):
        train.save_state(path, note=object())
    with pytest.raises(TypeError, match="rows has type list"):
        train.save_state(path, rows=[])
    ms.save_checkpoint(net, path)
    with pytest.raises(train.CheckpointError, match="no training state"):
        train.load_state(path, net)
    for text in ("", "[]", '{"random": 1, "rows": 2, "more": {}}', '{"random": {"dict": 1}}'):
        ms.save_checkpoint(net, path, append_dict={"training_state": text})
        with pytest.raises(train.CheckpointError, match="its training state makes no sense"):
            train.load_state(path, net)
    assert ms.get_rng_state().asnumpy().tolist() == state
    data = ds.NumpySlicesDataset([1, 2])
    for state in ({"rows": 1}, {"epoch": -1}):
        with pytest.raises(ValueError, match="expected what an iterator's state"):
            data.create_tuple_iterator(state=state)
    with pytest.raises(TypeError, match="create_dict_iterator: state is"):
        data.create_dict_iterator(state=[1])
    with pytest.raises(ValueError, match="save_steps is 0"):
        train.BackupAndRestore(str(tmp_path), save_steps=0)
    with pytest.raises(ValueError, match="a signal that can be caught"):
        train.OnRequestExit(sig=signal.SIGKILL)
    with pytest.raises(ValueError, match="async_save beside it"):
        train.CheckpointConfig(append_info=["training_state"], async_save=True)
