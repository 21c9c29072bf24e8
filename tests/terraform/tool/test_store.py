"""Providers that all runs share: installed once, checked, never changed."""

import asyncio
import contextlib
import hashlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Corrupted, Forbidden, InvalidInput, PlumblineError, StorageFailed, ToolFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool import Terms, Toolroom, lockfile
from plumbline.terraform.tool.lockfile import Chosen
from plumbline.terraform.tool.places import remove
from plumbline.terraform.tool.store import Store, content_hash, locked
from plumbline.terraform.work import Placed, Workplace

PROGRAM = b"#!/bin/sh\ntouch executed\nexit 1\n"
HASH = "h1:J+90LoJyoCtX/D/PLsWjf9YoOsDatzNtb3HjRXnIk4c="
"""As Terraform 1.11 computes it of a package with that one file."""
NAME = "terraform-provider-fake_v1.0.0"
CODE = b'terraform {\n  required_providers {\n    fake = {\n      source = "acme/fake"\n    }\n  }\n}\n'


def package(folder, content=PROGRAM):
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(content)
    (folder / NAME).chmod(0o755)
    return folder


@pytest.fixture
def store(folder):
    made = Store(folder / "providers")
    made.prepare()
    return made


def chosen(*hashes, version="1.0.0", constraints=""):
    return Chosen("registry.terraform.io/acme/fake", version, constraints, hashes)


def installed(tmp_path, content=PROGRAM):
    """As init leaves a package."""
    package(tmp_path / "installed/registry.terraform.io/acme/fake/1.0.0/linux_amd64", content)
    return tmp_path / "installed"


def test_the_hash_of_a_package_is_the_one_of_lock_files(tmp_path):
    assert content_hash(package(tmp_path / "x")) == HASH


def test_a_package_is_taken_over_read_only(store, tmp_path):
    store.admit([chosen(HASH)], installed(tmp_path), "linux_amd64")
    place = store.mirror / "registry.terraform.io/acme/fake/1.0.0/linux_amd64"
    assert (place / NAME).read_bytes() == PROGRAM
    assert ((place / NAME).stat().st_mode & 0o777, place.stat().st_mode & 0o777) == (0o555, 0o555)
    store.admit([chosen(HASH)], tmp_path / "installed", "linux_amd64")


def test_a_package_is_refused_that_is_not_what_was_checked(store, tmp_path):
    with pytest.raises(Corrupted):
        store.admit([chosen("h1:other")], installed(tmp_path), "linux_amd64")
    assert not list(store.mirror.iterdir())


def test_a_second_package_of_the_same_version_is_refused(store, tmp_path):
    store.admit([chosen(HASH)], installed(tmp_path), "linux_amd64")
    remove(tmp_path / "installed")
    other = installed(tmp_path, b"tampered")
    digest = content_hash(other / "registry.terraform.io/acme/fake/1.0.0/linux_amd64")
    with pytest.raises(Corrupted) as caught:
        store.admit([chosen(digest)], other, "linux_amd64")
    assert "tampered" in caught.value.hint


def test_a_package_with_a_link_is_refused(store, tmp_path):
    folder = installed(tmp_path) / "registry.terraform.io/acme/fake/1.0.0/linux_amd64"
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(Corrupted):
        store.admit([chosen(HASH)], tmp_path / "installed", "linux_amd64")


def test_a_full_disk_leaves_nothing_half_done(store, tmp_path, monkeypatch):
    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copytree", full)
    with pytest.raises(StorageFailed):
        store.admit([chosen(HASH)], installed(tmp_path), "linux_amd64")
    assert not list(store.mirror.rglob(NAME))
    assert not list(store.mirror.parent.glob(".staged-*"))


def test_an_address_that_leads_elsewhere_is_refused(store, tmp_path):
    with pytest.raises(InvalidInput):
        store.admit([Chosen("../../x/y/z", "1.0.0", "", ())], tmp_path, "linux_amd64")


