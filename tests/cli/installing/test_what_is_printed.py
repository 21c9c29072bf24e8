"""What an installation is made of follows from what was asked for, and from nothing else."""

import itertools

import pytest
from tests.docs.pages import blocks

from plumbline.base.documents import load_documents
from plumbline.base.json import encode
from plumbline.cli.installing import Wanted, definitions, manifests
from plumbline.cli.installing.rights import WHY
from plumbline.cli.installing.rules import BASE, EVERYTHING, OWN, READ, READ_EVERYTHING, ROOMS, provided
from plumbline.cli.installing.workload import arguments, deployment
from plumbline.cli.verbs.run import verb as run
from plumbline.kinds.catalogue import KINDS
from plumbline.kinds.rooms import EVERY_ROOM

NARROW = frozenset({"composition", "terraform", "secrets"})
ALLOWED_TO_OBSERVE = {*READ, "create", "update", "patch"}


def wanted(**asked):
    return Wanted(image="registry.example/plumbline:1", version="1", **asked)


def of(printed, kind):
    return [each for each in printed if each["kind"] == kind]


def rules_of(printed, kind="ClusterRole"):
    return [rule for role in of(printed, kind) if WHY in role["metadata"].get("annotations", {}) for rule in role.get("rules", ())]  # fmt: skip


def container(printed):
    ((each,),) = [each["spec"]["template"]["spec"]["containers"] for each in of(printed, "Deployment")]
    return each


