"""Edges of server-side apply: what configs may not say, spellings, duplicates, empty things, changed schemas."""

import pytest
from tests.conformance.real import APPLY

from plumbline.base.errors import PlumblineError
from plumbline.kube.apply import Writer, apply

from .serving import amend, establish
from .story import Story
from .subjects.custom import GADGET, SPROCKET, shifting, versioned
from .subjects.plain import CLAIM, CONFIG_MAP, INGRESS, ROLE, SECRET, SERVICE, SERVICE_ACCOUNT
from .subjects.pods import container
from .subjects.subject import Subject
from .subjects.workloads import AUTOSCALER, DAEMON_SET, DEPLOYMENT, POD, STATEFUL_SET
from .trail import Drop, Item, Put, edited

pytestmark = pytest.mark.conformance


_WEB = ("spec", "template", "spec", "containers", Item((("name", "web"),), "name"))


def _pod(*containers, **more):
    return {"spec": {"template": {"spec": {"containers": list(containers), **more}}}}


REFUSED = [
    (DEPLOYMENT, {"spec": {"replica": 1}}, "an undeclared field"),
    (DEPLOYMENT, _pod({"name": "web", "imag": "x"}), "an undeclared field deep inside"),
    (DEPLOYMENT, _pod({"name": "web", "imag": "x"}, {"name": "b", "img": "y"}), "undeclared fields of two items"),
    (DEPLOYMENT, _pod({"name": "web", "image": 1}, {"name": "b", "img": "y"}), "two kinds of mistakes"),
    (DEPLOYMENT, _pod({"name": "a"}, {"name": "a"}), "an item twice"),
    (DEPLOYMENT, _pod({"name": "web", "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "TCP"}]}),
     "an item twice, once by its default"),
    (DEPLOYMENT, {"spec": []}, "a list where a record belongs"),
    (DEPLOYMENT, {"spec": {"template": "text"}}, "text where a record belongs"),
    (DEPLOYMENT, _pod("web"), "text where an item belongs"),
    (DEPLOYMENT, {"metadata": {"finalizers": ["a.org/x", "a.org/x"]}}, "a member twice"),
    (DEPLOYMENT, {"metadata": {"labels": ["a"]}}, "a list where a map belongs"),
    (DEPLOYMENT, {"metadata": {"labels": {"a": 1}}}, "a number where text belongs"),
    (DEPLOYMENT, {"spec": {"replicas": "two"}}, "text where a number belongs"),
    (DEPLOYMENT, {"spec": {"paused": "yes"}}, "text where a boolean belongs"),
    (DEPLOYMENT, {"metadata": {"finalizers": ["a.org/x", {"a": 1}]}}, "a map as a member"),
    (DEPLOYMENT, {"metadata": {"finalizers": {"a": 1}}}, "a map where a list belongs"),
    (CONFIG_MAP, {"data": {"a": {"b": "c"}}}, "a map where text belongs"),
    (CONFIG_MAP, {"metadata": {"managedFields": []}}, "its own record, empty"),
    (CONFIG_MAP, {"metadata": {"managedFields": [{}]}}, "its own record"),
    (GADGET, {"spec": {"sizes": 1}}, "an undeclared field of a custom kind"),
    (GADGET, {"spec": {"tags": ["a", "a"]}}, "a member of a custom set twice"),
    (GADGET, {"spec": {"size": "big"}}, "text where a custom number belongs"),
    (GADGET, {"spec": {"origin": {"z": 1}}}, "an undeclared field of an atomic record"),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "said", "why"), REFUSED, ids=[row[2] for row in REFUSED])
def test_a_config_that_the_schema_does_not_allow_is_refused(
    real_cluster, matrix_namespace, namespace, subject, said, why
):
    story = Story(real_cluster, subject, namespace, "refused")
    story.create(story.whole, by="creator")
    config = story.complete(said)
    answer = real_cluster.patch(f"{subject.path(namespace)}/refused", config, APPLY, fieldManager="applier")
    assert answer.status in {400, 500}, answer.body
    writer = Writer("applier", subject.gvk.api_version, "2026-01-01T00:00:00Z")
    with pytest.raises(PlumblineError) as refused:
        apply(story.live, config, writer, story._oracle("").shape)
    assert str(refused.value) == answer.body["message"]


def test_another_version_of_the_kind_is_refused(real_cluster, namespace):
    story = Story(real_cluster, AUTOSCALER, namespace)
    config = {**story.identity, "apiVersion": "autoscaling/v1"}
    answer = real_cluster.patch(f"{AUTOSCALER.path(namespace)}/hero", config, APPLY, fieldManager="applier")
    with pytest.raises(PlumblineError) as refused:
        apply(None, config, Writer("applier", "autoscaling/v2", "2026-01-01T00:00:00Z"), story._oracle("").shape)
    assert (answer.status, answer.body["message"]) == (400, str(refused.value))


def test_a_port_is_found_by_the_default_of_its_protocol(real_cluster, namespace):
    story = Story(real_cluster, DEPLOYMENT, namespace)
    port = {"containerPort": 80, "protocol": "TCP"}
    whole = story.whole
    whole["spec"]["template"]["spec"]["containers"] = [container("web", ports=[port])]
    story.apply(whole, by="first")
    story.apply(_pod({"name": "web", "ports": [{"containerPort": 80, "name": "http"}]}), by="second")
    assert story.live["spec"]["template"]["spec"]["containers"][0]["ports"] == [{**port, "name": "http"}]
    story.apply(_pod({"name": "web", "ports": [{"containerPort": 80, "name": "web"}]}), by="third", status=409)


def test_duplicates_in_the_object_are_carried_along(real_cluster, namespace):
    story = Story(real_cluster, DEPLOYMENT, namespace)
    twice = [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}, {"name": "A", "value": "2"}]
    whole = story.whole
    whole["spec"]["template"]["spec"]["containers"] = [container("web", env=twice)]
    story.create(whole, by="creator")
    story.apply(_pod({"name": "web", "env": [{"name": "C", "value": "1"}]}), by="applier")
    story.apply(_pod({"name": "web", "env": [{"name": "C", "value": "2"}, {"name": "B", "value": "1"}]}), by="applier")
    story.merge({"metadata": {"labels": {"tier": "red"}}}, by="updater")
    story.apply(_pod({"name": "web", "env": [{"name": "A", "value": "3"}]}), by="applier", status=409)
    story.apply(_pod({"name": "web", "env": [{"name": "A", "value": "3"}]}), by="applier", force=True)
    story.apply(_pod({"name": "web"}), by="applier")


