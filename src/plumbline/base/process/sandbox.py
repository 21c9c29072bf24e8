"""From what a command asks for and what this kernel allows to what its keeper is ordered to do. Nothing is done here."""

import os
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from plumbline.base.errors import InvalidInput, SandboxMissing
from plumbline.base.process import landlock, seccomp
from plumbline.base.process.command import Confinement, Limits
from plumbline.base.zygote.order import CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWUSER

if TYPE_CHECKING:
    from plumbline.base.zygote.order import Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the kernel allows us, as tried by the zygote: errors are numbers, 0 for none."""

    landlock_abi: int
    seccomp_error: int
    privileged_error: int
    """Of namespaces for pids and network, entered as we are."""
    user_error: int
    """Of the same within a new user namespace."""

    @property
    def seccomp(self) -> bool:
        return self.seccomp_error == 0 and seccomp.known()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    name: str
    available: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What becomes of a fork: a tool that is executed, or (without argv) the zygote's preloaded module."""

    tool: Path
    argv: tuple[str, ...]
    environment: dict[bytes, bytes]
    cwd: Path
    grace_s: float
    limits: Limits
    processes: bool = True
    """False: it may start no other, nor execute."""


def plan(start: Start, confinement: Confinement | None, facts: Facts) -> "tuple[Order, tuple[str, ...]]":
    """The order to give, and the names of what cannot be enforced; SandboxMissing if the confinement requires it."""
    _refuse_relative(start, confinement)
    missing = _unenforceable(confinement, facts)
    if missing and confinement is not None and confinement.policy == "required":
        raise SandboxMissing(
            f"{start.tool.name} was not started", why=f"this system cannot confine its {' and its '.join(missing)}"
        )
    order: Order = {
        "argv": [os.fsencode(argument) for argument in start.argv],
        "tool": os.fsencode(start.tool),
        "environment": start.environment,
        "directory": os.fsencode(start.cwd),
        "grace_s": start.grace_s,
        "limits": _limits(start.limits),
        "unshare": _namespaces(confinement, facts),
        "landlock": None,
        "seccomp": b"",
        "drop_capabilities": confinement is not None,
    }
    if confinement is not None:
        _confine(order, start, confinement, facts)
    return order, missing


def _refuse_relative(start: Start, confinement: Confinement | None) -> None:
    asked = confinement or Confinement()
    for path in (start.cwd, *asked.readable, *asked.writable, *asked.executable):
        if not path.is_absolute():
            raise InvalidInput(f"{start.tool.name} was not started", why=f"{path} is relative, but to what?")


def _unenforceable(confinement: Confinement | None, facts: Facts) -> tuple[str, ...]:
    if confinement is None:
        return ()
    isolated = facts.seccomp or not (facts.privileged_error and facts.user_error)
    missing = () if facts.landlock_abi else ("files",)
    return missing if confinement.network or isolated else (*missing, "network")


def _namespaces(confinement: Confinement | None, facts: Facts) -> int:
    """A namespace of pids for all, so that a tool's whole tree ends with it; one of network for those without.

    A user namespace is entered only where it is the only way and the tool is cut off anyway: in it the files of others
    belong to nobody, which ssh refuses to read its settings from.
    """
    offline = confinement is not None and not confinement.network
    if not facts.privileged_error:
        return CLONE_NEWPID | (CLONE_NEWNET if offline else 0)
    return CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET if offline and not facts.user_error else 0


def _confine(order: "Order", start: Start, confinement: Confinement, facts: Facts) -> None:
    if facts.landlock_abi:
        rules = landlock.ruleset(facts.landlock_abi, confinement)
        if start.argv:
            rules["paths"] += landlock.runtime(start.tool)
        order["landlock"] = rules
    if facts.seccomp:
        order["seccomp"] = seccomp.program(_sockets(confinement), processes=start.processes)


def _sockets(confinement: Confinement) -> Literal["none", "unix", "any"]:
    if confinement.network:
        return "any"
    return "unix" if confinement.unix_sockets else "none"


def _limits(limits: Limits) -> list[tuple[int, int]]:
    wanted = (
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes),
    )
    return [(kind, bound) for kind, bound in wanted if bound is not None]


def described(facts: Facts) -> tuple[Capability, ...]:
    """One line each on what can be enforced here, and what becomes of it where not."""
    abi = facts.landlock_abi
    privileged, user = not facts.privileged_error, not facts.user_error
    refusal = os.strerror(facts.user_error or facts.privileged_error)
    return (
        Capability(
            name="landlock",
            available=abi > 0,
            detail=landlock.covered(abi) if abi else "no confinement of files: needs Linux 5.13 with landlock in lsm=",
        ),
        Capability(
            name="seccomp",
            available=facts.seccomp,
            detail="sockets and new processes can be denied" if facts.seccomp else _without_seccomp(facts),
        ),
        Capability(
            name="namespaces",
            available=privileged or user,
            detail=(
                "pids and network, by privilege"
                if privileged
                else "pids and network, for tools without network in a user namespace"
                if user
                else f"none ({refusal}): the end of tools' children is up to their keeper, network up to seccomp"
            ),
        ),
    )


def _without_seccomp(facts: Facts) -> str:
    if facts.seccomp_error:
        return f"the kernel has none: {os.strerror(facts.seccomp_error)}"
    return "the system calls of this machine are not known to us: network is up to namespaces"
