"""What is wrong with a setting, beside the settings that are fine."""

from typing import NamedTuple

from plumbline.base.errors import PlumblineError


class Problem(NamedTuple):
    """One key that was not used as it is written. Never holds the value: it may be a secret."""

    key: str
    why: str

    @classmethod
    def of(cls, key: str, fault: PlumblineError) -> "Problem":
        return cls(key, str(fault))
