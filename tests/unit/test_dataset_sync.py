"""Rows that wait for the program that consumes them, lines of files, spellings of MindSpore 1.x."""

import threading

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds.dataset.transforms import c_transforms, py_transforms
from minds.dataset.transforms.vision import c_transforms as c_images
from minds.dataset.transforms.vision import py_transforms as py_images


class Loss:
    """Notes at each row what it was told last."""

    def __init__(self):
        self.last, self.seen = 0, []

    def note(self, x):
        self.seen.append(self.last)
        return x

    def update(self, data):
        self.last = data["loss"]


def numbers(count):
    return ds.NumpySlicesDataset(list(range(count)), "x", shuffle=False)


@pytest.fixture
def timeout():
    before = ds.config.get_callback_timeout()
    yield ds.config.set_callback_timeout
    ds.config.set_callback_timeout(before)


@pytest.mark.parametrize("workers", (1, 3))
def test_each_row_is_made_after_the_update_before_it(workers):
    loss = Loss()
    d = numbers(4).sync_wait("loss", callback=loss.update)
    d = d.map(loss.note, "x", num_parallel_workers=workers).batch(1)
    rows, step = d.create_dict_iterator(num_epochs=3, output_numpy=True), 0
    for _ in range(3):
        for row in rows:
            assert row["x"].tolist() == [step % 4]
            step += 1
            d.sync_update("loss", data={"loss": step})
    assert loss.seen == list(range(12))


def test_as_many_rows_as_were_asked_for_are_free():
    loss = Loss()
    d = numbers(6).sync_wait("loss", num_batch=2, callback=loss.update).map(loss.note, "x")
    rows = d.create_tuple_iterator(num_epochs=1, output_numpy=True)
    for told in (1, 2, 3):
        assert [int(next(rows)[0]) for _ in range(2)] == [2 * told - 2, 2 * told - 1]
        d.sync_update("loss", data={"loss": told})
    assert loss.seen == [0, 0, 1, 1, 2, 2]


def test_looking_at_a_pipeline_releases_no_rows_and_waits_for_none():
    d = numbers(4).sync_wait("a").filter(lambda x: x > 1)
    assert d.get_dataset_size() == 2 and d.output_shapes() == [[]]


def test_no_update_is_an_error_and_an_iterator_that_is_dropped_ends(timeout):
    timeout(1)
    with pytest.raises(RuntimeError, match="no sync_update of 'a' in 1 s"):
        list(numbers(3).sync_wait("a"))
    timeout(60)
    before = threading.active_count()
    rows = numbers(3).sync_wait("a").create_tuple_iterator()
    next(rows)
    del rows
    for t in threading.enumerate():
        if t.name == "minds-dataset":
            t.join(5)
    assert threading.active_count() <= before


def test_refusals_of_waits_are_those_of_mindspore():
    d = numbers(3).sync_wait("a")
    for error, words, call in (
        (TypeError, "Argument condition_name with value 3", lambda: d.sync_wait(3)),
        (ValueError, "num_batch need to be greater than 0.", lambda: d.sync_wait("b", 0)),
        (RuntimeError, "No shuffle after sync operators.", lambda: d.shuffle(2)),
        (RuntimeError, "Condition name is already in use.", lambda: d.sync_wait("a")),
        (RuntimeError, "Condition name not found.", lambda: d.sync_update("b")),
        (RuntimeError, "can only be positive integer, got: 0.", lambda: d.sync_update("a", 0)),
        (RuntimeError, "can only be positive integer, got: x.", lambda: d.sync_update("a", "x")),
        (TypeError, "Argument condition_name with value 3", lambda: d.sync_update(3)),
    ):
        with pytest.raises(error, match=words):
            call()


def test_reset_leaves_the_rows_as_they_are():
    d = numbers(3)
    d.reset()
    assert [int(x) for (x,) in d] == [0, 1, 2]


