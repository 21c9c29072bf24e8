import pytest

from plumbline.apiserver.defaults.images import ALWAYS, IF_NOT_PRESENT, pull_policy

SHA256 = "sha256:" + "a" * 64

IMAGES = [
    ("nginx", ALWAYS, "no tag is the latest"),
    ("nginx:latest", ALWAYS, "the latest by name"),
    ("nginx:1.27", IF_NOT_PRESENT, "another tag"),
    ("nginx:LATEST", IF_NOT_PRESENT, "tags know case"),
    (f"nginx@{SHA256}", IF_NOT_PRESENT, "a digest never changes"),
    (f"nginx:latest@{SHA256}", ALWAYS, "a digest does not hide the tag"),
    ("nginx:latest@sha256:" + "A" * 64, IF_NOT_PRESENT, "digests are written small, so this is none"),
    ("nginx:latest@md5:" + "a" * 32, IF_NOT_PRESENT, "nobody computes that digest"),
    ("nginx@sha512:" + "a" * 128, IF_NOT_PRESENT, "a longer digest"),
    ("a" * 64, IF_NOT_PRESENT, "an identifier is no name"),
    ("registry.example.com:5000/app", ALWAYS, "the port is no tag"),
    ("registry.example.com:5000/app:v1", IF_NOT_PRESENT, "the tag after a port"),
    ("localhost/app", ALWAYS, "a registry by its special name"),
    ("Registry/app", ALWAYS, "who writes it large means a registry"),
    ("team/App:latest", IF_NOT_PRESENT, "names are written small"),
    ("index.docker.io/nginx:latest", ALWAYS, "the hub under its old name"),
    ("docker.io/nginx", ALWAYS, "the hub by name"),
    ("a_b.c/x:latest", ALWAYS, "no host name, but a path"),
    ("[::1]:5000/app", ALWAYS, "a registry by address"),
    ("a__b/c--d.e:latest", ALWAYS, "separators within names"),
    ("a___b:latest", IF_NOT_PRESENT, "too many of them"),
    ("nginx:", IF_NOT_PRESENT, "a colon and nothing"),
    ("nginx:-x", IF_NOT_PRESENT, "a tag begins with a word"),
    ("https://example.com/x", IF_NOT_PRESENT, "no reference"),
    ("é:latest", IF_NOT_PRESENT, "letters that names do not have"),
    ("", IF_NOT_PRESENT, "nothing"),
    ("a/" * 127 + "a", ALWAYS, "a path as long as can be"),
    ("a/" * 128 + "a", IF_NOT_PRESENT, "a path that is longer"),
    ("x" * 600 + ":latest", IF_NOT_PRESENT, "long ones are read, and not remembered"),
    (None, IF_NOT_PRESENT, "no text"),
    (["nginx"], IF_NOT_PRESENT, "no text either"),
]


@pytest.mark.parametrize(("image", "policy", "why"), IMAGES, ids=[why for *_, why in IMAGES])
def test_an_image_is_pulled_by_its_reference(image, policy, why):
    assert pull_policy(image) == policy
