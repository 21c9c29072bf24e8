"""The sample platform: the first start makes a repository and one application of it, and from then on both are somebody's own.

What is in it lies in `examples/`, for people to read. Each step can be done again, so a start that is killed between two of
them is gone on with by the next; a note in the data folder tells how far it came, and once it says `sown` nobody comes back.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from plumbline.base.documents import dump_yaml, load_document
from plumbline.base.errors import NotFound, PlumblineError, TimedOut
from plumbline.base.json import JsonObject, encode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.forge.local import Author, Beginning, LocalForge
from plumbline.kernel.installing import made
from plumbline.kernel.world import World
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Target
from plumbline.wiring.laptop import Laptop
from plumbline.wiring.rooms import Rooms

REPOSITORY: Final = "platform"
BOOTSTRAP: Final = "bootstrap/platform.yaml"
SEALED: Final = "services/order-service/overlays/production/payment-provider.yaml"
AUTHOR: Final = Author("Plumbline", "plumbline@localhost")
MESSAGE: Final = "The sample platform\n"
WRITTEN: Final = ("http://127.0.0.1:8080/git/platform.git", "https://github.com/company/k8s-manifests")
"""The addresses that the examples have for the repository."""
_NOTE: Final = "sample.json"
_ATTEMPTS: Final = 3
_OWN: Final = "sample/repository"
_WITHOUT_POSTGRESQL: Final = "sample/without-postgresql"
_WITHOUT_SANDBOX: Final = "sample/without-sandbox"
_MANIFESTS: Final = "platform/k8s-manifests"
_BORROWED: Final = (
    tuple(
        (f"{_MANIFESTS}/{path}", path)
        for path in (
            "argocd/applications/infrastructure.yaml",
            "argocd/applications/order-service.yaml",
            "argocd/projects/infrastructure.yaml",
            "infrastructure/platform/buckets",
            "infrastructure/platform/databases",
            "infrastructure/platform/functions.yaml",
            "infrastructure/platform/queues",
            "services/order-service/base",
        )
    )
    + tuple(
        # On their own, since nothing but databases on AWS has to wait for them.
        (f"{_MANIFESTS}/infrastructure/platform/{path}", f"infrastructure/network/{path}")
        for path in ("monitoring", "network")
    )
    + tuple(
        (f"foundation/{path}", f"foundation/{path}")
        for path in (
            "environments/staging",
            "modules/cluster",
            "modules/database-subnets",
            "modules/dns",
            "modules/network",
            "modules/node-group",
        )
    )
)

log = logger(__name__)


class Ground(NamedTuple):
    """What this machine has, and where the repository is."""

    url: str
    postgresql: bool = True
    sandbox: bool = True
    """Whether there is an AWS to make queues and buckets in."""


class Note(msgspec.Struct, frozen=True):
    """How far it came; the address stays the one that the files have, whatever port comes later."""

    state: Literal["begun", "sown"]
    url: str


def sample_files(examples: Mapping[str, bytes], ground: Ground, sealed: bytes) -> dict[str, bytes]:
    """The repository, by path: what is the sample's own wins over what it borrows from other examples."""
    variants = [(_WITHOUT_POSTGRESQL, "")] if not ground.postgresql else []
    variants += [(_WITHOUT_SANDBOX, "")] if not ground.sandbox else []
    found: dict[str, bytes] = {}
    for source, target in (*_BORROWED, (_OWN, ""), *variants):
        found |= {path: _placed(content, ground.url) for path, content in _beneath(examples, source, target)}
    return found | {SEALED: sealed}


def _beneath(examples: Mapping[str, bytes], source: str, target: str) -> Iterator[tuple[str, bytes]]:
    for path, content in examples.items():
        if path == source:
            yield target, content
        elif path.startswith(f"{source}/"):
            yield f"{target}{path.removeprefix(source)}".removeprefix("/"), content


def _placed(content: bytes, url: str) -> bytes:
    for written in WRITTEN:
        content = content.replace(written.encode(), url.encode())
    return content


