"""JSON values for property tests."""

from hypothesis import strategies as st

keys = st.sampled_from(["a", "b", "c", "x.y", "m~n", "s/t", "0", "", "é"])
scalars = (
    st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["", "x", "y"])
    | st.floats(-2, 2, allow_subnormal=False)
    | st.none()
)
filled_scalars = scalars.filter(lambda value: value is not None)


def _containers(below):
    return st.lists(below, max_size=4) | st.dictionaries(keys, below, max_size=4)


values = st.recursive(scalars, _containers, max_leaves=12)
objects = st.dictionaries(keys, values, max_size=4)
filled_values = st.recursive(filled_scalars, _containers, max_leaves=12)
filled_objects = st.dictionaries(keys, filled_values, max_size=4)
"""Without nulls anywhere."""
