"""Slices of lists where only the run knows a bound, the step or the length, against Python."""

import pytest

import minds as ms
from minds import Tensor, mutable

HELD = [[1, 2, 3, 4, 5], [1.5, 2.5, 3.5], [7]]


@ms.jit
def _stepped(a, step):
    return a[::step], a[1::step], a[:3:step], a[-1:0:step]


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2, -7])
@pytest.mark.parametrize("a", HELD)
def test_a_step_of_the_run(a, step):
    found = _stepped(mutable(a), mutable(step))
    wanted = a[::step], a[1::step], a[:3:step], a[-1:0:step]
    assert [list(x) for x in found] == [list(x) for x in wanted]


def test_a_step_of_zero_is_refused():
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        _stepped(mutable([1, 2, 3]), mutable(0))


@ms.jit
def _stored(a, start, stop, new):
    a = list(a)
    a[start:stop] = new
    return a


@ms.jit
def _stored_from(a, start, new):
    a = list(a)
    a[start:] = new
    return a


@pytest.mark.parametrize("start", [0, 1, 4, 9, -1, -3, -9])
@pytest.mark.parametrize("new", [[], [10], [10, 20, 30]])
def test_a_slice_between_bounds_of_the_run_is_set(start, new):
    for stop in (0, 2, 9, -2):
        wanted = [1, 2, 3, 4, 5]
        wanted[start:stop] = new
        found = _stored(mutable([1, 2, 3, 4, 5]), mutable(start), mutable(stop), mutable(new))
        assert list(found) == wanted
    wanted = [1, 2, 3, 4, 5]
    wanted[start:] = new
    assert list(_stored_from(mutable([1, 2, 3, 4, 5]), mutable(start), mutable(new))) == wanted


@ms.jit
def _stored_whole(a, new):
    a[1:3] = new
    return a, a[1], len(a)


@pytest.mark.parametrize("new", [[10], [10, 20, 30]])
@pytest.mark.parametrize("open_owner, open_value", [(True, False), (False, True), (True, True)])
def test_lists_of_unknown_length(new, open_owner, open_value):
    wanted = [1, 2, 3, 4, 5]
    wanted[1:3] = new
    a = mutable([1, 2, 3, 4, 5], open_owner)
    found, item, size = _stored_whole(a, mutable(new, open_value))
    assert (list(found), int(item), int(size)) == (wanted, wanted[1], len(wanted))


@ms.jit
def _in_a_loop(n):
    a = [0, 1, 2, 3, 4]
    for i in range(n):
        a[i : i + 2] = [i * 10]
    return a


def test_in_a_loop():
    for n in range(4):
        wanted = [0, 1, 2, 3, 4]
        for i in range(n):
            wanted[i : i + 2] = [i * 10]
        assert list(_in_a_loop(mutable(n))) == wanted


@ms.jit
def _by_step(a, start):
    a[start::2] = [5, 6]
    return a


def test_a_slice_with_a_step_is_set_by_python():
    for start in (0, 1):
        wanted = [1, 2, 3, 4]
        wanted[start::2] = [5, 6]
        assert list(_by_step(mutable([1, 2, 3, 4]), mutable(start))) == wanted


@ms.jit
def _of_a_tuple(a, start):
    a[start:] = (1,)
    return a


def test_a_tuple_is_refused():
    with pytest.raises(TypeError, match="does not support item assignment"):
        _of_a_tuple(mutable((1, 2, 3)), mutable(0))


USES = {
    "item": lambda t, i: t[i],
    "start": lambda t, i: t[i:],
    "stop": lambda t, i: t[:i],
    "step": lambda t, i: t[::i],
    "range": lambda t, i: [k for k in range(i)],
}
SEQUENCES = [
    [1, 2, 3],
    (1.5, 2.5, 3.5),
    [Tensor(1), Tensor(2), Tensor(3)],
    mutable([4, 5, 6], True),
]


def _used(use, t, i, how):
    f = USES[use]
    if how == "captured":
        return ms.jit(lambda t: f(t, i))(t)
    return (ms.jit(f) if how == "argument" else f)(t, i)


@pytest.mark.parametrize("how", ["eager", "argument", "captured"])
@pytest.mark.parametrize("use", USES)
def test_a_tensor_is_an_index_as_an_integer_is(use, how):
    for t in SEQUENCES:
        for i in (Tensor(2), Tensor([1]), Tensor(True), Tensor([[True]])):
            found, wanted = _used(use, t, i, how), USES[use](list(t), int(i))
            assert found == wanted if use == "item" else list(found) == list(wanted)


@pytest.mark.parametrize("how", ["eager", "argument", "captured"])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("i", [Tensor(2.0), Tensor([1.5]), Tensor([1, 2])], ids=str)
def test_a_tensor_that_is_no_index_is_refused(use, how, i):
    for t in SEQUENCES:
        with pytest.raises(TypeError, match="cannot be an index|indices must be integers"):
            _used(use, t, i, how)
