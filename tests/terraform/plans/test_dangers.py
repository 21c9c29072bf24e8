"""What is not done unasked, and what people are told about it."""

import msgspec
import pytest

from plumbline.kinds.terraform import Auto
from plumbline.terraform.plans import Share, brief, dangers, summarised
from plumbline.terraform.policies import Policy

from .samples import change, prior, real, summary


def _kinds(found):
    return [(danger.kind, danger.severity, danger.address) for danger in found]


def _sentences(*changes, **fields):
    return [danger.sentence for danger in dangers(summary(*changes, **fields))]


def test_a_real_plan_with_some_of_all():
    assert _kinds(dangers(summarised(real("mixed")))) == [
        ("unprotect", "high", 'module.net["a"].terraform_data.subnet[0]'),
        ("destroy", "low", 'module.net["b"].terraform_data.subnet[0]'),
        ("output-removed", "low", "list"),
        ("output-removed", "low", "secret"),
        ("replace", "low", "terraform_data.reads"),
    ]


@pytest.mark.parametrize("name", ["create", "nothing", "tofu", "errored"])
def test_plans_that_only_add_are_no_danger(name):
    assert dangers(summarised(real(name))) == ()


def test_a_rename_and_an_import_are_no_danger_but_forgetting_is():
    assert _kinds(dangers(summarised(real("forget")))) == [("forget", "low", "terraform_data.gone")]


def test_a_deposed_object_is_destroyed():
    (found,) = dangers(summarised(real("deposed")))
    assert (found.kind, found.consent) == ("deposed", "destroy")
    assert brief(found) == "destroys what a failed replacement left of terraform_data.a"


SENTENCES = [
    (
        change("aws_db_instance.main", "delete", action_reason="delete_because_no_resource_config"),
        "destroys aws_db_instance.main because its block is gone, and a database is lost",
        "data",
    ),
    (
        change("aws_db_instance.main", "delete", "create", replace_paths=[["a"], ["b"], ["c", 0], ["d"]]),
        "replaces aws_db_instance.main because a, b, c[0] and 1 more cannot change in place, and a database is lost",
        "data, too",
    ),
    (
        change("aws_kms_key.k", "create", "delete", action_reason="replace_because_tainted"),
        "replaces aws_kms_key.k because it is tainted, and keys are lost",
        "made before the old one goes, which goes all the same",
    ),
    (change("aws_vpc.v", "delete"), "destroys aws_vpc.v, and others may need it: a network", "reach"),
    (
        change("x_y.z", "delete", action_reason="delete_because_of_the_moon"),
        "destroys x_y.z because delete because of the moon",
        "a reason to come",
    ),
    (change("x_y.z", "forget"), "forgets x_y.z: it stays, and nobody looks after it any more", "forgotten"),
    (change("x_y.z", "create", "forget"), "forgets x_y.z: it stays, and nobody looks after it any more", "the old one"),
    (change("x_y.z", "explode"), "does something unknown to x_y.z (explode)", "an action to come"),
]


@pytest.mark.parametrize(("planned", "sentence", "why"), SENTENCES)
def test_says_what_would_be_lost_and_why(planned, sentence, why):
    assert _sentences(planned, **prior("a.a", "a.b", "a.c")) == [sentence], why


SEVERITIES = [
    ("aws_s3_bucket.b", "high", "a bucket"),
    ("google_sql_database_instance.d", "high", "a database"),
    ("azurerm_key_vault_key.k", "high", "keys"),
    ("random_password.p", "high", "a secret that exists nowhere else"),
    ("kubernetes_namespace_v1.n", "high", "everything in the namespace"),
    ("aws_iam_role.r", "medium", ""),
    ("some_thing.t", "medium", ""),
    ("null_resource.n", "low", ""),
    ("terraform_data.t", "low", ""),
]


@pytest.mark.parametrize(("address", "severity", "lost"), SEVERITIES)
def test_data_weigh_most(address, severity, lost):
    (found,) = dangers(summary(change(address, "delete"), **prior("a.a", "a.b", "a.c")))
    assert (found.severity, found.lost, found.stateful) == (severity, lost, bool(lost))


