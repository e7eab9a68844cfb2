"""Generator functions and context managers made of them: functions of a tensor ``x`` and an int ``n``."""

import contextlib
import functools
import itertools

import minds as ms
from minds import Tensor, ops


def g_simple(x, n):
    def gen():
        yield x
        yield x * 2.0
        yield n

    a, b, c = gen()
    return a + b, c


def top(x, k):
    for i in range(3):
        yield x * i + k


def g_top(x, n):
    s = x * 0.0
    for v in top(x, n):
        s = s + v
    return s


def g_list(x, n):
    return list(top(x, n)), tuple(top(x, 1))


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def g_fib(x, n):
    out = []
    for v in fib():
        if v > 20:
            break
        out.append(v)
    return out, x, n


def g_zip(x, n):
    return [v * i for v, i in zip([x, x, x], fib())], n


def g_islice(x, n):
    return list(itertools.islice(fib(), 5)), next(fib()), x


def g_send(x, n):
    def acc():
        total = x * 0.0
        while True:
            v = yield total
            if v is None:
                return
            total = total + v

    g = acc()
    next(g)
    g.send(x)
    return g.send(x * n)


def g_send_and_collect(x, n):
    """What was sent is the value of one `yield`."""

    def gen(k):
        y = x
        while k >= 0:
            got = yield y * k
            y = y + (got if got is not None else 1.0)
            k -= 1

    g = gen(4)
    return next(g), g.send(x * 2.0), list(g)


def g_from(x, n):
    def inner(k):
        yield k
        yield k * 2
        return k * 3

    def outer():
        r = yield from inner(n)
        yield r
        r2 = yield from [7, 8]
        yield r2
        yield from top(x, 0)

    return list(outer())


def g_tree(x, n):
    def walk(t):
        if isinstance(t, (list, tuple)):
            for e in t:
                yield from walk(e)
        else:
            yield t

    return sum(walk([1, (x, [n, 2]), [[x * n]]]), 0.0)


def g_return_gen(x, n):
    def make(k):
        def gen():
            for i in range(2):
                yield x * i * k

        return gen()

    return sum(make(n)), list(make(2))


def g_branch_inside(x, n):
    def gen():
        for i in range(3):
            y = x * i
            if n > i:
                y = y + 1.0
            yield y

    return list(gen())


def g_cond(x, n):
    def gen():
        for i in range(5):
            if i % 2:
                continue
            if i > 3:
                return
            yield i * n

    return list(gen()), x


def g_n(x, n):
    def gen():
        for i in range(n):
            yield x * i

    return sum(gen(), x)


def g_else(x, n):
    def gen():
        for i in range(2):
            yield i
        else:
            yield 100
        while False:
            yield 1
        else:
            yield n

    return list(gen()), x


def g_nested_yield(x, n):
    def gen():
        z = (yield 1) or 5
        y = [(yield 2), (yield z)]
        yield y

    g = gen()
    a = next(g)
    b = next(g)
    c = g.send(n)
    d = g.send(4)
    return a, b, c, d, x


class Tree:
    def __init__(self, v, kids=()):
        self.v = v
        self.kids = kids

    def __iter__(self):
        yield self.v
        for k in self.kids:
            yield from k


def g_class_iter(x, n):
    t = Tree(x, [Tree(x * n), Tree(x * 2.0, [Tree(x)])])
    return sum(t), [v for v in t]


def g_nonlocal(x, n):
    count = 0

    def gen():
        nonlocal count
        for i in range(3):
            count += 1
            yield i * n

    a = list(gen())
    return a, count, x


def g_interleave(x, n):
    a, b = top(x, 1), top(x, 2)
    return next(a), next(b), next(a), list(b), list(a), n


def g_expr_over_gen(x, n):
    return sum(v * v for v in top(x, n)), max(v for v in fib_to(10)), n


def fib_to(k):
    for v in fib():
        if v > k:
            return
        yield v


def g_map(x, n):
    return list(map(lambda v: v * n, fib_to(5))), dict(enumerate(fib_to(3))), x


def g_any(x, n):
    return any(v > 5 for v in fib()), x, n


def g_star(x, n):
    return max(*fib_to(10)), [*fib_to(3), n], x


def g_lambda_args(x, n):
    def gen(k, *more, scale=2):
        for m in (k, *more):
            yield m * scale

    return list(gen(1, n, 3)), list(gen(x, scale=n))


@contextlib.contextmanager
def scaled(log, k):
    log.append("in")
    yield k * 2
    log.append("out")


def c_manager(x, n):
    log = []
    with scaled(log, n) as k:
        log.append(k)
        x = x * k
    return x, len(log), log[1]


@contextlib.contextmanager
def fin(log):
    try:
        yield
    finally:
        log.append(1)


def c_finally(x, n):
    log = []
    with fin(log):
        x = x + 1.0
        with fin(log):
            x = x * n
    return x, log


def c_return(x, n):
    log = []

    def f():
        with fin(log):
            if n > 2:
                return x * 2.0
        return x

    return f(), log


