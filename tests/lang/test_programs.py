"""Many small programs: CPython = graph for several numbers, and gradients where the result has a
float tensor.
"""

import inspect

import programs_algorithms
import programs_aliases
import programs_arrays
import programs_attributes
import programs_builtins
import programs_chains
import programs_chosen
import programs_chosen_dtypes
import programs_chosen_elements
import programs_classes
import programs_collections
import programs_composite
import programs_containers
import programs_custom_gradients
import programs_definitions
import programs_driven
import programs_function_values
import programs_functions
import programs_generators
import programs_guarded
import programs_iteration
import programs_iterators
import programs_keys
import programs_library
import programs_local_classes
import programs_loops
import programs_made_inside
import programs_match
import programs_mixed
import programs_mutual
import programs_objects
import programs_open_lists
import programs_ranks
import programs_recursion
import programs_run_lists
import programs_scopes
import programs_sorting
import programs_standard
import programs_state
import programs_syntax
import programs_tables
import programs_unrolled
import programs_values
import pytest
from agreement import Sums, agree, assert_same

import minds as ms
from minds import Tensor

X = Tensor([0.5, -1.25, 2.0])
NUMBERS = (0, 1, 2, 3, 5)
PROGRAMS = {
    name: fn
    for module in (
        programs_algorithms,
        programs_aliases,
        programs_attributes,
        programs_builtins,
        programs_chains,
        programs_chosen,
        programs_chosen_dtypes,
        programs_chosen_elements,
        programs_local_classes,
        programs_loops,
        programs_made_inside,
        programs_match,
        programs_arrays,
        programs_open_lists,
        programs_run_lists,
        programs_standard,
        programs_state,
        programs_syntax,
        programs_tables,
        programs_unrolled,
        programs_definitions,
        programs_driven,
        programs_mixed,
        programs_functions,
        programs_generators,
        programs_guarded,
        programs_iteration,
        programs_iterators,
        programs_keys,
        programs_function_values,
        programs_classes,
        programs_collections,
        programs_composite,
        programs_library,
        programs_sorting,
        programs_containers,
        programs_custom_gradients,
        programs_mutual,
        programs_objects,
        programs_ranks,
        programs_recursion,
        programs_scopes,
        programs_values,
    )
    for name, fn in vars(module).items()
    if inspect.isfunction(fn)
    and fn.__module__ == module.__name__
    and not name.startswith("_")
    and list(inspect.signature(fn).parameters)[:2] == ["x", "n"]
}


def tensors(value) -> list:
    """The float tensors in a result."""
    if isinstance(value, Tensor):
        return [value] if value.dtype.is_float else []
    if isinstance(value, dict):
        value = value.values()
    return (
        [t for v in value for t in tensors(v)]
        if isinstance(value, (tuple, list, type({}.values())))
        else []
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees(name):
    fn = PROGRAMS[name]
    found = [agree(fn, X, n) for n in NUMBERS]
    if not all(map(tensors, found)):
        return

    def gradient(x, n):
        def loss(x):
            total = 0.0
            for t in tensors(fn(x, n)):
                total = total + (t * 0.5).sum()
            return total + (x * x).sum()

        return ms.value_and_grad(loss)(x)

    compiled = ms.jit(gradient)
    for n in NUMBERS:
        with Sums() as sums:
            value, slope = gradient(X, n)
        found = compiled(X, n)
        assert_same(found[0], value)
        assert_same(found[1], slope, sums)


def test_there_are_many():
    assert len(PROGRAMS) >= 180
