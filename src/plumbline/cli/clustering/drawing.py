"""Clusters as people read them, in Argo CD's tables, and as programs do. Nothing secret is in either."""

from collections.abc import Sequence

from plumbline.base.json import JsonObject
from plumbline.cli.clustering.roster import Listed
from plumbline.cli.terminal import Styled, argo_table, plain
from plumbline.delivery.joining.reaching import State
from plumbline.delivery.joining.secrets import TOLD
from plumbline.delivery.settings.clusters import Cluster

_COLOURS = {"Successful": "green", "Failed": "red"}


def clusters(found: Sequence[Listed]) -> str:
    rows: list[Sequence[str | Styled]] = [
        (
            f"{each.server} ({len(each.namespaces)} namespaces)" if each.namespaces else each.server,
            each.name,
            state.version,
            Styled(state.status, _COLOURS.get(state.status, "")),
            state.message,
            each.project,
        )
        for each, state in found
    ]
    return argo_table(("SERVER", "NAME", "VERSION", "STATUS", "MESSAGE", "PROJECT"), rows)


def cluster(found: Cluster, state: State) -> list[str]:
    told = (
        ("Server URL:", found.server),
        ("Server Name:", found.name or "-"),
        ("Server Version:", state.version),
        ("Namespaces:", ", ".join(found.namespaces) or "all"),
        ("Project:", found.project or "any"),
        ("Status:", f"{state.status}{f': {state.message}' if state.message else ''}"),
    )
    return ["Cluster information", "", *(f"  {label:<17}{plain(value)}".rstrip() for label, value in told)]


def as_json(found: Cluster, state: State) -> JsonObject:
    """As Argo CD's API says it, in the fields of now and in those of before."""
    told: JsonObject = {
        "server": found.server,
        "name": found.name,
        "namespaces": list(found.namespaces),
        "clusterResources": found.cluster_resources,
        "project": found.project,
        "shard": found.shard,
        "labels": dict(found.labels),
        "annotations": dict(found.annotations),
    }
    answer = {"status": state.status, "message": state.message, "attemptedAt": None}
    seen: JsonObject = {"connectionState": answer, **({"serverVersion": state.version} if state.version else {})}
    known = {key: value for key, value in told.items() if value not in (None, [], {}, "", False)}
    return {**known, "config": TOLD, **seen, "info": seen}