class Net:
    def __init__(self, k):
        self.k = k
        self.depth = 0

    @contextlib.contextmanager
    def mode(self, k):
        old = self.k
        self.k = k
        try:
            yield self
        finally:
            self.k = old


def c_method(x, n):
    net = Net(3)
    with net.mode(n) as m:
        a = x * m.k
    return a, net.k


def c_inner(x, n):
    log = []

    @contextlib.contextmanager
    def timer(name):
        log.append(name)
        yield len(log)
        log.append("end " + name)

    with timer("a") as i, timer("b") as j:
        x = x * (i + j)
    return x, log


def c_null(x, n):
    with contextlib.nullcontext(x) as y:
        x = y * 2.0
    with contextlib.nullcontext():
        pass
    return x


def c_loop(x, n):
    log = []
    for i in range(3):
        with fin(log):
            if i == 1:
                continue
            x = x * 2.0
    return x, log


def c_stack(x, n):
    log = []
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(scaled(log, n))
        b = stack.enter_context(scaled(log, 3))
        stack.callback(log.append, "cb")
        x = x * (a + b)
    return x, log[-1], len(log)


def by_case(x, most):
    for i in range(5):
        match i:
            case 0:
                continue
            case 1 | 2:
                yield x * i
                x = x + 1.0
            case k if k == most + 1:
                return
            case k:
                for j in range(k - 1):
                    yield x - j
        yield x


def g_match(x, n):
    s = x
    for v in by_case(x, n):
        s = s * 0.5 + v
    return s, [v for v in by_case(x, 9)][-1]


def until_case(x, last):
    for i in range(5):
        match i:
            case k if k == last:
                break
        yield x + i


def g_match_that_leaves(x, n):
    return x + sum(until_case(x, n)), list(until_case(x, 1))[0]


def counted(x, log, most=4):
    try:
        for i in range(most):
            log.append(i)
            yield x * i
    finally:
        log.append(9)


def left_by_break(x, n):
    log = []
    for v in counted(x, log):
        if v.sum() > n:
            break
    log.append(5)
    return x * len(log), sum(log)


def _first_above(x, n, log):
    for v in counted(x, log):
        if v.sum() > n:
            return v
    return x


def left_by_return(x, n):
    log = []
    v = _first_above(x, n, log)
    return v + len(log), sum(log)


def left_by_raise(x, n):
    log = []
    try:
        for v in counted(x, log):
            if v.sum() > n:
                raise ValueError("a")
            log.append(7)
    except ValueError:
        log.append(8)
    return x * sum(log)


def left_from_outside(x, n):
    def doubled(log):
        try:
            for v in counted(x, log):
                yield v * 2.0
        except GeneratorExit:
            log.append(n)
            raise

    log = []
    for k in range(9):
        for v in doubled(log):
            if v.sum() > n + k:
                break
            x = x * 1.01
    return x, sum(log)


def closed_before_its_end(x, n):
    log = []
    g = counted(x, log)
    y = next(g) + next(g)
    g.close()
    log.append(n)
    return y, log


def what_a_loop_raises_finishes_the_generator(x, n):
    def grows(log):
        i = 0
        while x[0] * i < 2.0:
            i = i + 1
            try:
                yield x * i
            finally:
                log.append(i)

    log = []
    try:
        for v in grows(log):
            if v.sum() > n:
                raise ValueError("a")
    except ValueError:
        log.append(50)
    return x * sum(log)


def _answers(x):
    try:
        got = yield x
    except ValueError as e:
        got = yield e.args[0] * x
        yield got + 1.0
        return 4.0
    except KeyError:
        return 5.0
    finally:
        yield x * 7.0
    return got


def yields_in_handlers(x, n):
    g = _answers(x)
    next(g)
    found = [g.throw(ValueError(3.0)), g.send(x * n), next(g)]
    try:
        next(g)
    except StopIteration as e:
        found.append(e.value)
    return found


def _outer(x):
    result = yield from _answers(x)
    yield result


def throws_through_yield_from(x, n):
    g = _outer(x)
    next(g)
    first = g.throw(KeyError, KeyError("a"))
    return first, next(g), list(_outer(x))


def leaves_a_loop_from_a_handler(x, n):
    def numbers():
        for k in range(5):
            try:
                yield k
                if k == 1:
                    raise KeyError(k)
                if k == 3:
                    raise ValueError(k)
            except KeyError:
                continue
            except ValueError:
                break
            yield k + 10
        yield 99

    def returns():
        try:
            yield n
            raise KeyError("a")
        except KeyError:
            return
        yield 2

    return list(numbers()), list(returns()), x


def next_in_itself(x, n):
    found = []

    def numbers():
        try:
            next(g)
        except ValueError as e:
            found.append(str(e))
        yield n

    g = numbers()
    return next(g), found, x


def manager_as_decorator(x, n):
    noted = []

    @contextlib.contextmanager
    def around(word):
        noted.append(word)
        yield
        noted.append(-1)

    @around(n)
    def double(v):
        return v * 2.0

    return double(x), double(x + 1.0), noted
