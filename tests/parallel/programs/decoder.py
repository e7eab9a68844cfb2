"""A decoder that is written for semi-automatic mode, with a strategy at each op, trained by several
processes: ``decoder.py DATA MODEL STAGES [SETTING ...]``. Losses and parameters are those of one process.
"""

import math
import sys

import numpy as np

import minds as ms
from minds import Parameter, Tensor, nn, ops
from minds.common.initializer import Normal, initializer
from minds.communication import get_group_size, get_rank, init
from minds.ops import operations as P

STEPS, ROWS, LENGTH, VOCABULARY, WIDTH, HEADS, LAYERS, MICROS = 2, 8, 8, 32, 16, 4, 2, 2


class Attention(nn.Cell):
    def __init__(self, dp, mp, drop):
        super().__init__()
        self.heads, self.size = HEADS, WIDTH // HEADS
        self.query, self.key, self.value = (nn.Dense(WIDTH, WIDTH) for _ in range(3))
        self.out = nn.Dense(WIDTH, WIDTH)
        self.reshape = P.Reshape()
        self.transpose = P.Transpose().shard(((dp, 1, mp, 1),))
        self.merge = P.Transpose().shard(((dp, mp, 1, 1),))
        self.scores = P.BatchMatMul(transpose_b=True)
        self.weighted = P.BatchMatMul()
        self.scale = P.Mul().shard(((dp, mp, 1, 1), ()))
        self.sub = P.Sub().shard(((1,), (1, 1, 1, 1)))
        self.hide = P.Mul().shard(((1, 1, 1, 1), (1,)))
        self.add = P.Add().shard(((1, 1, 1, 1), (dp, mp, 1, 1)))
        self.softmax = nn.Softmax().to_float(ms.float32)
        self.dropout = nn.Dropout(p=drop)
        for dense in (self.query, self.key, self.value):
            dense.matmul.shard(((dp, 1), (mp, 1)))
            dense.bias_add.shard(((dp, mp), (mp,)))
        self.out.matmul.shard(((dp, mp), (1, mp)))
        self.out.bias_add.shard(((dp, 1), (1,)))
        self.scores.shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.weighted.shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.softmax.softmax.shard(((dp, mp, 1, 1),))
        self.dropout.dropout.shard(((dp, mp, 1, 1),))

    def apart(self, x):
        return self.transpose(self.reshape(x, (-1, LENGTH, self.heads, self.size)), (0, 2, 1, 3))

    def construct(self, x, mask):
        q, k, v = self.apart(self.query(x)), self.apart(self.key(x)), self.apart(self.value(x))
        scores = self.scale(self.scores(q, k), Tensor(1 / math.sqrt(self.size), ms.float32))
        hidden = self.hide(
            self.sub(Tensor([1.0], ms.float32), mask), Tensor([-10000.0], ms.float32)
        )
        p = self.dropout(self.softmax(self.add(hidden, scores)))
        x = self.merge(self.weighted(p, v), (0, 2, 1, 3))
        return self.out(self.reshape(x, (-1, WIDTH)))


class FeedForward(nn.Cell):
    def __init__(self, dp, mp):
        super().__init__()
        self.up = Parameter(initializer(Normal(0.1), (WIDTH, 4 * WIDTH)), name="up")
        self.up_bias = Parameter(initializer("zeros", (4 * WIDTH,)), name="up_bias")
        self.down = Parameter(initializer(Normal(0.1), (4 * WIDTH, WIDTH)), name="down")
        self.mapping = P.MatMul().shard(((dp, 1), (1, mp)))
        self.add = P.Add().shard(((dp, mp), (mp,)))
        self.projection = P.MatMul().shard(((dp, mp), (mp, 1)))
        self.gelu = nn.GELU()
        self.gelu.gelu.shard(((dp, mp),))

    def construct(self, x):
        h = self.gelu(self.add(self.mapping(x, self.up), self.up_bias))
        return self.projection(h, self.down)


class Block(nn.Cell):
    def __init__(self, dp, mp, drop):
        super().__init__()
        self.before, self.between = nn.LayerNorm((WIDTH,)), nn.LayerNorm((WIDTH,))
        for norm in (self.before, self.between):
            norm.layer_norm.shard(((dp, 1), (1,), (1,)))
        self.attention, self.feed = Attention(dp, mp, drop), FeedForward(dp, mp)
        self.add = P.Add().shard(((dp, 1), (dp, 1)))

    def construct(self, x, mask):
        x = self.add(x, self.attention(self.before(x), mask))
        return self.add(x, self.feed(self.between(x)))


class Loss(nn.Cell):
    """The cross entropy, by single ops."""

    def __init__(self, dp, mp):
        super().__init__()
        self.max = P.ReduceMax(keep_dims=True).shard(((dp, mp),))
        self.sub = P.Sub().shard(((dp, mp), (dp, 1)))
        self.exp = P.Exp().shard(((dp, mp),))
        self.sum = P.ReduceSum(keep_dims=True).shard(((dp, mp),))
        self.div = P.RealDiv().shard(((dp, mp), (dp, 1)))
        self.log = P.Log().shard(((dp, mp),))
        self.onehot = P.OneHot().shard(((dp, mp), (), ()))
        self.mul = P.Mul().shard(((dp, mp), (dp, mp)))
        self.each = P.ReduceSum().shard(((dp, mp),))
        self.mean = P.ReduceMean().shard(((1,),))
        self.neg = P.Neg().shard(((dp,),))

    def construct(self, logits, labels):
        labels = ops.reshape(labels, (-1,))
        most = self.max(logits, -1)
        p = self.exp(self.sub(logits, most))
        p = self.log(self.div(p, self.sum(p, -1)))
        rows = self.onehot(labels, VOCABULARY, Tensor(1.0), Tensor(0.0))
        return self.mean(self.neg(self.each(self.mul(p, rows), -1)), 0)


