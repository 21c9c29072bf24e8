"""Who asked for a deletion, told from what is above the thing that goes."""

import pytest

from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.json import encode
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.descent import Descents

STORES = GroupVersionResource("data.example.org", "v1", "stores")
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"


def obj(name, *, deleted="", owner=None, uid=None, labels=None, namespace="", **fields):
    metadata = {"name": name, "uid": uid or f"uid-{name}", "labels": labels or {}, "namespace": namespace}
    if deleted:
        metadata["deletionTimestamp"] = deleted
    if owner:
        metadata["ownerReferences"] = [
            {"apiVersion": "platform.example.org/v1", "kind": owner, "name": owner.lower(), "uid": f"uid-{owner.lower()}", "controller": True}
        ]  # fmt: skip
    return {"metadata": metadata, **fields}


class Api:
    """Objects by resource and name, kinds by name."""

    def __init__(self, **objects):
        self.objects = {name.replace("__", "/"): value for name, value in objects.items()}
        self.discovery = self

    async def get(self, target):
        found = self.objects.get(f"{target.resource.resource}/{target.name}")
        if found is None:
            raise NotFound("not there")
        return encode(found)

    async def resource(self, kind):
        if f"{kind.kind.lower()}s" not in {name.split("/")[0] for name in self.objects} | {"xteams"}:
            raise UnknownKind("no such kind")
        return Resource(group=kind.group, version=kind.version, name=f"{kind.kind.lower()}s", kind=kind.kind, namespaced=kind.kind == "Team")  # fmt: skip


CRDS = {
    "customresourcedefinitions__stores.data.example.org": obj("c"),
    "customresourcedefinitions__xteams.platform.example.org": obj("d"),
    "compositeresourcedefinitions__xteams.platform.example.org": obj("e"),
}
CLAIM = {"claimRef": {"apiVersion": "platform.example.org/v1", "kind": "Team", "namespace": "shop", "name": "red"}}
CLAIMED = {"crossplane.io/claim-namespace": "shop", "crossplane.io/claim-name": "red"}
SHOP = obj("shop")
CASES = [
    (obj("a", deleted=LATE), {}, "deletion", "", "nothing is above it"),
    (obj("a", deleted=LATE), {"customresourcedefinitions__stores.data.example.org": obj("c", deleted=EARLY)}, "descent", "CustomResourceDefinition stores.data.example.org", "its kind goes"),
    (obj("a", deleted=LATE, owner="XTeam"), {"xteams__xteam": obj("xteam")}, "deletion", "", "its composite stays"),
    (obj("a", deleted=LATE, owner="XTeam"), {}, "deletion", "", "its composite is gone, its definition is there"),
    (obj("a", deleted=LATE, owner="XTeam"), {"xteams__xteam": obj("xteam", deleted=EARLY, spec=CLAIM), "teams__red": obj("red", deleted=EARLY)}, "deletion", "", "its claim was deleted"),
    (obj("a", deleted=LATE, owner="XTeam", labels=CLAIMED), {"xteams__xteam": obj("xteam", deleted=LATE, spec=CLAIM), "namespaces__shop": obj("shop", deleted=EARLY), "teams__red": obj("red", deleted=LATE)}, "descent", "namespace shop", "the namespace of its claim goes"),
    (obj("a", deleted=LATE, owner="XTeam", labels=CLAIMED), {"xteams__xteam": obj("xteam", deleted=LATE, spec=CLAIM), "namespaces__shop": obj("shop", deleted=LATE), "teams__red": obj("red", deleted=EARLY)}, "deletion", "", "its claim was deleted before the namespace"),
    (obj("a", deleted=LATE, owner="XTeam", labels=CLAIMED), {}, "descent", "namespace shop", "the namespace of its claim is gone"),
    (obj("a", deleted=LATE, owner="XTeam"), {"compositeresourcedefinitions__xteams.platform.example.org": obj("e", deleted=EARLY)}, "descent", "CompositeResourceDefinition xteams.platform.example.org", "its definition goes"),
    (obj("a", deleted=LATE, owner="Nothing"), {}, "descent", "the definition of Nothing", "its definition is gone"),
    (obj("a", deleted=LATE, owner="XTeam"), {"xteams__xteam": obj("xteam", uid="another", deleted=EARLY)}, "deletion", "", "another composite has its name by now"),
]  # fmt: skip


@pytest.mark.parametrize(("deleted", "around", "how", "by", "why"), CASES, ids=[case[-1] for case in CASES])
async def test_who_asked_is_told_from_what_went_first(deleted, around, how, by, why):
    asked = await Descents(Api(**{**CRDS, **around})).asked(deleted, STORES)
    assert (asked.how, asked.by) == (how, by), why


async def test_a_claim_whose_kind_is_unknown_is_no_news():
    around = {"xteams__xteam": obj("xteam", deleted=EARLY, spec={"claimRef": {"apiVersion": "x/v1", "kind": "Odd"}})}
    asked = await Descents(Api(**{**CRDS, **around})).asked(obj("a", deleted=LATE, owner="XTeam"), STORES)
    assert asked.how == "deletion"


@pytest.mark.parametrize(("said", "policy"), [("warn", "warn"), ("off", "off"), ("maybe", "enforce")])
async def test_the_namespace_says_what_it_thinks_of_destruction(said, policy):
    shop = obj("shop")
    shop["metadata"]["annotations"] = {"plumbline.dev/destruction-policy": said}
    around = {**CRDS, "namespaces__shop": shop}
    asked = await Descents(Api(**around)).asked(obj("a", deleted=LATE, namespace="shop"), STORES)
    assert asked.policy == policy
