"""Names of images, as container runtimes read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.nodes.pods.images import BadName, Image, parsed, pull_failure

NAMES = [
    ("nginx", "docker.io/library/nginx:latest", "a bare name is Docker Hub's, and the latest"),
    ("nginx:1.27", "docker.io/library/nginx:1.27", "with a tag"),
    ("bitnami/redis", "docker.io/bitnami/redis:latest", "somebody's on Docker Hub"),
    ("index.docker.io/library/nginx", "docker.io/library/nginx:latest", "Docker Hub's old name"),
    ("ghcr.io/a/b/c:v1", "ghcr.io/a/b/c:v1", "a registry with a dot"),
    ("localhost/a", "localhost/a:latest", "localhost is a registry"),
    ("registry:5000/a", "registry:5000/a:latest", "a port makes it a registry"),
    (f"nginx@sha256:{'0' * 64}", f"docker.io/library/nginx@sha256:{'0' * 64}", "by digest"),
    (f"nginx:1@sha256:{'0' * 64}", f"docker.io/library/nginx@sha256:{'0' * 64}", "a digest outweighs a tag"),
]
BAD = [
    ("NGINX:::x", "invalid reference format: repository name (library/NGINX) must be lowercase", "capitals"),
    ("a b", "invalid reference format", "a space"),
    ("nginx:", "invalid reference format", "a tag that is not there"),
    ("", "invalid reference format", "nothing at all"),
    ("a//b", "invalid reference format", "a part without a name"),
    ("f" * 64, f"invalid repository name ({'f' * 64}), cannot specify 64-byte hexadecimal strings", "a naked digest"),
    ("x/" * 150 + "y", "repository name must not be more than 255 characters", "too long"),
]


@pytest.mark.parametrize(("name", "reference", "why"), NAMES)
def test_reads_names_as_runtimes_do(name, reference, why):
    image = parsed(name)
    assert isinstance(image, Image)
    assert image.reference == reference, why


@pytest.mark.parametrize(("name", "message", "why"), BAD)
def test_refuses_names_with_the_kubelets_words(name, message, why):
    bad = parsed(name)
    assert isinstance(bad, BadName)
    assert bad.message.endswith(f": {message}"), why
    assert bad.message.startswith('Failed to apply default image tag "'), why


def test_the_same_name_has_the_same_id():
    first, second = parsed("nginx"), parsed("docker.io/library/nginx:latest")
    assert isinstance(first, Image)
    assert isinstance(second, Image)
    assert first.id == second.id
    assert first.id.startswith("docker.io/library/nginx@sha256:")


def test_a_missing_tag_and_a_missing_registry_fail_differently():
    missing, nowhere = parsed("nginx:does-not-exist"), parsed("invalid.example:5000/a/b")
    assert isinstance(missing, Image)
    assert isinstance(nowhere, Image)
    assert pull_failure(missing).endswith("docker.io/library/nginx:does-not-exist: not found")
    assert pull_failure(nowhere).endswith(
        'Head "https://invalid.example:5000/v2/a/b/manifests/latest": dial tcp: lookup invalid.example: no such host'
    )


@given(st.text(max_size=80))
def test_any_text_is_a_name_or_a_bad_one(name):
    assert isinstance(parsed(name), Image | BadName)
