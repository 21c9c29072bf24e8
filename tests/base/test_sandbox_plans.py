"""What is ordered for which confinement on which kernel: decided without touching either."""

import errno
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.process import Confinement, Facts, Limits, Start, landlock, plan, seccomp
from plumbline.base.process.sandbox import described
from plumbline.base.zygote.order import CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWUSER

NOTHING = Facts(landlock_abi=0, seccomp_error=22, privileged_error=1, user_error=1)
ROOT = Facts(landlock_abi=7, seccomp_error=0, privileged_error=0, user_error=0)
USER = Facts(landlock_abi=7, seccomp_error=0, privileged_error=1, user_error=0)
POD = Facts(landlock_abi=7, seccomp_error=0, privileged_error=1, user_error=1)

START = Start(
    tool=Path("/bin/tool"),
    argv=("tool",),
    environment={},
    cwd=Path("/"),
    grace_s=1.0,
    limits=Limits(cpu_s=3, open_files=7),
)

NAMESPACES = [
    (None, ROOT, CLONE_NEWPID, "privilege gives every tool a pid namespace, which ends its whole tree"),
    (None, USER, 0, "a user namespace changes who files belong to: not for tools that were not to be confined"),
    (None, POD, 0, "none to be had"),
    (Confinement(network=True), ROOT, CLONE_NEWPID, "with network"),
    (Confinement(network=True), USER, 0, "with network, which ssh is used over"),
    (Confinement(), ROOT, CLONE_NEWPID | CLONE_NEWNET, "cut off"),
    (Confinement(), USER, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET, "cut off by an unprivileged user"),
    (Confinement(), POD, 0, "cut off by seccomp alone"),
]


@pytest.mark.parametrize(("confinement", "facts", "flags", "why"), NAMESPACES, ids=[case[3] for case in NAMESPACES])
def test_namespaces_are_entered_where_they_help(confinement, facts, flags, why):
    order, _ = plan(START, confinement, facts)
    assert order["unshare"] == flags


def test_an_unconfined_tool_keeps_what_it_has():
    order, missing = plan(START, None, NOTHING)
    assert (order["landlock"], order["seccomp"], order["drop_capabilities"], missing) == (None, b"", False, ())


@pytest.mark.parametrize(
    ("cwd", "confinement"),
    [
        (Path("relative"), None),
        (Path("/"), Confinement(readable=(Path("relative"),))),
        (Path("/"), Confinement(writable=(Path("relative"),))),
        (Path("/"), Confinement(executable=(Path("relative"),))),
    ],
)
def test_paths_that_depend_on_where_we_are_are_refused(cwd, confinement):
    with pytest.raises(InvalidInput):
        plan(replace(START, cwd=cwd), confinement, ROOT)


def test_limits_are_ordered_by_number():
    order, _ = plan(START, None, ROOT)
    assert len(order["limits"]) == 2
    assert {bound for _, bound in order["limits"]} == {3, 7}


@pytest.mark.parametrize(
    ("abi", "size", "handled"), [(1, 8, 13), (2, 8, 14), (3, 8, 15), (4, 16, 15), (5, 16, 16), (7, 24, 16)]
)
def test_a_ruleset_holds_what_its_abi_knows(abi, size, handled):
    rules = landlock.ruleset(abi, Confinement())
    assert len(rules["attributes"]) == size
    assert struct.unpack_from("=Q", rules["attributes"])[0] == (1 << handled) - 1


def test_ports_are_denied_only_without_network():
    closed = landlock.ruleset(7, Confinement())["attributes"]
    open_ = landlock.ruleset(7, Confinement(network=True))["attributes"]
    assert (struct.unpack("=QQQ", closed)[1], struct.unpack("=QQQ", open_)[1]) == (3, 0)


def test_paths_grant_what_they_are_named_for():
    confinement = Confinement(readable=(Path("/r"),), writable=(Path("/w"),), executable=(Path("/x"),))
    execute, read, control_devices = 1, 0b1100, 1 << 15
    assert landlock.ruleset(7, confinement)["paths"] == [
        (b"/r", read, True),
        (b"/x", read | execute, True),
        (b"/w", (1 << 16) - 1 - execute - control_devices, True),
    ]