class Decoder(nn.Cell):
    def __init__(self, dp, mp, stages, recomputes, drop):
        super().__init__()
        table = initializer(Normal(0.1), (VOCABULARY, WIDTH))
        self.table = Parameter(table, name="embedding_table", parallel_optimizer=False)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.places.gather.shard(((1, 1), (1,)))
        self.places.expand.shard(((1, 1),))
        self.gather = P.Gather().shard(((mp, 1), (dp, 1)))
        self.add = P.Add().shard(((dp, 1, 1), (1, 1, 1)))
        self.blocks = nn.CellList()
        layers = max(LAYERS, stages)
        for i in range(layers):
            block = Block(dp, mp, drop)
            block.pipeline_stage = i * stages // layers
            block.set_comm_fusion(i + 1)
            if recomputes:
                block.recompute(parallel_optimizer_comm_recompute=True)
            self.blocks.append(block)
        self.norm = nn.LayerNorm((WIDTH,)).set_comm_fusion(2)
        self.norm.layer_norm.shard(((dp, 1), (1,), (1,)))
        self.norm.pipeline_stage = stages - 1
        self.places.pipeline_stage = 0
        self.head = P.MatMul(transpose_b=True).shard(((dp, 1), (mp, 1)))
        self.loss = Loss(dp, mp)
        self.loss.pipeline_stage = stages - 1
        self.mask = Tensor(np.tril(np.ones((1, 1, LENGTH, LENGTH), np.float32)))
        self.depend = P.Depend()

    def construct(self, ids, labels):
        at = self.places(Tensor(np.arange(LENGTH).reshape(1, LENGTH), ms.int32))
        x = ops.reshape(self.add(self.gather(self.table, ids, 0), at), (-1, WIDTH))
        for block in self.blocks:
            x = block(x, self.mask)
        x = self.depend(self.norm(x), ids)
        return self.loss(self.head(x, self.table), labels)


class Step(nn.TrainOneStepWithLossScaleCell):
    """With its own scale, and gradients that are clipped together."""

    def __init__(self, network, optimizer):
        super().__init__(network, optimizer, Tensor(1024.0))
        self.clip = ops.clip_by_global_norm

    def construct(self, ids, labels):
        loss = self.network(ids, labels)
        scale = ops.cast(self.scale_sense, loss.dtype)
        grads = self.grad(self.network, self.weights)(
            ids, labels, ops.fill(loss.dtype, loss.shape, scale)
        )
        grads = self.hyper_map(ops.partial(_unscaled, scale), grads)
        grads = self.clip(grads, 1.0)
        return ops.depend(loss, self.optimizer(grads))


_unscaled = ops.MultitypeFuncGraph("unscaled")


@_unscaled.register("Tensor", "Tensor")
def _(scale, grad):
    return grad * ops.Reciprocal()(scale)


def data():
    rng = np.random.default_rng(1)
    ids = rng.integers(0, VOCABULARY, (STEPS, ROWS, LENGTH + 1)).astype(np.int32)
    return [(Tensor(i[:, :-1]), Tensor(i[:, 1:])) for i in ids]


def step_of(dp=1, mp=1, stages=1, recomputes=False, interleaved=False, drop=0.0):
    ms.set_seed(1)
    net = Decoder(dp, mp, stages, recomputes, drop)
    loss = nn.MicroBatchInterleaved(net, 2) if interleaved else net
    if stages > 1:
        loss = nn.PipelineCell(loss, MICROS)
    decayed = [p for p in net.trainable_params() if "norm" not in p.name]
    others = [p for p in net.trainable_params() if "norm" in p.name]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others}]
    return net, Step(loss, nn.AdamWeightDecay(groups, 0.01)).set_train()


def trained(step):
    ms.set_seed(2)
    return [step(*batch).asnumpy() for batch in data()]


def main(dp, mp, stages, *settings):
    recomputes, interleaved = "recompute" in settings, "interleaved" in settings
    # `Step` calls the network twice, and the micro-batches of a pipeline draw in another order then.
    drop = 0.1 if stages == 1 else 0.0
    net, step = step_of(1, 1, stages, recomputes, interleaved, drop)
    expected = trained(step)
    values = {p.name: p.asnumpy().copy() for p in step.get_parameters()}
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        full_batch=True,
        pipeline_stages=stages,
        enable_parallel_optimizer="zero" in settings,
        comm_fusion={"allreduce": {"mode": "auto", "config": None}},
    )
    net, step = step_of(dp, mp, stages, recomputes, interleaved, drop)
    losses = trained(step)
    np.testing.assert_allclose(losses, expected, rtol=2e-5)
    for p in step.get_parameters():
        np.testing.assert_allclose(
            p.asnumpy(), values[p.name], rtol=2e-3, atol=2e-5, err_msg=p.name
        )
    print(f"{get_rank()} of {get_group_size()} is well", losses, flush=True)


if __name__ == "__main__":
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    main(*map(int, sys.argv[1:4]), *sys.argv[4:])
