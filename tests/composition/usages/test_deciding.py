"""Reviews from anywhere: each is answered or refused, and only what is in use is kept."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.composition.usages import deciding
from plumbline.composition.usages.resolving import patience_s
from plumbline.composition.usages.values import KINDS, Usage, usage_of
from plumbline.kube.names import Ref
from plumbline.kube.reviews import request_of

from .stage import CLUSTER_USAGES, LEGACY, MAPS, USAGES, a_map, config_map, told_to, usage

HEAD = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
USED = Ref("", "ConfigMap", "shop", "used")


def review(**request):
    old = config_map("used", uid="u", resourceVersion="1")
    return {**HEAD, "request": {"uid": "r", "operation": "DELETE", "oldObject": old, "options": None, **request}}


def told(kind, name, namespace="", by="", reason=""):
    return Usage(Ref(kind.group, kind.kind, namespace, name), name, USED, by, reason)


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        (
            [told(KINDS[0], "a", "shop", by="Cluster/c")],
            '1 usage(s), including the *v1beta1.Usage "a" (in namespace "shop") by resource Cluster/c.',
        ),
        (
            [told(KINDS[1], "a", reason='say "no"'), told(KINDS[2], "b")],
            '2 usage(s), including the *v1beta1.ClusterUsage "a" with reason: "say \\"no\\"".',
        ),
        ([told(KINDS[2], "a", by="C/c", reason="r")], '1 Usage(s), including the Usage "a" by resource C/c.'),
        ([told(KINDS[2], "a", reason="r")], '1 Usage(s), including the Usage "a" with reason: "r".'),
        ([told(KINDS[2], "a")], '1 Usage(s), including the Usage "a".'),
    ],
)
def test_whoever_is_refused_reads_upstreams_words(usages, expected):
    assert deciding.in_use(usages) == f"This resource is in-use by {expected}"


@pytest.mark.parametrize(
    ("hostile", "why"),
    [
        (None, "nothing"),
        ([], "a list"),
        ({}, "no kind"),
        ({**HEAD, "apiVersion": "admission.k8s.io/v1beta1"}, "an old version"),
        (HEAD, "no request"),
        ({**HEAD, "request": []}, "a request that is a list"),
        ({**HEAD, "request": {}}, "no uid"),
        ({**HEAD, "request": {"uid": ""}}, "an empty uid"),
        ({**HEAD, "request": {"uid": "x" * 254}}, "a uid that is too long"),
    ],
)
def test_what_is_no_review_is_not_answered(hostile, why):
    with pytest.raises(InvalidInput):
        request_of(hostile)


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        ({"operation": "CREATE"}, "nobody is asked about creations"),
        ({"operation": None}, "no operation"),
        ({"operation": "X" * 100_000}, "an operation without end"),
        ({"oldObject": None}, "no object"),
        ({"oldObject": {"kind": "ConfigMap", "metadata": {}}}, "an object without a name"),
        ({"oldObject": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": []}}, "metadata that are a list"),
        ({"oldObject": config_map("used", uid=1, resourceVersion="1")}, "a uid that is a number"),
        ({"oldObject": config_map("used", uid="u", resourceVersion="1", annotations=[])}, "annotations as a list"),
        ({"options": {"propagationPolicy": "Whatever"}}, "an unknown policy"),
        ({"options": {"propagationPolicy": ["Background"]}}, "a policy that is a list"),
    ],
)
def test_what_is_no_deletion_is_refused_in_an_answer(request_, why):
    answer = told_to(lambda place: place.usages.validate(review(**request_)), runs=False)
    response = answer["response"]
    assert (response["uid"], response["allowed"], response["status"]["code"]) == ("r", False, 400), why
    assert len(response["status"]["message"]) < 200


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(_json, _json, _json)
def test_whatever_comes_in_it_is_decided_or_refused(old, options, operation):
    request = {"uid": "r", "operation": operation or "DELETE", "oldObject": old, "options": options}
    with suppress(InvalidInput):
        deciding.deletion_of(request_of({**HEAD, "request": request}))


def test_the_policy_is_that_of_the_deletion_or_the_default():
    given_policy = deciding.deletion_of(review(options={"propagationPolicy": "Orphan"})["request"])
    assert (given_policy.policy, given_policy.ref) == ("Orphan", USED)
    assert deciding.deletion_of(review()["request"]).policy == "Background"


def test_a_process_that_follows_nothing_asks_the_api_server():
    async def main(place):
        await place.create(MAPS, config_map("used"))
        await place.create(USAGES, usage(of=a_map("used"), reason="so"))
        used = await place.get(MAPS, "used")
        kept = await place.usages.validate(review(oldObject=used))
        free = await place.usages.validate(review(oldObject={**used, "kind": "Secret"}))
        return kept["response"], free["response"], await place.get(MAPS, "used")

    kept, free, used = told_to(main, runs=False)
    assert (kept["allowed"], kept["status"]["code"]) == (False, 409)
    assert free == {"uid": "r", "allowed": True, "status": {"metadata": {}, "code": 200}}
    assert used["metadata"]["annotations"]["usage.crossplane.io/deletion-attempt-with-policy"] == "Background"


def test_an_attempt_is_recorded_on_that_very_object_however_old_the_review():
    async def main(place):
        await place.create(MAPS, config_map("used"))
        await place.create(USAGES, usage(of=a_map("used"), reason="so"))
        used = await place.get(MAPS, "used")
        await place.patch(MAPS, "used", {"data": {"a": "b"}})
        await place.usages.validate(review(oldObject=used))
        recorded = await place.get(MAPS, "used")
        forged = {**used, "metadata": {**used["metadata"], "uid": "another", "annotations": {}}}
        await place.patch(MAPS, "used", {"metadata": {"annotations": None}})
        answer = await place.usages.validate(review(oldObject=forged))
        return recorded, answer["response"], await place.get(MAPS, "used")

    recorded, answer, after = told_to(main, runs=False)
    assert recorded["metadata"]["annotations"]
    assert not answer["allowed"]
    assert not after["metadata"].get("annotations")


def test_a_usage_that_cannot_be_read_protects_nothing_yet():
    unreadable = usage(of="everything", reason="so")
    assert usage_of(KINDS[0], unreadable).of is None
    unresolved = usage(of=a_map(matchLabels={"a": "b"}), reason="so")
    assert usage_of(KINDS[0], unresolved).of is None


@pytest.mark.parametrize(
    ("where", "rank", "expected", "why"),
    [
        (USAGES, 0, "shop", "in its own namespace"),
        (CLUSTER_USAGES, 1, "", "of the cluster"),
        (LEGACY, 2, "", "of the cluster too"),
    ],
)
def test_a_usage_means_an_object_in_its_own_scope(where, rank, expected, why):
    assert usage_of(KINDS[rank], usage(where=where, of=a_map("used"), reason="so")).of.namespace == expected, why


@given(st.floats(min_value=-1e9, max_value=1e9))
def test_patience_grows_within_bounds(waited_s):
    assert 1.0 <= patience_s(waited_s) <= 30.0
