"""The callbacks of `minds.train`, on a network small enough to know every number."""

import os
import re

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import nn, train
from minds.train import CheckpointConfig, ModelCheckpoint
from minds.train.callback import CallbackParams


@pytest.fixture(autouse=True)
def pynative():
    before = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=before)


def data(rows=4, target=0.0):
    x = np.ones((rows, 1), np.float32)
    return ds.NumpySlicesDataset((x, x * target), ["x", "y"], shuffle=False).batch(2)


def make(rate=0.25, **kwargs):
    """y = w x with w = 1 at first; the loss w², the step w ← w - 2 rate w."""
    net = nn.Dense(1, 1, weight_init="ones", has_bias=False)
    return net, train.Model(
        net, nn.MSELoss(), nn.SGD(net.trainable_params(), rate), metrics={"mse"}, **kwargs
    )


def test_loss_monitor_prints_and_stops_at_nan(capsys):
    _, model = make()
    model.train(2, data(), callbacks=train.LossMonitor())
    assert capsys.readouterr().out.splitlines() == [
        "epoch: 1 step: 1, loss is 1.0",
        "epoch: 1 step: 2, loss is 0.25",
        "epoch: 2 step: 1, loss is 0.0625",
        "epoch: 2 step: 2, loss is 0.015625",
    ]
    model.train(2, data(), callbacks=train.LossMonitor(3))
    assert [line[:17] for line in capsys.readouterr().out.splitlines()] == ["epoch: 2 step: 1,"]
    with pytest.raises(ValueError, match="epoch: 1 step: 1: the loss is nan"):
        make()[1].train(1, data(target=np.nan), callbacks=train.LossMonitor())


def test_time_monitor(capsys):
    make()[1].fit(1, data(), data(), callbacks=train.TimeMonitor())
    out = capsys.readouterr().out
    assert re.search(r"Eval epoch time: +[\d.]+ ms, per step time: +[\d.]+ ms", out)
    assert re.search(r"Train epoch time: +[\d.]+ ms, per step time: +[\d.]+ ms", out)


def test_history():
    _, model = make()
    history = train.History()
    model.fit(2, data(), data(), callbacks=history)
    assert history.epoch == {"epoch": [1, 2]}
    assert [float(v) for v in history.history["net_output"]] == [0.25, 0.015625]
    assert history.history["mse"] == [0.0625, 0.00390625]


def test_learning_rate_scheduler():
    net, model = make(rate=0.5)
    rates = []
    model.train(
        2,
        data(),
        callbacks=[
            train.LearningRateScheduler(lambda lr, step: lr / 2),
            train.LambdaCallback(
                on_train_step_end=lambda run: rates.append(model._optimizer.learning_rate.item())
            ),
        ],
    )
    assert rates == [0.25, 0.125, 0.0625, 0.03125]
    # 1 - 2·0.5 = 0 after the first step.
    assert net.weight.item() == 0


def test_early_stopping_restores_the_best_weights(capsys):
    net, model = make(rate=1.5)  # w ← -2 w: the loss grows
    stop = train.EarlyStopping(monitor="mse", patience=2, restore_best_weights=True, verbose=True)
    model.fit(10, data(), data(), callbacks=stop)
    assert stop.stopped_epoch == 3 and net.weight.item() == 4
    said = capsys.readouterr().out
    assert said.index("Restoring model weights from the end") < said.index("early stopping")


def test_early_stopping_on_loss_with_baseline():
    _, model = make()
    stop = train.EarlyStopping(monitor="loss", baseline=1e-9, patience=1)
    model.train(10, data(), callbacks=stop)
    assert stop.stopped_epoch == 1


def test_reduce_lr_on_plateau(capsys):
    _, model = make(rate=1.5)  # w ← -2 w
    less = train.ReduceLROnPlateau("mse", 0.5, patience=1, verbose=True)
    model.fit(3, data(), data(), callbacks=less)
    # Halved after the second and the third epoch, neither of which beats the first.
    assert model._optimizer.learning_rate.item() == 0.375
    said = capsys.readouterr().out
    assert said.count("ReduceLROnPlateau reducing learning rate to") == 2 and "to 0.375." in said


