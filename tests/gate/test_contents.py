"""What goes with an object that nobody has named."""

import pytest

from plumbline.gate.contents import CONTAINERS, held
from plumbline.kube.names import GroupKind, Ref

CASES = [
    ("", "ConfigMap", "", "it is in Git"),
    ("", "PersistentVolumeClaim", "a volume", "what is on it is not"),
    ("rds.aws.upbound.io", "Instance", "a database", "clouds' services are known by their group"),
    ("infra.contrib.fluxcd.io", "Terraform", "everything that its module has made", "it may be told to destroy it"),
]


@pytest.mark.parametrize(("group", "kind", "lost", "why"), CASES)
def test_what_is_lost_with_it(group, kind, lost, why):
    assert held(Ref(group, kind, "shop", "x")) == lost, why


def test_a_terraform_object_stands_for_more_than_itself():
    assert GroupKind("infra.contrib.fluxcd.io", "Terraform") in CONTAINERS
