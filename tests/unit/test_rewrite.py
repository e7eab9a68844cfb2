"""`minds.rewrite`: networks taken apart into nodes, changed, and put together again."""

import importlib

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.ops import operations as P
from minds.rewrite import (
    Node,
    NodeType,
    PatternEngine,
    PatternNode,
    Replacement,
    ScopedValue,
    SymbolTree,
    VarNode,
)

STYLE = "wide"


def doubled(x):
    y = ops.abs(x)
    return y + x


class Block(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.dense = nn.Dense(size, size)
        self.act = nn.ReLU()

    def construct(self, x):
        return self.act(self.dense(x))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Block(3)
        self.chain = nn.SequentialCell(nn.Tanh(), Block(3))
        self.act = nn.ReLU()
        self.deep = True

    def construct(self, x, scale: float = 2.0):
        x = self.inner(x) * scale
        if not self.deep:
            return x
        x = self.chain(x)
        for _ in range(2):
            x = self.act(x)
        x = doubled(x)
        return self.finish(x)

    def finish(self, x):
        return x - ops.mean(x)


def given():
    return Tensor(np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32))


def name(text):
    return ScopedValue.create_naming_value(text)


def same(a, b):
    np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_an_unchanged_network_computes_the_same_with_the_same_parameters(mode):
    ms.set_context(mode=mode)
    net = Net()
    new = SymbolTree.create(net).get_network()
    same(new(given()), net(given()))
    assert isinstance(new, Net) and type(new).__name__ == "NetOpt"
    assert [p.name for p in new.get_parameters()] == [p.name for p in net.get_parameters()]
    assert all(a is b for a, b in zip(new.get_parameters(), net.get_parameters()))


def test_the_nodes():
    tree = SymbolTree.create(Net())
    names = [n.get_name() for n in tree.nodes()]
    assert names == [
        "input_x",
        "input_scale",
        "inner",
        "binop_mult",
        "unaryop_not",
        "if_node",
        "chain",
        "range",
        "for_node",
        "doubled",
        "finish",
        "return_2",
    ]
    inner, mult = tree.get_node("inner"), tree.get_node("binop_mult")
    assert inner.get_node_type() is NodeType.Tree and inner.get_instance_type() is Block
    assert inner.get_targets() == [name("inner_var")] and mult.get_args() == [
        name("inner_var"),
        name("scale"),
    ]
    assert inner.get_users() == [mult] and mult.get_inputs() == [
        inner,
        tree.get_node("input_scale"),
    ]
    assert [n.get_name() for n in inner.get_sub_tree().nodes()] == [
        "input_x",
        "dense",
        "act",
        "return",
    ]
    assert [n.get_name() for n in tree.get_node("for_node").nodes()] == ["act"]
    assert [n.get_instance_type() for n in tree.get_node("chain").nodes()] == [nn.Tanh, Block]
    assert [n.get_name() for n in tree.get_node("finish").nodes()] == [
        "input_x_1",
        "mean",
        "binop_sub",
        "return_1",
    ]
    assert tree.get_node("doubled").get_node("abs").get_args() == [name("x")]
    assert tree.get_node("none") is None and Node(inner) is inner and SymbolTree(tree) is tree


def test_insert_and_erase():
    net, x = Net(), given()
    tree = SymbolTree.create(net)
    tree.insert(
        tree.after("chain"), Node.create_call_cell(nn.Sigmoid(), ["x"], [name("x")], name="squash")
    )
    tree.insert(
        tree.before("doubled"),
        Node.create_call_function(ops.add, ["x"], [name("x"), name("scale")]),
    )
    code = tree.get_code()
    assert (
        "self.squash = obj.squash" in code
        and "x = self.squash(x)" in code
        and "x = add(x, scale)" in code
    )
    new = tree.get_network()
    y = ops.relu(ops.sigmoid(net.chain(net.inner(x) * 2.0))) + 2.0
    same(new(x), net.finish(doubled(y)))
    assert isinstance(new.squash, nn.Sigmoid) and not hasattr(net, "squash")
    tree.erase("squash")
    tree.erase(tree.get_node("add"))
    assert "squash" not in tree.get_code()
    same(tree.get_network()(x), net(x))
    with pytest.raises(ValueError, match="not in this tree"):
        tree.after("squash")
    with pytest.raises(ValueError, match="before an input"):
        tree.insert(tree.before("input_x"), Node.create_call_cell(nn.ReLU(), ["x"], [name("x")]))


def test_new_parameters_are_trained():
    tree = SymbolTree.create(Net())
    tree.insert(
        tree.after("chain"), Node.create_call_cell(nn.Dense(3, 3), ["x"], [name("x")], name="more")
    )
    new = tree.get_network()
    assert len(new.trainable_params()) == 6
    grads = ms.grad(lambda x: new(x).sum(), None, new.trainable_params())(given())
    assert len(grads) == 6


