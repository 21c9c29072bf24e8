"""Registries are counted as upstream counts them, by the questions that we put to them."""

import pytest

from plumbline.base.errors import NotFound, PlumblineError
from plumbline.source.repository import Repository

from .archives import chart

KINDS = ("get-tags", "resolve-revision", "digest-metadata", "extract", "test-repo")


@pytest.fixture
def charts(registry, plain):
    for version in ("1.0.0", "1.2.0"):
        registry.push_chart("charts/app", version, chart("app", version))
    return registry


class Counted:
    def __init__(self, sources, registry, path="charts/app"):
        self.repo = f"oci://{registry.host}/{path}"
        self._value = sources._shared.world.metrics.registry.get_sample_value

    @property
    def asked(self):
        return self.of("request_total")

    def of(self, name):
        found = {kind: self._value(f"argocd_oci_{name}", {"repo": self.repo, "request_type": kind}) for kind in KINDS}
        return {kind: value for kind, value in found.items() if value is not None}

    def failed(self, what, **labels):
        return self._value(f"argocd_oci_{what}_fail_total", {"repo": self.repo, **labels})


async def test_questions_are_counted_by_what_they_are_about(make, charts):
    sources = make()
    url = f"oci://{charts.host}/charts"
    counted = Counted(sources, charts)
    assert await sources.resolve(url, "app", "1.x") == "1.2.0"
    assert counted.asked == {"get-tags": 1}
    for _ in range(2):
        await sources.tree(url, "app", "1.2.0")
    assert counted.asked == {"get-tags": 1, "resolve-revision": 1, "extract": 1}
    assert counted.of("request_duration_seconds_count") == counted.asked
    assert counted.failed("resolve_revision", revision="1.2.0") is None


async def test_failures_are_told_by_what_was_asked_for(make, charts):
    sources = make()
    url = f"oci://{charts.host}/charts"
    counted = Counted(sources, charts)
    with pytest.raises(NotFound):
        await sources.tree(url, "app", "9.9.9")
    assert counted.failed("resolve_revision", revision="9.9.9") == 1
    charts.blobs.clear()
    with pytest.raises(NotFound):
        await sources.tree(url, "app", "1.0.0")
    (digest,) = [each for (_, tag), each in _digests(charts).items() if tag == "1.0.0"]
    assert counted.failed("extract", revision=digest) == 1
    elsewhere = Counted(sources, charts, "charts/other")
    with pytest.raises(NotFound):
        await sources.resolve(url, "other", "1.x")
    assert elsewhere.failed("get_tags") == 1


async def test_a_manifest_that_was_lost_is_asked_for_by_its_digest(make, charts, tmp_path):
    sources = make()
    url = f"oci://{charts.host}/charts"
    await sources.resolve(url, "app", "1.0.0", fresh=True)
    for path in (tmp_path / "charts" / "archives").rglob("*"):
        if path.is_file():
            path.unlink()
    await sources.tree(url, "app", "1.0.0")
    counted = Counted(sources, charts)
    assert counted.asked == {"resolve-revision": 1, "digest-metadata": 1, "extract": 1}


async def test_a_repository_that_nobody_wants_is_told_of_no_more(make, charts):
    sources = make()
    with pytest.raises(NotFound):
        await sources.resolve(f"oci://{charts.host}/charts/app", "", "9.9.9")
    counted = Counted(sources, charts)
    assert counted.asked
    (followed,) = sources._registries.values()
    await followed.remote.leave()
    assert counted.asked == {}
    assert counted.failed("resolve_revision", revision="9.9.9") is None


async def test_trials_are_counted_and_have_an_end(make, registry, monkeypatch):
    monkeypatch.setattr("plumbline.source.charts.metrics._TRIED", 2)
    sources = make()
    counted = []
    for path in ("a", "b", "c"):
        url = f"oci://{registry.host}/{path}"
        counted.append(Counted(sources, registry, path))
        await sources.reach(Repository(url=url, plain_http=True), within_s=10)
        with pytest.raises(PlumblineError):
            await sources.reach(Repository(url=url, plain_http=False), within_s=10)
    assert [each.asked for each in counted] == [{}, {"test-repo": 2}, {"test-repo": 2}]
    assert [each.failed("test_repo") for each in counted] == [None, 1, 1]


def _digests(registry):
    """Of manifests, by repository and tag."""
    bodies = {key: body for key, (_, body) in registry.manifests.items() if not key[1].startswith("sha256:")}
    by_body = {
        body: reference for (_, reference), (_, body) in registry.manifests.items() if reference.startswith("sha256:")
    }
    return {key: by_body[body] for key, body in bodies.items()}
