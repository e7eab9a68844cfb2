"""Callbacks as MindSpore's scripts use them: hooks called by hand, and overridden by their old names."""

import os
import time

import numpy as np
import pytest

import minds as ms
from minds import nn, train
from minds.compat import callbacks as spelled
from minds.train.callback import CallbackParams, RunContext


def model_and_data(steps=4):
    net = nn.Dense(1, 1)
    x = np.ones((2 * steps, 1), np.float32)
    data = ms.dataset.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False).batch(2)
    return train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), metrics={"mae"}), data


@pytest.mark.parametrize(
    ("base", "hook", "times"),
    [
        (train.LossMonitor, "step_end", 4),
        (train.ModelCheckpoint, "step_end", 4),
        (train.TimeMonitor, "epoch_end", 1),
        (train.TimeMonitor, "epoch_begin", 1),
        (train.ModelCheckpoint, "begin", 1),
        (train.ModelCheckpoint, "end", 1),
    ],
)
def test_a_subclass_overrides_a_hook_by_its_old_name(base, hook, times, tmp_path, capsys):
    calls = []

    def called(self, run_context):
        calls.append(run_context.original_args().cur_step_num)
        getattr(base, hook)(self, run_context)

    kind = type("Own", (base,), {hook: called})
    own = kind(directory=str(tmp_path)) if base is train.ModelCheckpoint else kind()
    model, data = model_and_data()
    model.train(1, data, own)
    assert len(calls) == times


def test_the_rate_is_scheduled_by_a_subclass_too():
    class Own(train.LearningRateScheduler):
        def step_end(self, run_context):
            seen.append(run_context.original_args().cur_step_num)
            super().step_end(run_context)

    seen = []
    model, data = model_and_data()
    model.train(1, data, Own(lambda lr, step: lr / 2))
    assert seen == [1, 2, 3, 4]


def test_an_evaluation_prints_saves_and_schedules_nothing(tmp_path, capsys):
    model, data = model_and_data()
    rates = []
    callbacks = [
        train.ModelCheckpoint(directory=str(tmp_path)),
        train.LearningRateScheduler(lambda lr, step: rates.append(step) or lr),
    ]
    model.eval(data, callbacks)
    assert not os.listdir(tmp_path)
    assert not rates


def by_hand(step, **given):
    params = CallbackParams(
        train_network=nn.Dense(1, 1), cur_epoch_num=4, cur_step_num=step, batch_num=32, **given
    )
    return RunContext(params)


@pytest.mark.parametrize(
    ("prefix", "folder", "want"),
    [
        ("CKP", "a", "a/CKP-4_32.ckpt"),
        (lambda p: f"{p.cur_step_num}_own", "b", "b/128_own.ckpt"),
        ("CKP", lambda p: "c", "c/CKP-4_32.ckpt"),
    ],
)
def test_checkpoints_of_a_loop_that_calls_the_hooks(prefix, folder, want, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saves = train.ModelCheckpoint(prefix, folder, train.CheckpointConfig(16))
    run = by_hand(128)
    saves.begin(run)
    saves.step_end(run)
    assert os.path.exists(want)


def test_the_manager_calls_each_hook_of_each():
    class Tell(train.Callback):
        def begin(self, run_context):
            told.append("begin")

        def step_end(self, run_context):
            told.append("step_end")

    told = []
    with spelled._CallbackManager([Tell(), Tell()]) as manager:
        manager.begin(by_hand(1))
        manager.on_train_step_end(by_hand(1))
    assert told == ["begin"] * 2 + ["step_end"] * 2
    with pytest.raises(TypeError, match="NoneType"):
        spelled._CallbackManager([None])
    with pytest.raises(AttributeError, match="no 'finish'"):
        manager.finish(by_hand(1))


def test_of_young_checkpoints_the_first_is_kept(tmp_path):
    for i, age in enumerate((300, 30, 20, 10)):
        path = tmp_path / f"a-{i}_1.ckpt"
        path.touch()
        os.utime(path, (time.time() - age,) * 2)
    found = spelled._CheckpointManager()
    found.update_ckpoint_filelist(str(tmp_path), "a")
    found.keep_one_ckpoint_per_minutes(1, time.time())
    assert sorted(os.listdir(tmp_path)) == ["a-0_1.ckpt", "a-1_1.ckpt"]
    found.remove_ckpoint_file(str(tmp_path / "." / "a-0_1.ckpt"))
    assert found.ckpoint_num == 1


def test_what_a_save_op_gives_fills_the_current_network():
    net = nn.Dense(2, 1)
    spelled._set_cur_net(net)
    weight = {"name": "weight", "data": ms.Tensor(np.full((1, 2), 7, np.float32))}
    assert spelled._checkpoint_cb_for_save_op([weight])
    assert net.weight.asnumpy().tolist() == [[7, 7]]
    with pytest.raises(RuntimeError, match="BackupAndRestore"):
        train.TrainFaultTolerance()
