"""What kubectl says to two clusters that are told the same, made comparable."""

import difflib
import re
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance.real import RealCluster, Spoken, programs

from plumbline.base.documents import dump_yaml, load_document
from plumbline.base.environment import environment
from plumbline.base.json import Json

from .processes import beside

_LINE_S = 60
_TRIES = 60
_PAUSE_S = 0.25


@dataclass(frozen=True)
class Line:
    """One call of kubectl, in words; `{ns}` is the script's namespace, which is also the default one."""

    text: str
    stdin: str = ""
    editor: str = ""
    """A program for `sed -i`, which then is the editor."""
    compared: bool = True
    """False for a line that only prepares."""
    awaited: bool = False
    """Repeated until it succeeds, for what the real cluster does in its own time; not compared."""


@dataclass(frozen=True)
class Watched:
    """A kubectl that runs while others do, until it has said so many lines."""

    text: str
    lines: int
    during: Sequence["Line | str"]
    after: int = 1
    """How many lines it says before the others begin."""


Step = Line | Watched | str


@dataclass(frozen=True)
class Script:
    steps: Sequence[Step]
    files: Mapping[str, str] = field(default_factory=dict)


class Kubectl:
    """kubectl at one cluster, in a folder of its own."""

    def __init__(self, cluster: RealCluster, folder: Path, namespace: str, *, kubeconfig: Path | None = None) -> None:
        self.namespace = namespace
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        config, cache = kubeconfig or cluster.kubeconfig, cluster.folder / "kubectl-cache"
        self._command = [str(programs() / "kubectl"), f"--kubeconfig={config}", f"--cache-dir={cache}", "-n", namespace]
        self._environment = {"PATH": environment()["PATH"], "HOME": str(folder), "KUBECTL_APPLYSET": "true"}

    def write(self, files: Mapping[str, str]) -> None:
        for name, content in files.items():
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace("{ns}", self.namespace))

    def say(self, step: Step) -> list[Spoken]:
        if isinstance(step, Watched):
            return self._watch(step)
        line = Line(step) if isinstance(step, str) else step
        return [self._await(line) if line.awaited else self.run(line)]

    def _await(self, line: Line) -> Spoken:
        for _ in range(_TRIES):
            said = self.run(line)
            if said.code == 0:
                return said
            time.sleep(_PAUSE_S)
        raise AssertionError(f"`kubectl {line.text}` never succeeded: {said.err}")

    def run(self, line: Line) -> Spoken:
        done = subprocess.run(
            self._words(line.text),
            input=line.stdin.replace("{ns}", self.namespace),
            cwd=self._folder,
            env={**self._environment, "KUBE_EDITOR": f"sed -i '{line.editor}'"},
            capture_output=True,
            text=True,
            timeout=_LINE_S,
            check=False,
        )
        return Spoken(done.returncode, done.stdout, done.stderr)

    def start(self, text: str) -> AbstractContextManager[subprocess.Popen[str]]:
        """For whoever reads it line by line."""
        return beside(self._words(text), folder=self._folder, environment=self._environment, errors=subprocess.STDOUT)

    def _words(self, text: str) -> list[str]:
        return [*self._command, *shlex.split(text.replace("{ns}", self.namespace))]

    def _watch(self, step: Watched) -> list[Spoken]:
        with self.start(step.text) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(step.after)]
            inner = [spoken for each in step.during for spoken in self.say(each)]
            said += [process.stdout.readline() for _ in range(step.lines - step.after)]
        return [*inner, Spoken(0, "".join(said), "")]


def told(script: Script) -> list[Line]:
    """The lines in the order in which they have an answer."""
    lines: list[Line] = []
    for step in script.steps:
        if isinstance(step, Watched):
            lines += told(Script(step.during))
            lines.append(Line(step.text))
        else:
            lines.append(Line(step) if isinstance(step, str) else step)
    return lines


_NORMAL = (
    # A wait of one second may end while a watch begins, which client-go thinks worth a line.
    (re.compile(r"^[IWE]\d{4} .* reflector\.go.*\n", re.MULTILINE), ""),
    # How far a roll-out has come when somebody looks is the cluster's haste.
    (re.compile(r"^Waiting for .*\n", re.MULTILINE), ""),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "(uid)"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"), "(time)"),
    (re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "(time)"),
    (re.compile(r'((?:resourceVersion|Resource Version)\\*"?:\s*\\*"?)\d+'), r"\1(version)"),
    (re.compile(r"\b([IWE])\d{4} [\d:.]+ +\d+ "), r"\1(log) "),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}"), "(time)"),
    (re.compile(r"(?<=resource version to be 1, was )\d+"), "(version)"),
    (re.compile(r"https://127\.0\.0\.1:\d+"), "(server)"),
    (re.compile(r"\b127\.0\.0\.1:\d+\b"), "(server)"),
    (re.compile(r"(/tmp/|)kubectl-(edit-|)\d+\.(yaml|json)"), "(draft)"),
    (re.compile(r"/tmp/(LIVE|MERGED)-\d+"), r"(\1)"),
    (re.compile(r"\bkubernetes-admin\b"), "admin"),
    # Names of replica sets are stable within one cluster; nobody can foretell them.
    (re.compile(r"(?<=[-=])[bcdfghjklmnpqrstvwxz2456789]{8,10}\b"), "(hash)"),
    # The real server shows the patch with the pieces gone that it has already worked off.
    (re.compile(r'(?<=patch: Invalid value: ")map\[.*\](?=": )'), "(patch)"),
    (re.compile(r"(?<![\w.=/-])(?:\d+[smhd]){1,2}(?![\w.])"), "(age)"),
    (re.compile(r"(?<=\S) {2,}"), "  "),
)


def normal(text: str, namespace: str) -> str:
    """Without what only one cluster can know, and without the padding that depends on it."""
    if text.startswith("apiVersion:") and "managedFields:" in text:
        text = dump_yaml(_with_managers_in_order(load_document(text).value))
    text = text.replace(namespace, "(ns)")
    for pattern, replacement in _NORMAL:
        text = pattern.sub(replacement, text)
    return text


def _with_managers_in_order(value: Json) -> Json:
    """Managers are listed by the second of their last write, which two clusters need not share."""
    if isinstance(value, list):
        return [_with_managers_in_order(each) for each in value]
    if not isinstance(value, dict):
        return value
    inside = {name: _with_managers_in_order(each) for name, each in value.items()}
    if isinstance(inside.get("managedFields"), list):
        inside["managedFields"] = sorted(inside["managedFields"], key=lambda each: str(sorted(each.items())))
    return inside


def disagreements(script: Script, theirs: Sequence[Spoken], ours: Sequence[Spoken], namespace: str) -> list[str]:
    found: list[str] = []
    for line, real, mine in zip(told(script), theirs, ours, strict=True):
        if line.awaited or not line.compared:
            continue
        if real.code != mine.code:
            found.append(f"$ kubectl {line.text}\n  exit {real.code} there, {mine.code} here: {real.err} / {mine.err}")
        for name, left, right in (("stdout", real.out, mine.out), ("stderr", real.err, mine.err)):
            there, here = normal(left, namespace), normal(right, namespace)
            if there != here:
                shown = difflib.unified_diff(there.splitlines(), here.splitlines(), "there", "here", lineterm="", n=1)
                found.append(f"$ kubectl {line.text}  ({name})\n" + "\n".join(shown))
    return found
