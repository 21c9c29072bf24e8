"""What delivery speaks about: an object that Git asks for, and one that is there."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from plumbline.base.json import JsonObject, decode
from plumbline.kernel.cache import Cached
from plumbline.kube.health import Health
from plumbline.kube.names import GroupVersionKind, Ref


class Desired(msgspec.Struct, frozen=True):
    """One object that Git asks for, exactly as it would be applied: namespace filled in, tracking written."""

    ref: Ref
    """Without a namespace for what lives outside of namespaces. The name is empty where `generate_name` asks for one."""
    gvk: GroupVersionKind
    body: bytes
    digest: bytes
    """Of the body: equal bodies have equal digests."""
    annotations: Mapping[str, str] = {}
    generate_name: str = ""
    source: int = 0
    """Which of the application's sources it comes from."""

    def object(self) -> JsonObject:
        """The whole object, decoded now: for whoever really looks at it."""
        return decode(self.body)


class Observed(NamedTuple):
    """One object that is there, and how it is. No health means that its kind has none: that counts as well."""

    live: Cached
    health: Health | None
