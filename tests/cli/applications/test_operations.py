"""Operations as they are written for whoever delivers."""

from datetime import UTC, datetime

import pytest

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import decode
from plumbline.delivery.asking.deletion import FINALIZER, finalizers
from plumbline.delivery.asking.operations import (
    Asked,
    backoff,
    entry,
    info,
    pin,
    revisions_for,
    rollback,
    strategy,
    sync,
    until,
)
from plumbline.kinds.application import Operation
from plumbline.kinds.values import converted

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = {"repoURL": "r", "path": "p"}
MANUAL = {"metadata": {"name": "web", "namespace": "argocd"}, "spec": {"source": SOURCE, "syncPolicy": {"syncOptions": ["A=true"], "retry": {"limit": 2}}}}  # fmt: skip
PAST = [{"id": n, "revision": f"r{n}", "source": SOURCE, "deployedAt": "2026-01-01T00:00:00Z"} for n in range(3)]


def test_a_sync_takes_its_options_and_retries_from_the_application_unless_told():
    plain = sync(MANUAL, Asked(), "ada")
    assert plain == {
        "sync": {"source": SOURCE, "syncOptions": ["A=true"], "syncStrategy": {"hook": {}}},
        "initiatedBy": {"username": "ada"},
        "retry": {"limit": 2},
    }
    asked = Asked(prune=True, dry_run=True, strategy=strategy("apply", force=True), options=("B=true",), revision="x", infos=[info("a=b")], retry=backoff(3, {"duration": "1s", "factor": None}, refresh=True))  # fmt: skip
    told = sync(MANUAL, asked, "ada")
    assert told["sync"]["syncOptions"] == ["B=true"]
    assert told["sync"]["syncStrategy"] == {"apply": {"force": True}}
    assert told["retry"] == {
        "limit": 3,
        "refresh": True,
        "backoff": {"duration": "1s", "maxDuration": "3m0s", "factor": 2},
    }
    assert converted(told, Operation).info[0].value == "b"
    with pytest.raises(InvalidInput):
        info("a")
    assert backoff(0, {}, refresh=True) is None


def test_a_rollback_names_what_was_synced_then():
    app = MANUAL | {"status": {"history": PAST}}
    assert entry(app, None)["id"] == 1
    assert entry(app, 0)["id"] == 0
    operation = rollback(app, entry(app, 0), prune=True, username="ada")
    assert operation["sync"] == {"revision": "r0", "prune": True, "syncOptions": ["A=true"], "syncStrategy": {"apply": {}}, "source": SOURCE}  # fmt: skip
    for number in (9,):
        with pytest.raises(NotFound):
            entry(app, number)
    with pytest.raises(NotFound):
        entry(MANUAL, None)
    with pytest.raises(InvalidInput):
        entry(MANUAL | {"status": {"history": [{"id": 1}]}}, 1)


def test_only_an_automated_application_is_pinned():
    automated = {**MANUAL, "spec": {"source": SOURCE, "syncPolicy": {"automated": {}}}}
    assert pin(MANUAL, PAST[1], None) == {}
    held = decode(pin(automated, PAST[1], until(NOW, "24h0m0s"))["plumbline.dev/rollback-pin"])
    assert held == {"revisions": ["r1"], "until": "2026-01-02T00:00:00Z", "id": 1}
    assert until(NOW, "") is None


def test_finalizers_say_what_becomes_of_the_objects():
    bare = {"metadata": {"finalizers": ["other"]}}
    assert finalizers(bare, cascade=True, policy="") == ["other", FINALIZER]
    assert finalizers(bare, cascade=True, policy="background") == ["other", f"{FINALIZER}/background"]
    assert finalizers(bare, cascade=False, policy="") is None
    own = {"metadata": {"finalizers": [f"{FINALIZER}/background"]}}
    assert finalizers(own, cascade=True, policy="") is None
    assert finalizers(own, cascade=True, policy="foreground") == [f"{FINALIZER}/foreground"]
    assert finalizers(own, cascade=False, policy="") == []


def test_revisions_are_put_at_their_sources():
    several = {"spec": {"sources": [SOURCE, SOURCE]}}
    assert revisions_for(several, "", ("x",), (2,)) == ("", "x")
    assert revisions_for(MANUAL, "x", (), ()) == ("x",)
    assert revisions_for(MANUAL, "", (), ()) == ()
    with pytest.raises(InvalidInput):
        revisions_for(several, "", ("x",), (3,))