WEAKENED = [
    ({"deletion_protection": True}, {"deletion_protection": False}, "turned off"),
    ({"deletion_protection": True}, {}, "left out, which is the provider's default"),
    ({"skip_final_snapshot": False}, {"skip_final_snapshot": True}, "turned on"),
    ({"force_destroy": None}, {"force_destroy": True}, "turned on where nothing was said"),
    ({"backup_retention_period": 7}, {"backup_retention_period": 0}, "no backups"),
    ({"backup_retention_period": "7"}, {"backup_retention_period": "0"}, "as texts"),
    ({"versioning": [{"enabled": True}]}, {"versioning": [{"enabled": False}]}, "within a block"),
    ({"versioning": [{"enabled": True}]}, {"versioning": []}, "with its block"),
    (
        {"versioning_configuration": [{"status": "Enabled"}]},
        {"versioning_configuration": [{"status": "Suspended"}]},
        "as a word",
    ),
    ({"reclaim_policy": "Retain"}, {"reclaim_policy": "Delete"}, "another word"),
    ({"input": {"deep": [{"prevent_deletion": True}]}}, {"input": {"deep": [{"prevent_deletion": False}]}}, "deep"),
]


@pytest.mark.parametrize(("before", "after", "why"), WEAKENED)
def test_protection_that_is_taken_off_is_a_danger(before, after, why):
    (found,) = dangers(summary(change("x_y.z", "update", before=before, after=after)))
    assert (found.kind, found.consent, found.severity) == ("unprotect", "unprotect", "high"), why
    assert dangers(summary(change("x_y.z", "update", before=after, after=before))) == (), "putting it on is none"
    assert dangers(summary(change("x_y.z", "create", after=after))) == (), "what is new had none"


def test_protection_that_may_be_taken_off_counts_as_taken_off():
    unknown = {"deletion_protection": True, "force_destroy": True, "backup_retention_period": True}
    before = {"deletion_protection": True, "force_destroy": False, "backup_retention_period": 3}
    found = dangers(summary(change("x_y.z", "update", before=before, after={}, after_unknown=unknown)))
    assert len(found) == 3


def test_protection_is_seen_where_it_is_sensitive_or_beyond_what_is_shown():
    before = {f"a{at:03}": 1 for at in range(300)} | {"z": {"deletion_protection": True, "x": "secret-value"}}
    after = {f"a{at:03}": 2 for at in range(300)} | {"z": {"deletion_protection": False, "x": "secret-value"}}
    planned = change("x_y.z", "update", before=before, after=after, after_sensitive={"z": True})
    (found,) = dangers(summary(planned))
    assert found.sentence == "takes protection off x_y.z: z.deletion_protection changes, so that it can be deleted"


OPENED = [
    ({"ingress": []}, {"ingress": [{"from_port": 22, "cidr_blocks": ["0.0.0.0/0"]}]}, 1, "a new rule"),
    (
        {"ingress": [{"from_port": 443, "cidr_blocks": ["0.0.0.0/0"]}]},
        {"ingress": [{"from_port": 22, "cidr_blocks": ["0.0.0.0/0"]}]},
        1,
        "the same addresses and another port",
    ),
    (
        {"ingress": [{"from_port": 1, "cidr_blocks": []}, {"from_port": 443, "cidr_blocks": ["::/0"]}]},
        {"ingress": [{"from_port": 443, "cidr_blocks": ["::/0"]}]},
        0,
        "a rule that only stands elsewhere",
    ),
    ({"egress": []}, {"egress": [{"cidr_blocks": ["0.0.0.0/0"]}]}, 0, "the way out"),
    ({"type": "egress"}, {"type": "egress", "cidr_blocks": ["0.0.0.0/0"]}, 0, "the way out, as a resource"),
    ({}, {"direction": "Inbound", "access": "Allow", "source_address_prefix": "*"}, 1, "Azure"),
    ({}, {"direction": "Inbound", "access": "Deny", "source_address_prefix": "*"}, 0, "Azure denies"),
    ({"source_ranges": ["10.0.0.0/8"]}, {"source_ranges": ["0.0.0.0/0"]}, 1, "Google"),
    ({}, {"member": "allUsers", "role": "roles/viewer"}, 1, "everybody is a member"),
    ({}, {"settings": [{"authorized_networks": [{"value": "0.0.0.0/0"}]}]}, 1, "a database that is open"),
    ({"publicly_accessible": False}, {"publicly_accessible": True}, 1, "said so"),
    ({"acl": "private"}, {"acl": "public-read"}, 1, "a bucket that is open"),
    ({"block_public_acls": True}, {"block_public_acls": False}, 1, "a bucket that may be"),
    ({}, {"principal": "*"}, 1, "anybody may call it"),
    ({"route": []}, {"route": [{"cidr_block": "0.0.0.0/0"}]}, 0, "a route leads there, and lets nobody in"),
    ({"publicly_accessible": True, "x": 1}, {"publicly_accessible": True, "x": 2}, 0, "open already"),
]


