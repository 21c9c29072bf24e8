"""When two JSON values are the same. Python takes true for 1 and 1.0 for 1; JSON documents do not."""

from plumbline.base.json import Json


def identical(left: Json, right: Json) -> bool:
    """Equal in value and in type, all the way down; the order of keys does not matter, that of items does."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return len(left) == len(right) and all(key in right and identical(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(identical, left, right))
    return bool(left == right)