def test_code_without_a_program_of_its_own_is_given_no_path_at_all():
    order, _ = plan(
        Start(tool=Path("worker"), argv=(), environment={}, cwd=Path("/"), grace_s=0.0, limits=Limits()),
        Confinement(),
        POD,
    )
    assert order["landlock"]["paths"] == []


def verdict(program, *, number, argument=0, architecture=0xC000003E):
    """Runs a filter as the kernel would, for the few instructions that ours are made of."""
    state = struct.pack("=iIQQ", number, architecture, 0, argument)
    at, loaded = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", state, value)
            case 0x15:
                at += yes if loaded == value else no
            case 0x35:
                at += yes if loaded >= value else no
            case 0x06:
                return value & 0xFFFF if value >> 16 == 5 else None
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


SOCKET, IO_URING, CLONE, EXECVE, READ = 41, 425, 56, 59, 0
FILTERS = [
    ("none", True, SOCKET, 2, errno.EACCES, "no socket"),
    ("none", True, SOCKET, 1, errno.EACCES, "not even a local one"),
    ("none", True, IO_URING, 0, errno.EACCES, "nor a way around"),
    ("none", True, CLONE, 0, None, "processes are free"),
    ("none", True, READ, 0, None, "as is everything else"),
    ("unix", True, SOCKET, 1, None, "a local socket"),
    ("unix", True, SOCKET, 10, errno.EACCES, "no other"),
    ("unix", True, IO_URING, 0, errno.EACCES, "nor a way around"),
    ("any", False, SOCKET, 2, None, "sockets, but"),
    ("any", False, CLONE, 0, errno.EACCES, "no process"),
    ("any", False, EXECVE, 0, errno.EACCES, "no program"),
    ("none", False, SOCKET, 1, errno.EACCES, "neither"),
    ("none", False, CLONE, 0, errno.EACCES, "nor"),
]


@pytest.mark.parametrize(("sockets", "processes", "number", "argument", "expected", "why"), FILTERS)
def test_filters_deny_what_they_are_for(sockets, processes, number, argument, expected, why):
    program = seccomp.program(sockets, processes=processes, machine="x86_64")
    assert verdict(program, number=number, argument=argument) == expected


def test_calls_of_another_architecture_are_not_let_through_unrecognised():
    program = seccomp.program("none", processes=True, machine="x86_64")
    assert verdict(program, number=SOCKET, architecture=0x40000003) == errno.ENOSYS
    assert verdict(program, number=0x40000000 | SOCKET) == errno.ENOSYS


def test_there_is_no_filter_where_there_is_nothing_to_deny_or_numbers_are_unknown():
    assert seccomp.program("any", processes=True, machine="x86_64") == b""
    assert seccomp.program("none", processes=False, machine="vax") == b""
    assert not seccomp.known("vax")


@pytest.mark.parametrize(
    ("facts", "available", "said"),
    [
        (ROOT, (True, True, True), ("ABI 7", "denied", "by privilege")),
        (USER, (True, True, True), ("signals", "denied", "user namespace")),
        (POD, (True, True, False), ("TCP", "denied", "Operation not permitted")),
        (NOTHING, (False, False, False), ("Linux 5.13", "Invalid argument", "up to their keeper")),
    ],
)
def test_the_doctors_lines_say_what_is_there_and_what_becomes_of_it_where_not(facts, available, said):
    lines = described(facts)
    assert tuple(line.available for line in lines) == available
    assert all(words in line.detail for line, words in zip(lines, said, strict=True))


def test_a_machine_without_known_numbers_is_told_apart_from_a_kernel_without_filters(monkeypatch):
    monkeypatch.setattr(seccomp, "known", lambda: False)
    assert not POD.seccomp
    assert "not known to us" in described(POD)[1].detail
