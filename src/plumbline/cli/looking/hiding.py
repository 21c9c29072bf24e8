"""Objects as they may be shown: values of Secrets masked, and who wrote which field left out."""

from plumbline.base.json import JsonObject
from plumbline.cli.applications.showing import without_managers
from plumbline.delivery.compare.masking import masked


def shown(obj: JsonObject, *, managers: bool = False) -> JsonObject:
    bare = obj if managers else without_managers(obj)
    return masked(None, bare)[1] or bare
