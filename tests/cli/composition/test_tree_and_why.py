"""`plumb tree` and `plumb why`, against a control plane that runs."""

import asyncio
import re
import time

import pytest

from plumbline.base import clock
from plumbline.base.errors import Forbidden
from plumbline.base.json import decode
from plumbline.kube.client import Client

from .platform import SINCE, composite, fill, obj, plane, ref


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory):
    with plane(tmp_path_factory.mktemp("plane")) as kubeconfig:
        fill(kubeconfig)
        yield kubeconfig


@pytest.fixture
def asked(run, kubeconfig, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    return run


@pytest.fixture
def done(asked):
    def said(*args):
        answer = asked(*args)
        assert answer.code == 0, answer.err
        return answer.out

    return said


def test_a_claim_down_to_the_cloud_with_the_deepest_error_on_top(done):
    lines = done("tree", "shop/media").splitlines()
    assert lines[0].startswith(
        "Bucket media-b (my-bucket-7) cannot be made so: cannot create the bucket: Authorization"
    )
    assert [line.rstrip() for line in lines[2:]] == [
        "NAME                                 SYNCED   READY   ID            STATUS",
        "Shop/media (default)                 True     False                 Waiting: Claim is waiting for composite resource",
        "└─ XShop/media-x                     True     False                 Creating: Unready resources: bucket",
        '   ├─ Bucket/gone                    -        -                     Error: buckets.platform.test "gone" not found',
        "   ├─ Bucket/media-a                 True     True    arn:a         Available",
        "   ├─ Bucket/media-b                 False    False   my-bucket-7   ReconcileError: ...rmed: the authorization header is malformed; the region is wrong",
        "   └─ ConfigMap/settings (default)   -        -",
    ]  # fmt: skip


def test_wide_has_names_of_resources_and_whole_messages(done):
    said = done("tree", "shop/media", "-o", "wide")
    assert "RESOURCE" in said
    assert re.search(
        r"Bucket/media-b +bucket +False +False +my-bucket-7 +ReconcileError: cannot create the bucket", said
    )


def test_a_tree_that_is_well_says_so(done):
    lines = done("tree", "xshop/calm-x").splitlines()
    assert lines[0] == "XShop calm-x is well, and so is all of it: 2 objects."


def test_trees_for_programs(done):
    tree = decode(done("tree", "shop/media", "-o", "json"))
    assert tree["object"]["metadata"]["name"] == "media"
    composite = tree["children"][0]
    assert [each["object"]["metadata"]["name"] for each in composite["children"]] == ["gone", "media-a", "media-b", "settings"]  # fmt: skip
    assert composite["children"][0]["error"] == 'buckets.platform.test "gone" not found'
    assert "kind: Shop" in done("tree", "shop/media", "-o", "yaml")
    graph = done("tree", "shop/media", "-o", "dot")
    assert 'n5[label="Name: Bucket/media-b\\nApiVersion: platform.test/v1\\nId: my-bucket-7\\n' in graph
    assert "n1--n2;" in graph


def test_connection_secrets_are_shown_where_they_are_asked_for(done):
    assert "Secret/db-login" not in done("tree", "shop/database")
    assert "Secret/db-login" in done("tree", "shop/database", "-s")


def test_anything_else_by_what_it_owns(done, kubeconfig):
    """The plane runs workloads: a Deployment has a ReplicaSet and a Pod."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "registry.test/web:1"}]}}  # fmt: skip
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    owner = obj("ConfigMap", "owner", "default", api_version="v1")
    fill(kubeconfig, [obj("Deployment", "web", "default", spec, api_version="apps/v1"), owner])
    uid = decode(done("tree", "configmap/owner", "-o", "json"))["object"]["metadata"]["uid"]
    ref = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
    fill(kubeconfig, [obj("ConfigMap", "owned", "default", api_version="v1", ownerReferences=[ref])])
    deadline_s = time.monotonic() + 30
    while "Pod/web-" not in done("tree", "deployment/web"):
        assert time.monotonic() < deadline_s
    assert "└─ ConfigMap/owned (default)" in done("tree", "configmap/owner")


def test_a_composite_that_composes_itself_is_drawn_once(done, kubeconfig):
    fill(kubeconfig, [composite("loop-x", ref("XShop", "loop-x"), ref("Mystery", "m"))])
    said = done("tree", "xshop/loop-x")
    assert said.count("XShop/loop-x") == 2
    assert "Error: the server does not list it" in said, "a kind that nobody serves is an error in its place"


def test_what_is_not_there_and_what_nobody_serves(asked):
    assert asked("tree", "shop/none").code == 5
    assert asked("tree", "mystery/none").code == 5
    assert asked("tree", "shop").code == 2


def test_watching_draws_again_when_something_changed(asked, monkeypatch):
    drawn = []

    async def sleep(self, delay_s):
        drawn.append(delay_s)
        if len(drawn) == 3:
            raise KeyboardInterrupt
        await asyncio.sleep(0)

    monkeypatch.setattr(clock.SystemClock, "sleep", sleep)
    said = asked("tree", "xshop/calm-x", "-w")
    assert said.code == 130
    assert said.out.count("NAME") == 1, "nothing changed, so it was drawn once"


WHY = [
    ("shop/calm", 0, "Shop calm in default waits for nothing: it is well."),
    ("xshop/waiting-x", 1, f"XShop waiting-x waits for Bucket waiting-b. Bucket waiting-b is not ready yet: Creating. That is so for AGE, since {SINCE}. It is the provider's turn: the cloud is at it."),
    ("xshop/paused-x", 1, f"XShop paused-x waits for Bucket paused-b. Bucket paused-b is paused. That is so for AGE, since {SINCE}. It is your turn: somebody paused it.\n  kubectl annotate bucket.platform.test/paused-b crossplane.io/paused-"),
    ("xshop/held-x", 1, "plumb consent xshop/held-x 0123456789abcdef"),
    ("shop/database", 1, "Shop database in default waits for Bucket database-b, through XShop database-x."),
    ("shop/database", 1, "It is your turn: the cloud refuses the credentials of ProviderConfig default, or what they may do."),
    ("shop/media", 1, "waits for Bucket media-b (my-bucket-7), through XShop media-x."),
    ("pod/web", 1, "The Secret is written by Shop database in default: Shop database in default waits for Bucket database-b"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "code", "text"), WHY)
def test_why_says_what_it_waits_for_and_whose_turn_it_is(asked, target, code, text):
    said = asked("why", target)
    assert said.code == code, said.err
    assert text in re.sub(r"for \d+[smhd],", "for AGE,", said.out)


def test_why_for_programs(done, asked):
    said = asked("why", "xshop/held-x", "-o", "json")
    answer = decode(said.out)
    assert said.code == 1
    assert (answer["well"], answer["turn"], answer["since"]) == (False, "your", SINCE)
    assert answer["release"] == ["plumb consent xshop/held-x 0123456789abcdef"]
    assert answer["waitsFor"] == {"apiVersion": "platform.test/v1", "kind": "XShop", "name": "held-x"}
    assert decode(asked("why", "pod/web", "-o", "json").out)["writer"]["object"]["kind"] == "Shop"
    assert decode(done("why", "shop/calm", "-o", "json"))["well"] is True


def test_why_quotes_the_newest_events(done, asked, kubeconfig):
    bucket = decode(done("tree", "bucket/waiting-b", "-o", "json"))["object"]
    involved = {
        "kind": "Bucket",
        "name": "waiting-b",
        "uid": bucket["metadata"]["uid"],
        "apiVersion": "platform.test/v1",
    }
    event = obj("Event", "waiting-b.1", "default", api_version="v1")
    event |= {"involvedObject": involved, "type": "Warning", "reason": "Slow", "message": "it takes long", "lastTimestamp": SINCE}  # fmt: skip
    fill(kubeconfig, [event])
    assert re.search(r"  Warning Slow \d+d ago: it takes long", asked("why", "xshop/waiting-x").out)


@pytest.fixture
def unlistable(monkeypatch):
    """Kinds that the cluster lets nobody list."""
    listed, kinds = Client.list, set()

    async def refusing(client, target, *more, **options):
        if target.resource.resource in kinds:
            raise Forbidden("GET / failed", why=f"{target.resource.resource} is forbidden")
        return await listed(client, target, *more, **options)

    monkeypatch.setattr(Client, "list", refusing)
    return kinds


def test_why_says_whose_turn_it_might_be_where_claims_may_not_be_listed(asked, unlistable):
    unlistable.update({"shops", "events"})
    said = asked("why", "pod/web")
    assert said.code == 1
    assert "What writes the Secret may be among what cannot be seen: Shop could not be listed: shops is forbidden." in said.out  # fmt: skip
    assert "What happened to it lately is not known: Event could not be listed: events is forbidden." in said.out
    told = decode(asked("why", "pod/web", "-o", "json").out)
    assert "Shop could not be listed" in told["unseen"]
    assert "writer" not in told


def test_what_may_not_be_listed_is_named_where_all_else_is_well(done, unlistable, kubeconfig):
    fill(kubeconfig, [obj("ConfigMap", "alone", "default", api_version="v1")])
    unlistable.add("secrets")
    seen = "There may be more that cannot be seen: Secret could not be listed: secrets is forbidden."
    assert seen in done("tree", "configmap/alone").splitlines()[0]
    programs = decode(done("tree", "configmap/alone", "-o", "json"))
    assert programs["unlisted"] == [{"kind": "Secret", "why": "secrets is forbidden"}]
    assert done("why", "configmap/alone").splitlines()[0].endswith(f"it is well. {seen}")
    assert decode(done("why", "configmap/alone", "-o", "json"))["unseen"] == seen
