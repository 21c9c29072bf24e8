import pytest

from .estate import estate


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """For all tests of a session: each has an object of its own."""
    with estate(tmp_path_factory.mktemp("estate")) as place:
        yield place


@pytest.fixture
def tf(run, installation, monkeypatch):
    """`plumb tf` against it, in the namespace of the objects."""
    monkeypatch.setenv("KUBECONFIG", str(installation.kubeconfig))

    def typed(verb, *args, **more):
        return run("tf", verb, *args, "-n", "infra", **more)

    return typed
