"""Paths lead where gjson's lead."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.secrets.stores.paths import ANSWERS, DOCUMENTS, FRIENDS, PATHS, ROUTES

from plumbline.base.environment import environment
from plumbline.base.json import decode, encode
from plumbline.secrets.stores.gjson import found
from plumbline.secrets.stores.properties import printed

pytestmark = pytest.mark.conformance

GJSON = "github.com/tidwall/gjson@v1.18.0"
PROGRAM = Path(__file__).with_name("gjson_oracle")
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("gjson")
    shutil.copy(PROGRAM / "main.go", folder)
    for arguments in (
        ("mod", "init", "example.org/oracle"),
        ("mod", "edit", f"-require={GJSON}"),
        ("build", "-o", "oracle", "."),
    ):
        subprocess.run(
            [go, *arguments], cwd=folder, env=environment() | BUILD, check=True, capture_output=True, timeout=300
        )

    def ask(questions):
        body = encode([{"document": document, "path": path} for document, path in questions])
        done = subprocess.run([folder / "oracle"], input=body, check=True, capture_output=True, timeout=60)
        return decode(done.stdout)

    return ask


def ours(document, path):
    text = found(document.encode(), path)
    return None if text is None else printed(text).decode()


def test_the_recorded_answers_are_gjsons(oracle):
    assert dict(zip(PATHS, oracle([(FRIENDS, path) for path in PATHS]), strict=True)) == ANSWERS


def test_other_paths_in_other_documents_do_too(oracle):
    questions = []

    @settings(max_examples=4000, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(DOCUMENTS, ROUTES)
    def collect(document, path):
        questions.append((document, path))

    collect()
    different = [
        (document, path, said, answer)
        for (document, path), answer in zip(questions, oracle(questions), strict=True)
        if (said := ours(document, path)) != answer
    ]
    assert different == []