def test_nodes_of_methods_functions_and_loops_change_too():
    net, x = Net(), given()
    tree = SymbolTree.create(net)
    loop, method, function = (tree.get_node(n) for n in ("for_node", "finish", "doubled"))
    tree.insert(
        tree.after(loop.get_node("act")), Node.create_call_function(ops.sin, ["x"], [name("x")])
    )
    method.get_node("binop_sub").set_arg(1, ScopedValue.create_variable_value(1.0))
    function.get_node("abs").set_arg(0, ScopedValue.create_variable_value(0.5))
    y = net.chain(net.inner(x) * 2.0)
    y = ops.sin(ops.relu(ops.sin(ops.relu(y))))
    same(tree.get_network()(x, 2.0), y + 0.5 - 1.0)
    same(doubled(x), ops.abs(x) + x)  # the original function is as it was


def test_cells_of_containers_are_inserted_replaced_and_erased():
    net, x = Net(), given()
    tree = SymbolTree.create(net)
    tanh, block = tree.get_node("chain").nodes()
    tree.insert(tree.after(tanh), Node.create_call_cell(nn.Sigmoid(), ["x"], [name("x")]))
    tree.replace(tanh, [Node.create_call_cell(nn.ReLU(), ["x"], [name("x")])])
    inner = block.get_sub_tree()
    inner.get_node("return").set_arg(0, inner.get_node("dense").get_targets()[0])
    inner.erase("act")
    new = tree.get_network()
    assert [type(c).__name__ for c in new.chain] == ["ReLU", "Sigmoid", "BlockOpt_1"]
    assert [type(c).__name__ for c in net.chain] == ["Tanh", "Block"]
    assert new.chain[2].dense.weight is net.chain[1].dense.weight
    same(new.chain(x), net.chain[1].dense(ops.sigmoid(ops.relu(x))))


def test_replace_and_set_output():
    class Two(nn.Cell):
        def construct(self, x):
            a = ops.sin(x)
            b = ops.cos(a)
            return b

    tree, x = SymbolTree.create(Two()), given()
    tree.replace(
        tree.get_node("sin"),
        [
            Node.create_call_cell(nn.ReLU(), ["r"], [name("x")], name="r"),
            Node.create_call_cell(nn.Tanh(), ["t"], [name("r")], name="t"),
        ],
    )
    assert tree.get_node("cos").get_args() == [name("t")] and tree.get_node("r").get_users() == [
        tree.get_node("t")
    ]
    same(tree.get_network()(x), ops.cos(ops.tanh(ops.relu(x))))
    tree.set_output(0, "r")
    same(tree.get_network()(x), ops.relu(x))


def test_the_branch_of_a_known_condition_takes_the_place_of_the_if():
    class Ifs(nn.Cell):
        kind = "a"

        def __init__(self):
            super().__init__()
            self.layers = 3

        def construct(self, x):
            if Ifs.kind == "a" and STYLE == "wide":
                x = ops.sin(x)
            else:
                x = ops.cos(x)
            if self.layers > 5:
                x = ops.tan(x)
            if x.sum() > 0:
                x = ops.exp(x)
            return x

    tree, x = SymbolTree.create(Ifs()), given()
    tree.flatten_static_if_control_flow()
    code = tree.get_code()
    assert (
        "ops.sin" in code and "ops.exp" in code and "ops.cos" not in code and "ops.tan" not in code
    )
    same(tree.get_network()(x), Ifs()(x))


def test_an_if_and_its_else_are_erased_one_by_one():
    class Choose(nn.Cell):
        def construct(self, x, flag):
            if flag:
                x = ops.sin(x)
            else:
                x = ops.cos(x)
            return x

    tree, x = SymbolTree.create(Choose()), given()
    tree.erase("if_node")
    same(tree.get_network()(x, True), x)
    same(tree.get_network()(x, False), ops.cos(x))
    tree.erase("else_node")
    assert "flag:" not in tree.get_code()


class Base(nn.Cell):
    shift = Tensor(1.0)

    def construct(self, x):
        return x

    def moved(self, x):
        return x + self.shift


class Plain:
    def halved(self, x):
        return x / 2


class Derived(Base, Plain):
    def construct(self, x):
        return super().construct(self.halved(self.moved(x)))


def test_base_classes_become_base_classes():
    tree, x = SymbolTree.create(Derived()), given()
    code = tree.get_code()
    for line in (
        "class DerivedOpt(Derived, BaseOpt, PlainOpt):",
        "class BaseOpt(Base, nn.Cell):",
        "class PlainOpt(Plain):",
    ):
        assert code.count(line) == 1
    assert "shift = " not in code
    same(tree.get_network()(x), (x + 1) / 2)
    tree.get_node("moved").get_node("binop_add").set_arg(1, ScopedValue.create_variable_value(3.0))
    same(tree.get_network()(x), (x + 3) / 2)