def test_lines_of_a_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("eins\nzwölf\r\n\nlast".encode())
    reader = ds.LineReader(str(path))
    assert [reader.readline(i) for i in (4, 2, 1, 3)] == ["last", "zwölf", "eins", ""]
    assert len(reader) == reader.len() == 4 and reader[1] == "eins"
    reader.close()
    assert reader.readline(2) == "zwölf"
    for line, error in ((0, ValueError), (5, ValueError), ("1", TypeError), (True, TypeError)):
        with pytest.raises(error):
            reader.readline(line)
    with pytest.raises(RuntimeError, match="does not exist"):
        ds.LineReader(str(tmp_path / "b.txt"))
    with pytest.raises(RuntimeError, match="not a regular file"):
        ds.LineReader(str(tmp_path))
    with pytest.raises(TypeError):
        ds.LineReader(3)


def test_the_spellings_of_mindspore_1():
    steps = py_transforms.ComposeOp([c_transforms.TypeCast(np.int64), py_transforms.OneHotOp(3)])
    assert steps(np.int32(1)).tolist() == [0, 1, 0]
    assert c_images.Resize is ds.vision.c_transforms.Resize
    assert py_images.ComposeOp is ds.transforms.Compose


def test_a_queue_is_filled_ahead_and_ends():
    d = ds.NumpySlicesDataset({"x": np.arange(40)}, shuffle=False).batch(2)
    queue = d.device_que(create_data_info_queue=True, queue_name="rows")
    assert (queue.queue_name, queue.column_name, queue.get_dataset_size()) == ("rows", ["x"], 20)
    for ask in (
        queue.get_send_info,
        queue.get_data_info,
        queue.take_sent,
        queue.get_mbuf_queue_size,
    ):
        with pytest.raises(RuntimeError):
            ask()
    for read in (iter, ds.TransferDataset.create_dict_iterator):
        with pytest.raises(RuntimeError, match="not iterable"):
            read(queue)
    queue.send(num_epochs=2)
    assert queue.get_data_info() == ([np.int64], [[2]])
    taken = [row[0].tolist() for row in iter(queue.take_sent, None)]
    assert taken == [[i, i + 1] for i in range(0, 40, 2)] * 2
    assert queue.get_send_info()[0] == 40 and queue.take_sent() is None
    queue.release()


def test_a_queue_stops_goes_on_and_raises_what_its_rows_do():
    d = ds.NumpySlicesDataset(np.arange(6), shuffle=False).map(lambda x: 12 // int(4 - x))
    queue = d.device_que()
    queue.send(num_epochs=1)
    queue.stop_send()
    queue.continue_send()
    assert [int(queue.take_sent()[0]) for _ in range(4)] == [3, 4, 6, 12]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        queue.take_sent()
    queue.release()
    unending = ds.NumpySlicesDataset([1]).device_que()
    unending.send()
    assert unending.take_sent()[0] == 1
    unending.release()  # ends the thread that waits for room


def test_conditions_count_the_batches_that_the_iterator_gives():
    """Two conditions below a batch: one is asked for each batch, one for every second."""
    seen = []
    d = numbers(20).sync_wait("each", callback=seen.append).map(lambda x: x, "x")
    d = d.sync_wait("second", num_batch=2).batch(6)
    sizes = []
    for row in d.create_dict_iterator(num_epochs=1, output_numpy=True):
        sizes.append(len(row["x"]))
        d.sync_update("each", data=len(sizes))
        if len(sizes) % 2 == 0:
            d.sync_update("second")
    assert sizes == [6, 6, 6, 2] and seen == [1, 2, 3, 4]


def test_conditions_can_be_given_up():
    d = numbers(5).sync_wait("a").map(lambda x: x, "x").sync_wait("b").batch(2)
    read = d.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert next(read)[0].tolist() == [0, 1]
    d.disable_sync()
    assert [x.tolist() for (x,) in read] == [[2, 3], [4]]
    with pytest.raises(RuntimeError, match="Condition name not found"):
        d.sync_update("c")


def test_a_sink_reads_the_queue():
    """The queue that is given, from where it is, and what training makes of a dataset."""
    x = np.arange(8, dtype=np.float32)
    queue = ds.NumpySlicesDataset({"x": x}, shuffle=False).device_que()
    queue.send(num_epochs=1)
    assert queue.take_sent()[0] == 0
    step = ms.data_sink(ms.jit(lambda x: x * 2), queue, sink_size=3)
    assert (float(step()), float(step())) == (6, 12)
    assert queue.take_sent()[0] == 7 and queue.take_sent() is None
    queue.send()
    helper = ms.DatasetHelper(queue, sink_size=2)
    net = ms.connect_network_with_dataset(ms.nn.ReLU(), helper)
    assert [float(net()) for _ in range(3)] == [helper.sink_size() * n - 1 for n in (1, 2, 3)]
    helper.release()
    with pytest.raises(TypeError, match="TransferDataset"):
        ms.DatasetHelper(queue, dataset_sink_mode=False)


def test_a_model_trains_from_a_queue():
    x = np.ones((6, 2), np.float32)
    d = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=False).batch(2)

    def trained(data):
        net = ms.nn.Dense(2, 1, "ones", "zeros")
        model = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
        model.train(2, data, dataset_sink_mode=True)
        return net.weight.asnumpy().tolist()

    queue = d.device_que()
    assert trained(queue) == trained(d) and queue.get_send_info()[0] == 6
    with pytest.raises(TypeError, match="a TransferDataset, which is read in sink mode"):
        net = ms.nn.Dense(2, 1)
        ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params())).train(1, queue)


