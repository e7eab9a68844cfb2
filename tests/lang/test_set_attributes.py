"""Attributes of objects made outside that compiled code sets: as CPython does, when the program has
run.
"""

from __future__ import annotations

import numpy as np
import pytest

import minds
from minds import Parameter, Tensor, jit, nn, ops
from minds.base.errors import ParseError


class Account:
    def __init__(self, owner, total):
        self.owner, self.total, self.log = owner, total, []

    def pay(self, amount):
        self.total -= amount
        self.last = amount
        return self.total


class Bank:
    def __init__(self):
        self.first, self.second = Account("a", 10), Account("b", 300)


def transfer(bank, amount):
    before = bank.first.total, bank.second.total
    bank.second.pay(amount)
    bank.first.total = bank.first.total + amount
    for step in range(3):
        bank.first.log = bank.first.log + [step]
    bank.fee, bank.rate = amount // 5, "low" if amount < 50 else "high"
    return before, bank.first.total, bank.second.last, bank.first.log


def test_objects_change_as_in_python():
    here, there = Bank(), Bank()
    compiled = jit(lambda: transfer(there, 40))
    for _ in range(3):
        assert compiled() == transfer(here, 40)
        for mine, theirs in ((there, here), (there.first, here.first), (there.second, here.second)):
            plain = {k: v for k, v in vars(mine).items() if not isinstance(v, Account)}
            assert plain == {k: v for k, v in vars(theirs).items() if not isinstance(v, Account)}


class Memory(nn.Cell):
    def __init__(self):
        super().__init__()
        self.largest, self.calls, self.seen = Tensor(0.0), 0, None
        self.gain = Parameter(Tensor(1.0), name="gain")

    def construct(self, x):
        self.seen = x
        self.seen[0] = 7.0
        if x.max() > self.largest:
            self.largest = x.max()
        self.calls += 1
        setattr(self, "kind", type(x).__name__)
        self.gain = self.gain * 2
        return self.seen.sum() * self.gain


@pytest.mark.parametrize("mode", [minds.GRAPH_MODE, minds.PYNATIVE_MODE])
def test_cells_keep_what_they_are_given(mode):
    minds.set_context(mode=mode)
    net = Memory()
    sums = [net(Tensor([float(i), 2.0])).item() for i in (9, 3, 20)]
    assert sums == [2 * 9.0, 4 * 9.0, 8 * 9.0]
    assert net.calls == 3 and net.kind == "Tensor" and net.gain.asnumpy() == 8
    assert net.largest.asnumpy() == 7
    np.testing.assert_array_equal(net.seen.asnumpy(), [7, 2])


def test_what_is_only_set_compiles_once():
    keeper = Account("c", 0)

    @jit
    def keep(x):
        keeper.total = x * 3
        return keeper.total + 1

    for i in range(4):
        assert keep(Tensor(float(i))) == 3 * i + 1 and keeper.total == 3 * i
    assert len(minds.recompiles(keep)) == 1


def test_condition_on_run_time_data():
    account = Account("d", Tensor(5.0))

    @jit
    def settle(x):
        if x > 0:
            account.total = account.total - x
        elif x < -10:
            return account.total * 0
        account.owner = "settled"
        return account.total

    assert settle(Tensor(2.0)) == 3 and account.total == 3 and account.owner == "settled"
    account.owner = "d"
    assert settle(Tensor(-20.0)) == 0 and account.total == 3 and account.owner == "d"
    assert settle(Tensor(-1.0)) == 3 and account.owner == "settled"


def test_refusals():
    account = Account("e", 1)

    @jit
    def conditional(x):
        if x > 0:
            account.new = x
        return x

    @jit
    def strict(x):
        account.total = 3
        return x

    @jit
    def named(x):
        weight.name = "other"
        return x

    weight = Parameter(Tensor(1.0), name="w")
    for function, error, text in (
        (conditional, ParseError, "under a condition"),
        (named, ValueError, "parameter"),
    ):
        with pytest.raises(error, match=text):
            function(Tensor(1.0))
    minds.set_context(jit_syntax_level=0)
    try:
        with pytest.raises(TypeError, match="STRICT"):
            strict(Tensor(1.0))
    finally:
        minds.set_context(jit_syntax_level=2)
    assert account.total == 1 and not hasattr(account, "new") and weight.name == "w"


def test_items_of_tensors_that_objects_hold():
    account, held = Account("e", 1), Tensor([1.0, 2.0])
    account.held = held

    @jit
    def item(x):
        account.held[0] = x
        return account.held.sum()

    assert item(Tensor(3.0)) == 5 and item(Tensor(4.0)) == 6
    assert account.held is held
    np.testing.assert_array_equal(held.asnumpy(), [4, 2])


def test_gradient_of_code_that_sets():
    def run(wrap):
        account = Account("f", 1)

        def keeps(x):
            account.total = x * 3
            return x * 2

        slope = wrap(lambda x: ops.grad(keeps)(x))(Tensor(1.0))
        return float(slope), float(account.total)

    assert run(jit) == run(lambda f: f) == (2, 3)
