"""Typed values and templates of `values` mean what go-cty and text/template make of them; blocks what the tools read."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.terraform.inputs.test_values import FILLED, INPUTS, TYPED

from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.inputs.quoting import quoted
from plumbline.terraform.inputs.typed import template_inputs
from plumbline.terraform.inputs.variables import filled

pytestmark = pytest.mark.conformance

CTY = "github.com/zclconf/go-cty@v1.18.0"
PROGRAM = Path(__file__).with_name("terraform_oracle")
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}

VALUES = ['"a"', '"1"', "1", "1.5", "true", "null", "[]", "{}", '["b","a","b"]', "[2,1]", '{"a":1}', '{"a":"x","b":true}', "[", '"e\u0301"', "[[1],[2]]", '{"type":"string","value":"x"}']  # fmt: skip
TYPES = ['"string"', '"number"', '"bool"', '"dynamic"', '["list","string"]', '["set","string"]', '["set","number"]', '["map","string"]', '["tuple",["number","number"]]', '["object",{"a":"string","b":"bool"}]', '["object",{"a":"number"},["a"]]', '["list",["list","number"]]', '"float"', '["bag","string"]', '["list"]']  # fmt: skip
TEXTS = [
    'a"b',
    "a\\b",
    "${x}",
    "%{if}",
    "$${x}",
    "$$${x}",
    "%%{x}",
    "\n\r\t",
    "\u2028\x7f\x01",
    "é\U0001f600",
    "$",
    "%",
    "${",
    "\\${",
    '"${',
]


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("oracle")
    shutil.copy(PROGRAM / "main.go", folder)
    for arguments in (
        ["mod", "init", "example.org/oracle"],
        ["mod", "edit", f"-require={CTY}"],
        ["build", "-o", "oracle", "."],
    ):
        subprocess.run([go, *arguments], cwd=folder, env=environment() | BUILD, check=True, capture_output=True, timeout=300)  # fmt: skip

    def ask(questions):
        done = subprocess.run([folder / "oracle"], input=encode(questions), check=True, capture_output=True, timeout=60)
        return decode(done.stdout)

    return ask


def ours(value, type_):
    try:
        return {"value": template_inputs({"k": Plaintext(value), "k__type": Plaintext(type_)}, "x")["k"]}
    except InvalidInput:
        return {"fault": True}


def test_typed_values_are_those_of_cty(oracle):
    questions = [(value, type_) for value, type_, *_ in TYPED] + [(value, type_) for value in VALUES for type_ in TYPES]
    answers = oracle([{"value": value, "type": type_} for value, type_ in questions])
    wrong = [
        (question, answer, ours(*question))
        for question, answer in zip(questions, answers, strict=True)
        if answer != ours(*question) and not (answer.get("value", "x") is None and ours(*question) == {"value": None})
    ]
    assert wrong == []


def test_templates_of_values_are_those_of_go_where_go_reads_them(oracle):
    values = [each for each, *_ in FILLED]
    answers = oracle([{"text": encode(each).decode(), "inputs": INPUTS} for each in values])
    read = [(value, answer) for value, answer in zip(values, answers, strict=True) if not answer.get("fault")]
    assert len(read) >= len(values) - 1
    for value, answer in read:
        if "evil" not in str(value):
            assert filled(value, INPUTS) == decode(answer["filled"].encode())


@pytest.mark.parametrize("tool", ["terraform", "tofu"])
def test_quoted_texts_are_read_back_by_the_tools(tool, tmp_path):
    found = shutil.which(tool) or shutil.which(tool, path=str(Path.home() / ".cache" / "plumbline-peers" / "bin"))
    if found is None:
        pytest.fail(f"{tool} is not there; run `make peers` first")
    blocks = [f'output "o{at}" {{\n  value = {quoted(text)}\n}}\n' for at, text in enumerate(TEXTS)]
    (tmp_path / "main.tf").write_text("".join(blocks))
    (tmp_path / "none.tfrc").touch()
    variables = environment() | {"CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": str(tmp_path / "none.tfrc")}
    for arguments in (["init"], ["apply", "-auto-approve"]):
        subprocess.run([found, *arguments], cwd=tmp_path, env=variables, check=True, capture_output=True, timeout=60)
    done = subprocess.run(
        [found, "output", "-json"], cwd=tmp_path, env=variables, check=True, capture_output=True, timeout=60
    )
    outputs = decode(done.stdout)
    assert [outputs[f"o{at}"]["value"] for at in range(len(TEXTS))] == TEXTS
