"""What becomes of the target Secret."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.external.shaping.making import SURROUNDINGS, opened, plain

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretSpec,
    ExternalSecretTarget,
    ExternalSecretTemplate,
    TemplateMetadata,
)
from plumbline.secrets.external.shaping import (
    Gathered,
    Making,
    Subject,
    changes_nothing,
    intact,
    secret_name,
    superseded,
    target_of,
    values_of,
)
from plumbline.secrets.external.shaping.desired import Desired
from plumbline.secrets.external.shaping.markers import (
    CREATED_BY,
    DATA_HASH,
    MANAGED,
    created_by,
    data_hash,
    field_manager,
)

ES = Subject("external-secrets.io/v1", "ns", "es", "u1", {"app": "x"}, {"note": "n"})
POLICIES = ["Owner", "Orphan", "Merge", "CreateOrMerge", "None"]


def _making(values=None, *, subject=ES, gathered=None, marker_key=None, **target):
    found = gathered or Gathered(plain(**({"k": "v"} if values is None else values)))
    return Making(
        subject, ExternalSecretSpec(target=ExternalSecretTarget(**target)), found, SURROUNDINGS, marker_key=marker_key
    )


def _live(values=None, *, metadata=None, ours=(), **fields):
    """A Secret in the cluster; *ours* are the paths that its managedFields say we wrote."""
    written = {}
    for *path, key in ours:
        node = written
        for step in path:
            node = node.setdefault(f"f:{step}", {})
        node[f"f:{key}"] = {}
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in (values or {}).items()}
    managed = [{"manager": field_manager("es"), "operation": "Update", "fieldsV1": written}] if ours else []
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": {"name": "es", "namespace": "ns", "uid": "s1", "resourceVersion": "7", "managedFields": managed}
        | (metadata or {}),
        "data": encoded,
    } | fields


def _owner(name="es", kind="ExternalSecret", group="external-secrets.io/v1", **fields):
    return {"apiVersion": group, "kind": kind, "name": name, "uid": "u0", "controller": True} | fields


def _after(plan):
    """The Secret once the plan was carried out, as the server would have it."""
    return plan.secret.body()


def test_a_secret_is_made_with_all_its_marks():
    plan = target_of(_making({"b": "2", "a": "1"}), None)
    assert (plan.action, plan.ready, plan.reason, plan.message) == ("create", True, "SecretSynced", "secret synced")
    assert plan.secret.body() == {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": {
            "name": "es",
            "namespace": "ns",
            "labels": {"app": "x", MANAGED: "true", CREATED_BY: created_by("ns", "es")},
            "annotations": {"note": "n", DATA_HASH: data_hash(plain(a="1", b="2"))},
            "ownerReferences": [ES.reference],
        },
        "data": {"a": "MQ==", "b": "Mg=="},
    }


def test_values_are_closed_until_the_secret_is_sent():
    assert "canary" not in repr(target_of(_making({"k": "canary"}), None))


@pytest.mark.parametrize("policy", ["Orphan", "CreateOrMerge"])
def test_what_is_not_owned_carries_no_owner(policy):
    metadata = target_of(_making(creation_policy=policy), None).secret.metadata
    assert "ownerReferences" not in metadata
    assert CREATED_BY not in metadata["labels"]
    assert metadata["labels"][MANAGED] == "true"


def test_merge_makes_nothing_and_none_does_nothing():
    plan = target_of(_making(creation_policy="Merge"), None)
    assert plan[:4] == ("nothing", True, "SecretMissing", "secret will not be created due to CreationPolicy=Merge")
    for live in (None, _live({"k": "other"})):
        assert target_of(_making(creation_policy="None"), live)[:3] == ("nothing", True, "SecretSynced")


def test_the_target_may_have_another_name():
    making = _making(name="other")
    assert target_of(making, None).secret.metadata["name"] == "other"
    assert secret_name(making.spec, "es") == "other"


@pytest.mark.parametrize("policy", ["Owner", "Orphan", "Merge", "CreateOrMerge"])
@given(
    values=st.dictionaries(st.sampled_from("abc"), st.text("xy", max_size=2), min_size=1),
    before=st.dictionaries(st.sampled_from("bcd"), st.text("xy", max_size=2)),
)
def test_a_second_look_writes_nothing(policy, values, before):
    making = _making(values, creation_policy=policy)
    live = _live(before)
    plan = target_of(making, live)
    assert plan.ready
    settled = _after(plan) if plan.action == "update" else live
    again = target_of(making, settled)
    assert (again.action, again.secret) == ("nothing", None)
    assert intact(settled, making.spec)
    kept = before if policy in {"Merge", "CreateOrMerge"} else {}
    assert {key: value.decode() for key, value in opened(values_of(settled)).items()} == kept | values


def test_updates_keep_what_the_server_wrote():
    live = _live({"k": "old"})
    body = target_of(_making(), live).secret.body()
    assert body["metadata"]["uid"] == "s1"
    assert body["metadata"]["resourceVersion"] == "7"
    assert live == _live({"k": "old"}), "and nothing is changed in place"


def test_keys_that_we_wrote_and_no_longer_want_go_and_others_stay():
    ours = [("data", "gone"), ("data", "k"), ("metadata", "labels", "stale"), ("metadata", "annotations", "old")]
    metadata = {"labels": {"stale": "1", "theirs": "2"}, "annotations": {"old": "1", "kept": "2"}}
    live = _live({"gone": "1", "k": "1", "theirs": "1"}, metadata=metadata, ours=ours)
    plan = target_of(_making(creation_policy="Merge"), live)
    assert opened(plan.secret.values) == {"k": b"v", "theirs": b"1"}
    assert plan.secret.metadata["labels"] == {"theirs": "2", "app": "x", MANAGED: "true"}
    assert plan.secret.metadata["annotations"].keys() == {"kept", "note", DATA_HASH}


def test_long_names_find_their_fields_too():
    name = "x" * 40
    live = _live({"gone": "1"})
    live["metadata"]["managedFields"] = [{"manager": field_manager(name), "fieldsV1": {"f:data": {"f:gone": {}}}}]
    plan = target_of(_making(subject=ES._replace(name=name), creation_policy="Merge"), live)
    assert opened(plan.secret.values) == {"k": b"v"}


OWNERS = [
    (_owner("other"), "Owner", "target is owned by another ExternalSecret", "another ExternalSecret"),
    (_owner("other"), "Merge", "target is owned by another ExternalSecret", "whatever the policy"),
    (_owner("other", group="external-secrets.io/v1beta1"), "Owner", "target is owned by another ExternalSecret", "or version"),
    (_owner("d", "Deployment", "apps/v1"), "Owner", "failed to take ownership of target secret", "another controller"),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "policy", "said", "why"), OWNERS, ids=[case[-1] for case in OWNERS])
def test_what_others_own_is_not_touched(owner, policy, said, why):
    plan = target_of(_making(creation_policy=policy), _live(metadata={"ownerReferences": [owner]}))
    assert (plan.action, plan.ready, plan.reason, plan.message) == ("nothing", False, "SecretSyncedError", said), why
    assert owner["name"] in plan.detail


def test_the_one_controller_is_told():
    plan = target_of(_making(), _live(metadata={"ownerReferences": [_owner("d", "Deployment", "apps/v1")]}))
    assert plan.detail == (
        "could not set controller reference on secret: Object ns/es is already owned by another Deployment controller d"
    )


def test_merging_into_what_another_controller_owns_is_allowed():
    references = [_owner("d", "Deployment", "apps/v1")]
    plan = target_of(_making(creation_policy="Merge"), _live(metadata={"ownerReferences": references}))
    assert plan.secret.metadata["ownerReferences"] == references


def test_ownership_is_taken_renewed_and_given_up():
    bystander = {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "c"}
    taken = target_of(_making(), _live(metadata={"ownerReferences": [bystander]}))
    assert taken.secret.metadata["ownerReferences"] == [bystander, ES.reference]
    renewed = target_of(_making(), _live(metadata={"ownerReferences": [_owner(), bystander]}))
    assert renewed.secret.metadata["ownerReferences"] == [ES.reference, bystander]
    labels = {CREATED_BY: created_by("ns", "es")}
    given_up = target_of(
        _making(creation_policy="Orphan"), _live(metadata={"ownerReferences": [_owner()], "labels": labels})
    )
    assert "ownerReferences" not in given_up.secret.metadata
    assert CREATED_BY not in given_up.secret.metadata["labels"]


def test_what_cannot_be_changed_is_said_and_its_marks_are_kept_up():
    live = _live({"k": "old"}, immutable=True)
    plan = target_of(_making(), live)
    assert (plan.action, plan.ready, plan.message) == ("update", False, "could not update secret, target is immutable")
    assert plan.detail == "unable to update secret es: secret is immutable"
    body = plan.secret.body()
    assert (body["data"], body["immutable"]) == (live["data"], True)
    again = target_of(_making(), body)
    assert (again.action, again.ready) == ("nothing", False)


def test_an_immutable_target_is_made_once_and_only_marked_after():
    made = target_of(_making(immutable=True), None)
    assert made.secret.body()["immutable"] is True
    again = target_of(_making({"k": "new"}, immutable=True), _after(made))
    assert (again.action, again.ready) == ("nothing", True)
    closing = target_of(_making({"k": "new"}, immutable=True), _live({"k": "old"}))
    assert (closing.action, opened(closing.secret.values), closing.secret.immutable) == ("update", {"k": b"old"}, True)


def test_metadata_of_an_immutable_secret_can_change():
    live = _live({"k": "v"}, immutable=True)
    plan = target_of(_making(), live)
    assert (plan.action, plan.ready) == ("update", True)
    assert target_of(_making(), _after(plan)).action == "nothing"


def test_the_type_of_a_secret_does_not_change():
    template = ExternalSecretTemplate(type="kubernetes.io/tls")
    assert target_of(_making(template=template), None).secret.type == "kubernetes.io/tls"
    plan = target_of(_making(template=template), _live())
    assert (plan.action, plan.ready, plan.message) == ("nothing", False, "could not update secret")
    assert "Opaque and cannot become kubernetes.io/tls" in plan.detail
    kept = target_of(_making(template=ExternalSecretTemplate()), _live(type="kubernetes.io/tls"))
    assert kept.secret.type == "kubernetes.io/tls"


@pytest.mark.parametrize("kind", ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])
def test_credentials_of_others_are_never_made(kind):
    plan = target_of(_making(template=ExternalSecretTemplate(type=kind)), None)
    assert (plan.action, plan.ready) == ("nothing", False)


def test_metadata_of_the_template_replaces_that_of_the_external_secret():
    metadata = TemplateMetadata(labels={"l": "{{ .k }}"}, annotations={"a": "b"}, finalizers=("example.org/f",))
    made = target_of(_making(template=ExternalSecretTemplate(metadata=metadata)), None).secret
    assert made.metadata["labels"] == {"l": "v", MANAGED: "true", CREATED_BY: created_by("ns", "es")}
    assert made.metadata["annotations"].keys() == {"a", DATA_HASH}
    assert made.metadata["finalizers"] == ["example.org/f"]
    assert opened(made.values) == {"k": b"v"}


def test_finalizers_are_added_once_and_not_to_what_goes():
    template = ExternalSecretTemplate(metadata=TemplateMetadata(finalizers=("a/a", "b/b")))
    live = _live(metadata={"finalizers": ["b/b", "c/c"]})
    assert target_of(_making(template=template), live).secret.metadata["finalizers"] == ["b/b", "c/c", "a/a"]
    going = _live(metadata={"finalizers": ["c/c"], "deletionTimestamp": "2026-01-01T00:00:00Z"})
    assert target_of(_making(template=template), going).secret.metadata["finalizers"] == ["c/c"]


def test_what_kubectl_noted_of_the_external_secret_stays_there():
    subject = ES._replace(annotations={"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "b"})
    assert target_of(_making(subject=subject), None).secret.metadata["annotations"].keys() == {"a", DATA_HASH}


def test_a_template_that_fails_decides_nothing():
    with pytest.raises(InvalidInput, match="key out of"):
        target_of(_making(template=ExternalSecretTemplate(data={"out": "{{ .nope }}"})), _live({"k": "v"}))


def test_the_marker_can_be_keyed():
    key = Plaintext("secret of the installation")
    made = target_of(_making(marker_key=key), None).secret
    assert made.metadata["annotations"][DATA_HASH] == data_hash(plain(k="v"), key)
    assert intact(made.body(), _making().spec, key)
    assert not intact(made.body(), _making().spec)


GONE = Gathered({}, ("missing",), gone=True)
UNMATCHED = Gathered({}, (), unmatched=True)
EMPTY = Gathered({})
OURS = _live({"k": "old"}, metadata={"ownerReferences": [_owner()]}, ours=[("data", "k")])
STAYS = "secret retained because the provider answered with nothing, which is not the same as not found"
NOTHING = [
    (EMPTY, "Retain", "Owner", OURS, "nothing", True, "secret retained due to DeletionPolicy=Retain", "kept by policy"),
    (EMPTY, "Delete", "Owner", OURS, "nothing", True, STAYS, "an empty answer deletes nothing"),
    (EMPTY, "Merge", "Owner", OURS, "nothing", True, STAYS, "nor does it take keys away"),
    (UNMATCHED, "Merge", "Owner", OURS, "nothing", True, STAYS, "nor a search without a hit"),
    (UNMATCHED, "Delete", "Owner", OURS, "delete", True, "secret deleted due to DeletionPolicy=Delete", "unless that was asked for"),
    (GONE, "Delete", "Owner", OURS, "delete", True, "secret deleted due to DeletionPolicy=Delete", "gone there, gone here"),
    (GONE, "Delete", "Owner", None, "nothing", True, "secret deleted due to DeletionPolicy=Delete", "it is gone already"),
    (GONE, "Delete", "Owner", _live({"k": "v"}), "nothing", False, "could not delete secret", "never what we do not own"),
    (GONE, "Delete", "Orphan", OURS, "nothing", False, "could not delete secret", "nor without the policy for it"),
    (GONE, "Merge", "Owner", OURS, "update", True, "secret synced", "its keys go"),
    (EMPTY, "Retain", "Owner", None, "nothing", False, "could not get secret data from provider", "of nothing, nothing is made"),
    (EMPTY, "Retain", "None", None, "nothing", False, "could not get secret data from provider", "and it is said"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "deletion", "creation", "live", "action", "ready", "said", "why"), NOTHING, ids=[case[-1] for case in NOTHING])  # fmt: skip
def test_where_nothing_was_fetched(found, deletion, creation, live, action, ready, said, why):
    plan = target_of(_making(gathered=found, deletion_policy=deletion, creation_policy=creation), live)
    assert (plan.action, plan.ready, plan.message) == (action, ready, said), why


@pytest.mark.parametrize("creation", POLICIES)
@pytest.mark.parametrize("deletion", ["Retain", "Delete", "Merge"])
@pytest.mark.parametrize("found", [EMPTY, UNMATCHED])
def test_an_empty_answer_never_overwrites_a_secret(creation, deletion, found):
    plan = target_of(_making(gathered=found, deletion_policy=deletion, creation_policy=creation), OURS)
    assert plan.secret is None
    assert plan.action in {"nothing", "delete"}


def test_keys_that_are_gone_are_taken_out_of_a_shared_secret():
    live = _live({"k": "old", "theirs": "1"}, ours=[("data", "k")])
    plan = target_of(_making(gathered=GONE, deletion_policy="Merge", creation_policy="Merge"), live)
    assert opened(plan.secret.values) == {"theirs": b"1"}


DRIFTED = [
    (None, False, "there is none"),
    (_live({"k": "v"}), False, "it is not marked"),
    (_live({"k": "v"}, metadata={"labels": {MANAGED: "true"}}), False, "its hash is missing"),
    (
        _live(
            {"k": "changed"},
            metadata={"labels": {MANAGED: "true"}, "annotations": {DATA_HASH: data_hash(plain(k="v"))}},
        ),
        False,
        "somebody changed it",
    ),
    (
        _live({"k": "v"}, metadata={"labels": {MANAGED: "true"}, "annotations": {DATA_HASH: data_hash(plain(k="v"))}}),
        True,
        "it is as it was left",
    ),
]


@pytest.mark.parametrize(("live", "expected", "why"), DRIFTED, ids=[case[-1] for case in DRIFTED])
def test_a_secret_that_was_changed_is_seen(live, expected, why):
    assert intact(live, _making().spec) is expected, why
    assert intact(live, _making(creation_policy="Orphan").spec)


def test_what_the_target_was_before_is_found():
    mark = {CREATED_BY: created_by("ns", "es")}
    before = {"metadata": {"name": "before", "labels": mark, "ownerReferences": [_owner()]}}
    others = [
        {"metadata": {"name": "es", "labels": mark, "ownerReferences": [_owner()]}},
        {"metadata": {"name": "forged", "labels": mark}},
        {"metadata": {"name": "foreign", "ownerReferences": [_owner()]}},
        {},
    ]
    assert superseded([before, *others], ES, "es") == [before]


def test_nothing_changes_where_only_empty_things_differ():
    desired = Desired({"labels": {}, "annotations": {}}, "Opaque", False, plain(k="v"))
    live = {"metadata": {"name": "x"}, "data": {"k": "dg=="}}
    assert changes_nothing(live, desired)
    for other in (
        desired._replace(values=plain(k="w")),
        desired._replace(immutable=True),
        desired._replace(type="x"),
        desired._replace(metadata={"labels": {"a": "b"}}),
        desired._replace(metadata={"finalizers": ["f"]}),
    ):
        assert not changes_nothing(live, other)


def test_garbage_in_a_secret_is_taken_for_empty():
    assert opened(values_of({"data": {"a": None, "b": 7, "c": "dg=="}})) == {"a": b"", "b": b"", "c": b"v"}
    assert values_of({}) == {}
