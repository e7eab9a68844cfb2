"""Python's operations on values of any kind give in compiled code what they give in CPython, or are
refused. With ``--whole`` 6,000 of them.
"""

import pytest
import random_operations


@pytest.mark.parametrize("part", range(2))
def test_random_operations(part, tmp_path, request):
    count = 3000 if request.config.getoption("whole") else 100
    assert random_operations.faults(count, part, str(tmp_path)) == []
