"""Applications as people read them: Argo CD's tables and lines, so that what reads its output reads ours. Pure."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.states import states
from plumbline.cli.terminal import Styled, argo_table, plain
from plumbline.delivery.asking.operations import automated, project_of
from plumbline.kinds.duration import Duration
from plumbline.kinds.timestamp import Time

COLOURS: Final = {
    "Synced": "green", "Succeeded": "green", "Healthy": "green", "Running": "cyan", "Progressing": "cyan",
    "Suspended": "cyan", "OutOfSync": "yellow", "Missing": "yellow", "Unknown": "yellow", "Degraded": "red",
    "Failed": "red", "Error": "red", "SyncFailed": "red",
}  # fmt: skip
_HEADER: Final = ("NAME", "CLUSTER", "NAMESPACE", "PROJECT", "STATUS", "HEALTH", "SYNCPOLICY", "CONDITIONS", "REPO", "PATH", "TARGET")  # fmt: skip
_LABEL: Final = 20
_SHORT: Final = 7
_SHA: Final = re.compile(r"[0-9a-fA-F]{7,40}")
_LONGEST_PARAMETER: Final = 80


def listed(apps: Iterable[JsonObject]) -> str:
    return argo_table(_HEADER, [_row(app) for app in apps])


def _row(app: JsonObject) -> list[str | Styled]:
    status = app.get("status") or {}
    source = first_source(app)
    return [
        str(AppName.of(app)),
        server_of(app),
        str(destination_of(app).get("namespace") or ""),
        project_of(app),
        coloured((status.get("sync") or {}).get("status")),
        coloured((status.get("health") or {}).get("status")),
        policy_of(app, ("Manual", "Auto", "Auto-Prune")),
        conditions_of(app),
        str(source.get("repoURL") or ""),
        str(source.get("path") or ""),
        str(source.get("targetRevision") or ""),
    ]


def coloured(value: object) -> Styled:
    text = str(value or "")
    return Styled(text, COLOURS.get(text, ""))


def sources_of(app: JsonObject) -> list[JsonObject]:
    spec = app.get("spec") or {}
    several = spec.get("sources")
    if isinstance(several, list) and several:
        return several
    hydrator = spec.get("sourceHydrator")
    if isinstance(hydrator, dict):
        dry, synced = hydrator.get("drySource") or {}, hydrator.get("syncSource") or {}
        return [
            {
                "repoURL": synced.get("repoURL") or dry.get("repoURL"),
                "path": synced.get("path"),
                "targetRevision": synced.get("targetBranch"),
            }
        ]
    return [spec["source"]] if isinstance(spec.get("source"), dict) else []


def first_source(app: JsonObject) -> JsonObject:
    return next(iter(sources_of(app)), {})


def destination_of(app: JsonObject) -> JsonObject:
    return (app.get("spec") or {}).get("destination") or {}


def server_of(app: JsonObject) -> str:
    destination = destination_of(app)
    return str(destination.get("server") or destination.get("name") or "")


def policy_of(app: JsonObject, words: tuple[str, str, str]) -> str:
    """By hand, by itself, by itself with pruning: in *words*."""
    if not automated(app):
        return words[0]
    pruned = app["spec"]["syncPolicy"]["automated"].get("prune")
    return words[2] if pruned else words[1]


def conditions_of(app: JsonObject) -> str:
    types = [str(each.get("type")) for each in (app.get("status") or {}).get("conditions") or []]
    counted = sorted({name if types.count(name) == 1 else f"{name}({types.count(name)})" for name in types})
    return ",".join(counted) or "<none>"


def field(label: str, value: object) -> str:
    return f"{label:<{_LABEL}}{plain(str(value))}".rstrip()


def summary(app: JsonObject, url: str = "", windows: tuple[str, str] = ("Sync Allowed", "")) -> list[str]:
    """The head of `app get`; *windows* is what they allow, and what they are."""
    lines = [
        field("Name:", AppName.of(app)),
        field("Project:", project_of(app)),
        field("Server:", server_of(app)),
        field("Namespace:", destination_of(app).get("namespace") or ""),
        field("URL:", url),
        "Sources:" if (app.get("spec") or {}).get("sources") else "Source:",
    ]
    for source in sources_of(app):
        lines += _source(source)
    lines.append(field("SyncWindow:", windows[0]))
    if windows[1]:
        lines.append(field("Assigned Windows:", windows[1]))
    lines.append(field("Sync Policy:", policy_of(app, ("Manual", "Automated", "Automated (Prune)"))))
    status = app.get("status") or {}
    lines.append(field("Sync Status:", _sync_status(app)))
    return [*lines, field("Health Status:", (status.get("health") or {}).get("status") or "")]


def _source(source: JsonObject) -> list[str]:
    values = ",".join((source.get("helm") or {}).get("valueFiles") or [])
    said = [
        ("  Path:", source.get("path")),
        ("  Chart:", source.get("chart")),
        ("  Ref:", source.get("ref")),
        ("  Helm Values:", values),
        ("  Name Prefix:", (source.get("kustomize") or {}).get("namePrefix")),
    ]
    head = [field("- Repo:", source.get("repoURL") or ""), field("  Target:", source.get("targetRevision") or "")]
    return [*head, *(field(label, value) for label, value in said if value)]


def _sync_status(app: JsonObject) -> str:
    sync = (app.get("status") or {}).get("sync") or {}
    text, target = str(sync.get("status") or ""), str(first_source(app).get("targetRevision") or "")
    joined = {"Synced": "to", "OutOfSync": "from"}.get(text)
    if joined:
        text = f"{text} {joined} {target}"
    revision = str(sync.get("revision") or "")
    return f"{text} ({revision[:_SHORT]})" if len(revision) > _SHORT and not _SHA.fullmatch(target) else text


def conditions(app: JsonObject) -> str:
    found = (app.get("status") or {}).get("conditions") or []
    rows = [[str(each.get(part) or "") for part in ("type", "message", "lastTransitionTime")] for each in found]
    return argo_table(("CONDITION", "MESSAGE", "LAST TRANSITION"), rows) if rows else ""


def resources(app: JsonObject) -> str:
    header = ("GROUP", "KIND", "NAMESPACE", "NAME", "STATUS", "HEALTH", "HOOK", "MESSAGE")
    rows: list[list[str | Styled]] = [
        [*each.key, coloured(each.status), coloured(each.health), each.hook, each.message] for each in states(app)
    ]
    return argo_table(header, rows) if rows else ""


def operation(app: JsonObject, now: datetime) -> list[str]:
    state = (app.get("status") or {}).get("operationState")
    if not isinstance(state, dict):
        return []
    lines: list[str] = []
    result = state.get("syncResult")
    if isinstance(result, dict):
        revisions = result.get("revisions") or [result.get("revision") or ""]
        lines = [field("Operation:", "Sync"), field("Sync Revision:", ", ".join(map(str, revisions)))]
    started, finished = str(state.get("startedAt") or ""), str(state.get("finishedAt") or "")
    lines += [field("Phase:", state.get("phase") or ""), field("Start:", started), field("Finished:", finished)]
    lines.append(field("Duration:", _lasted(started, finished, now)))
    return [*lines, field("Message:", state["message"])] if state.get("message") else lines


def _lasted(started: str, finished: str, now: datetime) -> str:
    try:
        began = Time.read(started).moment
        ended = Time.read(finished).moment if finished else now
    except ValueError:
        return ""
    return str(Duration.of_seconds(max(int((ended - began).total_seconds()), 0)))


def parameters(source: JsonObject) -> str:
    found = (source.get("helm") or {}).get("parameters") or []
    rows = [[str(each.get("name") or ""), _cut(str(each.get("value") or ""))] for each in found]
    return argo_table(("NAME", "VALUE"), rows)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_PARAMETER else f"{text[: _LONGEST_PARAMETER - 3]}..."


def history(app: JsonObject) -> str:
    """One table for each repository that was synced from."""
    sections: dict[str, list[list[str]]] = {}
    for entry in (app.get("status") or {}).get("history") or []:
        several = entry.get("sources")
        sources = several or [entry.get("source") or {}]
        revisions = entry.get("revisions") or [] if several else [entry.get("revision") or ""]
        for at, source in enumerate(sources):
            revision = str(revisions[at]) if at < len(revisions) else ""
            target = str(source.get("targetRevision") or "")
            shown = f"{target} ({revision[:_SHORT]})" if len(revision) >= _SHORT else target
            row = [str(entry.get("id", "")), str(entry.get("deployedAt") or ""), shown]
            sections.setdefault(str(source.get("repoURL") or ""), []).append(row)
    drawn = [f"SOURCE  {plain(url)}\n{argo_table(('ID', 'DATE', 'REVISION'), rows)}" for url, rows in sections.items()]
    return "\n\n".join(drawn)
