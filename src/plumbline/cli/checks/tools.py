"""Programs that Plumbline runs: which are on PATH, and whether they are new enough."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.cli.checks.findings import Finding, State, failed, ok, warning
from plumbline.render.tools import HELM, KUSTOMIZE, Pin, Toolbox

Ask = Callable[[Sequence[str]], Awaitable[str]]
"""Runs a program and gives what it printed; ToolMissing where there is none."""


class Tool(NamedTuple):
    name: str
    arguments: tuple[str, ...]
    purpose: str
    fix: str
    oldest: tuple[int, ...] = ()
    required: bool = False
    pin: Pin | None = None
    """How we come to one where PATH has none, or one that is too old."""


TOOLS: Final = (
    Tool(
        "git", ("--version",), "fetches repositories", "Install it, for instance with `apt install git`.", required=True
    ),
    Tool(
        "helm",
        ("version", "--short"),
        "renders charts",
        "Install 3.18.4 or newer as helm.sh/docs/intro/install says: older ones have known security holes.",
        oldest=HELM.oldest,
        pin=HELM,
    ),
    Tool(
        "kustomize",
        ("version",),
        "renders kustomizations",
        "Install it, for instance with `go install sigs.k8s.io/kustomize/kustomize/v5@latest`.",
        oldest=KUSTOMIZE.oldest,
        pin=KUSTOMIZE,
    ),
    Tool("kubectl", ("version", "--client"), "is for you", "Install it as kubernetes.io/docs/tasks/tools says."),
    Tool("tofu", ("version",), "runs Terraform code", "Install it as opentofu.org/docs/intro/install says."),
    Tool("terraform", ("version",), "runs Terraform code", "Install it, or tofu instead."),
    Tool(
        "go", ("version",), "builds what the conformance tests compare with", "Install it as go.dev/doc/install says."
    ),
)
_EITHER: Final = ("tofu", "terraform")
_VERSION: Final = re.compile(r"(?:^|[^0-9.])v?(\d+)\.(\d+)(?:\.(\d+))?")


async def look(tool: Tool, ask: Ask) -> Finding:
    found = await _on_path(tool, ask)
    if found.state is State.OK or tool.pin is None:
        return found
    return await _instead(found, tool.pin, ask) or found


async def _on_path(tool: Tool, ask: Ask) -> Finding:
    try:
        printed = await ask((tool.name, *tool.arguments))
    except ToolMissing:
        missing = failed if tool.required else warning
        return missing(tool.name, f"not on PATH; it {tool.purpose}", tool.fix)
    except PlumblineError as error:
        return warning(tool.name, f"does not say its version: {error}", tool.fix)
    return judged(tool, printed)


async def _instead(found: Finding, pin: Pin, ask: Ask) -> Finding | None:
    """What is used where PATH does not serve, in the order in which it is looked for."""
    kept = Toolbox().cache / pin.filename
    ways = [
        ((str(kept), *pin.asking), f"{pin.version.removeprefix('v')}, built for us: {kept}"),
        (("go", "version"), f"{pin.version.removeprefix('v')} is built with go when it is first needed"),
    ]
    if pin == KUSTOMIZE:
        ways.append((("kubectl", "version", "--client"), "the one in kubectl is used"))
    for argv, says in ways:
        try:
            await ask(argv)
        except PlumblineError:
            continue
        return ok(found.name, f"{found.says.partition(';')[0]}; {says}")
    return None


def judged(tool: Tool, printed: str) -> Finding:
    """What the version in *printed* means for us."""
    found = _VERSION.search(printed)
    if found is None:
        return warning(tool.name, "does not say its version", tool.fix)
    version = tuple(int(part or 0) for part in found.groups())
    says = ".".join(map(str, version))
    if version < tool.oldest:
        wanted = ".".join(map(str, tool.oldest))
        return warning(tool.name, f"{says} is older than {wanted}", tool.fix)
    return ok(tool.name, says)


def either(findings: Sequence[Finding]) -> list[Finding]:
    """One of tofu and terraform is enough: where one is there, the absence of the other is not worth a line."""
    present = {finding.name for finding in findings if not finding.fix}
    spare = set(_EITHER) - present if present & set(_EITHER) else {"terraform"}
    return [finding for finding in findings if finding.name not in spare or finding.name in present]
