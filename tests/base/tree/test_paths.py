"""What people write as a path, and what it comes to."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import MemoryTree, followed, joined, resolve

JOINED = [
    ("apps/a", "x.yaml", "apps/a/x.yaml", "beside the folder's own files"),
    ("apps/a", "./x.yaml", "apps/a/x.yaml", "a dot means here"),
    ("apps/a", "../b/x", "apps/b/x", "two dots mean above"),
    ("apps/a", "/x", "x", "a slash at the front means the root"),
    ("apps/a", "b//c/", "apps/a/b/c", "slashes at the end or doubled mean nothing"),
    ("", "", "", "the root itself"),
    ("a", "..", "", "up to the root is still inside"),
    ("a", "%2e%2e/x", "a/%2e%2e/x", "nothing is decoded: it is a name like any other"),
    ("a", "...", "a/...", "three dots are a name"),
]


@pytest.mark.parametrize(("folder", "path", "place", "why"), JOINED, ids=[case[3] for case in JOINED])
def test_paths_are_joined_as_people_mean_them(folder, path, place, why):
    assert joined(folder, path) == place, why


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "/..", "x\0y", "..\\x", "a\\b"])
def test_what_leads_out_is_refused_before_anything_is_looked_up(path):
    with pytest.raises(InvalidInput):
        joined("", path)


def tree(**links):
    files = {"base/a.yaml": b"a", "base/deep/b.yaml": b"b", "top.yaml": b"t"}
    return MemoryTree(files, {path.replace("__", "/"): target for path, target in links.items()})


FOLLOWED = [
    ({"l": "top.yaml"}, "l", "top.yaml", "file", "a link to a file"),
    ({"l": "base"}, "l/a.yaml", "base/a.yaml", "file", "a link on the way"),
    ({"l": "m", "m": "n", "n": "base"}, "l/deep/b.yaml", "base/deep/b.yaml", "file", "links in a chain"),
    ({"base__l": "../top.yaml"}, "base/l", "top.yaml", "file", "relative to the folder that it is in"),
    ({"base__l": "deep/../a.yaml"}, "base/l", "base/a.yaml", "file", "two dots inside of a target"),
    ({"l": "base/deep", "m": "l/../a.yaml"}, "m", "base/a.yaml", "file", "two dots after a link mean above its target"),
    ({"l": "."}, "l/top.yaml", "top.yaml", "file", "a link to the folder that it is in"),
    ({"l": "gone"}, "l", "gone", None, "a link to nothing"),
    ({"l": ""}, "l", "l", None, "an empty link leads nowhere"),
    ({"l": "top.yaml"}, "l/x", "top.yaml/x", None, "there is nothing inside of a file"),
    ({}, "", "", "folder", "the root"),
    ({}, "no/such", "no/such", None, "what is not there is still a place"),
]


@pytest.mark.parametrize(("links", "path", "place", "kind", "why"), FOLLOWED, ids=[case[4] for case in FOLLOWED])
def test_links_are_followed_inside_of_the_tree(links, path, place, kind, why):
    found, entry = followed(tree(**links), path)
    assert (found, entry.kind if entry else None) == (place, kind), why


OUTSIDE = [
    ({"l": "../x"}, "l", "above the root"),
    ({"l": "/etc/passwd"}, "l", "absolute"),
    ({"base__l": "../../x"}, "base/l", "too far up"),
    ({"l": "m", "m": "../x"}, "l", "at the end of a chain"),
    ({"l": "../x"}, "l/more", "on the way"),
    ({"base__deep__l": "../../../r/top.yaml"}, "base/deep/l", "out and in again"),
    ({"l": "base/deep", "m": "l/../../.."}, "m", "above the root only once a link is followed"),
    ({"l": "a\0b"}, "l", "a name with a NUL"),
]


@pytest.mark.parametrize(("links", "path", "why"), OUTSIDE, ids=[case[2] for case in OUTSIDE])
def test_links_that_lead_out_are_refused(links, path, why):
    with pytest.raises(InvalidInput) as refused:
        resolve(tree(**links), path)
    assert "leads out" in refused.value.why, why


def test_the_words_are_the_same_whether_or_not_something_is_there():
    with pytest.raises(InvalidInput) as one:
        resolve(tree(l="../../etc/passwd"), "l")
    with pytest.raises(InvalidInput) as other:
        resolve(tree(l="../../no/such/file"), "l")
    assert str(one.value) == str(other.value)


@pytest.mark.parametrize("links", [{"l": "l"}, {"l": "m", "m": "l"}, {"l": "l/x"}])
def test_links_in_circles_end(links):
    with pytest.raises(InvalidInput, match="circles"):
        resolve(tree(**links), "l")


def test_a_link_as_long_as_no_name_can_be_is_refused():
    with pytest.raises(InvalidInput):
        resolve(tree(l="a" * 5000), "l")