@pytest.mark.parametrize("mode", ["observe", "adopt", "enforce"])
@pytest.mark.parametrize("only", [EVERY_ROOM, NARROW, frozenset({"secrets"}), frozenset({"terraform"})])
def test_the_same_question_has_the_same_answer(mode, only):
    asked = wanted(mode=mode, only=only)
    assert encode(manifests(asked)) == encode(manifests(asked))
    names = [(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in manifests(asked)]
    assert len(names) == len(set(names))


def test_no_settings_are_printed_since_they_are_peoples():
    printed = manifests(wanted(mode="enforce", replicas=3, certificates="c"))
    assert {each["kind"] for each in printed}.isdisjoint(
        {"ConfigMap", "Secret", "AppProject", "Application", "Mandate"}
    )


@pytest.mark.parametrize(
    ("only", "missing", "why"),
    [
        (EVERY_ROOM, set(), "all rooms, all kinds"),
        (frozenset({"delivery"}), {"Composition", "Terraform", "SealedSecret"}, "what nobody looks after is not brought"),
        (frozenset({"secrets"}), {"Composition", "Terraform"}, "Applications are there: settings and pages are about them"),
    ],
)  # fmt: skip
def test_kinds_come_with_their_rooms(only, missing, why):
    found = {each["spec"]["names"]["kind"] for each in definitions(only)}
    assert not found & missing, why
    assert {"Application", "AppProject", "Mandate"} <= found
    if only == EVERY_ROOM:
        assert found == {kind.kind for kind in KINDS}


def test_who_observes_may_not_write_anywhere_but_at_home():
    for only in (EVERY_ROOM, NARROW, frozenset({"secrets", "terraform"})):
        printed = manifests(wanted(only=only))
        assert {verb for rule in rules_of(printed) for verb in rule["verbs"]} <= set(READ)
        assert {verb for rule in rules_of(printed, "Role") for verb in rule["verbs"]} <= ALLOWED_TO_OBSERVE
        assert not of(printed, "ValidatingWebhookConfiguration")
        assert "--enforce" not in container(printed)["args"]


def test_only_delivery_needs_everything():
    assert rules_of(manifests(wanted(mode="enforce"))) == [EVERYTHING.manifest()]
    assert rules_of(manifests(wanted())) == [READ_EVERYTHING.manifest()]
    narrow = rules_of(manifests(wanted(mode="enforce", only=NARROW)))
    assert all("*" not in rule["apiGroups"] for rule in narrow)
    secrets = rules_of(manifests(wanted(mode="enforce", only=frozenset({"secrets"}))))
    assert {each for rule in secrets for each in rule["resources"]}.isdisjoint({"jobs", "terraforms", "compositions"})


def test_who_writes_on_being_told_has_the_same_rights_and_is_not_told_to():
    adopting, enforcing = manifests(wanted(mode="adopt")), manifests(wanted(mode="enforce"))
    assert rules_of(adopting) == rules_of(enforcing)
    assert {*container(enforcing)["args"]} - {*container(adopting)["args"]} == {"--enforce"}


def test_every_rule_says_why():
    for rule in (*OWN, *BASE, *itertools.chain(*ROOMS.values()), provided(), EVERYTHING, READ_EVERYTHING):
        assert rule.why
        assert rule.verbs


def test_managed_kinds_of_every_provider_may_be_written():
    groups = provided().groups
    assert {"rds.aws.upbound.io", "rds.aws.m.upbound.io", "kubernetes.crossplane.io", "postgresql.sql.crossplane.io"} < {*groups}  # fmt: skip
    assert list(groups) == sorted(groups)


@pytest.mark.parametrize("mode", ["observe", "adopt", "enforce"])
@pytest.mark.parametrize("only", [EVERY_ROOM, NARROW, frozenset({"delivery"}), frozenset({"secrets"})])
def test_the_program_understands_what_it_is_told(mode, only):
    said = arguments(wanted(mode=mode, only=only, certificates="c", journal="j"))[1:]
    known = {name for option in run.params for name in option.opts}
    assert {each.partition("=")[0] for each in said} <= known


def test_sidecars_of_plugins_find_a_folder_to_share():
    pod = deployment(wanted(plugins=True))["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert {"name": "plugins", "emptyDir": {}} in pod["volumes"]
    assert {"name": "plugins", "mountPath": "/home/argocd/cmp-server/plugins"} in container["volumeMounts"]
    assert "--plugins=/home/argocd/cmp-server/plugins" in container["args"]
    assert "plugins" not in str(deployment(wanted()))


def test_sidecars_as_they_are_described_share_that_folder_and_nothing_else():
    (described,) = [each.text for each in blocks("yaml") if "argocd-cmp-server" in each.text]
    (patch,) = [each.value for each in load_documents(described, source="docs/plugins.md")]
    (sidecar,) = patch["spec"]["template"]["spec"]["containers"]
    (ours,) = deployment(wanted(plugins=True))["spec"]["template"]["spec"]["containers"]
    theirs, own = ({each["name"] for each in container["volumeMounts"]} for container in (sidecar, ours))
    assert theirs & own == {"plugins"}


def test_logins_that_were_allowed_are_passed_on_in_one_order():
    asked = wanted(login_commands=frozenset({"kubelogin", "/opt/a"}), login_hosts=frozenset({"b.example", "a.example"}))
    said = [each for each in arguments(asked) if each.startswith("--login")]
    assert said == [
        "--login-command=/opt/a",
        "--login-command=kubelogin",
        "--login-host=a.example",
        "--login-host=b.example",
    ]
    assert not [each for each in arguments(wanted()) if each.startswith("--login")]


def test_a_pod_has_no_privileges_and_writes_to_its_own_folders_only():
    printed = manifests(wanted())
    (deployment,) = of(printed, "Deployment")
    pod, inside = deployment["spec"]["template"]["spec"], container(printed)
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert inside["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {each["mountPath"] for each in inside["volumeMounts"]} == {"/var/lib/plumbline", "/tmp"}
    assert "limits" in inside["resources"]


def test_several_replicas_are_spread_and_never_all_taken_away():
    printed = manifests(wanted(replicas=3))
    (deployment,), (budget,) = of(printed, "Deployment"), of(printed, "PodDisruptionBudget")
    assert deployment["spec"]["replicas"] == 3
    assert len(deployment["spec"]["template"]["spec"]["topologySpreadConstraints"]) == 2
    assert budget["spec"]["maxUnavailable"] == 1
    alone = manifests(wanted())
    assert not of(alone, "PodDisruptionBudget")
    assert "topologySpreadConstraints" not in of(alone, "Deployment")[0]["spec"]["template"]["spec"]


def test_a_kept_folder_is_for_one_pod_at_a_time():
    (deployment,) = of(manifests(wanted(claim="kept", priority_class="high")), "Deployment")
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    pod = deployment["spec"]["template"]["spec"]
    assert {"name": "kept", "persistentVolumeClaim": {"claimName": "kept"}} in pod["volumes"]
    assert pod["priorityClassName"] == "high"


@pytest.mark.parametrize(
    ("asked", "admits", "why"),
    [
        ({"mode": "enforce"}, True, "one replica makes its own certificate"),
        ({"mode": "enforce", "replicas": 2}, False, "each would make another"),
        ({"mode": "enforce", "replicas": 2, "certificates": "c"}, True, "they share one"),
        ({}, False, "who observes tells no API server to ask"),
        ({"mode": "enforce", "only": frozenset({"secrets"})}, False, "there is nothing to ask"),
    ],
)
def test_api_servers_ask_where_everybody_can_answer(asked, admits, why):
    printed = manifests(wanted(**asked))
    services = {each["metadata"]["name"] for each in of(printed, "Service")}
    assert ("plumbline-admission" in services) is admits, why
    assert any(each.startswith("--admission-service") for each in container(printed)["args"]) is admits
    mounted = {each["name"] for each in container(printed)["volumeMounts"]}
    assert ("admission" in mounted) is (admits and "certificates" in asked)


def test_the_ports_for_api_servers_are_open_to_them_alone_where_it_is_known_where_they_are():
    (anywhere,) = of(manifests(wanted(mode="enforce")), "NetworkPolicy")
    assert [each.get("from") for each in anywhere["spec"]["ingress"]] == [None, None]
    (policy,) = of(manifests(wanted(mode="enforce", api_servers=("10.0.0.0/24",))), "NetworkPolicy")
    web, asked = policy["spec"]["ingress"]
    assert "from" not in web
    assert asked["from"] == [{"ipBlock": {"cidr": "10.0.0.0/24"}}]
    assert [each["port"] for each in asked["ports"]] == [8081, 9443]
    (bare,) = of(manifests(wanted(only=frozenset({"delivery"}))), "NetworkPolicy")
    assert len(bare["spec"]["ingress"]) == 1


def test_kubeseal_finds_pods_of_its_services_own_namespace():
    printed = manifests(wanted(namespace="platform"))
    (service,) = [each for each in of(printed, "Service") if each["metadata"]["name"] == "sealed-secrets-controller"]
    assert service["metadata"]["namespace"] == "platform"
    (deployment,) = of(printed, "Deployment")
    assert service["spec"]["selector"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


def test_roles_for_people_come_along_where_they_can_be_used():
    names = {each["metadata"]["name"] for each in of(manifests(wanted(mode="enforce")), "ClusterRole")}
    assert {"crossplane-edit", "plumbline-people"} <= names
    assert "plumbline-people" not in {each["metadata"]["name"] for each in manifests(wanted())}
    for role in of(manifests(wanted(mode="enforce", only=NARROW)), "ClusterRole"):
        assert ("rules" in role) is not ("aggregationRule" in role), "what is gathered is not ours to say"
