import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kube.names import Ref
from plumbline.ownership import Claim, ClusterObject, External, Owner, Unnamed
from plumbline.ownership.boundaries import BOUNDARY, Placed, Policy, Rule, boundary, judge
from plumbline.ownership.declared import File, read_policy

SHOP = Owner.of("application", Ref("argoproj.io", "Application", "argocd", "shop"))
INFRA = Owner("terraform", "infra/prod")
DATABASE = Owner.of("crossplane", Ref("rds.aws.upbound.io", "Instance", "", "orders"))
CLAIMANT = Owner.of("claim", Ref("example.org", "Database", "shop", "orders"))

# The boundary rules that the hybrid pattern of platform teams comes down to.
POLICY = b"""\
apiVersion: plumbline.dev/v1alpha1
kind: Boundary
metadata: {name: platform}
spec:
  rules:
    - name: service-roles
      external: [aws_iam_role]
      names: ["svc-*"]
      engines: [crossplane]
    - name: foundations
      reason: Networks, clusters and identities change rarely, and with a review.
      external: [aws_vpc, aws_subnet, aws_eks_*, aws_iam_*]
      engines: [terraform]
      owners: [infra/*]
    - name: team-databases
      external: ["aws_db_*", "!aws_db_subnet_group"]
      engines: [crossplane]
    - name: cluster-content
      kinds: ["*"]
      namespaces: ["!kube-system"]
      engines: [application, crossplane]
"""


@pytest.fixture
def policy():
    return read_policy([File(".plumbline/boundaries.yaml", POLICY)])


def deployment(namespace):
    return ClusterObject(Ref("apps", "Deployment", namespace, "web"))


JUDGED = [
    (External("aws_vpc", "vpc-1"), INFRA, None, "Terraform owns networks"),
    (Unnamed("aws_vpc", "aws_vpc.main", assigned=True), INFRA, None, "even before they have an id"),
    (Unnamed("aws_vpc", "VPC in the template", assigned=True), DATABASE, "foundations", "nobody else does"),
    (External("aws_vpc", "vpc-1"), Owner("terraform", "teams/shop"), "foundations", "nor another folder of Terraform's"),
    (External("aws_iam_role", "svc-shop"), DATABASE, None, "an exception comes first"),
    (External("aws_iam_role", "admin"), DATABASE, "foundations", "what it does not name falls to the next"),
    (External("aws_db_instance", "orders"), DATABASE, None, "Crossplane owns databases"),
    (External("aws_db_instance", "orders"), CLAIMANT, None, "a claim is Crossplane's too"),
    (External("aws_db_instance", "orders"), INFRA, "team-databases", "Terraform does not"),
    (External("aws_db_subnet_group", "main"), INFRA, None, "what is left out is nobody's business"),
    (External("aws_sqs_queue", "jobs"), INFRA, None, "what no rule is about is allowed"),
    (deployment("shop"), SHOP, None, "Applications own what runs inside"),
    (deployment("shop"), INFRA, "cluster-content", "Terraform does not create Deployments"),
    (deployment("kube-system"), INFRA, None, "but for what is left out"),
    (deployment("shop"), Owner("directory", "apps"), None, "folders own nothing by themselves"),
]  # fmt: skip


@pytest.mark.parametrize(("resource", "owner", "rule", "why"), JUDGED, ids=[row[3] for row in JUDGED])
def test_the_first_rule_about_a_resource_decides(policy, resource, owner, rule, why):
    violation = judge(policy, Claim(resource, owner))
    assert (violation.rule.rule.name if violation else None) == rule


def test_a_violation_names_the_rule_its_line_and_whom_it_allows(policy):
    violation = judge(policy, Claim(External("aws_vpc", "vpc-1"), DATABASE))
    assert violation.rule.place == ".plumbline/boundaries.yaml:10"
    assert violation.why == (
        "only terraform named infra/* may own it, and managed resource Instance.rds.aws.upbound.io/orders claims it"
    )


def test_traces_are_not_judged(policy):
    assert judge(policy, Claim(deployment("shop"), INFRA, strength="observed")) is None


def test_what_no_rule_is_about_can_be_denied():
    rule = Placed(Rule(name="x", external=("aws_vpc",), engines=("terraform",)))
    policy = Policy((rule,), "deny")
    violation = judge(policy, Claim(External("aws_sqs_queue", "jobs"), INFRA))
    assert violation.rule is None
    assert violation.why == "no rule allows anybody to own it"
    assert judge(policy, Claim(External("aws_vpc", "x"), INFRA)) is None
    assert judge(Policy((), "deny"), Claim(External("aws_sqs_queue", "jobs"), INFRA)) is None, "no rules, no policy"


def test_rules_about_names_or_namespaces_alone():
    by_name = Policy((Placed(Rule(name="x", names=("legacy-*",), engines=("terraform",))),))
    by_namespace = Policy((Placed(Rule(name="x", namespaces=("shop",), engines=("application",))),))
    assert judge(by_name, Claim(External("aws_sqs_queue", "legacy-1"), SHOP))
    assert judge(by_name, Claim(ClusterObject(Ref("", "ConfigMap", "a", "legacy-1")), SHOP))
    assert not judge(by_name, Claim(Unnamed("aws_vpc", "x"), SHOP))
    assert judge(by_namespace, Claim(deployment("shop"), INFRA))
    assert not judge(by_namespace, Claim(External("aws_vpc", "shop"), INFRA))


def spec(**fields):
    return {"apiVersion": "plumbline.dev/v1alpha1", "kind": "Boundary", "metadata": {"name": "a"}, "spec": fields}


REFUSED = [
    (spec(rules=[{"name": "x", "externals": ["a"], "engines": ["terraform"]}]), "no such field", "a typing error"),
    (spec(rules=[{"name": "x", "engines": ["terraform"]}]), "does not say what", "a rule about nothing"),
    (spec(rules=[{"name": "x", "external": ["a"]}]), "allows nobody", "a rule for nobody"),
    (spec(rules=[{"name": "x", "external": ["a"], "engines": ["pulumi"]}]), "pulumi", "an engine that there is not"),
    (spec(rules=[{"external": ["a"], "engines": ["terraform"]}]), "required", "a rule without name"),
    (spec(otherwise="perhaps"), "perhaps", "neither yes nor no"),
    ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, "ConfigMap", "something else"),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "word", "why"), REFUSED, ids=[row[2] for row in REFUSED])
def test_a_policy_that_cannot_be_meant_is_refused(obj, word, why):
    with pytest.raises(InvalidInput) as refused:
        boundary(obj)
    assert word in str(refused.value)


def test_several_files_and_documents_are_one_policy():
    first = POLICY + b"---\n" + POLICY.replace(b"name: platform", b"name: more")
    second = b"apiVersion: plumbline.dev/v1alpha1\nkind: Boundary\nmetadata: {name: b}\nspec: {otherwise: deny}\n"
    policy = read_policy([File("a.yaml", first), File("b.yaml", second)])
    assert len(policy.rules) == 8
    assert (policy.otherwise, policy.file) == ("deny", "b.yaml")
    assert policy.rules[4].line == 28
    with pytest.raises(InvalidInput):
        read_policy([File("a.yaml", b"- no\n")])


def test_a_boundary_is_a_kind_like_others():
    assert str(BOUNDARY.gvk) == "plumbline.dev/v1alpha1, Kind=Boundary"
    assert Placed(Rule(name="x"), "a.yaml").place == "a.yaml"
