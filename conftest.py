"""What doctests may use without importing it."""

import pytest


@pytest.fixture(autouse=True)
def _doctest_names(request):
    if type(request.node).__name__ == "DoctestItem":
        import minds

        request.getfixturevalue("doctest_namespace").update(
            ms=minds, ops=minds.ops, Tensor=minds.Tensor
        )
