"""Cells that hold cells: `SequentialCell` runs them in turn, `CellList` and `CellDict` only
register them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...base import tree
from ...base.errors import ParseError, complain, performed
from ...frontend.registry import EMITTERS
from ...ir.node import Node
from ...tensor import Tensor
from ..cell import Cell
from .checks import is_int


def _valid_index(cell_num: int, index: int, op_name: str | None = None) -> int:
    """The place of an index among ``cell_num`` cells; containers of MindSpore's libraries call it."""
    name = f"{op_name}: " if op_name else ""
    if not isinstance(index, int):
        raise complain(TypeError, f"{name}index is {index!r}", expected="an int")
    if not -cell_num <= index < cell_num:
        raise complain(
            IndexError, f"{name}index is {index}", expected=f"in [{-cell_num}, {cell_num})"
        )
    return index % cell_num


def _before(cells: Mapping[str, Cell]) -> tuple[str, int]:
    """What the names of the parameters of a container's cells begin with, up to the cell's own name,
    and of how many parts that is: as MindSpore reads it off the first two cells with parameters. Where
    there is one alone, it is the last part that is the cell's name.
    """
    found = []
    for name, cell in cells.items():
        first = next(cell.get_parameters(), None)
        if first is not None:
            found.append((name, first.name.split(".")))
        if len(found) == 2:
            break
    prefix, at = "", 0
    for i, part in enumerate(found[0][1] if found else ()):
        if part == found[0][0]:
            prefix, at = "".join(p + "." for p in found[0][1][:i]), i
            if len(found) == 2 and found[1][1][i : i + 1] == [found[1][0]]:
                break
    return prefix, at


class _Numbered(Cell):
    """Sub-cells in a list: item access, slices and changes. Names are the positions, or keys that
    were given.
    """

    def _cells_changed(self) -> None:
        # `construct` walks this tuple: a constant to the compiler.
        self.__dict__["cell_list"] = tuple(self._cells.values())

    def _fill(self, cells: Mapping[str, Cell]) -> None:
        """Make ``cells`` the sub-cells, by their names; parameters keep theirs."""
        for name in list(self._cells):
            del self.__dict__[name]
        self._cells.clear()
        self._cells.update(cells)
        self.__dict__.update(cells)
        self._cells_changed()

    def _moved(self, cell: Cell, prefix: str, at: int, place: int) -> Cell:
        """``cell``, whose parameters are named anew since it now stands at ``place``."""
        if self._auto_prefix:
            for p in cell.get_parameters():
                p.name = ".".join([f"{prefix}{place}", *p.name.split(".")[at + 1 :]])
        return cell

    def _slice(self, index: slice):
        """The same cells under a new container of the same kind; their parameters keep their
        names.
        """
        made = (SequentialCell if isinstance(self, SequentialCell) else CellList)()
        made._auto_prefix = False
        for name, cell in list(self._cells.items())[index]:
            made._set_cell(name if isinstance(made, SequentialCell) else str(len(made)), cell)
        made._auto_prefix = self._auto_prefix
        return made

    def _check(self, cell) -> None:
        if not isinstance(cell, Cell):
            raise complain(
                TypeError,
                f"{self.cls_name}: an element has type {type(cell).__name__}",
                expected="a Cell",
            )

    def _place(self, index) -> int:
        """``index`` counted from the start."""
        n = len(self.cell_list)
        if not is_int(index):
            raise complain(
                TypeError,
                f"{self.cls_name}: index has type {type(index).__name__}",
                expected="an int or a slice",
            )
        if not -n <= index < n:
            raise complain(
                IndexError, f"{self.cls_name}: index is {index}", expected=f"in [{-n}, {n})"
            )
        return int(index) % n

    def __getitem__(self, index):
        if isinstance(index, str) and index in self._cells:
            return self._cells[index]
        if isinstance(index, slice):
            return self._slice(index)
        return self.cell_list[self._place(index)]

    def __setitem__(self, index, cell: Cell) -> None:
        self._check(cell)
        self._set_cell(list(self._cells)[self._place(index)], cell, _before(self._cells)[0])

    def __delitem__(self, index) -> None:
        cells, names = self.cell_list, list(self._cells)
        if isinstance(index, slice):
            gone = set(range(len(cells))[index])
        else:
            gone = {self._place(index)}
        kept = [(n, c) for i, (n, c) in enumerate(zip(names, cells)) if i not in gone]
        prefix, at = _before(dict(kept))
        named = {}
        for i, (name, cell) in enumerate(kept):
            numbered = name.isdigit()
            named[str(i) if numbered else name] = (
                self._moved(cell, prefix, at, i) if numbered else cell
            )
        self._fill(named)

    def __len__(self) -> int:
        return len(self.cell_list)

    def __iter__(self):
        return iter(self.cell_list)

    def append(self, cell: Cell):
        """Add a cell at the end.

        Args:
            cell (Cell): the cell.

        Returns:
            Cell: this container.

        Raises:
            TypeError: ``cell`` is no Cell.

        Examples:
            >>> from minds import nn
            >>> len(nn.SequentialCell(nn.ReLU()).append(nn.Tanh()))
            2
        """
        self._check(cell)
        self._set_cell(str(len(self._cells)), cell, _before(self._cells)[0])
        return self

    def set_grad(self, flag: bool = True):
        """Note that gradients will be asked for, as `Cell.set_grad`, here and in the elements.

        Args:
            flag (bool): whether they will. Default True.

        Returns:
            Cell: this container.

        Examples:
            >>> from minds import nn
            >>> nn.CellList([nn.ReLU()]).set_grad()[0].requires_grad
            True
        """
        self.requires_grad = flag
        for cell in self:
            cell.set_grad(flag)
        return self


