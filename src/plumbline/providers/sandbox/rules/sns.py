"""SNS: names of topics."""

from typing import Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, matches

_NAME: Final = "Invalid parameter: Topic Name"


def _fifo(call: Call, _: World) -> Objection:
    asked = str((call["Attributes"] or {}).get("FifoTopic", "")).lower() == "true"
    if asked and not str(call["Name"]).endswith(".fifo"):
        return "Invalid parameter: Fifo Topic names must end with .fifo and must be made up of only uppercase and lowercase ASCII letters, numbers, underscores, and hyphens, and must be between 1 and 256 characters long."
    return None


RULES: Final = (
    Rule("CreateTopic", "InvalidParameter", matches("Name", r"[A-Za-z0-9_-]{1,256}|[A-Za-z0-9_-]{1,251}\.fifo", _NAME)),
    Rule("CreateTopic", "InvalidParameter", _fifo),
)
