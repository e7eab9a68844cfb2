"""Transforms that change every string of an array, and the one that makes numbers of them."""

from __future__ import annotations

import re

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain
from ..arguments import boolean, check_type, string, takes
from .base import EachString, TextTransform, fault
from .unicode import NormalizeForm, casefold, compiled, normalize, replacement


def normal_form(name: str, value) -> None:
    """The rule for an argument that is a normal form.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, NormalizeForm):
        said = "Wrong input type for normalization_form, should be enum of 'NormalizeForm'."
        raise complain(TypeError, said)


class CaseFold(EachString):
    """Strings folded for comparison without regard to case: Unicode's NFKC_Casefold.

    Examples:
        >>> from minds.dataset import text
        >>> text.CaseFold()("Straße").item()
        'strasse'
    """

    def _change(self, s):
        return casefold(s)


class NormalizeUTF8(EachString):
    """Strings in a normal form of Unicode.

    Args:
        normalize_form (NormalizeForm): the form. Default: ``NormalizeForm.NFKC``.

    Raises:
        TypeError: ``normalize_form`` is none.

    Examples:
        >>> from minds.dataset import text
        >>> text.NormalizeUTF8(text.NormalizeForm.NFKC)("2⁵").item()
        '25'
    """

    @takes(normalize_form=normal_form)
    def __init__(self, normalize_form=NormalizeForm.NFKC):
        pass

    def _change(self, s):
        return normalize(s, self.normalize_form)


class RegexReplace(EachString):
    r"""Strings with what a regular expression matches replaced.

    Args:
        pattern (str): the regular expression, in ICU's syntax.
        replace (str): what comes in place of a match; ``$1`` is its first group, ``\`` takes the next
            character as it is.
        replace_all (bool): whether all matches are replaced, or the first. Default: True.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``pattern`` is no regular expression (raised when the transform is called).

    Examples:
        >>> from minds.dataset import text
        >>> text.RegexReplace("(b)a", "$1o")("banana").item()
        'bonana'
    """

    @takes(pattern=string, replace=string, replace_all=boolean)
    def __init__(self, pattern, replace, replace_all=True):
        pass

    def _change(self, s):
        found = compiled(self.pattern, "RegexReplace")
        try:
            new = replacement(self.replace, found.groups)
        except ValueError as e:
            raise fault(f"RegexReplace: replace is {self.replace!r}: {e}.") from None
        return found.sub(new, s, count=0 if self.replace_all else 1)


class FilterWikipediaXML(EachString):
    """The text of lines of Wikipedia's XML dumps in lower case letters, with digits as words.

    Examples:
        >>> from minds.dataset import text
        >>> text.FilterWikipediaXML()("<b>Anno 42</b> &amp; later").item()
        'later'
        >>> text.FilterWikipediaXML()("Anno 42").item()
        'anno four two'
    """

    _digits = dict(zip("0123456789", "zero one two three four five six seven eight nine".split()))

    def _change(self, s):
        if "#REDIRECT" in s or "#redirect" in s:
            return ""
        s = re.sub("<.*>", "", s)
        s = s.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        s = re.sub("&[^;]*;", " ", s)
        s = re.sub("[0-9]", lambda m: f" {self._digits[m.group()]} ", s)
        return " ".join(re.findall("[a-z]+", re.sub("[A-Z]", lambda m: m.group().lower(), s)))


def _numeric(name: str, value) -> None:
    """The rule for an argument that is a dtype of numbers.

    Raises:
        TypeError: it is none.
    """
    check_type(name, value, (dt.DType,))
    if value.kind not in "iuf" or value is dt.bfloat16:
        raise complain(TypeError, f"{name}: {value} is not numeric data type.")


class ToNumber(TextTransform):
    """Strings as numbers: as much of each as is a number, from its beginning.

    Args:
        data_type (dtype): of the numbers.

    Raises:
        TypeError: ``data_type`` is no dtype of numbers.
        RuntimeError: a string does not begin with a number, or the dtype cannot hold it.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset import text
        >>> text.ToNumber(ms.int32)(["1", "-22"]).tolist()
        [1, -22]
    """

    _not_text = "input should be string datatype."
    _whole = re.compile(r"\s*([+-]?\d+)", re.A)
    _float = re.compile(
        r"\s*([+-]?(?:0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)(?:[pP][+-]?\d+)?"
        r"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))",
        re.A | re.I,
    )

    @takes(data_type=_numeric)
    def __init__(self, data_type):
        pass

    def _make(self, a):
        kind = self.data_type.np
        read = self._real if kind.kind == "f" else self._integer
        return np.array([read(s, kind) for s in a.ravel().tolist()], kind).reshape(a.shape)

    def _beyond(self, s, kind, low, high):
        said = f"string input {s} will be out of bounds if cast to {kind}. The valid range is: "
        return fault(f"ToNumber: {said}[{low}, {high}].")

    def _integer(self, s, kind):
        found, limits = self._whole.match(s), np.iinfo(kind)
        if found is None:
            what = "It is invalid to convert" if kind.kind == "u" else "it is invalid to convert"
            whose = "an unsigned integer" if kind.kind == "u" else "a number"
            raise fault(f'ToNumber: {what} "{s}" to {whose}.')
        value = int(found[1])
        if not limits.min <= value <= limits.max:
            raise self._beyond(s, kind, limits.min, limits.max)
        return value

    def _real(self, s, kind):
        found = self._float.match(s)
        if found is None:
            raise fault(f'ToNumber: it is invalid to convert "{s}" to an unsigned integer.')
        is_hex = "x" in found[1].lower()
        value = float.fromhex(found[1]) if is_hex else float(found[1])
        high = float(np.finfo(np.float64 if kind == np.float64 else np.float32).max)
        if abs(value) > high:
            raise self._beyond(s, kind, f"{-high:.6f}", f"{high:.6f}")
        if kind == np.float16 and abs(value) > 65504:
            said = f"value {value:f} in input data is outside of valid float16 range"
            raise fault(f"ToFloat16: {said} [65504.000000, -65504.000000].")
        return value
