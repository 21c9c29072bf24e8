"""A controller that does nothing but deliver loads nothing but what that takes."""

import subprocess
import sys

import pytest

UNUSED = [
    ("aiohttp", "there are no charts, and nobody is told anything"),
    ("plumbline.apiserver", "a real cluster has one"),
    ("plumbline.composition.functions.registry", "nobody composes"),
    ("plumbline.composition.usages", "nobody asks before a deletion"),
    ("plumbline.delivery.notifications.kit", "nobody is told anything"),
    ("plumbline.gotemplate", "nobody writes templates"),
    ("plumbline.managed.managed", "nothing is provisioned"),
    ("plumbline.providers", "nothing is provisioned"),
    ("plumbline.secrets.sealed", "nothing is sealed"),
    ("plumbline.terraform.approvals.validating", "nobody approves"),
    ("plumbline.terraform.sources.reconciler", "there is no Terraform"),
    ("plumbline.web.api", "nobody looks"),
    ("pygit2", "no repository was read yet"),
    ("structlog", "machines read the log"),
]


@pytest.fixture(scope="module")
def loaded():
    script = "import sys, plumbline.wiring.starting, plumbline.wiring.leading; print(*sys.modules)"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60)
    return set(child.stdout.decode().split())


@pytest.mark.parametrize(("module", "why"), UNUSED, ids=[module for module, _ in UNUSED])
def test_what_nobody_uses_is_not_loaded(loaded, module, why):
    assert [each for each in loaded if each == module or each.startswith(f"{module}.")] == [], why
