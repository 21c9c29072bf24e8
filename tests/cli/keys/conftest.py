from datetime import UTC, datetime, timedelta

import pytest

from plumbline.secrets.sealing import made_key

from .estate import Estate, Keys


@pytest.fixture(scope="session")
def made():
    """Keys, the oldest first. They are slow to make."""
    now = datetime.now(UTC).replace(microsecond=0)
    return tuple(made_key(now - timedelta(days=age), size=2048) for age in (70, 40, 10))


@pytest.fixture(scope="session")
def estate(tmp_path_factory):
    with Estate.running(tmp_path_factory.mktemp("estate")) as place:
        yield place


@pytest.fixture
def keys(run, estate, made, monkeypatch):
    """The verbs, on a namespace of the test's own. *run* comes first: it forgets about kubeconfigs."""
    monkeypatch.setenv("KUBECONFIG", str(estate.kubeconfig))
    return Keys(run, estate, made)
