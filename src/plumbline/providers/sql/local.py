"""A PostgreSQL of our own on this machine: made when first needed, ends with us, and is the same one next time.

It listens on loopback only, and every connection needs its password, which is generated. If we are killed it is ended by
its keeper; whatever it left behind is cleared away at the next start.
"""

import asyncio
import contextlib
import fcntl
import os
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Corrupted, Refused, TimedOut, ToolFailed, Unreachable
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.base.process import Child, Command, Limits, Start, plan, ready, run, started
from plumbline.base.process.capture import Capture
from plumbline.base.process.child import stopped
from plumbline.base.process.tools import TOOLS
from plumbline.providers.sql.credentials import Address
from plumbline.providers.sql.programs import Programs, found_programs, not_as_root
from plumbline.providers.sql.servers import Server

HOST: Final = "127.0.0.1"
SUPERUSER: Final = "postgres"
_START_S: Final = 60.0
_EARLIER_S: Final = 20.0
_STEP_S: Final = 0.05
_GRACE_S: Final = 5.0
_LOG_BYTES: Final = 64 << 10
_SETTINGS: Final = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "password_encryption": "scram-sha-256",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "log_min_messages": "warning",
    "log_min_error_statement": "panic",  # statements may hold what is nobody's business
}
_DISMISS: Final = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"


class LocalServer(NamedTuple):
    endpoint: str
    port: int
    username: str
    password: Plaintext

    def secret(self) -> dict[str, Plaintext]:
        """As the keys of a connection Secret, which a ProviderConfig can name."""
        return {
            "endpoint": Plaintext(self.endpoint),
            "port": Plaintext(str(self.port)),
            "username": Plaintext(self.username),
            "password": self.password,
        }


@contextlib.asynccontextmanager
async def local_postgres(
    folder: Path, *, programs: Programs | None = None, settings: Mapping[str, str] | None = None
) -> AsyncIterator[LocalServer]:
    """The server whose files are in *folder*, for as long as the block lasts; *settings* as its configuration has them.

    Raises ToolMissing where there is no PostgreSQL, Refused where somebody else runs it, ToolFailed where it ends at once.
    """
    folder = _made(folder)
    with _alone(folder):
        programs = programs or await found_programs(_major(folder / "data"))
        password = _password(folder)
        prefix = await not_as_root(folder)
        chosen = _SETTINGS | dict(settings or {})
        making = (*prefix, str(programs.folder / "initdb"), *(("--no-sync",) if chosen.get("fsync") == "off" else ()))
        await _prepare(folder, making, password)
        server = LocalServer(HOST, _port(folder), SUPERUSER, password)
        command = (*prefix, str(programs.folder / "postgres"), "-D", str(folder / "data"), "-p", str(server.port))
        async with _running(folder, (*command, *_arguments(chosen)), server):
            yield server


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder.resolve()


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Refused("the local PostgreSQL was not started", why=f"another process runs the one in {folder}") from None
    finally:
        os.close(descriptor)


def _major(data: Path) -> int:
    """The version that the files were made by; zero where there are none."""
    try:
        return int((data / "PG_VERSION").read_text().strip())
    except FileNotFoundError:
        return 0
    except ValueError:
        raise Corrupted("the local PostgreSQL was not started", why=f"{data} does not say its version") from None


def _password(folder: Path) -> Plaintext:
    path = folder / "password"
    with contextlib.suppress(FileNotFoundError):
        if kept := path.read_bytes():
            return Plaintext(kept)
    made = unguessable()
    new = folder / "password.new"
    new.touch(mode=0o600)
    new.write_bytes(made.reveal())
    new.rename(path)
    return made


def _port(folder: Path) -> int:
    """The one it had, so that what others wrote down stays true; another where somebody else has taken it."""
    path = folder / "port"
    kept = path.read_text() if path.exists() else ""
    for port in (int(kept) if kept.isdecimal() else 0, 0):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError, OverflowError):
                trial.bind((HOST, port))
                chosen: int = trial.getsockname()[1]
                path.write_text(str(chosen))
                return chosen
    raise Unreachable("the local PostgreSQL was not started", sent=False, why=f"there is no free port on {HOST}")


