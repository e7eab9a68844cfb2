"""What a `Cell` contains: its parameters and sub-cells, by name and in order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..base.errors import complain
from ..tensor import Parameter

if TYPE_CHECKING:
    from .cell import Cell


class Contents:
    """Methods of `Cell` on parameters and sub-cells."""

    # ---- parameters

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Each parameter once, with its path of attributes.

        Args:
            name_prefix (str): put before each path. Default "".
            expand (bool): include the parameters of sub-cells. Default True.

        Returns:
            Iterator[tuple[str, Parameter]]: paths and parameters.

        Examples:
            >>> from minds import nn
            >>> [path for path, _ in nn.SequentialCell(nn.Dense(2, 1)).parameters_and_names()]
            ['0.weight', '0.bias']
        """
        seen = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for path, cell in cells:
            for name, p in cell._params.items():
                if p is not None and id(p) not in seen:
                    seen.add(id(p))
                    yield (f"{path}.{name}" if path else name), p

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The parameters, each once.

        Args:
            expand (bool): include the parameters of sub-cells. Default True.

        Returns:
            Iterator[Parameter]: the parameters.

        Examples:
            >>> from minds import nn
            >>> [p.shape for p in nn.Dense(2, 1).get_parameters()]
            [(1, 2), (1,)]
        """
        return (p for _, p in self.parameters_and_names(expand=expand))

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The parameters by name.

        Args:
            recurse (bool): include the parameters of sub-cells. Default True.

        Returns:
            OrderedDict[str, Parameter]: names and parameters.

        Examples:
            >>> from minds import nn
            >>> list(nn.Dense(2, 1).parameters_dict())
            ['weight', 'bias']
        """
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters with ``requires_grad``.

        Args:
            recurse (bool): include the parameters of sub-cells. Default True.

        Returns:
            list[Parameter]: those that are trained.

        Examples:
            >>> from minds import nn
            >>> [p.name for p in nn.BatchNorm2d(3).trainable_params()]
            ['gamma', 'beta']
        """
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters without ``requires_grad``.

        Args:
            recurse (bool): include the parameters of sub-cells. Default True.

        Returns:
            list[Parameter]: those that are not trained.

        Examples:
            >>> from minds import nn
            >>> [p.name for p in nn.BatchNorm2d(3).untrainable_params()]
            ['mean', 'variance']
        """
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name each parameter ``prefix`` and its path of attributes.

        Args:
            prefix (str): what stands before the path. Default "".
            recurse (bool): also name the parameters of sub-cells. Default True.

        Raises:
            TypeError: ``prefix`` is no str.

        Examples:
            >>> from minds import nn
            >>> net = nn.Dense(2, 1)
            >>> net.update_parameters_name("head.")
            >>> [p.name for p in net.get_parameters()]
            ['head.weight', 'head.bias']
        """
        if not isinstance(prefix, str):
            raise complain(
                TypeError,
                f"update_parameters_name: prefix has type {type(prefix).__name__}",
                expected="a str",
            )
        for path, p in self.parameters_and_names(expand=recurse):
            p.name = prefix + path

    def check_names(self) -> None:
        """Make sure that no two parameters share a name.

        Raises:
            ValueError: two parameters do.

        Examples:
            >>> from minds import nn
            >>> nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1)).check_names()
        """
        paths: dict[str, str] = {}
        for path, p in self.parameters_and_names():
            if p.name in paths:
                raise complain(
                    ValueError,
                    f"{type(self).__name__}: two parameters are named {p.name!r}",
                    operands=[("first", paths[p.name]), ("second", path)],
                    cure="give one of them another name",
                )
            paths[p.name] = path

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict:
        """The parameters; their data exists from the start, so there is nothing to do.

        Args:
            auto_parallel_mode (bool): without effect.

        Returns:
            dict[Parameter, Parameter]: each parameter, standing for itself.

        Examples:
            >>> from minds import nn
            >>> len(nn.Dense(2, 1).init_parameters_data())
            2
        """
        return {p: p for p in self.get_parameters()}

    # ---- sub-cells

    def cells(self):
        """The direct sub-cells.

        Returns:
            ValuesView[Cell]: each once, in the order in which they were assigned.

        Examples:
            >>> from minds import nn
            >>> list(nn.SequentialCell(nn.ReLU(), nn.Tanh()).cells())
            [ReLU(), Tanh()]
        """
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The direct sub-cells by name, each once.

        Returns:
            OrderedDict[str, Cell]: names of attributes and cells.

        Examples:
            >>> from minds import nn
            >>> list(nn.SequentialCell(nn.ReLU(), nn.Tanh()).name_cells())
            ['0', '1']
        """
        found, seen = OrderedDict(), set()
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells_and_names(self, cells=None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This cell and all below it, each once, with their paths; a cell comes before its
        sub-cells.

        Args:
            cells (set[Cell]): those that were seen; what is found is added. Default None.
            name_prefix (str): the path of this cell. Default "".

        Returns:
            Iterator[tuple[str, Cell]]: paths and cells.

        Examples:
            >>> from minds import nn
            >>> list(nn.SequentialCell(nn.ReLU()).cells_and_names())[1]
            ('0', ReLU())
        """
        seen = set() if cells is None else cells
        stack = [(name_prefix, self)]
        while stack:
            path, cell = stack.pop()
            if cell in seen:
                continue
            seen.add(cell)
            yield path, cell
            stack += [
                (f"{path}.{n}" if path else n, c)
                for n, c in reversed(cell._cells.items())
                if c is not None
            ]

    def get_sub_cell(self, target: str) -> Cell:
        """The cell at a path such as ``"head.0"``; this one for the empty path.

        Args:
            target (str): names of attributes with dots between them.

        Returns:
            Cell: the cell.

        Raises:
            AttributeError: there is none.

        Examples:
            >>> from minds import nn
            >>> nn.SequentialCell(nn.ReLU(), nn.Tanh()).get_sub_cell("1")
            Tanh()
        """
        cell = self
        for name in filter(None, target.split(".")):
            if cell._cells.get(name) is None:
                raise complain(
                    AttributeError, f"get_sub_cell: {type(cell).__name__} has no sub-cell {name!r}"
                )
            cell = cell._cells[name]
        return cell

    def apply(self, fn: Callable[[Cell], None]) -> Cell:
        """Call a function on all cells below this one, then on this one.

        Args:
            fn (Callable[[Cell], None]): the function.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> _ = nn.SequentialCell(nn.ReLU(), nn.Tanh()).apply(lambda cell: print(cell.cls_name))
            ReLU
            Tanh
            SequentialCell
        """
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self


__all__ = ["Contents"]
