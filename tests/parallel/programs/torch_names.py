"""`mint.distributed`: results are written into given tensors, at once or when a handle is waited for."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint

d = mint.distributed
d.init_process_group()
R, N = d.get_rank(), d.get_world_size()


def data(rank, shape=(N, 2)):
    return np.random.default_rng(rank).integers(1, 9, shape).astype(np.float32)


ALL = [data(r) for r in range(N)]
TOTAL = sum(ALL)


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


def check(places, wanted, what):
    for got, want in zip(places, wanted, strict=True):
        assert np.array_equal(got.asnumpy(), want), (what, R, got, want)


def mine():
    return Tensor(ALL[R].copy())


def rows():
    """Name, call (taking ``async_op``), the tensors that are written, what they are then."""
    x, own = mine(), slice(R, R + 1)
    yield "all_reduce", lambda **k: d.all_reduce(x, **k), [x], [TOTAL]
    y = zeros(N * N, 2)
    yield (
        "all_gather_into_tensor",
        lambda **k: d.all_gather_into_tensor(y, mine(), **k),
        [y],
        [np.concatenate(ALL)],
    )
    z = zeros(1, 2)
    yield (
        "reduce_scatter_tensor",
        lambda **k: d.reduce_scatter_tensor(z, mine(), **k),
        [z],
        [TOTAL[own]],
    )
    b = mine()
    yield "broadcast", lambda **k: d.broadcast(b, N - 1, **k), [b], [ALL[-1]]
    c = mine()
    wanted = TOTAL if R == 0 else ALL[R]
    yield "reduce", lambda **k: d.reduce(c, 0, **k), [c], [wanted]
    outs = [zeros(N, 2) for _ in range(N)]
    yield "all_gather", lambda **k: d.all_gather(outs, mine(), **k), outs, ALL
    got = [zeros(N, 2) for _ in range(N)]
    yield (
        "gather",
        lambda **k: d.gather(mine(), got if R == 0 else None, 0, **k),
        got,
        ALL if R == 0 else [0] * N,
    )
    s = zeros(N, 2)
    pieces = [Tensor(ALL[0] + i) for i in range(N)] if R == 0 else None
    yield "scatter", lambda **k: d.scatter(s, pieces, 0, **k), [s], [ALL[0] + R]
    t = zeros(N, 2)
    parts = [Tensor(ALL[R] * (i + 1)) for i in range(N)]
    yield "reduce_scatter", lambda **k: d.reduce_scatter(t, parts, **k), [t], [TOTAL * (R + 1)]
    came = [zeros(N, 2) for _ in range(N)]
    yield "all_to_all", lambda **k: d.all_to_all(came, parts, **k), came, [a * (R + 1) for a in ALL]
    one = zeros(N, 2)
    columns = [np.concatenate([a[own] for a in ALL])]
    yield "all_to_all_single", lambda **k: d.all_to_all_single(one, mine(), **k), [one], columns
    sizes = list(range(1, N + 1))
    uneven, u = zeros(sum(sizes), 2), Tensor(np.full((R + 1, 2), R, np.float32))
    whole = np.repeat(np.arange(N, dtype=np.float32), sizes)[:, None] * np.ones(2, np.float32)
    yield (
        "all_gather_into_tensor_uneven",
        lambda **k: d.all_gather_into_tensor_uneven(uneven, u, sizes, **k),
        [uneven],
        [whole],
    )
    v, w = zeros(R + 1, 2), Tensor(whole)
    start = sum(sizes[:R])
    yield (
        "reduce_scatter_tensor_uneven",
        lambda **k: d.reduce_scatter_tensor_uneven(v, w, sizes, **k),
        [v],
        [N * whole[start : start + R + 1]],
    )
    yield "barrier", lambda **k: d.barrier(**k), [], []


for async_op in (False, True):
    for name, call, places, wanted in rows():
        handle = call(async_op=async_op)
        assert (handle is None) is not async_op, name
        if async_op:
            handle.wait()
            assert handle.is_completed()
        if not (name == "gather" and R):
            check(places, wanted, (name, async_op))

if N > 1:
    to, source = (R + 1) % N, (R - 1) % N
    x, place = mine(), zeros(N, 2)
    sent, came = d.isend(x, to), d.irecv(place, source)
    came.wait()
    sent.wait()
    check([place], [ALL[source]], "irecv")
    place = zeros(N, 2)
    for h in d.batch_isend_irecv([d.P2POp("isend", x, to), d.P2POp("irecv", place, source)]):
        h.wait()
    check([place], [ALL[source]], "batch")
    if R == 0:
        d.send(x, 1)
        d.send_object_list(["a", {"b": 2}], 1)
    if R == 1:
        assert d.recv(place, 0) == 0
        check([place], [ALL[0]], "recv")
        objects = [None, None]
        d.recv_object_list(objects, 0)
        assert objects == ["a", {"b": 2}]

things = [None] * N
d.all_gather_object(things, {"rank": R, "text": "x" * R})
assert things == [{"rank": r, "text": "x" * r} for r in range(N)]
things = ["first", 1] if R == 0 else [None, None]
d.broadcast_object_list(things, 0)
assert things == ["first", 1]
things = [None] * N if R == N - 1 else None
d.gather_object(R, things, N - 1)
assert things == (list(range(N)) if R == N - 1 else None)
things = [None]
d.scatter_object_list(things, list("abcd"[:N]) if R == 0 else None, 0)
assert things == ["abcd"[R]]

group = d.new_group(list(range(N)))
assert d.get_process_group_ranks(group) == list(range(N)) and d.get_backend(group) == "mccl"
assert d.get_global_rank(group, R) == d.get_group_rank(group, R) == R

for call, error in (
    (lambda: d.all_gather_into_tensor(zeros(1), mine()), ValueError),
    (lambda: d.all_gather([zeros(N, 2)] * (N + 1), mine()), ValueError),
    (lambda: d.all_reduce(3.0), TypeError),
    (lambda: d.broadcast(mine(), N), ValueError),
    (lambda: ms.jit(lambda x: d.all_reduce(x))(mine()), TypeError),
):
    with pytest.raises(error):
        call()
d.destroy_process_group(group)
print("all is well")