def test_a_duplicate_is_tracked_through_updates(real_cluster, namespace):
    story = Story(real_cluster, DEPLOYMENT, namespace)
    env = ("spec", "template", "spec", "containers")
    story.create(story.whole, by="creator")
    once = [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]
    story.update(Put(env, [container("web", env=[*once, {"name": "A", "value": "2"}])]), by="doubler")
    story.update(Put(env, [container("web", env=[*once, {"name": "A", "value": "3"}])]), by="changer")
    story.update(Put(env, [container("web", env=once)]), by="cleaner")


@pytest.mark.parametrize(
    ("spelt", "again"),
    [("1000m", "1"), ("0.5", "500m"), ("1024Mi", "1Gi"), ("1e3", "1k"), (1, "1"), ("100m", "0.1"), ("1.5Gi", "1536Mi")],
)
def test_spellings_of_a_quantity_are_told_apart_where_the_server_does(real_cluster, namespace, spelt, again):
    story = Story(real_cluster, DEPLOYMENT, namespace)
    story.apply(story.whole, by="first")
    story.apply(_pod({"name": "web", "resources": {"requests": {"memory": spelt}}}), by="second")
    story.say(_pod({"name": "web", "resources": {"requests": {"memory": spelt}}}), by="second")
    story.say(_pod({"name": "web", "resources": {"requests": {"memory": again}}}), by="third")
    story.say(_pod({"name": "web", "resources": {"requests": {"memory": again}}}), by="second")
    story.merge(_pod(container("web", resources={"requests": {"memory": again}})), by="updater")


