"""Names of outside that compiled code sets, `global` and `nonlocal` of a call around it: as CPython
leaves them.
"""

import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, nn

X = Tensor([0.5, -1.25, 2.0])
COUNT = 0


def sets(x, n):
    global COUNT
    COUNT = x * n
    return COUNT + 1


def counts(x, n):
    global COUNT
    COUNT += n
    return COUNT


def _adds(v):
    global COUNT
    COUNT = COUNT + v


def helped(x, n):
    _adds(n)
    _adds(2)
    return COUNT, x


def under_a_condition(x, n):
    global COUNT
    if n > 2:
        COUNT = n
    return COUNT


def in_a_loop(x, n):
    def add(v):
        global COUNT
        COUNT = COUNT + v

    for i in range(n):
        add(i)
    return COUNT


def in_a_loop_over_a_generator(x, n):
    global COUNT

    def growing():
        for i in range(n):
            yield x * i

    for v in growing():
        if v.sum() > 1.0:
            COUNT = COUNT + 1
    return COUNT, x


def new_name(x, n):
    global MADE
    MADE = n
    return MADE


def differentiated(x, n):
    def loss(v):
        global COUNT
        COUNT = COUNT + n
        return (v * v).sum() * n

    return ms.grad(loss)(x), ms.grad(loss)(x), COUNT


def _left(fn, *args):
    globals().update(COUNT=1)
    globals().pop("MADE", None)
    return fn(*args), COUNT, globals().get("MADE")


@pytest.mark.parametrize(
    "fn",
    [
        sets,
        counts,
        helped,
        under_a_condition,
        in_a_loop,
        in_a_loop_over_a_generator,
        new_name,
        differentiated,
    ],
    ids=lambda f: f.__name__,
)
def test_global_names_are_set(fn):
    for n in (0, 3, 5):
        assert_same(_left(ms.jit(fn), X, n), _left(fn, X, n))


def test_a_name_around_the_compiled_function_is_set():
    def run(wrap):
        total, last = 0, None

        @wrap
        def step(x, n):
            nonlocal total, last
            total += n
            if n > 2:
                last = x
            return x * total

        found = [step(X, n) for n in (1, 3, 2)]
        return found, total, last

    assert_same(run(ms.jit), run(lambda f: f))


def test_strict_sets_no_names_of_outside():
    def f(x):
        global COUNT
        COUNT = x
        return x

    ms.set_context(jit_syntax_level=ms.STRICT)
    try:
        with pytest.raises(TypeError, match="the global name 'COUNT' cannot be set"):
            ms.jit(f)(X)
    finally:
        ms.set_context(jit_syntax_level=ms.LAX)


def test_a_module_that_is_not_there():
    def f(x):
        import no_such_module

        return x

    with pytest.raises(ModuleNotFoundError, match="no_such_module.*\n.*test_scopes.py"):
        ms.jit(f)(X)


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
        self.step, self.seen = 0, []

    def construct(self, x):
        self.step = self.step + 1
        self.seen.append(self.step)
        return (x * self.w).sum()


def test_a_training_step_counts_in_its_network():
    def trained(wrap):
        net = Counting()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        gradient = ms.value_and_grad(lambda x: net(x), None, optimizer.parameters)

        @wrap
        def step(x):
            value, grads = gradient(x)
            optimizer(grads)
            return value

        found = [step(X) for _ in range(3)]
        return found, net.step, net.seen, net.w.asnumpy()

    assert_same(trained(ms.jit), trained(lambda f: f))


def test_messages_show_large_and_endless_containers_in_part():
    many = {i: i for i in range(3000)}
    many[0] = many

    def f(x):
        return x + many

    with pytest.raises(TypeError, match=r"1: int 1, .*, … 2950 more\}") as raised:
        ms.jit(f)(X)
    assert len(str(raised.value)) < 8_000
