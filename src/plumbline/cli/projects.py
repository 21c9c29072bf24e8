"""AppProjects as people read them."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.base.json import JsonObject, decode
from plumbline.cli.connecting import Where
from plumbline.cli.terminal import argo_table, plain
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Target

_HEADER: Final = (
    "NAME", "DESCRIPTION", "DESTINATIONS", "SOURCES", "CLUSTER-RESOURCE-WHITELIST", "NAMESPACE-RESOURCE-BLACKLIST",
    "SIGNATURE-KEYS", "ORPHANED-RESOURCES", "DESTINATION-SERVICE-ACCOUNTS",
)  # fmt: skip
_LABEL: Final = 29


async def listed(where: Where) -> list[JsonObject]:
    async with where.connected() as client:
        page = await client.list(Target(APP_PROJECT.resource, where.namespace))
    return sorted((decode(item) for item in page.items), key=_name)


async def named(where: Where, name: str) -> JsonObject:
    from plumbline.cli.projecting.store import shown  # noqa: PLC0415 - it looks for names alike

    return await shown(where, name)


def _name(project: JsonObject) -> str:
    return str(project["metadata"]["name"])


def drawn(projects: Iterable[JsonObject]) -> str:
    return argo_table(_HEADER, [_row(each) for each in projects])


def _row(project: JsonObject) -> list[str]:
    spec = project.get("spec") or {}
    destinations = [_destination(each) for each in spec.get("destinations") or []]
    accounts = [_account(each) for each in spec.get("destinationServiceAccounts") or []]
    allowed = [_kind(each) for each in spec.get("clusterResourceWhitelist") or []]
    denied, keys = spec.get("namespaceResourceBlacklist") or [], spec.get("signatureKeys") or []
    return [
        _name(project),
        str(spec.get("description") or ""),
        _counted(destinations, "destinations"),
        _counted([str(each) for each in spec.get("sourceRepos") or []], "repos"),
        _counted(allowed, "resources"),
        f"{len(denied)} resources" if denied else "<none>",
        f"{len(keys)} key(s)" if keys else "<none>",
        _orphaned(spec),
        _counted(accounts, "destinationServiceAccounts"),
    ]


def _counted(items: list[str], what: str) -> str:
    if not items:
        return "<none>"
    return items[0] if len(items) == 1 else f"{len(items)} {what}"


def _destination(each: JsonObject) -> str:
    return f"{each.get('server') or each.get('name') or ''},{each.get('namespace') or ''}"


def _account(each: JsonObject) -> str:
    return f"{each.get('server') or ''},{each.get('namespace') or ''},{each.get('defaultServiceAccount') or ''}"


def _kind(each: JsonObject) -> str:
    return f"{each.get('group') or ''}/{each.get('kind') or ''}"


def _orphaned(spec: JsonObject) -> str:
    said = spec.get("orphanedResources")
    if not isinstance(said, dict):
        return "disabled"
    ignored = f" (ignored {len(said['ignore'])})" if said.get("ignore") else ""
    return f"enabled{'' if said.get('warn') is False else ' (warn=true)'}{ignored}"


def details(project: JsonObject) -> Iterator[str]:
    spec = project.get("spec") or {}
    yield _field("Name:", [_name(project)])
    yield _field("Description:", [str(spec.get("description") or "")])
    yield _field("Destinations:", [_destination(each) for each in spec.get("destinations") or []])
    yield _field("Repositories:", [str(each) for each in spec.get("sourceRepos") or []])
    yield _field("Source Namespaces:", [str(each) for each in spec.get("sourceNamespaces") or []])
    for label, part in (
        ("Allowed Cluster Resources:", "clusterResourceWhitelist"),
        ("Denied Cluster Resources:", "clusterResourceBlacklist"),
        ("Allowed Namespaced Resources:", "namespaceResourceWhitelist"),
        ("Denied Namespaced Resources:", "namespaceResourceBlacklist"),
    ):
        yield _field(label, [_kind(each) for each in spec.get(part) or []])
    yield _field("Signature keys:", [str(each.get("keyID") or "") for each in spec.get("signatureKeys") or []])
    yield _field("Orphaned Resources:", [_orphaned(spec)])


def _field(label: str, values: list[str]) -> str:
    first, *rest = values or ["<none>"]
    lines = [f"{label:<{_LABEL}} {plain(first)}", *(f"{'':<{_LABEL}} {plain(each)}" for each in rest)]
    return "\n".join(line.rstrip() for line in lines)
