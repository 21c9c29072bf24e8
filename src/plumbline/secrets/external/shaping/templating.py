"""The template of a target: Go templates over what was fetched, into keys, labels and annotations. Engine v2."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.documents import load_documents
from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, LimitExceeded, Unresolved
from plumbline.base.json import Json
from plumbline.base.limits import KIB, REQUESTS
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Bounds, Function, Surroundings, Template
from plumbline.gotemplate.sprig.told import raw, text
from plumbline.gotemplate.values import StringMap
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretTemplate, TemplateFrom, TemplateRef
from plumbline.secrets.external.shaping import gojson
from plumbline.secrets.external.shaping.decoding import decoded_value
from plumbline.secrets.external.shaping.faults import Origin, told
from plumbline.secrets.external.shaping.functions import functions
from plumbline.secrets.external.shaping.keys import Values

_ALL_STEPS: Final = 1_000_000
"""Of all templates of one target, who share them evenly; none has more than it would have alone."""
_MOST_PRINTED: Final = 2 * 1024 * 1024
"""Letters that are read, that are printed, and that are kept: of each so many, by all templates together."""
_LONGEST_BYTES: Final = 1024 * 1024
"""More than that no Secret holds, nor is given to a template."""

Place: TypeAlias = Literal["data", "annotations", "labels"]
PLACES: Final[tuple[Place, ...]] = ("data", "annotations", "labels")


class Sources(NamedTuple):
    """What `templateFrom` names, as it is in the namespace: entries by the name of the object."""

    config_maps: Mapping[str, Mapping[str, str]] = {}
    secrets: Mapping[str, Mapping[str, Plaintext]] = {}
    namespace: str = ""


class Rendered(NamedTuple):
    values: Values
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


class _Rendering:
    """Collects what templates print. All of them are given the same values and have the same functions."""

    def __init__(self, values: Values, called: Mapping[str, Function], templates: int) -> None:
        self._given = {key: text(value.reveal()) for key, value in values.items()}
        if sum(map(len, self._given.values())) > _LONGEST_BYTES:
            raise LimitExceeded("What was fetched is too much for a template: more than 1 MiB")
        self._called = called
        self._steps = min(Bounds().steps, _ALL_STEPS // max(templates, 1))
        self._read = self._printed = self._kept = _MOST_PRINTED
        """How much of each is left."""
        self.values: dict[str, Plaintext] = {}
        self.labels: dict[str, str] = {}
        self.annotations: dict[str, str] = {}

    def printed(self, origin: Origin) -> Plaintext:
        """A map of its own for each, because functions can change the one that they are given."""
        self._read = _less(self._read, len(origin.text), "The templates have")
        bounds = Bounds(self._steps, min(Bounds().output_bytes, self._printed))
        try:
            template = Template("template", origin.text, self._called, missing_key="error")
            printed = template.execute(StringMap(self._given), bounds)
            self._printed -= len(printed)
            return Plaintext(raw(printed))
        except (BadExpression, EvaluationFailed, LimitExceeded) as fault:
            raise told(fault, origin) from None

    def put(self, key: str, value: Plaintext, place: Place, origin: Origin) -> None:
        self._kept = _less(self._kept, len(key) + len(value.reveal()), "The templates make")
        if place == "data":
            self.values[key] = value
            return
        try:
            shown = value.reveal().decode()
        except UnicodeDecodeError:
            raise InvalidInput(
                f"The template at {origin.place} does not print text", why=f"{key} is no UTF-8"
            ) from None
        (self.labels if place == "labels" else self.annotations)[key] = shown


def _less(left: int, taken: int, what: str) -> int:
    if taken > left:
        raise LimitExceeded(f"{what} more than {_MOST_PRINTED // KIB:,} KiB")
    return left - taken


def rendered(
    template: ExternalSecretTemplate, values: Values, sources: Sources, surroundings: Surroundings
) -> Rendered:
    """What *template* makes of *values*; what is written in its `data` and `metadata` comes last, and counts.

    Raises InvalidInput with the template's place, line and column, Unresolved for what `templateFrom` does not find.
    """
    rendering = _Rendering(values, functions(surroundings), _count(template))
    if template.merge_policy == "Merge" or not (template.data or template.template_from):
        rendering.values |= values
    for number, source in enumerate(template.template_from):
        _from(rendering, source, sources, f"templateFrom[{number}]")
    written: dict[Place, Mapping[str, str]] = {
        "data": template.data,
        "labels": template.metadata.labels,
        "annotations": template.metadata.annotations,
    }
    for place, entries in written.items():
        for key in sorted(entries):
            origin = Origin(f"key {key} of template.{place}", entries[key])
            rendering.put(key, rendering.printed(origin), place, origin)
    return Rendered(rendering.values, rendering.labels, rendering.annotations)


def _count(template: ExternalSecretTemplate) -> int:
    written = len(template.data) + len(template.metadata.labels) + len(template.metadata.annotations)
    refs = [ref for each in template.template_from for ref in (each.config_map, each.secret) if ref is not None]
    literals = sum(each.literal is not None for each in template.template_from)
    return written + literals + sum(len(ref.items) for ref in refs)


class _Store(NamedTuple):
    """The templates in one ConfigMap or Secret."""

    sought: tuple[str, str, str, str]
    texts: Mapping[str, str] | None
    """None where there is no such object."""
    place: str

    def __repr__(self) -> str:
        return f"<{self.place}>"

    @property
    def secret(self) -> bool:
        return self.sought[1] == "Secret"

    def missing(self, why: str) -> Unresolved:
        return Unresolved("error fetching templateFrom data", why=f"{self.place}: {why}", sought=self.sought)


def _from(rendering: _Rendering, source: TemplateFrom, sources: Sources, place: str) -> None:
    if source.config_map is not None:
        name = source.config_map.name
        shown = sources.config_maps.get(name)
        store = _Store(("", "ConfigMap", sources.namespace, name), shown, f"{place}.configMap {name}")
        _items(rendering, source, source.config_map, store)
    if source.secret is not None:
        name = source.secret.name
        opened = sources.secrets.get(name)
        texts = None if opened is None else {key: text(value.reveal()) for key, value in opened.items()}
        store = _Store(("", "Secret", sources.namespace, name), texts, f"{place}.secret {name}")
        _items(rendering, source, source.secret, store)
    if source.literal is not None:
        _keys_and_values(rendering, source, Origin(f"{place}.literal", source.literal))


def _items(rendering: _Rendering, source: TemplateFrom, ref: TemplateRef, store: _Store) -> None:
    if store.texts is None:
        raise store.missing("it is not there")
    for item in ref.items:
        if item.key not in store.texts:
            raise store.missing(f"missing key {item.key}")
        origin = Origin(f"key {item.key} of {store.place}", store.texts[item.key], store.secret)
        if item.template_as == "KeysAndValues":
            _keys_and_values(rendering, source, origin)
        else:
            printed = decoded_value(rendering.printed(origin), source.values_decoding_strategy, f"{origin.place}: ")
            rendering.put(item.key, printed, _place(source.target), origin)


def _keys_and_values(rendering: _Rendering, source: TemplateFrom, origin: Origin) -> None:
    """The template prints YAML: keys, and values that are text or can be written as such."""
    for key, value in _entries(rendering.printed(origin), origin).items():
        meant = decoded_value(Plaintext(value), source.values_decoding_strategy, f"{key} of {origin.place}: ")
        rendering.put(key, meant, _place(source.target), origin)


def _entries(printed: Plaintext, origin: Origin) -> dict[str, str]:
    what = f"could not unmarshal template at {origin.place} to keys and values"
    try:
        found = load_documents(printed.reveal(), limits=REQUESTS, repeats="ignore")
    except InvalidInput as fault:
        line = getattr(fault, "line", 0)
        raise InvalidInput(
            what, why=f"line {line} of what it prints is no YAML" if line else "it prints no YAML"
        ) from None
    value = found[0].value if found else None
    if not isinstance(value, dict | None):
        raise InvalidInput(what, why="it prints no mapping")
    entries: dict[str, str] = {}
    for key, each in (value or {}).items():
        written = _scalar(each)
        if written is None:
            raise InvalidInput(
                what,
                why=f"the value of {key} is {'a number of too many digits' if isinstance(each, float) else 'no text'}",
                hint="Put it in quotes, or write it as a block: `key: |`.",
            )
        entries[key] = written
    return entries


def _scalar(value: Json) -> str | None:
    """As upstream's library writes numbers and truth into text; None where that loses something, or there is no way."""
    if isinstance(value, dict | list):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        written = gojson.general(value)
        return written if float(written) == value else None
    return "" if value is None else str(value)


def _place(target: str) -> Place:
    """Raises InvalidInput for fields of a Secret that templates must not reach, whatever admission has let through."""
    for place in PLACES:
        if target.casefold() in {place, ""}:
            return place
    raise InvalidInput(
        f'templateFrom target="{target}" is not allowed when targeting a Secret, must be one of '
        '"Data", "Annotations" or "Labels"'
    )
