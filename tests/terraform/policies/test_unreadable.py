"""A policy that cannot be read forbids: nobody knows what it was there to prevent."""

from plumbline.base.json import encode
from plumbline.kernel.cache import Relevance, cached
from plumbline.terraform.policies import combined
from plumbline.terraform.terraform import policy_in


def entry(spec):
    metadata = {"name": "careful", "namespace": "infra"}
    obj = {"apiVersion": "plumbline.dev/v1alpha1", "kind": "TerraformPolicy", "metadata": metadata, "spec": spec}
    return cached(encode(obj), Relevance())


def test_what_can_be_read_is_what_it_says():
    assert policy_in(entry({"approvals": 3})).approvals == 3


def test_what_cannot_be_read_lets_nothing_pass():
    policy = combined([policy_in(entry({"approvals": "three"}))])
    assert not policy.may_approve("ann", ["leads"])
    assert not policy.permits("registry.example/hashicorp/aws")
    assert not policy.passes("destroy", "terraform_data")
    assert not any((policy.corrects_drift, policy.external_data, policy.provisioners))