def told(epochs, rows, size, repeats):
    seen = []

    class Tell(ds.DSCallback):
        def ds_begin(self, c):
            seen.append(("begin", c.cur_step_num))

        def ds_epoch_begin(self, c):
            seen.append(("epoch", c.cur_epoch_num, c.cur_step_num))

        def ds_step_begin(self, c):
            seen.append((c.cur_epoch_num, c.cur_step_num_in_epoch, c.cur_step_num))

        def ds_epoch_end(self, c):
            seen.append(("end", c.cur_epoch_num, c.cur_step_num))

    d = ds.NumpySlicesDataset(np.arange(rows), shuffle=False)
    d = d.map(lambda x: x, callbacks=Tell(size))
    for n in repeats:
        d = d.repeat(n)
    assert d.output_shapes() == [[]] and not seen  # looking at a row tells nobody
    read = d.create_tuple_iterator(num_epochs=epochs)
    for _ in range(epochs):
        list(read)
    return seen


@pytest.mark.parametrize("repeats", [(), (3,), (3, 2)])
def test_an_epoch_of_a_callback_is_the_iterators(repeats):
    """As recorded of MindSpore 2.10: steps count on through the repetitions of an epoch."""
    count = int(np.prod(repeats, dtype=int)) * 2
    want = [("begin", 0)]
    for e in range(2):
        want.append(("epoch", e + 1, e * count))
        want += [(e + 1, s, e * count + s) for s in range(1, count + 1, 2)]
        want.append(("end", e + 1, (e + 1) * count))
    assert told(2, 2, 2, repeats) == want


def test_callbacks_that_do_not_fit():
    d = ds.NumpySlicesDataset([1, 2])

    class Fails(ds.DSCallback):
        def ds_begin(self, context):
            raise KeyError("gone")

    with pytest.raises(TypeError, match="Argument callbacks with value 0 is not of type"):
        d.map(lambda x: x, callbacks=0)
    with pytest.raises(AttributeError, match="without overriding any methods"):
        d.map(lambda x: x, callbacks=ds.DSCallback())
    with pytest.raises(RuntimeError, match="Fails.ds_begin raised KeyError: 'gone'"):
        list(d.map(lambda x: x, callbacks=Fails()))


def test_facts_of_order_and_shares():
    plain = ds.NumpySlicesDataset([1, 2, 3], shuffle=False)
    assert not plain.is_shuffled() and not plain.is_sharded() and plain.input_indexs == ()
    assert plain.shuffle(2).batch(2).is_shuffled() and ds.NumpySlicesDataset([1, 2]).is_shuffled()
    assert ds.NumpySlicesDataset([1, 2], num_shards=2, shard_id=1).batch(1).is_sharded()