EMPTY = [
    (CONFIG_MAP, {"data": {}}, "an empty map"),
    (CONFIG_MAP, {"data": None}, "null for a map"),
    (CONFIG_MAP, {"metadata": {"labels": {}, "annotations": None}}, "empty metadata"),
    (CONFIG_MAP, {"metadata": {"finalizers": []}}, "an empty set"),
    (DEPLOYMENT, {"spec": {}}, "an empty spec"),
    (DEPLOYMENT, {"spec": None}, "null for spec"),
    (DEPLOYMENT, {"spec": {"template": {"spec": {"containers": []}}}}, "an empty table"),
    (DEPLOYMENT, _pod({"name": "web", "env": [], "args": [], "resources": {}}), "empty things in an item"),
    (DEPLOYMENT, _pod({"name": "web", "securityContext": {}, "livenessProbe": None}), "an empty record in an item"),
    (DEPLOYMENT, {"spec": {"template": {"spec": {"nodeSelector": {}, "tolerations": []}}}}, "empty atomic things"),
    (DEPLOYMENT, {"spec": {"replicas": None}}, "null for a number"),
    (SERVICE, {"spec": {"selector": {}, "ports": []}}, "an empty selector"),
    (INGRESS, {"spec": {"rules": [], "tls": None}}, "an empty list and null"),
    (GADGET, {"spec": {"settings": {}, "tags": [], "parts": [], "steps": []}}, "empty custom things"),
    (GADGET, {"spec": {"settings": None}}, "null where a custom kind allows it"),
    (GADGET, {"spec": {"parts": [{"name": "kept", "notes": {}, "bits": []}]}}, "empty things in a custom item"),
    (SPROCKET, {"spec": {}, "free": {}}, "empty free things"),
    (SPROCKET, {"free": {"a": {}, "b": [], "c": None, "d": {"e": None}}}, "empty and null things in a free map"),
]


@pytest.mark.parametrize(("subject", "said", "why"), EMPTY, ids=[row[2] for row in EMPTY])
def test_saying_nothing_is_owned_as_the_server_owns_it(real_cluster, matrix_namespace, namespace, subject, said, why):
    story = Story(real_cluster, subject, namespace, f"empty-{EMPTY.index((subject, said, why))}")
    story.create(story.whole, by="creator")
    story.say(said, by="applier")
    story.say({**said, "metadata": {**said.get("metadata", {}), "annotations": {"note": "x"}}}, by="applier")
    story.say(said, by="second")
    story.say({}, by="applier")


