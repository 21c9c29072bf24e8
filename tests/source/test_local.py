"""Whoever starts us says which folder may be read by file://; nothing else may, whatever the address looks like."""

import pytest

from plumbline.source.local import LocalRepositories


@pytest.fixture
def disk(tmp_path):
    for path in ("git/shop.git", "git/with space", "git/data/mirrors/theirs", "elsewhere/secret.git"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "git" / "inside").symlink_to(tmp_path / "git" / "shop.git")
    (tmp_path / "git" / "outside").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "git" / "round").symlink_to(tmp_path / "git" / "round")
    return tmp_path


@pytest.fixture
def local(disk):
    return LocalRepositories(disk / "git", disk / "git" / "data")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("git/shop.git", "git/shop.git"),
        ("git/with%20space", "git/with space"),
        ("git/inside", "git/shop.git"),
        ("git/not-there-yet.git", "git/not-there-yet.git"),
        ("elsewhere/../git/shop.git", "git/shop.git"),
    ],
)
def test_what_is_in_the_folder_stands_there(disk, local, path, found):
    assert local.at(f"file://{disk}/{path}") == disk / found


@pytest.mark.parametrize(
    "path",
    [
        "elsewhere/secret.git",
        "git/../elsewhere/secret.git",
        "git/%2e%2e/elsewhere/secret.git",
        "git/outside/secret.git",
        "git/data/mirrors/theirs",
        "git/round",
        "git/%00",
    ],
)
def test_what_is_not_or_is_our_own_is_not_read(disk, local, path):
    assert local.at(f"file://{disk}/{path}") is None


def test_other_addresses_are_not_on_this_disk(disk, local):
    plain = f"{disk}/git/shop.git"
    for address in (plain, f"file:{plain}", f"file://localhost{plain}", f"FILE://{plain}", f"https://{plain}"):
        assert local.at(address) is None
