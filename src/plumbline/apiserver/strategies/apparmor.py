"""The annotation that AppArmor profiles had before they had a field."""

from typing import Final

from plumbline.base.json import Json, JsonObject

PREFIX: Final = "container.apparmor.security.beta.kubernetes.io/"
DEPRECATED: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_LOCALHOST: Final = "localhost/"
_LONGEST_PATH: Final = 4095


def profile_from(annotation: Json) -> JsonObject | None:
    """The field that says what *annotation* says; None where it says nothing known."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    if isinstance(annotation, str) and annotation.startswith(_LOCALHOST) and annotation != _LOCALHOST:
        return {"type": "Localhost", "localhostProfile": annotation.removeprefix(_LOCALHOST)}
    return None


def valid(profile: JsonObject) -> bool:
    """Whether the field may be written: annotations were never checked as strictly."""
    path = profile.get("localhostProfile", "-")
    return bool(path.strip()) and path == path.strip() and len(path) <= _LONGEST_PATH
