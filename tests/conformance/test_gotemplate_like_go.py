"""The recorded answers are those of Go's text/template with Sprig, asked again."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.gotemplate.asking import recorded, to_record

from plumbline.base.environment import environment
from plumbline.base.json import decode, encode

pytestmark = pytest.mark.conformance

SPRIG = "github.com/Masterminds/sprig/v3@v3.3.0"
SEMVER = "github.com/Masterminds/semver/v3@v3.4.0"
"""As Sealed Secrets and External Secrets are built with."""
PROGRAM = Path(__file__).with_name("gotemplate_oracle")
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}


def test_go_prints_what_was_recorded(tmp_path):
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")

    def run(*arguments):
        subprocess.run([go, *arguments], cwd=tmp_path, env=environment() | BUILD, check=True, capture_output=True, timeout=300)  # fmt: skip

    shutil.copy(PROGRAM / "main.go", tmp_path)
    run("mod", "init", "example.org/oracle")
    run("mod", "edit", f"-require={SPRIG}", f"-require={SEMVER}")
    run("build", "-o", "oracle", ".")
    done = subprocess.run([tmp_path / "oracle"], input=encode(to_record()), check=True, capture_output=True, timeout=60)
    answers = [{key: each[key] for key in ("printed", "fault") if key in each} for each in recorded()]
    assert decode(done.stdout) == answers
