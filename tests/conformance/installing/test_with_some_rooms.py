"""Without delivery nobody needs the right to everything: what the rooms do is covered by the rules that are printed for them."""

import pytest
from tests.conformance.installing.stage import NAMESPACE, printed, staged

from plumbline.base.json import Json, JsonObject

pytestmark = pytest.mark.conformance

ASKED = ("--enforce", "--only=composition,terraform,secrets")
UNUSED = {
    "ocirepositories": "of Flux, which is not on this cluster",
    "pods": "asked for when a run does not begin, or ends without a report",
}
MADE_HERE = "shop.example.org"
"""Kinds of this group, and the rights to them, come into being with their definition: whoever is first may be too early."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("narrow") / "stage", *ASKED) as made:
        made.apply(made.printed)
        with made.running():
            made.offer()
            made.claim()
            made.seal()
            made.until(lambda: made.secret("note-text").get("text") == "hello", "the claim is served")
            made.until(lambda: made.secret("sealed") == {"password": "s3cr3t"}, "it is opened")
            made.until(lambda: made.secret("fetched") == {"password": "from-elsewhere"}, "it is fetched")
            made.until(lambda: made.secret("borrowed") == {"password": "from-next-door"}, "as the store's account")
            made.until(lambda: made.secret("net-outputs").get("net") == "10.0.0.0/16", "it is applied", within_s=120)
            assert made.login()
            made.kubectl("delete", "note", "welcome", "-n", "shop", "--timeout=60s")
            yield made


def test_it_works_with_exactly_these_rights(stage):
    refused = [each for each in stage.asked() if each["responseStatus"]["code"] == 403]
    assert [each["requestURI"] for each in refused if each["objectRef"].get("apiGroup") != MADE_HERE] == []


def test_each_of_them_is_used_or_explained(stage):
    roles = [each for each in stage.objects if "plumbline.dev/why" in each["metadata"].get("annotations", {})]
    rules = [rule for role in roles for rule in role.get("rules", ())]
    asked = stage.asked()
    unused = [rule for rule in rules if not any(covers(rule, each) for each in asked)]
    assert [each for each in unused if UNUSED.keys().isdisjoint(each["resources"])] == []


def covers(rule: JsonObject, request: Json) -> bool:
    ref = request.get("objectRef")
    if not ref:
        return False
    resource = "/".join(filter(None, (ref.get("resource", ""), ref.get("subresource", ""))))
    return (
        ref.get("apiGroup", "") in rule["apiGroups"]
        and ({resource, "*"} & set(rule["resources"])) != set()
        and ({request["verb"], "*"} & set(rule["verbs"])) != set()
        and ref.get("name", "") in rule.get("resourceNames", [ref.get("name", "")])
    )


def test_nobody_has_the_right_to_everything(stage):
    for role in (each for each in stage.objects if each["kind"] in {"Role", "ClusterRole"}):
        assert [rule for rule in role.get("rules", ()) if "*" in rule["apiGroups"]] == []
    asked = ("auth", "can-i", "create", "deployments.apps", "-n", "shop", "--as", f"system:serviceaccount:{NAMESPACE}:plumbline")  # fmt: skip
    assert stage.cluster.kubectl(*asked).out.strip() == "no"


def test_it_can_be_printed_for_more_than_one_replica(stage):
    """As somebody who already has it asks for it; what cannot be changed is the same."""
    more = printed(*ASKED, "--replicas=2", "--admission-secret=certificates", "--journal-secret=journal")
    stage.apply(more)
    said = stage.cluster.kubectl("diff", "--server-side", "-f", "-", stdin=more)
    assert (said.code, said.out) == (0, ""), said.err