def payment_secret(key: Plaintext) -> JsonObject:
    """What is sealed: a key that nobody has ever seen, for the service to be given."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "payment-provider", "namespace": "commerce"},
        "stringData": {"api-key": key.reveal().decode()},
    }


def _sealed(certificate_pem: bytes) -> bytes:
    from plumbline.secrets.sealing import certificate_of, sealed_secret  # noqa: PLC0415 - needed at the first start only

    sealed = sealed_secret(payment_secret(unguessable()), certificate_of(certificate_pem))
    head = "# Sealed at the first start with the certificate of this cluster, which alone can open it: `plumb seal` makes more.\n"
    return f"{head}{dump_yaml(sealed)}".encode()


def examples_folder() -> Path:
    """Beside the package where it is installed, and in the checkout where it is not."""
    package = Path(str(files("plumbline")))
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / _OWN).is_dir():
            return folder
    raise NotFound(
        "the sample platform is not there", why=f"{package} has no examples", hint="Install Plumbline again."
    )


def read_examples(folder: Path, parts: Iterable[str] = ("sample", "platform", "foundation")) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for part in parts
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }


class Site(NamedTuple):
    """What the sample is sown with."""

    client: Client
    world: World
    forge: LocalForge
    data: Path
    namespace: str
    """Of Applications."""
    certificate: Callable[[], Awaitable[bytes | None]]
    """Of the newest sealing key; None where there is none after some waiting."""
    survey: Callable[[str], Awaitable[Ground]]
    """What the machine has, for a repository at that address."""


class Sample:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._forge = site.forge
        self._path = site.data / _NOTE
        self._applications = Target(APPLICATION.resource, site.namespace)

    async def address(self, web: str) -> str:
        """Where the sample's repository is, or will be in a moment; empty where there is none."""
        note = self._note()
        if note is None:
            return f"{web}/git/{REPOSITORY}.git" if await self._untouched() else ""
        return note.url if note.state == "begun" or self._forge.has(REPOSITORY) else ""

    async def sow(self, url: str) -> None:
        """Begin, or go on, unless it was done once. Whatever is in the way is logged, and keeps nobody from working."""
        note = self._note()
        if not url or (note is not None and note.state == "sown"):
            return
        clock = self._site.world.clock
        began = clock.monotonic()
        try:
            await self._sow(url)
        except (PlumblineError, OSError) as failed:
            hint = "The next `plumb up` goes on with it; `plumb up --bare` leaves it out."
            log.warning("sample platform is not complete", error=str(failed), hint=hint)
        else:
            log.info("sample platform sown", repository=url, took_s=round(clock.monotonic() - began, 1))

    async def _sow(self, url: str) -> None:
        await self._noted(Note("begun", url))
        await self._forge.create(REPOSITORY)
        # Manifests name the address of today; it goes on meaning this repository when the port is another one.
        await self._forge.declare(REPOSITORY, [url])
        examples = await asyncio.to_thread(lambda: read_examples(examples_folder()))
        if not await self._forge.begun(REPOSITORY):
            ground, certificate_pem = await asyncio.gather(self._site.survey(url), self._certificate())
            await self._begin(examples, ground, certificate_pem)
        bootstrap = load_document(_placed(examples[f"{_OWN}/{BOOTSTRAP}"], url), source=BOOTSTRAP).value
        await made(self._site.client, self._applications, bootstrap)
        await self._noted(Note("sown", url))

    async def _certificate(self) -> bytes:
        """The first key takes seconds to make, and longer on a machine that is busy."""
        for _ in range(_ATTEMPTS):
            if found := await self._site.certificate():
                return found
        raise TimedOut("there is no sealing key")

    async def _begin(self, examples: Mapping[str, bytes], ground: Ground, certificate_pem: bytes) -> None:
        content = sample_files(examples, ground, await asyncio.to_thread(_sealed, certificate_pem))
        at_s = int(self._site.world.clock.now().timestamp())
        await self._forge.begin(REPOSITORY, Beginning(content, MESSAGE, AUTHOR, at_s))

    async def _untouched(self) -> bool:
        """Nobody has put anything here yet: what people have already is not added to."""
        return not self._forge.names() and not (await self._site.client.list(self._applications)).items

    def _note(self) -> Note | None:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Note)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError:
            # Somebody's hand was in it: nothing is ever sown twice.
            return Note("sown", "")

    async def _noted(self, note: Note) -> None:
        def write() -> None:
            draft = self._path.with_suffix(".new")
            draft.write_bytes(encode(note))
            draft.replace(self._path)

        await asyncio.to_thread(write)


def sample_on(rooms: Rooms, forge: LocalForge, laptop: Laptop, namespace: str) -> Sample:
    """Of `plumb up`, with what stands in for clouds there."""

    async def survey(url: str) -> Ground:
        sandbox = bool(laptop.sandbox) and find_spec("aiobotocore") is not None
        return Ground(url, postgresql=await laptop.has_postgresql(), sandbox=sandbox)

    return Sample(
        Site(
            client=rooms.client,
            world=rooms.world,
            forge=forge,
            data=rooms.data,
            namespace=namespace,
            certificate=rooms.sealing_certificate,
            survey=survey,
        )
    )
