"""`Model`: a network with its loss, optimizer and metrics; the loops that train and evaluate it.

All loops are here and are ordinary Python; a step is one call of a cell, compiled in graph mode.
"""

from __future__ import annotations

from ..base import data_parallel
from ..base.errors import complain
from ..base.late import late
from ..base.world import world
from ..dataset import Dataset, TransferDataset
from ..metrics import Loss, get_metrics
from ..nn import Cell, WithEvalCell
from ..tensor import Tensor
from .amp import build_train_network
from .callback.base import CallbackList, CallbackParams, RunContext
from .foreign import as_dataset, check_inputs
from .layouts import LaidOut
from .sinking import epoch_size, opened, sink
from .state import restore_training, save_asked


def _number(name: str, value, low: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise complain(
            TypeError, f"Model: {name} has type {type(value).__name__}", expected="an int"
        )
    if value < low:
        raise complain(ValueError, f"Model: {name} is {value}", expected=f"at least {low}")
    return value


class Model(LaidOut):
    """Trains, evaluates and runs a network.

    Args:
        network (Cell): the network. Without ``loss_fn`` its output is the loss, and it gets all
            columns of the dataset.
        loss_fn (Cell, optional): gets the network's output and the label, the dataset's second
            column.
        optimizer (Optimizer, optional): updates the parameters; needed for training.
        metrics (dict, set, optional): name → Metric, or names such as ``"accuracy"``.
        eval_network (Cell, optional): gets all columns and gives what the metrics need. Default:
            loss, output and label, where there is a loss.
        eval_indexes (list[int], optional): with ``eval_network``: where the loss, the prediction
            and the label are.
        amp_level (str): the precision that the network computes in (`amp.auto_mixed_precision`);
            it is changed. Default: ``"O0"``, float32.
        boost_level (str): accepted, must be ``"O0"``.
        kwargs (Any): ``loss_scale_manager``, a LossScaleManager that scales the loss, or None; and
            ``keep_batchnorm_fp32``, whether norms compute in float32 where the network does not:
            they take the place of what the level says.

    Raises:
        TypeError: an argument has a wrong type.
        KeyError: a metric's name is unknown.
        ValueError: ``amp_level`` is not supported, or ``eval_indexes`` has not three elements.

    Examples:
        >>> import minds as ms
        >>> from minds import nn, train
        >>> net = nn.Dense(2, 1)
        >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mse"})
        >>> data = ms.dataset.NumpySlicesDataset(([[0.0, 1.0]] * 8, [[1.0]] * 8))
        >>> data = data.map(ms.dataset.transforms.TypeCast(ms.float32), "column_0")
        >>> data = data.map(ms.dataset.transforms.TypeCast(ms.float32), "column_1").batch(4)
        >>> model.train(20, data)
        >>> model.eval(data)["mse"] < 1e-2
        True
    """

    def __init__(
        self,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        eval_network=None,
        eval_indexes=None,
        amp_level="O0",
        boost_level="O0",
        **kwargs,
    ):
        for name, cell in (("network", network), ("eval_network", eval_network)):
            if not isinstance(cell, Cell) and not (cell is None and name == "eval_network"):
                raise complain(
                    TypeError, f"Model: {name} has type {type(cell).__name__}", expected="a Cell"
                )
        if loss_fn is not None and not callable(loss_fn):
            raise complain(
                TypeError,
                f"Model: loss_fn has type {type(loss_fn).__name__}",
                expected="a Cell or a function",
            )
        if optimizer is not None and not isinstance(optimizer, Cell):
            raise complain(
                TypeError,
                f"Model: optimizer has type {type(optimizer).__name__}",
                expected="an Optimizer",
            )
        unknown = set(kwargs) - {"loss_scale_manager", "keep_batchnorm_fp32"}
        if unknown:
            raise complain(
                TypeError, f"Model: there is no argument {', '.join(map(repr, sorted(unknown)))}"
            )
        if boost_level != "O0":
            raise complain(ValueError, f"Model: boost_level is {boost_level!r}", expected="'O0'")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._metric_fns = get_metrics(metrics)
        self._eval_indexes = self._checked_indexes(eval_network, eval_indexes)
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._train_network = build_train_network(network, optimizer, loss_fn, amp_level, **kwargs)
        self._eval_network = eval_network
        if eval_network is None and self._metric_fns:
            if loss_fn is None:
                raise complain(
                    ValueError,
                    "Model: there are metrics, but neither eval_network nor loss_fn",
                    cure="give eval_network, which may be the network itself",
                )
            self._eval_network = WithEvalCell(network, loss_fn, amp_level != "O0")

    def _checked_indexes(self, eval_network, indexes):
        if eval_network is None or indexes is None:
            if eval_network is None and self._loss_fn is not None:
                return [0, 1, 2]
            return None
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise complain(
                ValueError, f"Model: eval_indexes is {indexes!r}", expected="a list of ints"
            )
        if len(indexes) != 3:
            raise complain(
                ValueError,
                f"Model: eval_indexes has {len(indexes)} elements",
                expected="three: the places of loss, prediction and label",
            )
        return indexes

    @property
    def train_network(self) -> Cell:
        """The cell that a training step calls.

        Examples:
            >>> from minds import nn
            >>> from minds import train
            >>> net = nn.Dense(1, 1)
            >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
            >>> type(model.train_network).__name__
            'TrainOneStepCell'
        """
        return self._train_network

    @property
    def eval_network(self) -> Cell | None:
        """The cell that an evaluation step calls.

        Examples:
            >>> from minds import nn
            >>> from minds import train
            >>> train.Model(nn.ReLU(), metrics={"loss"}, eval_network=nn.ReLU()).eval_network
            ReLU()
        """
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """The cell that `predict` calls.

        Examples:
            >>> from minds import nn
            >>> from minds import train
            >>> train.Model(nn.ReLU()).predict_network
            ReLU()
        """
        return self._network

    # ---- training

    def train(
        self,
        epoch: int,
        train_dataset,
        callbacks=None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume: str | None = None,
    ) -> None:
        """Train the network.

        Args:
            epoch (int): the number of epochs in all.
            train_dataset (Any): batches; with a loss, (data, label): a Dataset, or what has
                ``get_dataset_size`` and can be iterated.
            callbacks (Callback, list[Callback], optional): called on the way.
            dataset_sink_mode (bool): whether, in graph mode, the steps of an epoch follow one another
                without Python between, unless a callback is to be called in each (one that has
                ``step_begin``, ``step_end`` or their ``on_train_`` forms). In any case a thread makes
                batches ahead, and a device gets the next one while it computes. Default: ``False``.
            sink_size (int): with ``dataset_sink_mode``, what an epoch is: so many steps, on the rows
                of the dataset over and over; callbacks for steps are called once, for the last.
                Default: -1, an epoch is the dataset.
            initial_epoch (int): how many of the epochs are already done. Default: 0.
            resume (str, optional): not with ``sink_size``; a file that `BackupAndRestore`,
                `OnRequestExit` or a checkpoint with
                ``append_info=["training_state"]`` holds: the training goes on from there, exactly.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: the dataset is empty or has a wrong number of columns; there is no
                optimizer.

        Examples:
            >>> import minds as ms
            >>> from minds.dataset import transforms
            >>> from minds import nn
            >>> from minds import train
            >>> net = nn.Dense(1, 1, "zeros", "zeros")
            >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.5))
            >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[2.0]] * 4), ["x", "y"])
            >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
            >>> model.train(1, data.map(cast, "x").map(cast, "y").batch(4))
            >>> print(net.weight.value())
            [[2.]]
        """
        sinks = epoch_size(dataset_sink_mode, sink_size, resume, "train")
        self._run_training(epoch, train_dataset, callbacks, initial_epoch, resume, "train", sinks)

    def fit(
        self,
        epoch: int,
        train_dataset,
        valid_dataset=None,
        valid_frequency=1,
        callbacks=None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume: str | None = None,
    ) -> None:
        """Train, and evaluate after some epochs.

        Args:
            epoch (int): the number of epochs in all.
            train_dataset (Any): batches; with a loss, (data, label): a Dataset, or what has
                ``get_dataset_size`` and can be iterated.
            valid_dataset (Any, optional): likewise, batches for the evaluation.
            valid_frequency (int, list[int]): evaluate every so many epochs, or after these epochs.
                Default: 1.
            callbacks (Callback, list[Callback], optional): called on the way, in evaluations too.
            dataset_sink_mode (bool), sink_size (int): as of `train`.
            valid_dataset_sink_mode (bool): accepted.
            initial_epoch (int): how many of the epochs are already done. Default: 0.
            resume (str, optional): a file that `BackupAndRestore`, `OnRequestExit` or a checkpoint with
                ``append_info=["training_state"]`` holds: the training goes on from there, exactly.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a dataset is empty or has a wrong number of columns; there is no optimizer
                or no metric.

        Examples:
            >>> import minds as ms
            >>> from minds.dataset import transforms
            >>> from minds import nn
            >>> from minds import train
            >>> net = nn.Dense(1, 1, "zeros", "zeros")
            >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.5), {"mse"})
            >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[2.0]] * 4), ["x", "y"])
            >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
            >>> data = data.map(cast, "x").map(cast, "y").batch(4)
            >>> model.fit(1, data, data)
            Eval result: epoch 1, metrics: {'mse': 4.0}
        """
        if valid_dataset is not None:
            pairs = self._eval_indexes == [0, 1, 2]
            valid_dataset = self._checked(valid_dataset, "valid_dataset", pairs)
            self._check_metrics("fit")
        if not isinstance(valid_frequency, (int, list)) or isinstance(valid_frequency, bool):
            raise complain(
                TypeError,
                f"Model: valid_frequency has type {type(valid_frequency).__name__}",
                expected="an int or a list of ints",
            )
        self._run_training(
            epoch,
            train_dataset,
            callbacks,
            initial_epoch,
            resume,
            "fit",
            epoch_size(dataset_sink_mode, sink_size, resume, "fit"),
            valid_dataset,
            valid_frequency,
        )

    def _run_training(
        self, epoch, dataset, callbacks, initial_epoch, resume, mode, sinks, valid=None, frequency=1
    ):
        _number("epoch", epoch, 1)
        if _number("initial_epoch", initial_epoch, 0) >= epoch:
            raise complain(
                ValueError, f"Model: initial_epoch is {initial_epoch}, but epoch is {epoch}"
            )
        if self._optimizer is None and self._loss_fn is not None:
            raise complain(
                ValueError, f"Model.{mode}: there is no optimizer", cure="give Model an optimizer"
            )
        dataset = self._checked(dataset, "train_dataset", self._loss_fn is not None)
        if self._loss_fn is None:
            check_inputs(self._network, dataset)
        batches = sinks or dataset.get_dataset_size()
        params = self._training_params(
            epoch_num=epoch,
            batch_num=batches,
            mode=mode,
            train_dataset=dataset,
            valid_dataset=valid,
            dataset_sink_mode=sinks is not None,
            cur_epoch_num=initial_epoch + 1,
            cur_step_num=initial_epoch * batches,
            last_save_ckpt_step=initial_epoch * batches,
            resume=resume,
        )
        run = RunContext(params)
        with CallbackList(callbacks) as hooks:
            params.list_callback = hooks.callbacks
            hooks.call("on_train_begin", run)
            begin = {"epoch": initial_epoch} if initial_epoch else None
            if params.resume is not None:
                begin = restore_training(params.resume, params)
            if begin is not None and begin["epoch"] >= epoch:
                hooks.call("on_train_end", run)
                return
            rows = opened(dataset, -1 if sinks else epoch, begin, sinks is not None)
            params.train_rows = rows
            try:
                first = initial_epoch if sinks else rows.state()["epoch"]
                for number in range(first + 1, epoch + 1):
                    params.cur_epoch_num = number
                    if sinks or sinks is not None and not hooks.want_steps():
                        self._sink_epoch(rows, params, run, hooks, sinks or None)
                    else:
                        self._train_epoch(rows, params, run, hooks)
                    if valid is not None and _is_due(number, frequency):
                        self._evaluate(valid, params, run, hooks)
                        print(
                            f"Eval result: epoch {number}, metrics: {params.eval_results}",
                            flush=True,
                        )
                    hooks.call("on_train_epoch_end", run)
                    save_asked(params)
                    if run.get_stop_requested():
                        break
            finally:
                rows.stop()
            hooks.call("on_train_end", run)

    def _training_params(self, **more) -> CallbackParams:
        """What callbacks of a training see."""
        return CallbackParams(
            train_network=self._train_network,
            network=self._network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            parallel_mode="data_parallel" if data_parallel.is_on() else "stand_alone",
            device_number=world.size,
            latest_ckpt_file=None,
            loss_scale_mananger=self._loss_scale_manager,
            metrics=self._metric_fns,
            states_due=[],
            **more,
        )

    def _train_epoch(self, rows, params, run, hooks):
        # Each epoch anew: a hook may have evaluated the network.
        self._train_network.set_train(True)
        hooks.call("on_train_epoch_begin", run)
        for row in rows:
            params.cur_step_num += 1
            params.train_dataset_element = row
            hooks.call("on_train_step_begin", run)
            params.net_outputs = self._train_network(*row)
            hooks.call("on_train_step_end", run)
            save_asked(params)
            if run.get_stop_requested():
                return

    def _sink_epoch(self, rows, params, run, hooks, size: int | None):
        """An epoch of ``size`` steps, or of the dataset; callbacks see the last one."""
        self._train_network.set_train(True)
        hooks.call("on_train_epoch_begin", run)
        hooks.call("on_train_step_begin", run)
        params.net_outputs, count = sink(self._train_network, rows, size, size is not None)
        params.cur_step_num += count
        hooks.call("on_train_step_end", run)
        save_asked(params)

    def build(
        self,
        train_dataset=None,
        valid_dataset=None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Compile the steps for batches of these datasets, without running them.

        Args:
            train_dataset (Any, optional): batches of the training.
            valid_dataset (Any, optional): batches of the evaluation.
            sink_size (int), epoch (int), sink_mode (bool): accepted.

        Examples:
            >>> import minds as ms
            >>> from minds.dataset import transforms
            >>> from minds import nn
            >>> from minds import train
            >>> net = nn.Dense(1, 1)
            >>> model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.5))
            >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[2.0]] * 4), ["x", "y"])
            >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
            >>> model.build(data.map(cast, "x").map(cast, "y").batch(4))
        """
        for dataset, name, cell, training in (
            (train_dataset, "train_dataset", self._train_network, True),
            (valid_dataset, "valid_dataset", self._eval_network, False),
        ):
            if dataset is not None and cell is not None:
                dataset = self._checked(dataset, name, pairs=self._loss_fn is not None)
                cell.set_train(training)
                cell.compile(*next(iter(dataset)))

    # ---- evaluation

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode: bool = False) -> dict:
        """Evaluate the network.

        Args:
            valid_dataset (Any): batches; with a loss, (data, label): a Dataset, or what has
                ``get_dataset_size`` and can be iterated.
            callbacks (Callback, list[Callback], optional): called on the way.
            dataset_sink_mode (bool): accepted.

        Returns:
            dict: the name of each metric → its value.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: there are no metrics, or the dataset is empty or has a wrong number of
                columns.

        Examples:
            >>> import minds as ms
            >>> from minds.dataset import transforms
            >>> from minds import nn
            >>> from minds import train
            >>> model = train.Model(nn.Dense(1, 1, "ones", "zeros"), nn.MSELoss(), metrics={"mse"})
            >>> data = ms.dataset.NumpySlicesDataset(([[1.0]] * 4, [[2.0]] * 4), ["x", "y"])
            >>> cast = ms.dataset.transforms.TypeCast(ms.float32)
            >>> model.eval(data.map(cast, "x").map(cast, "y").batch(4))
            {'mse': 1.0}
        """
        self._check_metrics("eval")
        pairs = self._eval_indexes == [0, 1, 2]
        valid_dataset = self._checked(valid_dataset, "valid_dataset", pairs)
        params = CallbackParams(
            eval_network=self._eval_network,
            network=self._network,
            loss_fn=self._loss_fn,
            mode="eval",
            valid_dataset=valid_dataset,
            batch_num=valid_dataset.get_dataset_size(),
            metrics=self._metric_fns,
            dataset_sink_mode=False,
            parallel_mode="data_parallel" if data_parallel.is_on() else "stand_alone",
            device_number=world.size,
            epoch_num=1,
            cur_epoch_num=1,
            cur_step_num=0,
        )
        with CallbackList(callbacks) as hooks:
            params.list_callback = hooks.callbacks
            self._evaluate(valid_dataset, params, RunContext(params), hooks)
        return params.eval_results

    def _evaluate(self, dataset, params, run, hooks):
        """Fill ``params.eval_results``; afterwards the hooks see the training's parameters
        again.
        """
        training = {
            k: params[k] for k in ("cur_step_num", "batch_num", "net_outputs") if k in params
        }
        params.update(
            cur_step_num=0, batch_num=dataset.get_dataset_size(), eval_network=self._eval_network
        )
        self._eval_network.set_train(False)
        for metric in self._metric_fns.values():
            metric.clear()
        hooks.call("on_eval_begin", run)
        hooks.call("on_eval_epoch_begin", run)
        for row in dataset.create_tuple_iterator(num_epochs=1):
            params.cur_step_num += 1
            params.eval_dataset_element = row
            hooks.call("on_eval_step_begin", run)
            params.net_outputs = self._eval_network(*row)
            self._update_metrics(params.net_outputs)
            hooks.call("on_eval_step_end", run)
            if params.mode == "eval" and run.get_stop_requested():
                break
        params.eval_results = {name: metric.eval() for name, metric in self._metric_fns.items()}
        hooks.call("on_eval_epoch_end", run)
        hooks.call("on_eval_end", run)
        if params.mode != "eval":
            params.update(training)

    def _update_metrics(self, outputs):
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        for metric in self._metric_fns.values():
            if self._eval_indexes is None or metric.indexes is not None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[self._eval_indexes[0]])
            else:
                metric.update(outputs[self._eval_indexes[1]], outputs[self._eval_indexes[2]])

    def predict(self, *predict_data, backend=None, config=None):
        """The network's output for tensors.

        Args:
            predict_data (Tensor ...): the network's inputs.
            backend (None), config (None): not supported, must be None.

        Returns:
            Tensor, tuple[Tensor]: the output.

        Raises:
            TypeError: an input is no Tensor.
            ValueError: ``backend`` is given.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import train
            >>> print(train.Model(nn.ReLU()).predict(ms.Tensor([-1.0, 2.0])))
            [0. 2.]
        """
        for x in predict_data:
            if not isinstance(x, (Tensor, tuple, list, dict, str)):
                raise complain(
                    TypeError,
                    f"Model.predict: an input has type {type(x).__name__}",
                    expected="Tensors",
                )
        if backend is not None:
            raise complain(ValueError, f"Model.predict: backend is {backend!r}", expected="None")
        self._network.set_train(False)
        return self._network(*predict_data)

    # ---- checks

    def _check_metrics(self, what: str) -> None:
        if not self._metric_fns:
            raise complain(
                ValueError,
                f"Model.{what}: there are no metrics",
                cure="give Model metrics={'accuracy'}",
            )

    @staticmethod
    def _checked(dataset, name: str, pairs: bool) -> Dataset:
        """A dataset that has rows, two columns where they are ``pairs``."""
        dataset = as_dataset(dataset)
        if not isinstance(dataset, (Dataset, TransferDataset)):
            raise complain(
                TypeError, f"Model: {name} has type {type(dataset).__name__}", expected="a Dataset"
            )
        if pairs and len(dataset.get_col_names()) != 2:
            raise complain(
                ValueError,
                f"Model: {name} has the columns {', '.join(dataset.get_col_names())}",
                expected="two, data and label, because a loss is given",
                cure="project the dataset, or leave the loss to the network",
            )
        if dataset.get_dataset_size() == 0:
            raise complain(
                ValueError,
                f"Model: {name} is empty",
                cure="look whether batch(drop_remainder=True) drops everything",
            )
        return dataset


def _is_due(epoch: int, frequency) -> bool:
    return epoch in frequency if isinstance(frequency, list) else epoch % frequency == 0


__all__ = ["Model"]
__getattr__, __dir__ = late(
    __name__,
    {
        "compat.training": "_StepSync _transfer_tensor_to_tuple",
        "train": "DatasetHelper connect_network_with_dataset",
        "train.callback": "_CallbackManager _InternalCallbackParam",
    },
)
