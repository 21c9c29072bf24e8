"""What there is to publish about one served resource."""

from typing import NamedTuple

from plumbline.apiserver.resources.resource import Resource
from plumbline.base.json import JsonObject


class Published(NamedTuple):
    """A resource, and for one that a CRD defines: its structural schema and the fields that can be selected by.

    `schema` is the version's openAPIV3Schema as stored. `selectable_fields` are its JSON paths, `.spec.color`.
    """

    resource: Resource
    schema: JsonObject | None = None
    selectable_fields: tuple[str, ...] = ()