@pytest.mark.parametrize(
    ("hashes", "completed", "why"),
    [
        (("zh:a", "zh:b", "zh:c"), True, "it trusts the whole release"),
        (("zh:a", "h1:elsewhere"), False, "it may trust another platform alone"),
        ((HASH,), False, "it has ours already"),
        ((), True, "it trusts everything"),
    ],
)
def test_a_lock_file_of_another_platform_learns_our_hash_where_that_is_proven(store, tmp_path, hashes, completed, why):
    store.admit([chosen(HASH, "zh:a", "zh:b")], installed(tmp_path), "linux_amd64")
    (after,) = store.completed([chosen(*hashes)], "linux_amd64")
    assert (after.hashes == (*hashes, HASH)) is completed, why
    (unknown,) = store.completed([chosen("zh:a", version="2.0.0")], "linux_amd64")
    assert unknown.hashes == ("zh:a",)


def test_when_the_newest_were_asked_for_is_known_by_constraints(store):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    store.note_asked([chosen(constraints="~> 1.0")], now)
    assert store.asked([chosen(version="1.2.0", constraints="~> 1.0")]) == now
    assert store.asked([chosen(constraints="~> 2.0")]) is None


async def test_a_lock_between_processes_has_one_holder(tmp_path):
    order = []

    async def hold(name):
        async with locked(tmp_path / "x") as waited:
            order.append((name, waited))
            await asyncio.sleep(0.02)

    async with task_group() as tasks:
        tasks.create_task(hold("first"))
        tasks.create_task(hold("second"))
    assert order == [("first", False), ("second", True)]


_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)


@given(st.lists(st.builds(Chosen, _WORDS.filter(bool), _WORDS, _WORDS, st.lists(_WORDS).map(tuple)), max_size=4))
def test_a_lock_file_is_read_as_it_was_written(written):
    sorted_ = [each._replace(hashes=tuple(sorted(each.hashes))) for each in sorted(written)]
    assert list(lockfile.read(lockfile.spelled(written))) == sorted_


def test_a_lock_file_that_cannot_be_read_locks_nothing_here():
    assert lockfile.read(b"provider {") == ()
    assert lockfile.read(b'provider "x" {\n}\nprovider {\n  version = "1"\n}\n') == ()


def a_room(folder, terraform, upstream, clock=None, **terms):
    async def give():
        return terraform

    terms = Terms(**{"mirrors": (upstream,), "registries": "", "network": False, "fresh_s": 100.0, **terms})
    return Toolroom(folder, give, terms=terms, clock=clock)


async def test_a_provider_is_fetched_once_for_all_and_run_by_none_of_it(folder, terraform, upstream, monkeypatch):
    room = a_room(folder, terraform, upstream)
    both, installing = asyncio.Barrier(2), Store.installing

    @contextlib.asynccontextmanager
    async def installing_once_both_have_looked(*whose):
        await both.wait()
        async with installing(*whose) as waited:
            yield waited

    monkeypatch.setattr(Store, "installing", installing_once_both_have_looked)

    async def one(key):
        async with room.opened(MemoryTree({"main.tf": CODE}), Workplace(), key=key) as session:
            assert session.facts.providers == (f"{terraform.registry}/acme/fake",)
            (source,) = folder.glob(f"runs/{_folder(key)}/source")
            assert not (source / "executed").exists()

    async with task_group() as tasks:
        tasks.create_task(one("a"))
        tasks.create_task(one("b"))
    # Each looks, one fetches, each is given.
    assert room.ran == {"init": 5}
    assert [each.name for each in folder.rglob("terraform-provider-fake*") if not each.is_symlink()] == [
        "terraform-provider-fake_v1.1.0"
    ]
    room.ran.clear()
    await one("c")
    await one("c")
    assert room.ran == {"init": 1}


def _folder(key):
    return hashlib.sha256(key.encode()).hexdigest()[:24]