def test_one_class_for_cells_that_are_the_same_two_for_others():
    class Pair(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a, self.b = Block(3), Block(3)

        def construct(self, x):
            return self.b(self.a(x))

    tree = SymbolTree.create(Pair())
    assert tree.get_code().count("class BlockOpt") == 1
    tree.get_node("a").get_sub_tree().erase("act")
    code = tree.get_code()
    assert "self.a = BlockOpt(self.a)" in code and "self.b = BlockOpt_1(self.b)" in code


def test_the_code_can_be_saved(tmp_path):
    tree = SymbolTree.create(Net())
    with pytest.raises(ValueError, match="no file is set"):
        tree.save_network_to_file()
    tree.set_saved_file_name(str(tmp_path / "net"))
    tree.save_network_to_file()
    assert (
        tmp_path / "net.py"
    ).read_text() == tree.get_code() and tree.get_saved_file_name().endswith("net.py")


class Fuse(Replacement):
    def build(self, pattern, is_chain_pattern, matched):
        act = matched[pattern.name()]
        dense = matched[pattern.get_inputs()[0].name()]
        fused = nn.Dense(
            3,
            3,
            activation="relu",
            weight_init=dense.get_instance().weight,
            bias_init=dense.get_instance().bias,
        )
        return [Node.create_call_cell(fused, act.get_targets(), dense.get_args(), name="fused")]


def test_a_chain_is_replaced_in_all_networks():
    tree, x = SymbolTree.create(net := Net()), given()
    assert PatternEngine([nn.Dense, nn.ReLU], Fuse()).apply(tree)
    blocks = [tree.get_node("inner"), tree.get_node("chain").nodes()[1]]
    assert all(
        [n.get_name() for n in b.get_sub_tree().nodes()] == ["input_x", "fused", "return"]
        for b in blocks
    )
    same(tree.get_network()(x), net(x))
    assert not PatternEngine([nn.Dense, nn.ReLU], Fuse()).apply(tree)


def test_a_pattern_with_two_inputs_and_a_value_that_others_take():
    class Sums(nn.Cell):
        def __init__(self, both):
            super().__init__()
            self.left, self.right, self.add, self.both = nn.Tanh(), nn.Sigmoid(), P.Add(), both

        def construct(self, x):
            a = self.left(x)
            b = self.right(x)
            y = self.add(a, b)
            if self.both:
                return y
            return self.add(y, a)

    class Swap(Replacement):
        def build(self, pattern, is_chain_pattern, matched):
            assert not is_chain_pattern and list(matched) == ["l", "r", "sum"]
            left = matched["l"]
            return [Node.create_call_function(ops.sin, ["s"], left.get_args())]

    pattern = PatternNode(
        "sum",
        P.Add,
        [PatternNode("l", nn.Tanh, [VarNode()]), PatternNode("r", nn.Sigmoid, [VarNode()])],
    )
    shared = SymbolTree.create(Sums(False))
    assert not PatternEngine(pattern, Swap()).apply(shared)

    class Alone(Sums):
        def construct(self, x):
            a = self.left(x)
            b = self.right(x)
            return self.add(a, b)

    tree = SymbolTree.create(Alone(True))
    assert PatternEngine(pattern, Swap()).apply(tree)
    same(tree.get_network()(given()), ops.sin(given()))


def test_values():
    v = ScopedValue.create_variable_value((1, [2.0, "a"], {"k": None}))
    assert v == ScopedValue.create_variable_value((1, [2.0, "a"], {"k": None})) and v != name("v")
    assert repr(name("v")) == "v" and repr(ScopedValue.create_naming_value("w", "self")) == "self.w"
    assert ScopedValue.create_name_values(["a", "b"], ["self", ""])[0].scope == "self"
    with pytest.raises(ValueError, match="2 names and 1 scopes"):
        ScopedValue.create_name_values(["a", "b"], ["self"])


@pytest.mark.parametrize(
    "call",
    [
        lambda: SymbolTree.create(3),
        lambda: Node.create_call_cell(ops.abs, ["x"], [name("x")]),
        lambda: Node.create_call_function(ops.abs, "x"),
        lambda: Node.create_call_function(ops.abs, ["x"], ["y"]),
        lambda: Node.create_call_function(nn.ReLU(), ["x"]),
        lambda: ScopedValue.create_naming_value(1),
        lambda: PatternEngine([3]),
        lambda: PatternEngine(PatternNode("a"), replacement=3),
    ],
)
def test_types_are_checked(call):
    with pytest.raises(TypeError):
        call()


def test_mistakes_are_named():
    tree = SymbolTree.create(Net())
    node = tree.get_node("inner")
    with pytest.raises(ValueError, match="index is 3"):
        node.set_arg(3, "x")
    with pytest.raises(ValueError, match="in a tree already"):
        tree.insert(tree.after("chain"), node)
    with pytest.raises(ValueError, match="out_idx is 4"):
        tree.get_node("chain").set_arg_by_node(0, node, 4)


def test_cells_that_stay_whole():
    """MindSpore's list of classes, or names, whose cells are one node."""
    namespace = importlib.import_module("minds.rewrite.common.namespace")

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.part = Net()

        def construct(self, x):
            return self.part(x)

    def kind():
        return SymbolTree.create(Outer()).get_node("part").get_node_type()

    assert kind() is NodeType.Tree
    for whole in (Net, "Net"):
        namespace._subtree_black_list.append(whole)
        try:
            assert kind() is NodeType.CallCell
        finally:
            namespace._subtree_black_list.remove(whole)
