"""The sample platform: what is in it, and that it is sown once, whatever happens in between."""

from datetime import UTC, datetime
from functools import cache
from types import SimpleNamespace

import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_document, load_documents
from plumbline.base.errors import NotFound, StorageFailed, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.log import recorded
from plumbline.base.process import Command, run
from plumbline.delivery.foundation import founded
from plumbline.forge.local import LocalForge
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.read import read
from plumbline.kube.client import Client, Target
from plumbline.secrets.sealing import Keyring, made_key, unsealed
from plumbline.wiring import sample as module
from plumbline.wiring.sample import (
    BOOTSTRAP,
    SEALED,
    WRITTEN,
    Ground,
    Sample,
    Site,
    examples_folder,
    read_examples,
    sample_files,
    sample_on,
)

WEB = "http://127.0.0.1:9999"
URL = f"{WEB}/git/platform.git"
APPLICATIONS = Target(APPLICATION.resource, "argocd")
EXAMPLES = read_examples(examples_folder())


@cache
def key():
    return made_key(datetime(2026, 1, 1, tzinfo=UTC), size=2048)


def documents(files):
    for path, content in files.items():
        if path.endswith(".yaml"):
            for document in load_documents(content, source=path):
                yield path, document.value


def test_it_names_the_address_that_it_is_at_and_no_other():
    files = sample_files(EXAMPLES, Ground(URL), b"sealed: true\n")
    for path, content in files.items():
        for written in WRITTEN:
            assert written.encode() not in content, path
    named = {
        source
        for _, obj in documents(files)
        if obj.get("kind") == "Application"
        for source in (obj["spec"]["source"]["repoURL"],)
    }
    assert named == {URL}


def test_every_object_of_our_kinds_can_be_read():
    found = 0
    for path, obj in documents(sample_files(EXAMPLES, Ground(URL), b"sealed: true\n")):
        for kind in KINDS:
            if (obj.get("apiVersion"), obj.get("kind")) == (kind.gvk.api_version, kind.kind):
                assert read(kind, obj).unknown == (), path
                found += 1
    assert found > 12


def test_what_applications_deliver_is_in_the_repository():
    files = sample_files(EXAMPLES, Ground(URL), b"sealed: true\n")
    for path, obj in documents(files):
        if obj.get("kind") == "Application":
            folder = obj["spec"]["source"]["path"]
            assert any(name.startswith(f"{folder}/") for name in files), path
        if obj.get("kind") == "Kustomization":
            for each in obj.get("resources", []):
                if "/" not in each:
                    assert f"{path.rpartition('/')[0]}/{each}" in files, path


@pytest.mark.parametrize(
    ("ground", "provider", "claims", "why"),
    [
        (Ground(URL), "local", 3, "everything is there"),
        (Ground(URL, postgresql=False), "aws", 3, "a database in the simulated AWS"),
        (Ground(URL, sandbox=False), "local", 1, "no queue and no bucket"),
    ],
)
def test_what_a_machine_lacks_is_not_asked_for(ground, provider, claims, why):
    files = sample_files(EXAMPLES, ground, b"")
    database = load_document(files["infrastructure/claims/database.yaml"]).value
    assert database["spec"]["compositionSelector"]["matchLabels"]["provider"] == provider, why
    assert ("plumbline.dev/simulated" in database["metadata"].get("annotations", {})) is (provider == "aws")
    kustomization = load_document(files["infrastructure/claims/kustomization.yaml"]).value
    assert len(kustomization["resources"]) == claims


class Machine:
    def __init__(self, sandbox, *, postgresql):
        self.sandbox, self._postgresql = sandbox, postgresql

    async def has_postgresql(self):
        return self._postgresql


@pytest.mark.parametrize("sandbox", ["", "http://127.0.0.1:4566"])
@pytest.mark.parametrize("postgresql", [True, False])
async def test_the_machine_is_looked_at(field, monkeypatch, sandbox, postgresql):
    seen = []
    monkeypatch.setattr(module, "sample_files", lambda _, ground, __: seen.append(ground) or {"a": b""})
    rooms = SimpleNamespace(
        client=field.client, world=field.world, data=field.folder, sealing_certificate=field.certificate
    )
    await sample_on(rooms, field.forge, Machine(sandbox, postgresql=postgresql), "argocd").sow(URL)
    assert seen == [Ground(URL, postgresql=postgresql, sandbox=bool(sandbox))]


def test_where_the_examples_are_not_there_it_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "files", lambda _: tmp_path / "a" / "b" / "plumbline")
    with pytest.raises(NotFound):
        examples_folder()


