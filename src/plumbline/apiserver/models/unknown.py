"""Fields that a type does not declare."""

from collections.abc import Iterator, Sequence

from plumbline.base.json import Json, JsonObject
from plumbline.kube.schema.shape import Form, Shape


def unknown_fields(obj: JsonObject, shape: Shape) -> Sequence[str]:
    """Their paths, in the words of strict decoding."""
    return [f'unknown field "{path}"' for path in _unknown(obj, shape, "")]


def _unknown(value: Json, shape: Shape, path: str) -> Iterator[str]:
    if type(value) is dict:
        if shape.form is Form.RECORD and not shape.open:
            fields = shape.fields
            for name, child in value.items():
                declared = fields.get(name)
                below = f"{path}.{name}" if path else name
                if declared is None:
                    yield below
                elif child:
                    yield from _unknown(child, declared, below)
        elif shape.form is Form.MAP and shape.values.form is not Form.SCALAR:
            for name, child in value.items():
                yield from _unknown(child, shape.values, f"{path}.{name}")
    elif type(value) is list and shape.values.form is not Form.SCALAR:
        for index, item in enumerate(value):
            yield from _unknown(item, shape.values, f"{path}[{index}]")
