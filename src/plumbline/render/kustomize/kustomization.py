"""The kustomization file itself: found, read, and its fields called as everybody calls them."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import SETTINGS

NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")

_FIELDS: Final = (
    "apiVersion",
    "bases",
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "components",
    "configMapGenerator",
    "configurations",
    "crds",
    "generatorOptions",
    "generators",
    "helmChartInflationGenerator",
    "helmCharts",
    "helmGlobals",
    "imageTags",
    "images",
    "kind",
    "labels",
    "metadata",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "replicas",
    "resources",
    "secretGenerator",
    "sortOptions",
    "transformers",
    "validators",
    "vars",
)
FIELDS: Final = frozenset(_FIELDS)


def parsed(text: bytes, source: str) -> JsonObject:
    """What a kustomization says, with its fields in their usual spelling: Kustomize reads them in any case."""
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - loads YAML

    documents = load_documents(text, limits=SETTINGS, source=source, repeats="ignore")
    value = documents[0].value if documents else None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidInput(f"Cannot read {source}", why="it is not a mapping")
    return respelled(value, _FIELDS, source)


def respelled(value: JsonObject, names: tuple[str, ...], source: str) -> JsonObject:
    """*value* with keys that differ from one of *names* in case only spelled like it; others stay as they are."""
    usual = {name.casefold(): name for name in names}
    renamed: dict[str, Json] = {}
    for key, item in value.items():
        name = usual.get(key.casefold(), key)
        if name in renamed:
            raise InvalidInput(f"Cannot read {source}", why=f"it has {name} twice, in different spelling")
        renamed[name] = item
    return renamed