class Field:
    """A plane, a forge, and a sample on them."""

    def __init__(self, client, folder):
        self.client, self.folder = client, folder
        self.world = World(SystemClock(), Ids(1), Metrics())
        self.forge = LocalForge(folder / "git", self.world.ids)
        self.asked = 0

    async def certificate(self):
        self.asked += 1
        return key().certificate_pem

    def sample(self, **site):
        async def survey(url):
            return Ground(url)

        whole = {"certificate": self.certificate, "survey": survey, "forge": self.forge, "client": self.client, **site}
        return Sample(Site(world=self.world, data=self.folder, namespace="argocd", **whole))

    async def started(self, **site):
        """What `plumb up` does; the address that it printed."""
        sample = self.sample(**site)
        address = await sample.address(WEB)
        await sample.sow(address)
        return address

    async def application(self):
        try:
            return decode(await self.client.get(APPLICATIONS._replace(name="platform")))
        except NotFound:
            return None

    async def head(self):
        argv = ("git", "rev-parse", "main")
        return (await run(Command(argv=argv, cwd=self.forge.path("platform"), inherit=("PATH",)))).stdout.decode()

    async def file(self, path):
        argv = ("git", "show", f"main:{path}")
        done = await run(Command(argv=argv, cwd=self.forge.path("platform"), inherit=("PATH",), mask_stdout=False))
        return done.stdout


@pytest.fixture
async def field(tmp_path):
    clock, ids = SystemClock(), Ids(1)
    plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
    async with plane.running():
        client = Client(plane.transport(), clock=clock, ids=ids)
        await founded(client, "argocd", clock)
        yield Field(client, tmp_path)


async def test_it_is_sown_and_the_cluster_opens_what_was_sealed(field):
    assert await field.started() == URL
    application = await field.application()
    assert application["spec"]["source"]["repoURL"] == URL
    assert URL in field.forge.addresses("platform")
    sealed = load_document(await field.file(SEALED)).value
    opened = unsealed(sealed, Keyring([key()]), now=field.world.clock.now())
    assert (opened.metadata["name"], opened.metadata["namespace"]) == ("payment-provider", "commerce")
    assert len(opened.values["api-key"].reveal()) >= 32
    assert load_document(await field.file(BOOTSTRAP)).value["metadata"]["name"] == "platform"


async def test_the_next_start_changes_nothing(field):
    await field.started()
    head, asked = await field.head(), field.asked
    assert await field.started() == URL
    assert (await field.head(), field.asked) == (head, asked)


async def test_what_somebody_deleted_stays_away(field):
    await field.started()
    platform = APPLICATIONS._replace(name="platform")
    await field.client.patch(platform, encode({"metadata": {"finalizers": None}}), "merge")
    await field.client.delete(platform)
    field.forge.path("platform").rename(field.folder / "elsewhere")
    assert await field.started() == ""
    assert not field.forge.has("platform")
    assert await field.application() is None


class Dying:
    """Does everything that *real* does until *step*, at which the process is killed."""

    class Killed(BaseException):
        pass

    def __init__(self, real, step):
        self._real, self._step = real, step

    def __getattr__(self, name):
        if name != self._step:
            return getattr(self._real, name)

        async def killed(*_, **__):
            raise Dying.Killed

        return killed


@pytest.mark.parametrize(
    ("part", "step"), [("forge", "create"), ("forge", "declare"), ("forge", "begin"), ("client", "create")]
)
async def test_killed_at_any_step_it_goes_on_at_the_next_start(field, part, step):
    with pytest.raises(Dying.Killed):
        await field.started(**{part: Dying(getattr(field, part), step)})
    assert await field.application() is None
    assert await field.sample().address("http://127.0.0.1:1") == URL, "the address that may be in the files already"
    await field.started()
    assert (await field.application())["spec"]["source"]["repoURL"] == URL
    assert await field.sample().address(WEB) == URL


async def test_killed_before_the_last_note_it_makes_nothing_twice(field):
    await field.started()
    head = await field.head()
    (field.folder / "sample.json").write_bytes(encode({"state": "begun", "url": URL}))
    await field.started()
    assert await field.head() == head
    assert decode((field.folder / "sample.json").read_bytes())["state"] == "sown"


async def test_where_somebody_has_something_already_nothing_is_sown(field):
    await field.forge.create("shop")
    assert await field.started() == ""
    assert not field.forge.has("platform")


async def test_where_there_are_applications_nothing_is_sown(field):
    body = load_document(EXAMPLES[f"sample/repository/{BOOTSTRAP}"]).value
    body["metadata"] = {"name": "mine", "namespace": "argocd"}
    await field.client.create(APPLICATIONS, encode(body))
    assert await field.started() == ""
    assert field.forge.names() == ()


async def test_a_note_that_cannot_be_read_means_that_it_was_done(field):
    (field.folder / "sample.json").write_text("?")
    assert await field.started() == ""
    assert field.forge.names() == ()


@pytest.mark.parametrize("error", [Unreachable("gone"), StorageFailed("full"), OSError("full")])
async def test_whatever_is_in_the_way_is_told_with_a_way_out(field, error):
    async def failing():
        raise error

    with recorded() as lines:
        assert await field.started(certificate=failing) == URL
    (told,) = [each for each in lines if each["event"] == "sample platform is not complete"]
    assert "--bare" in told["hint"]
    assert await field.application() is None
    await field.started()
    assert await field.application()


async def test_a_key_that_never_comes_is_waited_for_some_times(field):
    asked = []

    async def never():
        asked.append(1)

    with recorded() as lines:
        await field.started(certificate=never)
    assert len(asked) == 3
    assert any("no sealing key" in str(each.get("error")) for each in lines)
