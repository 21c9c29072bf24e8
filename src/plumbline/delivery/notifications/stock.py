"""Triggers and templates that people know by name and need not write.

The conditions are upstream's to the letter: their hash is part of what is noted on an Application once it was told
about, and what has been told there is not told again here.
"""

from collections.abc import Mapping
from typing import Final

from plumbline.delivery.notifications.configuration import Condition, MessageTemplate, SlackTemplate

_REVISION: Final = "app.status.operationState?.syncResult?.revision"
_ENDED: Final = "app.status.operationState != nil and app.status.operationState.phase in "
_TRANSITION: Final = "time.Parse(app.status.health.lastTransitionTime)"
_DEPLOYED: Final = (
    f"{_ENDED}['Succeeded'] and app.status.health.status == 'Healthy' and "
    f"(!{_TRANSITION}.Add(1 * time.Minute).Before(time.Parse(app.status.operationState.finishedAt)) or "
    f"{_TRANSITION}.Before(time.Parse(app.status.operationState.startedAt)))"
)
_LINK: Final = "{{.context.argocdUrl}}/applications/{{.app.metadata.name}}"
_FIELDS: Final = """[{
  "title": {{ .app.metadata.name | quote }},
  "title_link": "LINK",
  "color": "COLOUR",
  "fields": [
    {"title": "Sync", "value": {{ .app.status.sync.status | default "Unknown" | quote }}, "short": true},
    {"title": "Health", "value": {{ dig "status" "health" "status" "Unknown" .app | quote }}, "short": true},
    {"title": "Revision", "value": {{ .app.status.sync.revision | default "" | quote }}, "short": true}
    {{- range .app.status.conditions }},
    {"title": {{ .type | quote }}, "value": {{ .message | quote }}, "short": false}
    {{- end }}
  ]
}]"""
_GREEN, _RED, _BLUE, _GREY = "#18be52", "#e96d76", "#0dadea", "#f4c030"


def _trigger(name: str, when: str, once_per: str = _REVISION) -> tuple[Condition, ...]:
    return (Condition(when=when, send=(name,), once_per=once_per),)


def _template(sentence: str, colour: str) -> MessageTemplate:
    shown = _FIELDS.replace("LINK", _LINK).replace("COLOUR", colour)
    return MessageTemplate(
        message=f"Application {{{{.app.metadata.name}}}} {sentence}\n", slack=SlackTemplate(attachments=shown)
    )


TRIGGERS: Final[Mapping[str, tuple[Condition, ...]]] = {
    "on-created": _trigger("app-created", "true", "app.metadata.name"),
    "on-deleted": _trigger("app-deleted", "app.metadata.deletionTimestamp != nil", "app.metadata.name"),
    "on-deployed": _trigger("app-deployed", _DEPLOYED),
    "on-health-degraded": _trigger("app-health-degraded", "app.status.health.status == 'Degraded'"),
    "on-sync-failed": _trigger("app-sync-failed", f"{_ENDED}['Error', 'Failed']"),
    "on-sync-running": _trigger("app-sync-running", f"{_ENDED}['Running']"),
    "on-sync-status-unknown": _trigger("app-sync-status-unknown", "app.status.sync.status == 'Unknown'"),
    "on-sync-succeeded": _trigger("app-sync-succeeded", f"{_ENDED}['Succeeded']"),
}
TEMPLATES: Final[Mapping[str, MessageTemplate]] = {
    "app-created": _template("is here.", _BLUE),
    "app-deleted": _template("is being deleted.", _GREY),
    "app-deployed": _template("runs {{ .app.status.sync.revision | trunc 7 }} and is healthy.", _GREEN),
    "app-health-degraded": _template("is degraded.", _RED),
    "app-sync-failed": _template('could not be synced: {{ dig "status" "operationState" "message" "" .app }}', _RED),
    "app-sync-running": _template("is being synced.", _BLUE),
    "app-sync-status-unknown": _template(
        "cannot be compared.{{ range .app.status.conditions }} {{ .message }}{{ end }}", _GREY
    ),
    "app-sync-succeeded": _template("was synced.", _GREEN),
}
