"""From a Terraform object, and the Secrets and ConfigMaps that it names, to the workplace of a run."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import quote

from plumbline.base.errors import Forbidden, InvalidInput, Refused
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.terraform import BackendConfigsReference, TerraformSpec
from plumbline.kube.names import Ref
from plumbline.terraform.inputs import backend as backends
from plumbline.terraform.inputs import environment as environments
from plumbline.terraform.inputs import files, variables
from plumbline.terraform.inputs.backend import Kept, Reach
from plumbline.terraform.inputs.digest import digest
from plumbline.terraform.inputs.paths import below, file_below
from plumbline.terraform.inputs.reading import Reader, Sources, required
from plumbline.terraform.work import Argument, Placed, Workplace

_WORKSPACE_SAFE: Final = "$&+=:@"
_ACCESS_DENIED: Final = "AccessDenied"


class Terms(NamedTuple):
    """What whoever runs the tool decides, whatever the object says."""

    key: Plaintext
    """Makes digests tell nothing; it stays the same for as long as digests are compared."""
    reach: Reach = Reach()
    cross_namespace: bool = False


class Gathered(NamedTuple):
    workplace: Workplace
    uses: frozenset[Ref]
    """Secrets and ConfigMaps that were asked for, those that are not there included."""
    digest: str
    kept: Kept | None
    """Where the state is, if it is in Secrets; else the tool has to lock what it uses."""
    variables: Plaintext
    """JSON of all variables by name, which templates of the module are rendered with."""


class Ungathered(NamedTuple):
    """Something is missing or cannot be used. It stays so until one of *uses*, or the object, changes."""

    reason: str
    """As conditions of the object give it."""
    error: Refused
    uses: frozenset[Ref]


class _Site(NamedTuple):
    ref: Ref
    spec: TerraformSpec
    sources: Sources
    terms: Terms


class _Parts:
    """What has been gathered so far."""

    def __init__(self) -> None:
        self.files: list[Placed] = []
        self.environment: dict[str, Argument] = {}
        self.backend: tuple[Argument, ...] = ()
        self.path = ""
        self.workspace = ""
        self.var_files: tuple[str, ...] = ()
        self.config = ""
        self.stateless = False
        self.kept: Kept | None = None
        self.variables = Plaintext(b"{}")

    def workplace(self, *, upgrade: bool) -> Workplace:
        return Workplace(
            path=self.path,
            workspace=self.workspace,
            files=files.distinct(self.files),
            var_files=self.var_files,
            environment=tuple(each for _, each in sorted(self.environment.items())),
            backend=self.backend,
            command_line_config=self.config,
            upgrade=upgrade,
            stateless=self.stateless,
        )


async def gathered(ref: Ref, spec: TerraformSpec, reader: Reader, terms: Terms) -> Gathered | Ungathered:
    """Raises Transient errors of *reader* only; everything else that is wrong is the answer."""
    site = _Site(ref, spec, Sources(reader), terms)
    parts = _Parts()
    for reason, part in _PARTS:
        try:
            await part(site, parts)
        except Forbidden as denied:
            return Ungathered(_ACCESS_DENIED, denied, site.sources.uses)
        except Refused as refused:
            return Ungathered(reason, refused, site.sources.uses)
    workplace = parts.workplace(upgrade=spec.upgrade_on_init)
    return Gathered(workplace, site.sources.uses, digest(workplace, terms.key), parts.kept, parts.variables)


async def _path(site: _Site, parts: _Parts) -> None:
    parts.path = below(site.spec.path, "spec.path")


async def _environment(site: _Site, parts: _Parts) -> None:
    found = await environments.environment(site.ref.namespace, site.spec, site.sources)
    parts.environment |= {each.name: each for each in found}


async def _backend(site: _Site, parts: _Parts) -> None:
    made = backends.backend(site.ref, site.spec, site.terms.reach)
    if made.block:
        parts.files.append(Placed("module", backends.BACKEND_FILE, Plaintext(made.block)))
    parts.environment |= {each.name: each for each in made.environment}
    parts.stateless, parts.kept = made.stateless, made.kept


async def _backend_settings(site: _Site, parts: _Parts) -> None:
    found = [await _settings(site, each) for each in site.spec.backend_configs_from]
    parts.backend = tuple(each for settings in found for each in settings)
    parts.kept = backends.overridden(parts.kept, parts.backend)
    _check_reach(site, parts.kept)


def _check_reach(site: _Site, kept: Kept | None) -> None:
    """We read, lock and copy what is kept in Secrets, and may do so everywhere: whoever wrote the object may not."""
    if kept is not None and kept.namespace != site.ref.namespace and not site.terms.cross_namespace:
        raise Forbidden(
            f"cannot keep the state in namespace {kept.namespace}, cross-namespace references have been disabled",
            hint="Leave namespace out of backendConfigsFrom, or move the Terraform object there.",
        )


async def _settings(site: _Site, reference: BackendConfigsReference) -> list[Argument]:
    namespace = site.ref.namespace
    entries = await site.sources.offered(reference.kind, namespace, reference.name, optional=reference.optional)
    holder = Ref("", reference.kind, namespace, reference.name)
    keys = [key for key in reference.keys if key in entries] if reference.optional else list(reference.keys)
    if not reference.keys:
        keys = sorted(entries)
    found = [Argument(key, required(entries, holder, key)) for key in keys]
    if any(b"\0" in each.value.reveal() for each in found):
        raise InvalidInput(
            f"Settings of the backend cannot be taken from {holder.kind} {reference.name}", why="one is binary"
        )
    return found


async def _config(site: _Site, parts: _Parts) -> None:
    placed = await files.command_line_config(
        site.ref.namespace, site.spec, site.sources, cross_namespace=site.terms.cross_namespace
    )
    if placed is not None:
        parts.files.append(placed)
        parts.config = placed.path


async def _mapped(site: _Site, parts: _Parts) -> None:
    parts.files += await files.mapped(site.ref.namespace, site.spec, site.sources)
    files.distinct(parts.files)
    parts.config = parts.config or files.config_among(parts.files)


async def _variables(site: _Site, parts: _Parts) -> None:
    parts.variables = await variables.variables(site.ref.namespace, site.spec, site.sources)
    parts.files.append(Placed("module", variables.VARIABLES_FILE, parts.variables))
    files.distinct(parts.files)


async def _workspace(site: _Site, parts: _Parts) -> None:
    name = site.spec.workspace or "default"
    if name.startswith("-") or quote(name, safe=_WORKSPACE_SAFE) != name:
        raise InvalidInput(
            "The workspace cannot be selected",
            why=f"{name[:100]!r} cannot be its name",
            hint="Use letters, digits, hyphens, underscores and dots.",
        )
    parts.workspace = name


async def _var_files(site: _Site, parts: _Parts) -> None:
    parts.var_files = tuple(file_below(each, "A path in tfVarsFiles") for each in site.spec.tf_vars_files)


_Part: TypeAlias = Callable[[_Site, _Parts], Awaitable[None]]
_PARTS: Final[tuple[tuple[str, _Part], ...]] = (
    ("ArtifactFailed", _path),
    ("TFExecInitFailed", _environment),
    ("TFExecInitFailed", _backend),
    ("TFExecNewFailed", _config),
    ("TFExecInitFailed", _mapped),
    ("VarsGenerationFailed", _variables),
    ("TFExecInitFailed", _backend_settings),
    ("SelectWorkspaceFailed", _workspace),
    ("TFExecPlanFailed", _var_files),
)
