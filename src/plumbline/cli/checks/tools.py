"""Programs that Plumbline runs: which are on PATH, and whether they are new enough."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.cli.checks.findings import Finding, failed, ok, warning

Ask = Callable[[Sequence[str]], Awaitable[str]]
"""Runs a program and gives what it printed; ToolMissing where there is none."""


class Tool(NamedTuple):
    name: str
    arguments: tuple[str, ...]
    purpose: str
    fix: str
    oldest: tuple[int, ...] = ()
    required: bool = False


TOOLS: Final = (
    Tool(
        "git", ("--version",), "fetches repositories", "Install it, for instance with `apt install git`.", required=True
    ),
    Tool(
        "helm",
        ("version", "--short"),
        "renders charts",
        "Install 3.18.4 or newer as helm.sh/docs/intro/install says: older ones have known security holes.",
        oldest=(3, 18, 4),
    ),
    Tool(
        "kustomize",
        ("version",),
        "renders kustomizations",
        "Install it, for instance with `go install sigs.k8s.io/kustomize/kustomize/v5@latest`.",
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
    try:
        printed = await ask((tool.name, *tool.arguments))
    except ToolMissing:
        missing = failed if tool.required else warning
        return missing(tool.name, f"not on PATH; it {tool.purpose}", tool.fix)
    except PlumblineError as error:
        return warning(tool.name, f"does not say its version: {error}", tool.fix)
    return judged(tool, printed)


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