async def test_a_provider_runs_with_the_plan_and_not_before(folder, terraform, upstream):
    room = a_room(folder, terraform, upstream)
    tree = MemoryTree({"main.tf": CODE + b'resource "fake_thing" "x" {\n}\n'})
    async with room.opened(tree, Workplace(), key="a") as session:
        source = next(folder.glob("runs/*/source"))
        assert not (source / "executed").exists()
        with pytest.raises(ToolFailed):
            await session.plan()
        assert (source / "executed").exists()


@pytest.mark.parametrize(
    ("files", "inits", "why"),
    [
        ({"main.tf": CODE}, 0, "the module says which"),
        ({"main.tf": CODE + b"#" * (5 << 20)}, 2, "only the tool can say which, once it has fetched it"),
    ],
)
async def test_a_provider_that_is_not_permitted_is_neither_kept_nor_run(folder, terraform, upstream, files, inits, why):
    room = a_room(folder, terraform, upstream)
    with pytest.raises(Forbidden) as caught:
        async with room.opened(MemoryTree(files), Workplace(), permitted=lambda _: False):
            pytest.fail(why)
    assert f"{terraform.registry}/acme/fake" in caught.value.what
    assert room.ran["init"] == inits
    assert not list(folder.rglob("terraform-provider-fake*"))


async def test_a_kept_folder_is_held_to_the_policy_of_today(folder, terraform, upstream):
    room = a_room(folder, terraform, upstream)
    async with room.opened(MemoryTree({"main.tf": CODE}), Workplace(), key="a"):
        pass
    with pytest.raises(Forbidden):
        async with room.opened(MemoryTree({"main.tf": CODE}), Workplace(), key="a", permitted=lambda _: False):
            pass


async def test_newer_versions_are_found_once_what_is_known_is_old(folder, terraform, upstream, tmp_path):
    clock = VirtualClock()
    newer = upstream / terraform.registry / "acme/fake/terraform-provider-fake_1.1.0_linux_amd64.zip"
    newer.rename(tmp_path / "later.zip")
    room = a_room(folder, terraform, upstream, clock, network=True)
    tree = MemoryTree({"main.tf": CODE})
    async with room.opened(tree, Workplace(), key="a"):
        pass
    (tmp_path / "later.zip").rename(newer)
    async with room.opened(tree, Workplace(), key="b"):
        pass
    assert not list(folder.glob("providers/mirror/*/acme/fake/1.1.0"))
    await clock.advance(101)
    async with room.opened(tree, Workplace(), key="a"):
        pass
    assert list(folder.glob("providers/mirror/*/acme/fake/1.1.0"))


@pytest.mark.parametrize("registries", ["", "direct {}"])
async def test_a_provider_that_nobody_has_is_named(folder, terraform, upstream, registries):
    room = a_room(folder, terraform, upstream, registries=registries)
    with pytest.raises(PlumblineError) as caught:
        async with room.opened(MemoryTree({"main.tf": CODE.replace(b"acme/fake", b"acme/gone")}), Workplace()):
            pass
    assert "acme/gone" in caught.value.why


async def test_a_users_own_configuration_of_the_tool_replaces_ours(folder, terraform):
    room = a_room(folder, terraform, folder)
    config = Placed(
        "home", "own.tfrc", Plaintext('provider_installation {\n  filesystem_mirror {\n    path = "/gone"\n  }\n}\n')
    )
    with pytest.raises(PlumblineError) as caught:
        async with room.opened(
            MemoryTree({"main.tf": CODE}), Workplace(files=(config,), command_line_config="own.tfrc")
        ):
            pass
    assert "/gone" in caught.value.why


async def test_a_users_configuration_may_not_go_around_a_policy(acted):
    config = Placed("home", "own.tfrc", Plaintext("provider_installation {\n  dev_overrides {\n  }\n}\n"))
    workplace = Workplace(files=(config,), command_line_config="own.tfrc")
    async with acted.opened(MemoryTree({"main.tf": b""}), workplace):
        pass
    with pytest.raises(Forbidden):
        async with acted.opened(MemoryTree({"main.tf": b""}), workplace, permitted=lambda _: True):
            pass
