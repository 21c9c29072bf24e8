"""From the real Crossplane to us and back: nothing composed is written or made again, and dropped fields go away live."""

import time

import pytest

from . import estate
from .kit import GADGETS, composition, gadget, hook, resource
from .stage import staged

pytestmark = pytest.mark.conformance

COMPOSED = ("Gadget", "ValidatingWebhookConfiguration", "Secret")
COMPOSITES = ("XInner", "XThing", "XStore", "XEnforced", "XManual")
CLAIMS = ("Thing", "Store", "Enforced", "Manual")
SICK = {"wrong-check", "required", "refused", "mistransformed", "unready"}
HELD = (
    "patches", "transforms", "readiness", "anonymous", "shrinking", "turning", "reordered", "changing", "nesting", "overlaid",
    "stored", "stored-quietly", "forced", "by-hand", "by-label", "channelled", "outside", "going-slowly", "relabelled",
    "alone", "alone-nested", "unbound", "binding", *SICK,
)  # fmt: skip
QUIET_S = 2.5
LOOKED_S = 7
"""Long enough for everything to have been looked at."""
DROPPED = (
    composition("changing", resource("a", gadget(b="new"))),
    composition("shrinking", resource("stays", gadget(a="b", deep={"y": 2}))),
    composition("readiness", *(each for each in estate.READINESS["spec"]["resources"] if each["name"] != "integer"),
                resource("integer", hook(timeoutSeconds=10))),
)  # fmt: skip
AGAIN = composition("changing", resource("a", gadget(b="newer")))


class Handover:
    def __init__(self, stage):
        self.stage = stage

    def deploy(self):
        self.stage.apply(GADGETS, *estate.DEFINITIONS)
        self.stage.established(*estate.DEFINITIONS)
        self.stage.apply(*estate.COMPOSITIONS)
        self.stage.apply(*(each for each in estate.MADE if each["metadata"]["name"] in HELD))
        self.stage.until(lambda: not self.unready(), lambda: f"all ready but {self.unready()}")

    def found(self, *kinds):
        """Everything of *kinds*, by what it is."""
        listed = [each for kind in kinds for each in self.stage.list(kind)]
        return {(each["kind"], each["metadata"]["name"]): each for each in listed}

    def composed(self):
        """Everything that is composed, but for what tells about it."""
        found = self.found(*COMPOSED)
        inner = {key: {**each, "status": None} for key, each in self.found("XInner").items()}
        return {key: each for key, each in found.items() if each.get("type") != "kubernetes.io/tls"} | inner

    def unready(self):
        return [key for key, each in self.found(*CLAIMS).items() if not ready(each) and not sick(key)]

    def quiet(self):
        """Wait until nobody writes any more. What is sick Crossplane writes all the time, with another name for what it lacks."""
        seen = []

        def still():
            found = self.found(*COMPOSED, *COMPOSITES, *CLAIMS)
            seen.append(versions({key: each for key, each in found.items() if not sick(key)}))
            time.sleep(QUIET_S)
            return seen[-1:] == seen[-2:-1]

        self.stage.until(still, lambda: f"all is quiet but {seen[-1].items() ^ seen[-2].items()}")


def sick(key):
    return key[1] in SICK or key[1].rpartition("-")[0] in SICK


def ready(obj):
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def versions(objects):
    """What any write would change."""
    return {key: each["metadata"]["resourceVersion"] for key, each in objects.items()}


def identities(objects):
    return {key: each["metadata"]["uid"] for key, each in objects.items()}


def standings(objects):
    return {key: ready(each) for key, each in objects.items()}


@pytest.fixture
def handover(tmp_path):
    with staged(tmp_path / "stage", namespaces=("shop", "crossplane-system")) as stage:
        yield Handover(stage)


def test_claims_go_over_and_come_back(handover):
    with handover.stage.crossplane():
        handover.deploy()
        handover.quiet()
    revisions = identities(handover.found("CompositionRevision"))
    over(handover)
    with handover.stage.ours():
        drop(handover)
        handover.quiet()
    back(handover)
    assert revisions.items() <= identities(handover.found("CompositionRevision")).items()


def over(handover):
    """We look at everything, and write nothing that is composed; nor does anybody see that somebody else looks."""
    composed, above = handover.composed(), handover.found(*COMPOSITES, *CLAIMS)
    revisions = handover.found("CompositionRevision")
    with handover.stage.ours():
        time.sleep(LOOKED_S)
        assert versions(handover.composed()) == versions(composed)
        assert identities(handover.composed()) == identities(composed)
        now = handover.found(*COMPOSITES, *CLAIMS)
        assert standings(now) == standings(above)
        assert identities(now) == identities(above)
        assert versions(handover.found("CompositionRevision")) == versions(revisions)
        assert [
            key for key, version in versions(now).items() if version != versions(above)[key] and not sick(key)
        ] == []


def drop(handover):
    """What a composition does not have any more goes away live, although Crossplane wrote it; names stay."""
    before = identities(handover.composed())
    (changing,) = handover.stage.list("Gadget", labelSelector="crossplane.io/claim-name=changing")
    assert {each["manager"] for each in changing["metadata"]["managedFields"]} == {"crossplane"}
    assert changing["spec"] == {"a": "b", "size": "small"}
    handover.stage.apply(*DROPPED)

    def gone():
        now = handover.stage.get("Gadget", changing["metadata"]["name"])
        return now if now["spec"] == {"b": "new"} else None

    now = handover.stage.until(gone, "what is no longer composed is gone")
    assert "crossplane" not in {each["manager"] for each in now["metadata"]["managedFields"]}
    handover.stage.until(lambda: len(before.keys() - handover.composed().keys()) == 1, lambda: shrunk(handover))
    handover.quiet()
    (lost,) = before.keys() - handover.composed().keys()
    assert lost[1].startswith("shrinking-"), lost
    assert not handover.unready()


def shrunk(handover):
    return [each for key, each in handover.found("XThing", "Gadget").items() if key[1].startswith("shrinking-")]


def back(handover):
    """Crossplane finds everything under the names that it gave, and goes on."""
    before, above = identities(handover.composed()), identities(handover.found(*COMPOSITES, *CLAIMS))
    with handover.stage.crossplane():
        time.sleep(LOOKED_S)
        handover.quiet()
        assert identities(handover.composed()) == before
        assert identities(handover.found(*COMPOSITES, *CLAIMS)) == above
        assert not handover.unready()
        handover.stage.apply(AGAIN)

        def changed():
            (found,) = handover.stage.list("Gadget", labelSelector="crossplane.io/claim-name=changing")
            return found["spec"] == {"b": "newer"}

        handover.stage.until(changed, "Crossplane composes again")
        assert identities(handover.composed()) == before
