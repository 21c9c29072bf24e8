"""The function: read the input, execute the template, take what it printed."""

from collections import OrderedDict
from pathlib import Path
from typing import Final

from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, LimitExceeded
from plumbline.base.limits import MIB
from plumbline.composition.functions.answers import TTL_S, read_input, refusing, seconds
from plumbline.composition.functions.gotemplating.desires import Desires
from plumbline.composition.functions.gotemplating.extras import extras
from plumbline.composition.functions.gotemplating.manifests import manifests
from plumbline.composition.functions.gotemplating.request import as_map
from plumbline.composition.functions.gotemplating.sources import Input, template_text
from plumbline.composition.functions.values import Answer, Call
from plumbline.gotemplate import Bounds, Surroundings, Template, sprig
from plumbline.gotemplate.frames import MissingKey

_BOUNDS: Final = Bounds(steps=200_000, output_bytes=4 * MIB, value_bytes=4 * MIB)
_KEPT: Final = 256
_TTL: Final = "gotemplating.fn.crossplane.io/ttl"
_MISSING_KEY: Final[dict[str, MissingKey]] = {
    "missingkey=default": "default",
    "missingkey=invalid": "default",
    "missingkey=zero": "zero",
    "missingkey=error": "error",
}


class GoTemplating:
    """Templates that were parsed are kept by their text, those used last."""

    def __init__(self, surroundings: Surroundings, folder: Path | None = None) -> None:
        self._folder = folder
        self._functions = {**extras(surroundings.ids), **sprig(surroundings)}
        self._templates: OrderedDict[tuple[str, tuple[str, str], MissingKey], Template] = OrderedDict()

    async def run(self, call: Call) -> Answer:
        try:
            return self._answer(call)
        except (InvalidInput, EvaluationFailed) as fault:
            return refusing(call, str(fault))

    def _answer(self, call: Call) -> Answer:
        given = read_input(call, Input)
        ttl_s = _ttl_s(given, call)
        try:
            text = template_text(given, call.context, self._folder)
        except InvalidInput as fault:
            raise InvalidInput("invalid function input", why=str(fault)) from fault
        template = self._parsed(text, given)
        try:
            printed = template.execute(as_map(call), _BOUNDS)
        except (EvaluationFailed, LimitExceeded) as fault:
            raise InvalidInput("cannot execute template", why=str(fault)) from fault
        desires = Desires(call)
        for obj in manifests(printed):
            desires.take(obj)
        return desires.answer(ttl_s)

    def _parsed(self, text: str, given: Input) -> Template:
        wanted = (text, given.delimiters, _missing_key(given))
        template = self._templates.get(wanted)
        if template is None:
            try:
                template = Template(
                    "manifests", text, self._functions, missing_key=wanted[2], delimiters=given.delimiters
                )
            except (BadExpression, LimitExceeded) as fault:
                what = "invalid function input: cannot parse the provided templates"
                raise InvalidInput(what, why=str(fault)) from fault
            if len(self._templates) >= _KEPT:
                self._templates.popitem(last=False)
            self._templates[wanted] = template
        self._templates.move_to_end(wanted)
        return template


def _missing_key(given: Input) -> MissingKey:
    chosen: MissingKey = "default"
    for option in given.options or ():
        if option not in _MISSING_KEY:
            panic = f"unrecognized option: {option}" if option else "empty option string"
            what = "cannot apply template options: panic occurred while applying template options"
            raise InvalidInput(what, why=panic)
        chosen = _MISSING_KEY[option]
    return chosen


def _ttl_s(given: Input, call: Call) -> float:
    """The composite's annotation, then the input, then the usual."""
    metadata = call.observed.composite.resource.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    text = (annotations.get(_TTL) if isinstance(annotations, dict) else None) or given.ttl
    return seconds(str(text)) if text else TTL_S
