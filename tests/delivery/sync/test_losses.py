import pytest
from tests.delivery.sync.world import STARTED, desired, everything, there

from plumbline.delivery.sync import Sync, losses, plan
from plumbline.delivery.sync.losses import replacement
from plumbline.delivery.sync.options import parsed
from plumbline.gate.contents import held
from plumbline.gate.intents import Loss
from plumbline.kube.names import Ref


def _plan(wanted, live, **rest):
    return plan(Sync(started_at=STARTED, namespace="ns", prune=True, **rest), wanted, live, everything)


def test_losses_are_what_would_be_pruned_out_of_all_that_is_there():
    kept = desired("ConfigMap", "kept")
    live = there(
        (kept, None),
        (desired("ConfigMap", "old"), None),
        (desired("PersistentVolumeClaim", "store"), None),
        (desired("Namespace", "asked", options="Prune=confirm"), None),
        (desired("Secret", "stays", options="Prune=false"), None),
        (desired("Job", "hook", hook="PreSync"), None),
    )
    destruction = losses(_plan([kept, desired("Secret", "new")], live, options=parsed(["CreateNamespace=true"])))
    assert sorted(destruction.losses) == [
        Loss("ConfigMap/ns/old"),
        Loss("Namespace/asked", "everything in the namespace", stateful=True),
        Loss("PersistentVolumeClaim/ns/store", "a volume", stateful=True),
    ]
    assert (destruction.how, destruction.out_of, destruction.requested) == ("prune", 5, False)


def test_a_sync_that_does_not_prune_loses_nothing():
    sync = Sync(started_at=STARTED)
    tasks = plan(sync, [], there((desired("ConfigMap", "old"), None)), everything)
    assert losses(tasks, requested=True).losses == ()


def test_what_is_deleted_and_made_again_is_asked_for_unless_more_goes_with_it():
    stateful = replacement(Ref("apps", "StatefulSet", "ns", "db"))
    assert (stateful.how, stateful.requested, stateful.losses[0].stateful) == ("replacement", False, True)
    assert replacement(Ref("batch", "Job", "ns", "work")).requested


@pytest.mark.parametrize(
    ("group", "kind", "expected", "why"),
    [
        ("", "ConfigMap", "", "it is in Git"),
        ("apps", "Deployment", "", "nothing in it lasts"),
        ("apps", "StatefulSet", "the workload of volumes", "its volumes are claims"),
        ("postgresql.cnpg.io", "Cluster", "a database", "an operator's database"),
        ("rds.aws.upbound.io", "Instance", "a database", "a provider's database"),
        ("s3.aws.upbound.io", "Bucket", "a bucket", "objects in it"),
        ("sql.cnrm.cloud.google.com", "SQLInstance", "a database", "another provider's"),
        ("iam.aws.upbound.io", "Role", "", "a role can be made again"),
        ("platform.acme.example", "PostgreSQLInstance", "a postgres", "a claim that is called what it is"),
        ("platform.acme.example", "Frontend", "", "a claim that is not"),
        ("storage.k8s.io", "VolumeAttachment", "", "Kubernetes' own are known one by one"),
    ],
)
def test_what_cannot_be_made_again_is_known(group, kind, expected, why):
    assert held(Ref(group, kind, "ns", "x")) == expected, why
