"""The most dangerous anti-pattern: two tools look after one thing, each undoing what the other does.

Terraform creates aws_db_instance.main and its state tracks it; Crossplane creates the same instance through a managed
resource or a Composition and tracks it too. Both are found in files, before anything is written, with both lines.
"""

import pytest

from plumbline.base.json import encode
from plumbline.ownership import External
from plumbline.ownership.declared import File, check

HCL = b"""\
provider "aws" {
  region = "us-east-1"
}

variable "name" {
  default = "orders"
}

resource "aws_db_instance" "main" {
  identifier     = "${var.name}-db"
  instance_class = "db.t3.micro"
}
"""
MANAGED = b"""\
apiVersion: rds.aws.upbound.io/v1beta3
kind: Instance
metadata:
  name: orders
spec:
  forProvider:
    region: us-east-1
    identifier: orders-db
    instanceClass: db.t3.micro
"""
COMPOSITION = b"""\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: databases
spec:
  compositeTypeRef:
    apiVersion: example.org/v1
    kind: XDatabase
  mode: Pipeline
  pipeline:
    - step: compose
      functionRef:
        name: function-patch-and-transform
      input:
        apiVersion: pt.fn.crossplane.io/v1beta1
        kind: Resources
        resources:
          - name: rds
            base:
              apiVersion: rds.aws.upbound.io/v1beta1
              kind: Instance
              spec:
                forProvider:
                  identifier: orders-db
                  region: us-east-1
"""
STATE = encode({
    "version": 4,
    "resources": [
        {
            "mode": "managed",
            "type": "aws_db_instance",
            "name": "main",
            "instances": [
                {"attributes": {"id": "db-ABCDEFGHIJKLMNOPQRSTUVWXYZ", "arn": "arn:aws:rds:us-east-1:123456789012:db:orders-db"}}
            ],
        }
    ],
})  # fmt: skip
DATABASE = External("aws_db_instance", "orders-db", "us-east-1")


def sides(conflict):
    return {(str(claim.owner), claim.source.place) for claim in conflict.claims}


TERRAFORM = ("Terraform infra", "infra/main.tf:9")
CASES = [
    (
        [File("infra/main.tf", HCL), File("apps/db.yaml", MANAGED)],
        {TERRAFORM, ("managed resource Instance.rds.aws.upbound.io/orders", "apps/db.yaml:8")},
        "HCL and a managed resource",
    ),
    (
        [File("infra/main.tf", HCL), File("platform/composition.yaml", COMPOSITION)],
        {TERRAFORM, ("Composition databases", "platform/composition.yaml:24")},
        "HCL and a Composition",
    ),
    (
        [File("infra/terraform.tfstate", STATE), File("apps/db.yaml", MANAGED)],
        {
            ("Terraform infra", "infra/terraform.tfstate"),
            ("managed resource Instance.rds.aws.upbound.io/orders", "apps/db.yaml:8"),
        },
        "state, which knows the ARN, and a managed resource, which does not",
    ),
]


@pytest.mark.parametrize(("files", "expected", "why"), CASES, ids=[row[2] for row in CASES])
def test_terraform_and_crossplane_collide_visibly(files, expected, why):
    report = check(files)
    (conflict,) = report.conflicts
    assert sides(conflict) == expected
    assert conflict.resource.key == DATABASE.key
    assert not report.passed


def test_the_order_of_files_does_not_matter():
    files = [File("infra/main.tf", HCL), File("apps/db.yaml", MANAGED), File("platform/c.yaml", COMPOSITION)]
    assert check(files) == check(files[::-1])
    assert len(check(files).conflicts[0].claims) == 3


def test_it_is_settled_once_one_of_them_lets_go():
    observing = MANAGED.replace(b"spec:\n", b'spec:\n  managementPolicies: ["Observe"]\n')
    removed = b"removed {\n  from = aws_db_instance.main\n  lifecycle { destroy = false }\n}\n"
    elsewhere = MANAGED.replace(b"us-east-1", b"eu-west-1")
    for files in (
        [File("infra/main.tf", HCL), File("apps/db.yaml", observing)],
        [File("infra/main.tf", removed), File("apps/db.yaml", MANAGED)],
        [File("infra/main.tf", HCL), File("apps/db.yaml", elsewhere)],
    ):
        assert check(files).passed
