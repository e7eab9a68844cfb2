"""Names of modules that are imported when they are first asked for."""

import subprocess
import sys

import pytest

import minds as ms

_PROGRAM = """
import sys
from minds import nn
assert not any(m.startswith("minds.train.callback") for m in sys.modules), "nn imports minds.train"
import minds.train.serialization
assert minds.train.serialization is sys.modules["minds.train.serialization"]
"""


def test_importing_a_module_below_does_not_import_others():
    """What `from package import module` asks the package for first gets no advice."""
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True)


def test_a_missing_name_is_told_with_advice():
    with pytest.raises(AttributeError, match=r"'minds.nn' has no attribute 'dense': use nn.Dense"):
        _ = ms.nn.dense