@pytest.mark.parametrize(("before", "after", "opened", "why"), OPENED)
def test_letting_in_everybody_is_a_danger(before, after, opened, why):
    found = dangers(summary(change("x_y.z", "update", before=before, after=after)))
    assert [danger.kind for danger in found] == ["opens"] * opened, why


def test_a_new_resource_that_lets_in_everybody_is_a_danger():
    (found,) = dangers(
        summary(change("aws_security_group.s", "create", after={"ingress": [{"cidr_blocks": ["0.0.0.0/0"]}]}))
    )
    assert brief(found) == "opens aws_security_group.s"


def test_a_resource_that_protects_others_is_more_than_destroyed():
    found = dangers(summary(change("azurerm_management_lock.l", "delete"), **prior("a.a", "a.b", "a.c")))
    assert [danger.kind for danger in found] == ["unprotect", "destroy"]


def test_data_sources_are_no_resources():
    assert dangers(summary({**change("x_y.z", "delete"), "mode": "data"})) == ()


SHARES = [
    (1, 1, False, "one of one is no share"),
    (2, 4, False, "half"),
    (3, 5, True, "more than half"),
    (11, 1000, True, "more than ten"),
    (2, 2, True, "all"),
]


@pytest.mark.parametrize(("gone", "managed", "told", "why"), SHARES)
def test_a_large_share_is_told(gone, managed, told, why):
    names = [f"x_y.n{at}" for at in range(managed)]
    found = dangers(summary(*(change(name, "delete") for name in names[:gone]), **prior(*names)))
    assert ("share" in [danger.kind for danger in found]) is told, why


def test_a_share_can_be_set():
    names = [f"x_y.n{at}" for at in range(10)]
    planned = summary(*(change(name, "delete") for name in names[:3]), **prior(*names))
    (found,) = [each for each in dangers(planned, share=Share(part=0.2)) if each.kind == "share"]
    assert brief(found) == "takes away 3 of 10 resources of the module"


def test_a_guard_that_went_with_its_block_or_alone_is_told():
    before = {"terraform_data.safe", "terraform_data.stays", "terraform_data.never_made"}
    found = dangers(summarised(real("guard")), guarded_before=before)
    assert [danger.sentence for danger in found] == [
        "takes protection off terraform_data.safe: its block is gone, and prevent_destroy with it",
        "takes protection off terraform_data.stays: prevent_destroy is gone",
        "destroys terraform_data.safe because its block is gone; prevent_destroy kept it until now",
    ]
    assert dangers(summarised(real("guard")), guarded_before=before, guarded_now=before)[-1].kind == "destroy"


def test_a_guard_moves_with_its_resource():
    moved = summarised(real("forget"))
    kept = {"terraform_data.kept"}
    assert "unprotect" not in [
        each.kind for each in dangers(moved, guarded_before=kept, guarded_now={"terraform_data.renamed"})
    ]
    assert "unprotect" in [each.kind for each in dangers(moved, guarded_before=kept)]


def test_a_guard_counts_for_what_a_targeted_plan_does_not_list():
    (found,) = dangers(summary(**prior("x_y.z[0]")), guarded_before={"x_y.z"})
    assert found.address == "x_y.z"


POLICIES = [
    (Auto(), ["destroy", "replace", "forget", "unprotect", "share"], "nothing passes"),
    (Auto(allow=("replace",)), ["destroy", "forget", "unprotect", "share"], "a class"),
    (Auto(allow=("destroy",)), ["replace", "forget", "unprotect"], "a share is of what is destroyed"),
    (
        Auto(allow=("destroy", "replace"), types=("null_*",)),
        ["destroy", "forget", "unprotect", "share"],
        "types, which a share has none of",
    ),
]


@pytest.mark.parametrize(("policy", "waiting", "why"), POLICIES)
def test_a_policy_lets_pass_what_it_names(policy, waiting, why):
    planned = summary(
        change("x_y.a", "delete"),
        change("null_resource.b", "delete", "create"),
        change("x_y.c", "forget"),
        change("x_y.d", "update", before={"force_destroy": False}, after={"force_destroy": True}),
    )
    assert sorted(each.kind for each in _waiting(dangers(planned), policy)) == sorted(waiting), why


def test_dangers_are_values_that_can_be_stored():
    found = dangers(summarised(real("mixed")))
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) is not None


def _waiting(found, auto):
    policy = Policy(auto=(auto,))
    return [each for each in found if not policy.passes(each.consent, each.type)]
