"""`plumb composition render`: from files to the documents that a composition makes of a composite."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.cli.inputs import objects_in
from plumbline.composition.functions.configuration import At, Configured
from plumbline.composition.functions.registry import Registry
from plumbline.composition.functions.values import Function
from plumbline.composition.rendering import Engine, Inputs, Shown, check, render, text_of

_RUNTIME: Final = "render.crossplane.io/runtime"
_TARGET: Final = "render.crossplane.io/runtime-development-target"
_USUAL_TARGET: Final = "localhost:9443"
_FUNCTIONS: Final = frozenset({"pkg.crossplane.io/v1", "pkg.crossplane.io/v1beta1"})
_SCHEMAS_BYTES: Final = 64 << 20


class Asked(NamedTuple):
    """The command line."""

    composite: Path
    composition: Path
    functions: Path | None = None
    observed: Path | None = None
    required: tuple[Path, ...] = ()
    schemas: Path | None = None
    credentials: Path | None = None
    xrd: Path | None = None
    context_files: Mapping[str, str] = {}
    context_values: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    python: Path | None = None
    templates: Path | None = None
    timeout_s: float = 60.0
    engine: Engine = "new"
    shown: Shown = Shown()


async def rendered(asked: Asked) -> str:
    """Raises from the error tree; nothing is printed where a function refuses."""
    functions = _functions(asked)
    registry = _registry(asked, functions)
    inputs = _inputs(asked, _finder(registry))
    check(inputs, asked.engine)
    async with task_group() as group:
        serving = group.create_task(registry.serve())
        try:
            made = await render(inputs, asked.engine)
        finally:
            serving.cancel()
            await registry.close()
    return text_of(made, asked.shown, inputs, asked.engine)


def _inputs(asked: Asked, functions: Callable[[str], Function]) -> Inputs:
    composite, legacy = _only(asked.composite), False
    if asked.xrd is not None:
        composite, legacy = _defined(composite, _only(asked.xrd))
    return Inputs(
        composite=composite,
        composition=_only(asked.composition),
        functions=functions,
        observed=_objects(asked.observed),
        required=tuple(each for path in asked.required for each in _objects(path)),
        secrets=_objects(asked.credentials),
        schemas=_schemas(asked.schemas),
        context=_context(asked),
        legacy=legacy,
        timeout_s=asked.timeout_s,
    )


def _defined(composite: JsonObject, xrd: JsonObject) -> tuple[JsonObject, bool]:
    """The composite with what its definition fills in, and whether it is of the older lineage."""
    from plumbline.apiserver.crds.definition import Definition  # noqa: PLC0415 - a large room, only where there is one
    from plumbline.composition.definitions.crds import crds, scope_of  # noqa: PLC0415 - same
    from plumbline.kube.names import GroupVersionKind  # noqa: PLC0415 - same

    if xrd.get("kind") != "CompositeResourceDefinition" or not isinstance(xrd.get("spec"), dict):
        raise InvalidInput(f"not a CompositeResourceDefinition: {xrd.get('kind')}/{xrd['metadata']['name']}")
    try:
        crd, _ = crds(xrd)
        group, kind = xrd["spec"]["group"], xrd["spec"]["names"]["kind"]
    except (KeyError, TypeError, AttributeError) as fault:
        raise InvalidInput("the CompositeResourceDefinition cannot be used", why=f"it lacks {fault}") from fault
    gvk = GroupVersionKind.of(composite)
    if (gvk.group, gvk.kind) != (group, kind):
        raise InvalidInput(
            f'CompositeResourceDefinition "{xrd["metadata"]["name"]}" (composite Group={group} Kind={kind}) '
            f"does not match the input XR's Group={gvk.group} Kind={gvk.kind}"
        )
    legacy = scope_of(xrd) == "LegacyCluster" and not str(xrd["apiVersion"]).endswith("/v2")
    return Definition(crd).version(gvk.version).default(composite), legacy


def _functions(asked: Asked) -> tuple[JsonObject, ...]:
    found = _objects(asked.functions)
    for each in found:
        if each.get("kind") != "Function" or each.get("apiVersion") not in _FUNCTIONS:
            raise InvalidInput(f"not a function: {each.get('kind')}/{each['metadata']['name']}")
    return found


def _registry(asked: Asked, functions: Sequence[JsonObject]) -> Registry:
    packages = {str(each["metadata"]["name"]): str((each.get("spec") or {}).get("package") or "") for each in functions}
    running: dict[str, At] = {}
    for each in functions:
        annotations = {**(each["metadata"].get("annotations") or {}), **asked.annotations}
        if annotations.get(_RUNTIME) == "Development":
            target = str(annotations.get(_TARGET) or _USUAL_TARGET)
            running[str(each["metadata"]["name"])] = At(target.removeprefix("dns:///"))
    configured = Configured(functions=running, folder=asked.python, network=True, templates=asked.templates)
    return Registry(configured, lambda name: packages.get(name) or None, SystemClock(), Ids())


def _finder(registry: Registry) -> Callable[[str], Function]:
    def found(name: str) -> Function:
        try:
            return registry.function(name)
        except NotFound as unknown:
            raise NotFound(
                unknown.what,
                why=unknown.why,
                hint=f"Nothing is pulled or started with Docker. Run the function with --insecure, and annotate its "
                f"Function with {_RUNTIME}: Development and {_TARGET}: ADDRESS; or name a folder that holds its Python "
                "code with --python-functions.",
            ) from unknown

    return found


def _context(asked: Asked) -> JsonObject:
    context: JsonObject = {}
    for key, name in asked.context_files.items():
        context[key] = _value(_read(Path(name)), f"the context {key}")
    for key, text in asked.context_values.items():
        context[key] = _value(text.encode(), f"the context {key}")
    return context


def _value(text: bytes, source: str) -> object:
    return load_document(text, source=source).value


def _schemas(folder: Path | None) -> tuple[JsonObject, ...]:
    if folder is None:
        return ()
    found = [_value(_read(path), str(path)) for path in sorted(folder.glob("*.json"))]
    return tuple(each for each in found if isinstance(each, dict))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_SCHEMAS_BYTES)
    except OSError as fault:
        raise InvalidInput(f"{path} cannot be read", why=fault.strerror or str(fault)) from fault


def _objects(path: Path | None) -> tuple[JsonObject, ...]:
    return () if path is None else tuple(each.obj for each in objects_in((path,)))


def _only(path: Path) -> JsonObject:
    found = _objects(path)
    if len(found) != 1:
        raise InvalidInput(f"{path} holds {len(found)} objects", why="exactly one is wanted here")
    return found[0]
