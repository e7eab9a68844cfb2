"""What stands in a node as a target or an argument: a name, a constant, an object."""

from __future__ import annotations

import ast
from enum import Enum

from ..base.errors import complain


class ValueType(Enum):
    """What kind of value a `ScopedValue` is.

    Examples:
        >>> from minds import rewrite
        >>> rewrite.ValueType.NamingValue.name
        'NamingValue'
    """

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 42


class ScopedValue:
    """A name, with what it is an attribute of, or a value.

    Args:
        arg_type (ValueType): what it is.
        scope (str): for names, what they are attributes of, such as ``"self"``. Default "".
        value (Any): the name, or the value. Default None.

    Raises:
        TypeError: ``arg_type`` or ``scope`` has another type.

    Examples:
        >>> from minds.rewrite import ScopedValue
        >>> ScopedValue.create_naming_value("conv", "self"), ScopedValue.create_variable_value(2)
        (self.conv, 2)
    """

    __slots__ = ("type", "scope", "value")

    def __init__(self, arg_type: ValueType, scope: str = "", value=None):
        expect_types("ScopedValue", arg_type=(arg_type, ValueType), scope=(scope, str))
        self.type, self.scope, self.value = arg_type, scope, value

    @classmethod
    def create_variable_value(cls, value) -> ScopedValue:
        """A value: a constant, a container of values, or any object.

        Args:
            value (Any): the value.

        Returns:
            ScopedValue: of the kind that fits.

        Examples:
            >>> from minds import rewrite
            >>> rewrite.ScopedValue.create_variable_value((1, 2)).type.name
            'TupleValue'
        """
        if value is None or isinstance(value, (bool, int, float, str)):
            return cls(ValueType.ConstantValue, "", value)
        if isinstance(value, tuple):
            return cls(ValueType.TupleValue, "", tuple(map(cls.create_variable_value, value)))
        if isinstance(value, list):
            return cls(ValueType.ListValue, "", list(map(cls.create_variable_value, value)))
        if isinstance(value, dict):
            return cls(
                ValueType.DictValue,
                "",
                {
                    cls.create_variable_value(k): cls.create_variable_value(v)
                    for k, v in value.items()
                },
            )
        return cls(ValueType.CustomObjValue, "", value)

    @classmethod
    def create_naming_value(cls, name: str, scope: str = "") -> ScopedValue:
        """A name.

        Args:
            name (str): the name.
            scope (str): what it is an attribute of. Default "", nothing.

        Returns:
            ScopedValue: the name.

        Raises:
            TypeError: ``name`` or ``scope`` is no string.

        Examples:
            >>> from minds import rewrite
            >>> rewrite.ScopedValue.create_naming_value("conv", "self")
            self.conv
        """
        expect_types("ScopedValue", name=(name, str), scope=(scope, str))
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(names, scopes=None) -> list[ScopedValue]:
        """Names, one scope for each.

        Args:
            names (list[str]): the names.
            scopes (list[str]): what they are attributes of. Default None, nothing.

        Returns:
            list[ScopedValue]: the names.

        Raises:
            ValueError: there are more names than scopes, or fewer.

        Examples:
            >>> from minds import rewrite
            >>> rewrite.ScopedValue.create_name_values(["a", "b"], ["self", ""])
            [self.a, b]
        """
        if scopes is not None and len(names) != len(scopes):
            raise complain(
                ValueError,
                f"ScopedValue: {len(names)} names and {len(scopes)} scopes",
                expected="a scope for each name",
            )
        return [
            ScopedValue.create_naming_value(n, s)
            for n, s in zip(names, scopes or [""] * len(names))
        ]

    def __repr__(self) -> str:
        if self.type is ValueType.NamingValue:
            return f"{self.scope}.{self.value}" if self.scope else self.value
        if self.type is ValueType.UnsupportedValue:
            return ast.unparse(self.value)
        return str(self.value)

    def __eq__(self, other) -> bool:
        return isinstance(other, ScopedValue) and (self.type, self.scope, self.value) == (
            other.type,
            other.scope,
            other.value,
        )

    def __hash__(self) -> int:
        return hash((self.type, self.scope, str(self.value)))

    def to_ast(self, name_of) -> ast.expr:
        """The expression.

        Args:
            name_of (Callable): gives the name under which generated code sees an object.

        Returns:
            ast.expr: the expression.

        Examples:
            >>> from minds import rewrite
            >>> import ast
            >>> ast.unparse(rewrite.ScopedValue.create_naming_value("conv", "self").to_ast(None))
            'self.conv'
        """
        kind, v = self.type, self.value
        if kind is ValueType.NamingValue:
            return ast.parse(repr(self), mode="eval").body
        if kind is ValueType.UnsupportedValue:
            return v
        if kind is ValueType.TupleValue or kind is ValueType.ListValue:
            items = [e.to_ast(name_of) for e in v]
            return (
                ast.Tuple(items, ast.Load())
                if kind is ValueType.TupleValue
                else ast.List(items, ast.Load())
            )
        if kind is ValueType.DictValue:
            return ast.Dict([k.to_ast(name_of) for k in v], [e.to_ast(name_of) for e in v.values()])
        return (
            ast.Constant(v) if kind is ValueType.ConstantValue else ast.Name(name_of(v), ast.Load())
        )


def of_expression(node: ast.expr) -> ScopedValue:
    """The value that an expression is: a name, a constant, or the expression itself."""
    if isinstance(node, ast.Name):
        return ScopedValue.create_naming_value(node.id)
    if isinstance(node, ast.Constant) and node.value is not ...:
        return ScopedValue.create_variable_value(node.value)
    if isinstance(node, ast.Attribute) and _is_path(node.value):
        return ScopedValue.create_naming_value(node.attr, ast.unparse(node.value))
    return ScopedValue(ValueType.UnsupportedValue, "", node)


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or isinstance(node, ast.Attribute) and _is_path(node.value)


def expect_types(who: str, **given) -> None:
    """Raise unless each ``name=(value, types)`` fits.

    Raises:
        TypeError: one does not.
    """
    for name, (value, types) in given.items():
        if not isinstance(value, types):
            wanted = " or ".join(
                t.__name__ for t in (types if isinstance(types, tuple) else (types,))
            )
            raise complain(
                TypeError, f"{who}: {name} has type {type(value).__name__}", expected=wanted
            )


def expect_items(who: str, name: str, values, types, container=(list, tuple)) -> None:
    """Raise unless ``values`` is a list or tuple (or dict) of values of ``types``.

    Raises:
        TypeError: it is not.
    """
    expect_types(who, **{name: (values, container)})
    for v in values.values() if isinstance(values, dict) else values:
        expect_types(who, **{f"an element of {name}": (v, types)})


__all__ = ["ScopedValue", "ValueType"]
