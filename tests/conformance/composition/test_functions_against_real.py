"""Our functions, and the way we call others, beside real ones that are built from their own source."""

import asyncio
import contextlib
import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment
from plumbline.base.errors import Unreachable
from plumbline.base.tasks import task_group
from plumbline.composition.functions.auto_ready import AutoReady
from plumbline.composition.functions.gotemplating.yamltext import dumped
from plumbline.composition.functions.grpc import from_command
from plumbline.composition.functions.values import Call, Resource, State

pytestmark = pytest.mark.conformance

AUTO_READY = "github.com/crossplane-contrib/function-auto-ready@v0.5.0"
YAML = "gopkg.in/yaml.v3@v3.0.1"
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}
PRINTER = """
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"
)

func whole(v any) any {
	switch t := v.(type) {
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return i
		}
		f, _ := t.Float64()
		return f
	case map[string]any:
		for k := range t {
			t[k] = whole(t[k])
		}
	case []any:
		for i := range t {
			t[i] = whole(t[i])
		}
	}
	return v
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<26)
	for {
		line, err := lines.ReadBytes('\\n')
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			panic(err)
		}
		printed, err := yaml.Marshal(whole(value))
		if err != nil {
			panic(err)
		}
		quoted, _ := json.Marshal(string(printed))
		fmt.Println(string(quoted))
	}
}
"""


def go(folder, *arguments):
    program = shutil.which("go")
    if program is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    done = subprocess.run([program, *arguments], cwd=folder, env=environment() | BUILD, check=True, capture_output=True, timeout=600)  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def auto_ready(tmp_path_factory):
    """The real function. Its module calls itself by another name, so that it is built from a copy of its source."""
    folder = tmp_path_factory.mktemp("auto-ready")
    source = json.loads(go(folder, "mod", "download", "-json", AUTO_READY))["Dir"]
    copy = folder / "source"
    shutil.copytree(source, copy, copy_function=shutil.copyfile)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    go(copy, "build", "-o", str(folder / "function"), ".")
    return folder / "function"


@pytest.fixture(scope="module")
def printer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("yaml")
    (folder / "main.go").write_text(PRINTER)
    go(folder, "mod", "init", "example.org/printer")
    go(folder, "mod", "edit", f"-require={YAML}")
    go(folder, "build", "-o", "printer", ".")
    return folder / "printer"


def states(chance):
    """Calls with resources of kinds that the real function, which is older, has no rule of its own for."""
    names = [f"r{at}" for at in range(chance.randint(0, 5))]
    condition = {"type": chance.choice(["Ready", "Synced"]), "status": chance.choice(["True", "False", "Unknown"])}
    bodies = [
        {"apiVersion": "example.org/v1", "kind": "Thing", "n": 1, "f": 1.5, "status": {"conditions": [condition]}},
        {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"list": [1, None, True, {"a": []}]}},
    ]
    ready = ["Unspecified", "Unspecified", "True", "False"]
    return Call(
        observed=State(
            Resource({"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "x"}}),
            {name: Resource(chance.choice(bodies)) for name in names if chance.random() < 0.8},
        ),
        desired=State(resources={name: Resource(chance.choice(bodies), ready=chance.choice(ready)) for name in names}),
        context={"k": {"n": chance.randint(0, 9)}},
        tag="t",
    )


async def test_the_real_auto_ready_answers_what_ours_answers(auto_ready):
    program = from_command("auto-ready", (str(auto_ready), "--insecure", "--address={address}"), SystemClock())
    ours, chance = AutoReady(), random.Random(7)  # noqa: S311 - the same calls each time
    async with asyncio.timeout(60), task_group() as group:
        serving = group.create_task(program.serve())
        with contextlib.suppress(Unreachable):
            await program.run(states(chance))
        await asyncio.sleep(1)
        for _ in range(200):
            call = states(chance)
            theirs, mine = await program.run(call), await ours.run(call)
            assert theirs.desired.resources == mine.desired.resources
            assert (theirs.context, theirs.ttl_s, theirs.results) == (mine.context, mine.ttl_s, mine.results)
        serving.cancel()


WORDS = [
    "a", "b c", "true", "yes", "n", "null", "~", "", "1", "1.5", "0x1f", "0o7", "010", "1e3", "-", "- a", "a: b", "a:b",
    "a #b", "#x", "'q'", '"d"', "[x]", "{y}", "*z", "&w", "!t", "%p", "@a", "`b", "2001-01-01", "12:30", "multi\nline",
    "multi\nline\n", "x\n\n", " lead\nx", "tail \nx", "\nlead", "\n", "\n\n", " x", "x ", "tab\tx", "tab\tx\ny", "ünï",
    "\U0001f600", "a\x01b", "---", "...", "<<", "?", "? a", "?a", ":", ":a", "-a", "a,b", "long text " * 20, "x: ",
    "<no value>", "off", "1_000", "+1", ".5", ".inf", "1.", "a\\b", 'a"b\nc', "|x", "100m", "1Gi", "v1.2.3", "a'b", "x#y",
]  # fmt: skip
KEYS = [each for each in WORDS if each and "\n" not in each and len(each) < 100] + [
    "a1",
    "a10",
    "a9",
    "A",
    "b-1",
    "z9z",
]
NUMBERS = [0, 1, -5, 10**12, 1.5, 0.1, 1234567.5, 1e21, 1e-7, 123456.7, 1e100, 0.00001, True, False, None]


def value(chance, depth=0):
    drawn = chance.random()
    if depth > 4 or drawn < 0.45:
        return chance.choice(WORDS)
    if drawn < 0.55:
        return chance.choice(NUMBERS)
    if drawn < 0.8:
        return {chance.choice(KEYS): value(chance, depth + 1) for _ in range(chance.randint(0, 4))}
    return [value(chance, depth + 1) for _ in range(chance.randint(0, 4))]


def test_yaml_of_templates_is_go_yamls_to_the_letter(printer: Path):
    chance = random.Random(11)  # noqa: S311 - the same values each time
    values = [
        *WORDS,
        *({"k": each} for each in WORDS),
        *({each: 1} for each in KEYS),
        *(value(chance) for _ in range(3_000)),
    ]
    sent = "".join(json.dumps(each) + "\n" for each in values)
    done = subprocess.run([printer], input=sent.encode(), check=True, capture_output=True, timeout=60)
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [dumped(each) for each in values] == printed