async def _prepare(folder: Path, making: tuple[str, ...], password: Plaintext) -> None:
    """Files for it to work on: made aside and moved into place whole. And nobody else at work on them."""
    data, new = folder / "data", folder / "data.new"
    await _earlier_ended(data)
    if data.exists():
        (data / "postmaster.pid").unlink(missing_ok=True)
        return
    if new.exists():
        await run(Command(argv=("rm", "-rf", str(new))))
    arguments = ("-U", SUPERUSER, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-instructions")
    argv = (*making, "-D", str(new), *arguments, "--pwfile=/dev/stdin")
    await run(Command(argv=argv, cwd=folder, stdin=password, environment=_environment(folder)))
    new.rename(data)


async def _earlier_ended(data: Path) -> None:
    """Wait for a server whose starter was killed: its keeper is about to end it. Its pid is one of another namespace."""
    try:
        async with asyncio.timeout(_EARLIER_S):
            while _at_work(data):  # noqa: ASYNC110 - a process of somebody else's tells nobody of its end
                await asyncio.sleep(_STEP_S)
    except TimeoutError:
        raise TimedOut("the local PostgreSQL was not started", why=f"an earlier one still runs in {data}") from None


def _at_work(data: Path) -> bool:
    """Whether a process has *data* as its working directory, as all of PostgreSQL's have."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if link.readlink() == data:
                return True
    return False


@contextlib.asynccontextmanager
async def _running(folder: Path, argv: tuple[str, ...], server: LocalServer) -> AsyncIterator[None]:
    start = Start(
        tool=Path(argv[0]),
        argv=argv,
        environment={key.encode(): value.encode() for key, value in _environment(folder).items()},
        cwd=folder,
        grace_s=_GRACE_S,
        limits=Limits(),
    )
    order, _ = plan(start, None, await ready(TOOLS))
    log = Capture(_LOG_BYTES, 0, "tail", lambda: None)
    with contextlib.closing(log), _nothing() as nothing:
        async with started(TOOLS, order, (nothing, log.writing, log.writing)) as child:
            log.release()
            try:
                await _answers(child, log, server)
                yield
            finally:
                await _dismiss(server)
                await stopped(child, _GRACE_S)


def _arguments(settings: Mapping[str, str]) -> Iterator[str]:
    for key, value in settings.items():
        yield from ("-c", f"{key}={value}")


@contextlib.contextmanager
def _nothing() -> Iterator[int]:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def _answers(child: Child, log: Capture, server: LocalServer) -> None:
    try:
        async with asyncio.timeout(_START_S):
            while not await _asked(server):
                if await _over(child):
                    await log.ended()
                    words = log.kept.decode(errors="replace").strip()[-1000:]
                    raise ToolFailed("the local PostgreSQL ended as soon as it started", why=words)
    except TimeoutError:
        raise TimedOut("the local PostgreSQL was not started", why=f"no answer within {_START_S:g} s") from None


async def _over(child: Child) -> bool:
    """Whether it has ended, asked for no longer than it takes to try again."""
    try:
        async with asyncio.timeout(_STEP_S):
            await child.ended()
    except TimeoutError:
        return False
    except ToolFailed:
        return True  # its keeper is gone as well
    return True


async def _asked(server: LocalServer) -> bool:
    with contextlib.suppress(Unreachable, TimedOut):
        await _question(server, "SELECT 1")
        return True
    return False


async def _dismiss(server: LocalServer) -> None:
    """Have all sessions ended: asked politely, it would wait for them."""
    with contextlib.suppress(Unreachable, TimedOut):
        await _question(server, _DISMISS)


async def _question(server: LocalServer, query: str) -> None:
    address = Address(
        host=server.endpoint,
        port=server.port,
        username=server.username,
        password=server.password,
        database="postgres",
        ssl_mode="disable",
    )
    connection = Server(address, SystemClock())
    try:
        await connection.fetch(query)
    finally:
        await connection.close()


def _environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.defpath, "LC_ALL": "C", "HOME": str(folder), "TZ": "UTC"}
