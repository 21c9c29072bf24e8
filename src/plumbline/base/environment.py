"""The process environment, read in one place so that a test can hand in another."""

import os
from collections.abc import Mapping
from pathlib import Path


def environment() -> Mapping[str, str]:
    return os.environ  # noqa: TID251 - this is the one place


def home() -> Path:
    return Path(environment().get("HOME") or Path.home())