NULLS = [
    (CONFIG_MAP, ("data", "a"), None, "null in a map of text"),
    (CONFIG_MAP, ("binaryData", "a"), None, "null in a map of bytes"),
    (CONFIG_MAP, ("metadata", "labels"), {"a": None}, "null for a label"),
    (SECRET, ("data", "a"), None, "null for a secret"),
    (DEPLOYMENT, (*_WEB, "args"), ["a", None], "null in a list of text"),
    (DEPLOYMENT, (*_WEB, "resources", "requests"), {"cpu": None}, "null for a quantity"),
    (DEPLOYMENT, (*_WEB, "env"), [{"name": "A", "value": None}], "null for text in an item"),
    (DEPLOYMENT, (*_WEB, "securityContext"), {"runAsUser": None, "capabilities": None}, "null in a record"),
    (SERVICE_ACCOUNT, ("imagePullSecrets",), [{"name": "a"}, None], "null in a list of records"),
    (DEPLOYMENT, ("spec", "template", "spec", "nodeSelector"), {"a": None}, "null in an atomic map"),
    (DEPLOYMENT, ("spec", "template", "metadata", "creationTimestamp"), None, "null for a time"),
    (DEPLOYMENT, ("spec", "template", "metadata", "annotations"), {"a": None}, "null for an annotation"),
    (SERVICE, ("spec", "selector"), {"a": None}, "null in a selector"),
    (ROLE, ("rules",), None, "null for rules"),
    (
        ROLE,
        ("rules",),
        [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": None}],
        "null in a rule",
    ),
    (GADGET, ("spec", "settings"), {"a": "b"}, "no null in a custom kind"),
    (SPROCKET, ("free", "a"), {"b": None, "c": [None]}, "null in free things"),
]


@pytest.mark.parametrize(("subject", "trail", "value", "why"), NULLS, ids=[row[3] for row in NULLS])
def test_a_written_null_becomes_what_the_server_makes_of_it(
    real_cluster, matrix_namespace, namespace, subject, trail, value, why
):
    story = Story(real_cluster, subject, namespace, f"null-{NULLS.index((subject, trail, value, why))}")
    story.create(edited(story.whole, [Put(trail, value)]), by="creator")
    story.update(Drop(trail), Put(("metadata", "annotations"), {"note": "x"}), by="updater")
    story.update(Put(trail, value), by="updater")
    story.apply({"metadata": {"annotations": {"note": "x"}}}, by="applier")


@pytest.mark.parametrize(
    "subject", [POD, DEPLOYMENT, STATEFUL_SET, DAEMON_SET, AUTOSCALER, CLAIM], ids=lambda subject: subject.name
)
def test_a_time_that_nobody_says_is_what_the_server_writes(real_cluster, namespace, subject):
    story = Story(real_cluster, subject, namespace)
    story.create(story.whole, by="creator")
    conditions = {"status": {"conditions": [{"type": "Odd", "status": "True"}]}}
    story.merge(conditions, by="controller", via="status")
    story.merge({"metadata": {"labels": {"tier": "red"}}}, by="updater")
    story.apply(conditions, by="applier", via="status")


@pytest.mark.parametrize("granular", [True, False], ids=["granular becomes atomic", "atomic becomes granular"])
def test_ownership_follows_a_changed_schema(real_cluster, namespace, granular):
    """Managers keep what they own when a list and a map are declared otherwise later."""
    kind = "Melter" if granular else "Freezer"
    said = {"spec": {"list": [{"name": "a", "value": 1}], "map": {"x": "1"}}}
    story = Story(
        real_cluster, amend(real_cluster, shifting(kind, granular=granular), namespace, granular=granular), namespace
    )
    story.apply(said, by="first")
    story.apply({"spec": {"map": {"x": "1"}}}, by="second")
    changed = amend(real_cluster, shifting(kind, granular=not granular), namespace, granular=not granular)
    story = _continued(story, changed)
    story.say({"spec": {"list": [{"name": "a", "value": 2}], "map": {"x": "2"}}}, by="third")
    story.say({"spec": {"list": [{"name": "b", "value": 2}], "map": {"y": "2"}}}, by="third", force=True)
    story.merge({"metadata": {"labels": {"tier": "red"}}}, by="updater")
    story.say(said, by="first", force=True)


def _continued(story: Story, subject: Subject) -> Story:
    again = Story(story.server, subject, story.namespace, story.name)
    again.live = story.server.get(f"{subject.path(story.namespace)}/{story.name}").body
    return again


def test_managers_of_two_versions_meet(real_cluster, namespace):
    new, old = versioned("Elder")
    establish(real_cluster, new)
    story = Story(real_cluster, old, namespace)
    story.apply({"spec": {"size": 1, "tags": ["a"]}}, by="first")
    story.merge({"spec": {"tags": ["a", "b"]}}, by="updater")
    story = _continued(story, new)
    story.merge({"spec": {"tags": ["a", "b", "c"]}}, by="updater")
    assert story.managers.count("updater Update") == 2
    story.apply({"spec": {"size": 2, "tags": ["b"]}}, by="second", status=409)
    story.apply({"spec": {"size": 2, "tags": ["b"]}}, by="second", force=True)
    story.apply({"spec": {"tags": ["a"]}}, by="first")
    story = _continued(story, old)
    story.say({"spec": {"size": 3}}, by="first")
    story.say({}, by="second")
