import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.secrets.stores.vault.paths import Mount, spelt

PLACES = [
    ("secret", True, "foo", "secret/data/foo", "secret/metadata/foo", "mount and data are put before it"),
    ("secret/path", True, "foo", "secret/path/data/foo", "secret/path/metadata/foo", "mounts have several parts"),
    ("secret/path", True, "secret/path/foo", "secret/path/data/foo", "secret/path/metadata/foo", "the mount is said"),
    ("secret/path", True, "secret/path/data/foo", "secret/path/data/foo", "secret/path/metadata/foo", "and data too"),
    ("secret", True, "data/foo", "secret/data/data/foo", "secret/metadata/data/foo", "a folder that is called data"),
    ("secret", True, "secret", "secret/data/secret", "secret/metadata/secret", "a secret called as the mount"),
    ("secret", True, "secrets/x", "secret/data/secrets/x", "secret/metadata/secrets/x", "no part, only its letters"),
    ("secret", True, "/a//b/", "secret/data/a/b", "secret/metadata/a/b", "empty parts are none"),
    ("", True, "secret/path/foo", "secret/data/path/foo", "secret/metadata/path/foo", "the mount is the first part"),
    ("", True, "my/kv/data/foo", "my/kv/data/foo", "my/kv/metadata/foo", "or what is before data"),
    ("secret/path", False, "foo", "secret/path/foo", "secret/path/foo", "version 1 has neither"),
    ("secret/path", False, "secret/path/foo", "secret/path/foo", "secret/path/foo", "version 1, the mount is said"),
    ("secret", False, "secret/data/foo", "secret/data/foo", "secret/data/foo", "version 1: data is a folder"),
    ("", False, "secret/path/foo", "secret/path/foo", "secret/path/foo", "version 1 without a mount"),
]


@pytest.mark.parametrize(
    ("path", "versioned", "key", "value", "metadata", "why"), PLACES, ids=[row[-1] for row in PLACES]
)
def test_keys_lead_where_external_secrets_looks(path, versioned, key, value, metadata, why):
    mount = Mount(path, versioned)
    assert (mount.value(key), mount.metadata(key)) == (value, metadata)


FOLDERS = [
    ("secret", True, "", "secret/metadata/", "all of it"),
    ("secret", True, "app/", "secret/metadata/app/", "a folder"),
    ("kv", False, "", "kv/", "version 1"),
    ("", True, "secret/data/app/", "secret/metadata/app/", "the mount is in the path"),
    ("", False, "kv/app/", "kv/app/", "version 1, the mount is in the path"),
]


@pytest.mark.parametrize(("path", "versioned", "below", "expected", "why"), FOLDERS, ids=[row[-1] for row in FOLDERS])
def test_folders_are_listed_where_names_are_kept(path, versioned, below, expected, why):
    assert Mount(path, versioned).folder(below) == expected


def test_nothing_is_listed_where_no_mount_is_said():
    with pytest.raises(InvalidInput):
        Mount("", versioned=True).folder("")


@pytest.mark.parametrize("path", ["secret/../sys/mounts", "a/./b", "..", "a\nb", "a" * 3000])
def test_a_path_that_leads_elsewhere_is_refused(path):
    with pytest.raises(InvalidInput):
        spelt(path)


def test_a_path_is_spelt_for_a_url():
    assert spelt("secret/data/my app?x#y%2e/") == "secret/data/my%20app%3Fx%23y%252e/"


@given(st.text(alphabet="ab/. d?#%", max_size=20), st.booleans())
def test_no_key_leaves_its_mount(key, versioned):
    value = Mount("one/two", versioned).value(key)
    assert value.startswith("one/two")
    try:
        assert spelt(value).count("/") == value.count("/")
    except InvalidInput:
        assert any(each in {".", ".."} for each in key.split("/"))
