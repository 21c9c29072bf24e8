"""The real git, as somebody at a desk uses it."""

import asyncio
import os
from pathlib import Path
from typing import NamedTuple

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Jane",
    "GIT_AUTHOR_EMAIL": "jane@example.com",
    "GIT_COMMITTER_NAME": "Jane",
    "GIT_COMMITTER_EMAIL": "jane@example.com",
}


class Ran(NamedTuple):
    code: int
    out: str
    err: str


async def attempt(*arguments, at=Path("/"), **environment):
    process = await asyncio.create_subprocess_exec(
        "git",
        *map(str, arguments),
        cwd=at,
        env={**ENVIRONMENT, **environment},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return Ran(process.returncode, out.decode(errors="replace").strip(), err.decode(errors="replace").strip())


async def git(*arguments, at=Path("/"), **environment):
    ran = await attempt(*arguments, at=at, **environment)
    assert ran.code == 0, ran.err
    return ran.out


async def commit(at, files, message="change", **environment):
    """Write the files and commit them; the name of the commit."""
    for name, content in files.items():
        path = at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    await git("add", "-A", at=at)
    await git("commit", "-q", "--allow-empty", "-m", message, at=at, **environment)
    return await git("rev-parse", "HEAD", at=at)


async def worktree(at, branch="main"):
    at.mkdir(parents=True)
    await git("init", "-q", f"--initial-branch={branch}", at=at)
    return at
