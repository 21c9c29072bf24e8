"""A control plane with a folder and a port: what `plumb up` starts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.apiserver.authentication.pki import open_pki
from plumbline.apiserver.plane import Plane
from plumbline.apiserver.serving.application import Application
from plumbline.apiserver.storage.ledger import SqliteLedger
from plumbline.base.clock import Clock
from plumbline.base.documents import dump_yaml
from plumbline.base.errors import AlreadyExists, StorageFailed
from plumbline.base.http.server import Server, listening
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group

HOST: Final = "127.0.0.1"


class Hosted(NamedTuple):
    plane: Plane
    url: str
    kubeconfig: Path


@asynccontextmanager
async def hosted(folder: Path, port: int, clock: Clock, ids: Ids, *, durable: bool = False) -> AsyncIterator[Hosted]:
    """Serving on loopback until left; *port* 0 takes a free one. What it stores and its keys are in *folder*."""
    _make(folder)
    try:
        listener = listening(HOST, port)
    except OSError as taken:
        hint = "Stop what listens there, or choose another with --api-port."
        raise AlreadyExists(f"cannot listen on {HOST}:{port}", why=str(taken), hint=hint) from taken
    with listener:
        pki = await asyncio.to_thread(open_pki, folder / "pki", clock)
        address = f"{HOST}:{listener.getsockname()[1]}"
        url = f"https://{address}"
        ledger = SqliteLedger(folder / "control-plane.db", durable=durable)
        try:
            stored = await ledger.open()
            authority = pki.authority.certificate_pem.decode()
            plane = Plane(
                clock,
                ids,
                ledger=ledger,
                stored=stored,
                key=pki.signing_key,
                authority_pem=authority,
                address=address,
                workloads=True,
            )
            server = Server(Application(plane.answer), listener, pki.server_context())
            async with plane.running(), task_group() as tasks:
                tasks.create_task(server.run())
                kubeconfig = _write_kubeconfig(folder, dump_yaml(pki.kubeconfig(url)))
                try:
                    yield Hosted(plane, url, kubeconfig)
                finally:
                    server.stop()
        finally:
            await ledger.close()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as failed:
        raise StorageFailed(f"{folder} cannot be made", why=str(failed)) from failed


def _write_kubeconfig(folder: Path, text: str) -> Path:
    """In one step, for nobody else to read: it holds the administrator's key."""
    path, draft = folder / "kubeconfig", folder / ".kubeconfig"
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(text)
    draft.replace(path)
    return path