@pytest.mark.parametrize(
    "make_it, error",
    [
        (lambda: train.LossMonitor(-1), ValueError),
        (lambda: train.LossMonitor("a"), TypeError),
        (lambda: train.TimeMonitor(0), ValueError),
        (lambda: train.TimeMonitor("a"), TypeError),
        (lambda: train.LearningRateScheduler(3), TypeError),
        (lambda: train.EarlyStopping(patience=-1), ValueError),
        (lambda: train.EarlyStopping(mode="x"), ValueError),
        (lambda: train.EarlyStopping(monitor=3), TypeError),
        (lambda: train.ReduceLROnPlateau(factor=1.5), ValueError),
        (lambda: CheckpointConfig(0), ValueError),
        (lambda: CheckpointConfig("a"), TypeError),
        (lambda: CheckpointConfig(-1), ValueError),
        (lambda: CheckpointConfig(append_info=[3]), TypeError),
        (lambda: ModelCheckpoint("a/b"), ValueError),
        (lambda: ModelCheckpoint(3), ValueError),
        (lambda: ModelCheckpoint(config=3), TypeError),
        (lambda: train.RunContext(3), TypeError),
    ],
)
def test_arguments(make_it, error):
    with pytest.raises(error):
        make_it()


def test_params_name_what_is_missing():
    with pytest.raises(AttributeError, match="no 'nothing'"):
        CallbackParams().nothing


# ModelCheckpoint.


def files(folder):
    return sorted(os.listdir(folder))


def test_checkpoint_names_and_maximum(tmp_path):
    net, model = make()
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(2, keep_checkpoint_max=3))
    model.train(4, data(), callbacks=saver)
    assert files(tmp_path) == ["net-2_2.ckpt", "net-3_2.ckpt", "net-4_2.ckpt"]
    assert saver.latest_ckpt_file_name == str(tmp_path / "net-4_2.ckpt")
    found = ms.load_checkpoint(saver.latest_ckpt_file_name)
    assert found["weight"].asnumpy() == net.weight.asnumpy() and "global_step" in found
    model.train(1, data(), callbacks=ModelCheckpoint("net", str(tmp_path)))
    assert files(tmp_path)[-2:] == ["net_1-1_1.ckpt", "net_1-1_2.ckpt"]


def test_checkpoint_after_the_last_step_and_appended(tmp_path):
    _, model = make()
    config = CheckpointConfig(
        3, append_info=["epoch_num", "step_num", {"note": "x", "lr": 0.5}], async_save=True
    )
    model.train(2, data(), callbacks=ModelCheckpoint("a", str(tmp_path / "new"), config))
    while ms.async_ckpt_thread_status():
        pass
    assert files(tmp_path / "new") == ["a-2_1.ckpt", "a-2_2.ckpt"]
    found = ms.load_checkpoint(str(tmp_path / "new" / "a-2_1.ckpt"))
    assert (
        found["epoch_num"].item(),
        found["step_num"].item(),
        found["note"],
        found["lr"].item(),
    ) == (
        2,
        3,
        "x",
        0.5,
    )


def test_checkpoint_of_another_network_by_seconds(tmp_path):
    net, model = make()
    config = CheckpointConfig(0, save_checkpoint_seconds=1000, saved_network=net)
    model.train(1, data(), callbacks=ModelCheckpoint("s", str(tmp_path), config))
    assert files(tmp_path) == ["s-1_2.ckpt"] and list(
        ms.load_checkpoint(str(tmp_path / "s-1_2.ckpt"))
    ) == ["weight"]


def test_checkpoint_on_exception(tmp_path):
    def boom(run):
        raise LookupError

    _, model = make()
    saver = ModelCheckpoint("e", str(tmp_path), CheckpointConfig(100, exception_save=True))
    with pytest.raises(LookupError):
        model.train(1, data(), callbacks=[saver, train.LambdaCallback(on_train_step_end=boom)])
    assert files(tmp_path) == ["e-1_1_breakpoint.ckpt"]


def test_training_resumes_from_a_checkpoint(tmp_path):
    """Four epochs at once and two times two through a file give the same parameters."""

    def momentum():
        net = nn.Dense(1, 1, weight_init="ones", has_bias=False)
        return net, train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))

    whole, model = momentum()
    model.train(4, data())
    first, model = momentum()
    model.train(2, data(), callbacks=ModelCheckpoint("r", str(tmp_path), CheckpointConfig(4)))
    second, model = momentum()
    missing, extra = ms.load_param_into_net(
        model.train_network, ms.load_checkpoint(str(tmp_path / "r-2_2.ckpt"))
    )
    assert not missing and not extra and second.weight.item() == first.weight.item()
    model.train(4, data(), initial_epoch=2)
    assert second.weight.item() == whole.weight.item()