class SequentialCell(_Numbered):
    """Cells that run one after another, each on the result of the one before.

    Args:
        args (Cell, list[Cell], OrderedDict[str, Cell]): the cells, as arguments, in one list, or
            with names.

    Inputs:
        - **input_data** (Tensor) - the input of the first cell.

    Outputs:
        Tensor, the output of the last cell.

    Raises:
        TypeError: an element is no Cell.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())
        >>> net(ms.Tensor([[1.0, 2.0, 3.0]])).shape
        (1, 4)
        >>> len(net), net[1]
        (2, ReLU())
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], (list, tuple)):
            args = args[0]
        elif len(args) == 1 and isinstance(args[0], Mapping):
            for name, cell in args[0].items():
                self._check(cell)
                self.insert_child_to_cell(name, cell)
            args = ()
        self._cells_changed()
        for i, cell in enumerate(args):
            self._check(cell)
            self._set_cell(str(i), cell)

    def construct(self, input_data):
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_Numbered):
    """A list of cells, whose parameters are registered.

    Args:
        args (list[Cell]): the cells.
        auto_prefix (bool): whether the position becomes part of the parameters' names. Default
            True.
        kwargs (Any): ignored.

    Inputs:
        - **inputs** (Any) - none are taken: the list does not run by itself.

    Outputs:
        None.

    Raises:
        TypeError: an element is no Cell.
        NotImplementedError: the list is called.

    Examples:
        >>> from minds import nn
        >>> layers = nn.CellList([nn.Dense(2, 2)])
        >>> _ = layers.append(nn.ReLU())
        >>> [p.name for p in layers.get_parameters()]
        ['0.weight', '0.bias']
    """

    def __init__(self, *args, auto_prefix: bool = True, **kwargs):
        super().__init__(auto_prefix=auto_prefix)
        self._cells_changed()
        if args:
            self.extend(args[0] if len(args) == 1 and not isinstance(args[0], Cell) else args)

    def insert(self, index: int, cell: Cell) -> None:
        """Put a cell before position ``index``.

        Args:
            index (int): the position.
            cell (Cell): the cell.

        Raises:
            TypeError: ``cell`` is no Cell, or ``index`` no int.

        Examples:
            >>> from minds import nn
            >>> layers = nn.CellList([nn.ReLU()])
            >>> layers.insert(0, nn.Tanh())
            >>> layers[0]
            Tanh()
        """
        self._check(cell)
        cells = list(self.cell_list)
        if not is_int(index):
            raise complain(
                TypeError,
                f"CellList.insert: index has type {type(index).__name__}",
                expected="an int",
            )
        cells.insert(index, cell)
        prefix, at = _before(self._cells)
        place = min(max(index + len(self) * (index < 0), 0), len(self))
        for i in range(place + 1, len(cells)):
            self._moved(cells[i], prefix, at, i)
        self._fill({str(i): c for i, c in enumerate(cells)})
        if self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{place}.")

    def extend(self, cells: Iterable[Cell]) -> CellList:
        """Add cells at the end.

        Args:
            cells (Iterable[Cell]): the cells.

        Returns:
            CellList: this list.

        Raises:
            TypeError: ``cells`` is not iterable or holds something else.

        Examples:
            >>> from minds import nn
            >>> len(nn.CellList([nn.ReLU()]).extend([nn.Tanh(), nn.ReLU()]))
            3
        """
        if not isinstance(cells, Iterable):
            raise complain(
                TypeError,
                f"CellList.extend: cells has type {type(cells).__name__}",
                expected="a list of Cells",
            )
        cells, prefix = list(cells), _before(self._cells)[0]
        for cell in cells:
            self._check(cell)
            self._set_cell(str(len(self._cells)), cell, prefix)
        return self

    __iadd__ = extend

    def construct(self, *inputs):
        raise complain(
            NotImplementedError,
            "CellList: it does not run by itself",
            cure="call its elements, or use SequentialCell",
        )


class CellDict(Cell):
    """A dict of cells, whose parameters are registered.

    Args:
        args (dict, CellDict, list of pairs): names and cells.
        auto_prefix (bool): whether the name becomes part of the parameters' names. Default True.
        kwargs (Any): ignored.

    Inputs:
        - **inputs** (Any) - none are taken: the dict does not run by itself.

    Outputs:
        None.

    Raises:
        TypeError: a value is no Cell, or a name no str.
        KeyError: a name is empty or holds a dot.
        NotImplementedError: the dict is called.

    Examples:
        >>> from minds import nn
        >>> heads = nn.CellDict({"a": nn.ReLU(), "b": nn.Dense(1, 1)})
        >>> list(heads.keys()), "a" in heads
        (['a', 'b'], True)
    """

    def __init__(self, *args, auto_prefix: bool = True, **kwargs):
        super().__init__(auto_prefix=auto_prefix)
        self._cells_changed()
        if args:
            self.update(args[0])

    def _cells_changed(self) -> None:
        # A new dict for each change, so that a compiled program can tell.
        self.__dict__["cell_map"] = dict(self._cells)

    def __getitem__(self, key: str) -> Cell:
        if key not in self.cell_map:
            raise complain(
                KeyError, f"CellDict: no cell is named {key!r}", expected=", ".join(self.cell_map)
            )
        return self.cell_map[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str):
            raise complain(
                TypeError, f"CellDict: a name has type {type(key).__name__}", expected="a str"
            )
        if not isinstance(cell, Cell):
            raise complain(
                TypeError, f"CellDict: {key!r} has type {type(cell).__name__}", expected="a Cell"
            )
        if not key or "." in key or key not in self._cells and hasattr(self, key):
            raise complain(
                KeyError,
                f"CellDict: {key!r} cannot name a cell",
                expected="a name without a dot that is no attribute of CellDict",
            )
        self._set_cell(key, cell, _before(self._cells)[0])

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __len__(self) -> int:
        return len(self.cell_map)

    def __iter__(self):
        return iter(self.cell_map)

    def __contains__(self, key) -> bool:
        return key in self.cell_map

    def keys(self):
        """The names.

        Returns:
            KeysView[str]: the names, in the order in which they were added.

        Examples:
            >>> from minds import nn
            >>> list(nn.CellDict({"a": nn.ReLU()}).keys())
            ['a']
        """
        return self.cell_map.keys()

    def values(self):
        """The cells.

        Returns:
            ValuesView[Cell]: the cells, in the order in which they were added.

        Examples:
            >>> from minds import nn
            >>> list(nn.CellDict({"a": nn.ReLU()}).values())
            [ReLU()]
        """
        return self.cell_map.values()

    def items(self):
        """Pairs of name and cell.

        Returns:
            ItemsView[str, Cell]: the pairs, in the order in which they were added.

        Examples:
            >>> from minds import nn
            >>> list(nn.CellDict({"a": nn.ReLU()}).items())
            [('a', ReLU())]
        """
        return self.cell_map.items()

    def pop(self, key: str) -> Cell:
        """Take a cell out and return it.

        Args:
            key (str): the name.

        Returns:
            Cell: the cell of that name.

        Raises:
            KeyError: no cell has this name.

        Examples:
            >>> from minds import nn
            >>> heads = nn.CellDict({"a": nn.ReLU()})
            >>> heads.pop("a"), len(heads)
            (ReLU(), 0)
        """
        cell = self[key]
        delattr(self, key)
        return cell

    def clear(self) -> None:
        """Take all cells out.

        Examples:
            >>> from minds import nn
            >>> heads = nn.CellDict({"a": nn.ReLU()})
            >>> heads.clear()
            >>> len(heads)
            0
        """
        for key in list(self._cells):
            delattr(self, key)

    def update(self, cells) -> None:
        """Add or replace the cells of a dict, a CellDict or a list of pairs.

        Args:
            cells (dict, CellDict, Iterable of pairs): names and cells.

        Raises:
            TypeError: ``cells`` is none of these, or a value is no Cell.
            ValueError: an element is no pair.

        Examples:
            >>> from minds import nn
            >>> heads = nn.CellDict({"a": nn.ReLU()})
            >>> heads.update({"a": nn.Tanh(), "b": nn.ReLU()})
            >>> list(heads.items())
            [('a', Tanh()), ('b', ReLU())]
        """
        if isinstance(cells, (Mapping, CellDict)):
            cells = cells.items()
        elif not isinstance(cells, Iterable):
            raise complain(
                TypeError,
                f"CellDict.update: cells has type {type(cells).__name__}",
                expected="a dict or a list of pairs",
            )
        for pair in list(cells):
            if len(pair) != 2:
                raise complain(
                    ValueError,
                    f"CellDict.update: an element has {len(pair)} items",
                    expected="a pair",
                )
            self[pair[0]] = pair[1]

    def construct(self, *inputs):
        raise complain(
            NotImplementedError, "CellDict: it does not run by itself", cure="call its elements"
        )


def _shown(v):
    """What an error names as a tensor."""
    return Tensor(0) if isinstance(v, Node) else v


def _refused(change):
    """What compiled code does for a method that changes a container: which cells it has is found once,
    while compiling, so a change would be made once too.
    """

    def emit(ip, cell, /, *args, **kwargs):
        like = type(cell).__new__(type(cell))
        Cell.__init__(like, auto_prefix=False)
        like.__dict__.update(cell._cells)
        like._cells.update(cell._cells)
        like._cells_changed()
        args, kwargs = tree.map(_shown, args), tree.map(_shown, kwargs)
        # Says first what is wrong with the arguments.
        performed(getattr(type(cell), change.__name__), like, *args, **kwargs)
        what = f"{cell.cls_name}: its cells cannot change in compiled code"
        raise complain(ParseError, what, cure="change it in __init__, or before the call")

    return emit


EMITTERS.update(
    {
        change: _refused(change)
        for change in (
            _Numbered.append,
            CellList.insert,
            CellList.extend,
            CellDict.clear,
            CellDict.pop,
            CellDict.update,
        )
    }
)

__all__ = ["CellDict", "CellList", "SequentialCell"]
