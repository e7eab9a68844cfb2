"""Optimisers, losses, models, data sets and checkpoints."""

import os
import tempfile

import numpy as np
from harness import F, I, wrong

import minds as ms
from minds import Model, Parameter, Tensor, nn
from minds import dataset as ds

NET = nn.Dense(3, 2)


def folder(name: str) -> str:
    """A path for a checkpoint."""
    return os.path.join(tempfile.gettempdir(), name)


@wrong(modes="eager")
def optimizer_no_parameters():
    return nn.SGD([], 0.1)


@wrong(modes="eager")
def optimizer_of_cell():
    return nn.Momentum(NET, 0.1, 0.9)


@wrong(modes="eager")
def optimizer_momentum():
    return nn.Momentum(NET.trainable_params(), 0.1, -0.9)


@wrong(modes="eager")
def optimizer_missing_argument():
    return nn.Momentum(NET.trainable_params(), 0.1)


@wrong(modes="eager")
def learning_rate_string():
    return nn.SGD(NET.trainable_params(), "0.1")


@wrong(modes="eager")
def learning_rate_negative():
    return nn.SGD(NET.trainable_params(), -0.1)


@wrong(modes="eager")
def learning_rate_list_of_strings():
    return nn.Adam(NET.trainable_params(), ["a", "b"])


@wrong(modes="eager")
def learning_rate_matrix():
    return nn.Adam(NET.trainable_params(), F(2, 2))


@wrong(modes="eager")
def adam_beta():
    return nn.Adam(NET.trainable_params(), 0.1, beta1=1.5)


@wrong(modes="eager")
def group_without_params():
    return nn.SGD([{"lr": 0.1}], 0.1)


@wrong(modes="eager")
def group_unknown_key():
    return nn.SGD([{"params": NET.trainable_params(), "rate": 0.1}], 0.1)


@wrong(modes="eager")
def parameters_twice():
    return nn.SGD([NET.weight, NET.weight], 0.1)


@wrong(modes="eager")
def decay_rate_zero():
    return nn.ExponentialDecayLR(0.1, 0.9, 0)


@wrong(F(4, 3), I(0, 1, 0))
class TrainLabels(nn.Cell):
    def __init__(self):
        super().__init__()
        net = nn.Dense(3, 2)
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.step = nn.TrainOneStepCell(
            nn.WithLossCell(net, loss), nn.SGD(net.trainable_params(), 0.1)
        )

    def construct(self, x, y):
        return self.step(x, y)


@wrong(modes="eager")
def model_of_function():
    return Model(3)


@wrong(modes="eager")
def model_without_loss():
    model = Model(nn.Dense(3, 2))
    model.train(1, data())


@wrong(modes="eager")
def model_epochs():
    model = Model(nn.Dense(3, 2), nn.MSELoss(), nn.SGD(NET.trainable_params(), 0.1))
    model.train(-1, data())


@wrong(modes="eager")
def model_metric():
    return Model(NET, nn.MSELoss(), metrics={"accurate"})


@wrong(modes="eager")
def model_eval_without_metrics():
    Model(NET, nn.MSELoss()).eval(data())


@wrong(modes="eager")
def model_dataset_type():
    model = Model(nn.Dense(3, 2), nn.MSELoss(), nn.SGD(NET.trainable_params(), 0.1))
    model.train(1, [1, 2])


def data():
    """Four rows."""
    columns = np.ones((4, 3), np.float32), np.ones((4, 2), np.float32)
    return ds.NumpySlicesDataset(columns, ["x", "y"]).batch(2)


@wrong(modes="eager")
def dataset_lengths():
    return ds.NumpySlicesDataset((np.ones((4, 3)), np.ones(5)), ["x", "y"])


@wrong(modes="eager")
def dataset_column_names():
    return ds.NumpySlicesDataset((np.ones((4, 3)), np.ones(4)), ["x"])


@wrong(modes="eager")
def dataset_batch_zero():
    return data().batch(0)


@wrong(modes="eager")
def dataset_map_column():
    return list(data().map(lambda v: v, "image").create_dict_iterator())


@wrong(modes="eager")
def dataset_map_fails():
    rows = ds.NumpySlicesDataset(np.arange(3), ["x"]).map(lambda v: v.upper(), "x")
    return list(rows.create_dict_iterator())


@wrong(modes="eager")
def dataset_ragged_batch():
    rows = ds.GeneratorDataset(lambda: iter([(np.ones(2),), (np.ones(3),)]), ["x"])
    return list(rows.batch(2).create_dict_iterator())


@wrong(modes="eager")
def dataset_generator_columns():
    rows = ds.GeneratorDataset(lambda: iter([(np.ones(2), 1)]), ["x"])
    return list(rows.create_dict_iterator())


@wrong(modes="eager")
def dataset_missing_folder():
    return list(ds.MnistDataset("no/such/folder").create_dict_iterator())


@wrong(modes="eager")
def checkpoint_missing():
    return ms.load_checkpoint("no_such.ckpt")


@wrong(modes="eager")
def checkpoint_not_one():
    with open(folder("minds_text.ckpt"), "w") as f:
        f.write("this is no checkpoint, but long enough to be read as one " * 3)
    return ms.load_checkpoint(folder("minds_text.ckpt"))


@wrong(modes="eager")
def checkpoint_altered():
    file = folder("minds_altered.ckpt")
    ms.save_checkpoint(NET, file)
    with open(file, "r+b") as f:
        f.seek(-9, os.SEEK_END)
        byte = f.read(1)
        f.seek(-9, os.SEEK_END)
        f.write(bytes([byte[0] ^ 1]))
    return ms.load_checkpoint(file)


@wrong(modes="eager")
def checkpoint_truncated():
    file = folder("minds_truncated.ckpt")
    ms.save_checkpoint(NET, file)
    os.truncate(file, os.path.getsize(file) - 10)
    return ms.load_checkpoint(file)


@wrong(modes="eager")
def checkpoint_shapes():
    return ms.load_param_into_net(NET, {"weight": Parameter(F(5, 5), name="weight")})


@wrong(modes="eager")
def checkpoint_of_tensors():
    return ms.load_param_into_net(NET, {"weight": Tensor([1.0])})


@wrong(modes="eager")
def checkpoint_save_type():
    ms.save_checkpoint(3, folder("minds_never.ckpt"))


@wrong(modes="eager")
def context_mode():
    ms.set_context(mode=7)


@wrong(modes="eager")
def seed_negative():
    ms.set_seed(-1)
