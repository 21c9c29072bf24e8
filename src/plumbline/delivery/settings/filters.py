"""Which kinds are looked at at all."""

from typing import Final

import msgspec

from plumbline.base.glob import glob_matches


class FilteredResource(msgspec.Struct, frozen=True, rename="camel"):
    """Some kinds in some clusters. What is not said means all."""

    api_groups: tuple[str, ...] = msgspec.field(name="apiGroups", default=())
    """Patterns."""
    kinds: tuple[str, ...] = ()
    """Names, or `*`."""
    clusters: tuple[str, ...] = ()
    """Patterns for addresses."""

    def covers(self, group: str, kind: str, server: str) -> bool:
        return (
            (not self.kinds or "*" in self.kinds or kind in self.kinds)
            and (not self.api_groups or any(glob_matches(each, group) for each in self.api_groups))
            and self.concerns(server)
        )

    def concerns(self, server: str) -> bool:
        return not self.clusters or any(glob_matches(each, server) for each in self.clusters)


ALWAYS_EXCLUDED: Final = (
    FilteredResource(api_groups=("events.k8s.io", "metrics.k8s.io")),
    FilteredResource(api_groups=("",), kinds=("Event",)),
    FilteredResource(api_groups=("coordination.k8s.io",), kinds=("Lease",)),
)
"""Whatever settings say: they change all the time, and nobody keeps them in Git."""


class ResourceFilter(msgspec.Struct, frozen=True):
    exclusions: tuple[FilteredResource, ...] = ()
    inclusions: tuple[FilteredResource, ...] = ()

    def excludes(self, group: str, kind: str, server: str) -> bool:
        """Whether that kind does not exist for us in that cluster. To be excluded beats to be included."""
        if any(each.covers(group, kind, server) for each in (*ALWAYS_EXCLUDED, *self.exclusions)):
            return True
        if any(each.covers(group, kind, server) for each in self.inclusions):
            return False
        return any(each.concerns(server) for each in self.inclusions)
