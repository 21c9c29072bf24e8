"""What files declare: who delivers which manifest, what Compositions make of claims, and what stays unknown."""

import pytest

from plumbline.base.json import encode
from plumbline.ownership import ClusterObject, External, Unnamed
from plumbline.ownership.boundaries import Placed, Policy, Rule
from plumbline.ownership.declared import File, Options, check
from plumbline.ownership.declared.manifests import Lines, read_manifests
from plumbline.ownership.declared.patches import formatted, inlined, patched
from plumbline.ownership.declared.report import report_json
from plumbline.ownership.external import Partial

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{more}}}\n"


def files(of):
    return [File(path, text if isinstance(text, bytes) else text.encode()) for path, text in of.items()]


def config(name="a", namespace=""):
    return CONFIG.format(name=name, more=f", namespace: {namespace}" if namespace else "")


def application(name, path, namespace="shop", **more):
    source = more.pop("source", {})
    destination = more.pop("destination", {"server": "https://kubernetes.default.svc"})
    lines = [
        "apiVersion: argoproj.io/v1alpha1",
        "kind: Application",
        f"metadata: {{name: {name}, namespace: argocd}}",
        "spec:",
        "  destination: " + str(destination | {"namespace": namespace}).replace("'", '"'),
        "  source: " + str({"repoURL": "x", "path": path} | source).replace("'", '"').replace("True", "true"),
    ]
    return "\n".join(lines) + "\n"


def owners(report_or_files, options=None):
    """Object to owners, from the claims of a check."""
    claims = _claims(report_or_files, options)
    found = {}
    for claim in claims:
        if isinstance(claim.resource, ClusterObject):
            found.setdefault(str(claim.resource), []).append(str(claim.owner))
    return {resource: sorted(names) for resource, names in found.items()}


def _claims(given, options):
    """Every claim: a policy that allows nobody makes each one visible."""
    nobody = Policy((Placed(Rule(name="all", kinds=("*",), external=("*",), owners=("-",))),))
    options = (options or Options())._replace(policy=nobody)
    report = check(given, options)
    return [violation.claim for violation in report.violations]


def read(of, **options):
    return check(files(of=of), Options(**options))


def test_an_application_owns_what_its_folder_holds_and_no_more():
    given = files(
        of={
            "apps/shop.yaml": application("shop", "k8s/shop"),
            "k8s/shop/a.yaml": config("a"),
            "k8s/shop/b.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "own"}}',
            "k8s/shop/deeper/c.yaml": config("c"),
            "k8s/shop/values.yaml": "replicas: 2\n",
            "k8s/other/d.yaml": config("d"),
        }
    )
    assert owners(given) == {
        "ConfigMap/own/b": ["Application argocd/shop"],
        "ConfigMap/shop/a": ["Application argocd/shop"],
    }


@pytest.mark.parametrize(
    ("directory", "expected", "why"),
    [
        ({"recurse": True}, {"a", "b", "c"}, "all levels"),
        ({"recurse": True, "include": "*.yaml"}, {"a", "c"}, "some names"),
        ({"exclude": "{a.yaml,x.yaml}"}, {"b"}, "all but some"),
    ],
)
def test_a_directory_source_says_which_files(directory, expected, why):
    given = files(
        of={
            "app.yaml": application("shop", "k8s", source={"directory": directory}),
            "k8s/a.yaml": config("a"),
            "k8s/b.yml": config("b"),
            "k8s/deeper/c.yaml": config("c"),
        }
    )
    assert {name.rpartition("/")[2] for name in owners(given)} == expected, why


def test_an_application_that_is_given_renders_to_what_is_in_the_folder_given():
    of = {
        "app.yaml": application("shop", "chart"),
        "chart/Chart.yaml": "name: shop\n",
        "chart/templates/a.yaml": "{{ broken",
        "rendered/deep/a.yaml": config("a", "shop"),
    }
    assert [each.why for each in read(of).unread] == [
        "Application argocd/shop renders it with Helm; give the result with --app NAME=FOLDER"
    ]
    found = owners(files(of=of), Options(apps={"shop": "rendered"}))
    assert found == {"ConfigMap/shop/a": ["Application argocd/shop"]}
    assert owners(files(of=of), Options(apps={"team/x": "rendered"})) == {"ConfigMap/shop/a": ["Application team/x"]}


def test_two_applications_that_deliver_one_object_are_in_conflict():
    report = read({
        "apps.yaml": application("one", "k8s/one") + "---\n" + application("two", "k8s/two"),
        "k8s/one/a.yaml": config("a"),
        "k8s/two/a.yaml": "\n\n" + config("a", "shop"),
    })  # fmt: skip
    (conflict,) = report.conflicts
    assert str(conflict.resource) == "ConfigMap/shop/a"
    assert [claim.source.place for claim in conflict.claims] == ["k8s/one/a.yaml:1", "k8s/two/a.yaml:3"]


def test_other_clusters_and_namespaces_are_other_objects():
    of = {
        "apps.yaml": application("one", "k8s") + "---\n" + application("two", "k8s", "other"),
        "more.yaml": application("three", "k8s", destination={"name": "prod"}),
        "k8s/a.yaml": config("a"),
    }
    assert read(of).passed
    assert set(owners(files(of=of))) == {"ConfigMap/shop/a", "ConfigMap/other/a", "ConfigMap/shop/a on prod"}


def test_applications_of_applications_own_each_other():
    given = files(
        of={
            "root/apps.yaml": application("root", "root") + "---\n" + application("leaf", "k8s"),
            "k8s/a.yaml": config(),
        }
    )
    assert owners(given) == {
        "Application.argoproj.io/argocd/root": ["Application argocd/root"],
        "Application.argoproj.io/argocd/leaf": ["Application argocd/root"],
        "ConfigMap/shop/a": ["Application argocd/leaf"],
    }


def test_objects_without_namespace_get_none():
    crd = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.org}\n"
        "spec: {group: example.org, scope: Cluster, names: {kind: Thing}}\n"
    )
    of = {
        "app.yaml": application("shop", "k8s"),
        "k8s/ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
        "k8s/crd.yaml": crd,
        "k8s/thing.yaml": "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: one}\n",
    }
    assert set(owners(files(of=of))) == {
        "Namespace/shop",
        "CustomResourceDefinition.apiextensions.k8s.io/things.example.org",
        "Thing.example.org/one",
    }


def test_lists_are_taken_apart_and_keep_their_lines():
    text = (
        "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: a}\n  - 5\n"
    )
    report = read({"one/a.yaml": text, "two/a.yaml": config("a")})
    (conflict,) = report.conflicts
    assert {claim.source.place for claim in conflict.claims} == {"one/a.yaml:4", "two/a.yaml:1"}


LISTS = [
    ("apiVersion: v1\nitems:\n- {0}\n- {1}\nkind: List\n", [3, 4], "as kubectl prints them"),
    ("apiVersion: v1\nkind: List\nitems:\n  - {0}\n  # between\n\n  - {1}\n", [4, 7], "indented"),
    ("kind: List\nitems: [{0},\n {1}]\n", [1, 1], "in one line: that of the list"),
    ('{{"kind": "List",\n "items": [\n  {0},\n  {1}\n ]}}', [3, 4], "in JSON"),
]


@pytest.mark.parametrize(("form", "expected", "why"), LISTS, ids=[row[2] for row in LISTS])
def test_items_of_lists_have_their_own_lines(form, expected, why):
    metadata = [{"name": name, "labels": {"x": "- y"}} for name in "ab"]
    items = [encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": each}).decode() for each in metadata]
    (manifests, _) = read_manifests(File("a.yaml", form.format(*items).encode()), Lines())
    assert [each.line for each in manifests] == expected


def test_a_list_of_thousands_is_not_read_thousands_of_times():
    instance = "- apiVersion: rds.aws.upbound.io/v1beta3\n  kind: Instance\n  metadata: {{name: i{0}}}\n  spec: {{forProvider: {{identifier: i{0}}}}}\n"
    text = "kind: List\nitems:\n" + "".join(instance.format(at) for at in range(3000))
    (manifests, _) = read_manifests(File("a.yaml", text.encode()), Lines(budget_bytes=len(text) * 3))
    assert [each.line_of(("spec", "forProvider", "identifier")) for each in manifests[:4]] == [6, 10, 11, 15]


def test_flux_delivers_with_everything_below():
    flux = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n"
        "spec: {path: ./k8s, targetNamespace: shop}\n"
    )
    given = files(of={"flux.yaml": flux, "k8s/deep/a.yaml": config("a")})
    assert owners(given)["ConfigMap/shop/a"] == ["Flux Kustomization.kustomize.toolkit.fluxcd.io/flux-system/apps"]


KUSTOMIZED = {
    "apps.yaml": application("dev", "overlays/dev") + "---\n" + application("prod", "overlays/prod"),
    "base/kustomization.yaml": "resources: [a.yaml, crd.yaml, https://example.org/x.yaml]\nnamePrefix: p-\n",
    "base/a.yaml": config("a"),
    "base/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: t.example.org}\n",
    "overlays/dev/kustomization.yaml": "resources: [../../base, missing.yaml]\nnamespace: dev\n",
    "overlays/prod/kustomization.yml": "bases: [../../base]\nnamespace: prod\nnameSuffix: -s\n",
}


def test_kustomizations_decide_names_and_namespaces():
    found = owners(files(of=KUSTOMIZED))
    assert found["ConfigMap/dev/p-a"] == ["Application argocd/dev"]
    assert found["ConfigMap/prod/p-a-s"] == ["Application argocd/prod"]
    report = read(KUSTOMIZED)
    assert [str(conflict.resource) for conflict in report.conflicts] == [
        "CustomResourceDefinition.apiextensions.k8s.io/t.example.org"
    ]
    assert {each.path for each in report.unread} == {"base/kustomization.yaml"}


def test_kustomizations_that_cannot_be_followed_are_named():
    of = {
        "app.yaml": application("a", "k8s") + "---\n" + application("b", "loop"),
        "k8s/kustomization.yaml": "{broken",
        "loop/kustomization.yaml": "resources: [../loop]\n",
    }
    assert [each.path for each in read(of).unread] == ["k8s/kustomization.yaml"]


def test_a_managed_resource_is_named_as_its_kustomization_names_it():
    of = {
        "app.yaml": application("shop", "k8s"),
        "k8s/kustomization.yaml": "resources: [b.yaml]\nnamePrefix: shop-\n",
        "k8s/b.yaml": "apiVersion: s3.aws.upbound.io/v1beta2\nkind: Bucket\nmetadata: {name: images}\n",
    }
    assert outside(of) == {
        ("managed resource Bucket.s3.aws.upbound.io/shop-images", External("aws_s3_bucket", "shop-images"))
    }


def test_objects_inside_of_others_are_here_where_the_files_say_so():
    config_ = "apiVersion: kubernetes.crossplane.io/v1alpha1\nkind: ProviderConfig\nmetadata: {name: here}\nspec: {credentials: {source: InjectedIdentity}}\n"
    held = "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {name: o}\nspec:\n  providerConfigRef: {name: here}\n  forProvider:\n    manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}\n"
    (conflict,) = read({"config.yaml": config_, "x/o.yaml": held, "y/a.yaml": config("a")}).conflicts
    assert [claim.source.place for claim in conflict.claims] == ["y/a.yaml:1", "x/o.yaml:7"]
    assert read({"x/o.yaml": held, "y/a.yaml": config("a")}).passed


XRD = """\
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xdatabases.example.org}
spec:
  group: example.org
  names: {kind: XDatabase, plural: xdatabases}
  claimNames: {kind: Database, plural: databases}
"""


def composition(patches, name="rds", base="forProvider: {identifier: fixed, region: us-east-1}", **more):
    return f"""\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {{name: {name}, labels: {{tier: {more.get("tier", "small")}}}}}
spec:
  compositeTypeRef: {{apiVersion: example.org/v1, kind: XDatabase}}
  patchSets:
    - name: region
      patches:
        - {{fromFieldPath: spec.region, toFieldPath: spec.forProvider.region}}
  resources:
    - name: rds
      base:
        apiVersion: rds.aws.upbound.io/v1beta1
        kind: Instance
        metadata: {{name: not-used}}
        spec: {{{base}}}
      patches: {patches}
"""


def database(name="orders", spec="{}", kind="Database"):
    namespace = ", namespace: shop" if kind == "Database" else ""
    return f"apiVersion: example.org/v1\nkind: {kind}\nmetadata: {{name: {name}{namespace}}}\nspec: {spec}\n"


def outside(of):
    return {
        (str(claim.owner), claim.resource)
        for claim in _claims(files(of=of), None)
        if not isinstance(claim.resource, ClusterObject)
    }


OWNER = "claim Database.example.org/shop/orders"
TO = "toFieldPath: spec.forProvider.identifier"
PATCHES = [
    ("[]", "{}", External("aws_db_instance", "fixed", "us-east-1"), "the base as it is"),
    (f"[{{fromFieldPath: spec.name, {TO}}}]", "{name: orders-db}", External("aws_db_instance", "orders-db", "us-east-1"), "from the claim"),
    (f"[{{fromFieldPath: spec.name, {TO}}}]", "{}", External("aws_db_instance", "fixed", "us-east-1"), "nothing to patch from"),
    (
        f"[{{fromFieldPath: spec.name, {TO}, transforms: [{{type: string, string: {{fmt: '%s-db'}}}}]}}]",
        "{name: orders}",
        External("aws_db_instance", "orders-db", "us-east-1"),
        "a format",
    ),
    (
        f"[{{fromFieldPath: 'metadata.labels[crossplane.io/claim-name]', {TO}}}]",
        "{}",
        External("aws_db_instance", "orders", "us-east-1"),
        "the claim's own name",
    ),
    (f"[{{fromFieldPath: metadata.name, {TO}}}]", "{}", Unnamed("aws_db_instance", "Instance in the template", "orders-*"), "the composite's"),
    (
        f"[{{type: CombineFromComposite, combine: {{strategy: string, string: {{fmt: '%s-%s'}}, variables: [{{fromFieldPath: spec.a}}, {{fromFieldPath: spec.b}}]}}, {TO}}}]",
        "{a: x, b: z}",
        External("aws_db_instance", "x-z", "us-east-1"),
        "several together",
    ),
    (
        f"[{{type: CombineFromComposite, combine: {{strategy: string, string: {{fmt: '%s-%s'}}, variables: [{{fromFieldPath: spec.a}}, {{fromFieldPath: spec.b}}]}}, {TO}}}]",
        "{a: x}",
        External("aws_db_instance", "fixed", "us-east-1"),
        "not all of several",
    ),
    (
        f"[{{type: PatchSet, patchSetName: region}}, {{fromFieldPath: spec.name, {TO}}}]",
        "{region: eu-west-1, name: m}",
        External("aws_db_instance", "m", "eu-west-1"),
        "a set of patches",
    ),
    (
        f"[{{fromFieldPath: spec.size, {TO}, transforms: [{{type: map, map: {{small: s, large: l}}}}]}}]",
        "{size: small}",
        External("aws_db_instance", "s", "us-east-1"),
        "a map",
    ),
    (
        f"[{{fromFieldPath: spec.name, {TO}, transforms: [{{type: string, string: {{type: Convert, convert: ToLower}}}}, {{type: string, string: {{type: TrimPrefix, trim: x-}}}}, {{type: string, string: {{type: TrimSuffix, trim: -y}}}}]}}]",
        "{name: X-Orders-Y}",
        External("aws_db_instance", "orders", "us-east-1"),
        "several transforms",
    ),
    (
        f"[{{fromFieldPath: spec.name, {TO}, transforms: [{{type: convert, convert: {{toType: string}}}}]}}]",
        "{name: x}",
        Unnamed("aws_db_instance", "Instance in the template"),
        "a transform that is not followed",
    ),
    (f"[{{type: FromEnvironmentFieldPath, fromFieldPath: name, {TO}}}]", "{}", Unnamed("aws_db_instance", "Instance in the template"), "from elsewhere"),
    (f"[{{fromFieldPath: spec.name, {TO}}}]", "{name: 5}", Unnamed("aws_db_instance", "Instance in the template"), "no text"),
    (
        "[{fromFieldPath: spec.name, toFieldPath: 'metadata.annotations[crossplane.io/external-name]'}, {fromFieldPath: spec.x, toFieldPath: spec.forProvider.identifier}]",
        "{name: e}",
        External("aws_db_instance", "fixed", "us-east-1"),
        "the identifier goes before the external name",
    ),
    (f"[5, {{type: ToCompositeFieldPath, fromFieldPath: status.x, {TO}}}, {{fromFieldPath: 'a[', {TO}}}, {{fromFieldPath: spec.name, toFieldPath: 'a['}}, {{}}]", "{name: x}", External("aws_db_instance", "fixed", "us-east-1"), "patches that do nothing here"),
]  # fmt: skip


@pytest.mark.parametrize(("patches", "spec", "expected", "why"), PATCHES, ids=[row[3] for row in PATCHES])
def test_a_claim_gets_what_its_composition_makes_of_it(patches, spec, expected, why):
    found = outside({"xrd.yaml": XRD, "composition.yaml": composition(patches), "claim.yaml": database(spec=spec)})
    assert found == {(OWNER, expected)}


FORMATS = [
    ("%s-%v", ["a", 5], "a-5"),
    ("%s", [True], "true"),
    ("100%%-%s", ["a"], "100%-a"),
    ("%d", ["a"], Partial()),
    ("%s-%s", ["a"], Partial()),
    ("x-%s", [Partial("a*")], Partial("x-a*")),
    ("plain", [], "plain"),
]


@pytest.mark.parametrize(("fmt", "values", "expected"), FORMATS)
def test_formats_are_gos_as_far_as_texts_go(fmt, values, expected):
    assert formatted(fmt, values) == expected


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"type": "CombineFromComposite"}, {}),
        ({"fromFieldPath": 5, "toFieldPath": "a"}, {}),
        ({"fromFieldPath": "spec.a", "toFieldPath": "a", "transforms": [5]}, {("a",): Partial()}),
        ({"fromFieldPath": "spec.a", "toFieldPath": "a", "transforms": [{"type": "string"}]}, {("a",): Partial()}),
        (
            {
                "fromFieldPath": "spec.a",
                "toFieldPath": "a",
                "transforms": [{"type": "string", "string": {"type": "Join"}}],
            },
            {("a",): Partial()},
        ),
    ],
)
def test_patches_of_an_odd_form_do_nothing_or_make_it_unknown(patch, expected):
    assert patched([patch], {"spec": {"a": "x"}}) == expected


def test_sets_of_patches_do_not_multiply_without_end():
    sets = [{"name": "a", "patches": [{}] * 600}]
    assert len(list(inlined([{"type": "PatchSet", "patchSetName": "a"}] * 3, sets))) == 1000


def test_two_claims_with_one_fixed_name_are_in_conflict():
    report = read({
        "xrd.yaml": XRD, "c.yaml": composition("[]"), "a.yaml": database("a"), "b.yaml": database("b"),
    })  # fmt: skip
    (conflict,) = report.conflicts
    assert {str(claim.owner) for claim in conflict.claims} == {
        "claim Database.example.org/shop/a",
        "claim Database.example.org/shop/b",
    }


def test_a_composition_without_composites_claims_what_it_would_make():
    patch = f"[{{fromFieldPath: spec.name, {TO}, transforms: [{{type: string, string: {{type: Format, fmt: 'team-%s'}}}}]}}]"
    assert outside({"c.yaml": composition(patch)}) == {
        ("Composition rds", Unnamed("aws_db_instance", "Instance in the template", "team-*"))
    }
    hcl = 'resource "aws_db_instance" "x" {\n  identifier = "team-x"\n}\n'
    report = read({"c.yaml": composition(patch), "infra/main.tf": hcl})
    assert report.passed
    assert [(each.claim.source.place, [o.source.place for o in each.others]) for each in report.possible] == [
        ("c.yaml:16", ["infra/main.tf:1"])
    ]


def test_composites_choose_their_composition():
    several = {
        "xrd.yaml": XRD,
        "a.yaml": composition("[]", "a", "forProvider: {identifier: a}"),
        "b.yaml": composition("[]", "b", "forProvider: {identifier: b}", tier="large"),
    }

    def made(claim, xrd=XRD):
        found = outside({**several, "xrd.yaml": xrd, "claim.yaml": claim})
        return {resource.id for owner, resource in found if owner.startswith(("claim", "composite"))}

    assert made(database(spec="{compositionRef: {name: b}}")) == {"b"}
    assert made(database(spec="{compositionSelector: {matchLabels: {tier: large}}}")) == {"b"}
    assert made(database(spec="{compositionRef: {name: none}}")) == set()
    assert made(database()) == set(), "nobody knows which"
    assert made(database(), XRD + "  defaultCompositionRef: {name: a}\n") == {"a"}
    assert made(database(kind="XDatabase", spec="{crossplane: {compositionRef: {name: a}}}")) == {"a"}


def test_what_functions_compose_is_known_only_when_they_run():
    text = composition("[]").replace("  resources:", "  pipeline:\n    - {step: kcl, functionRef: {name: function-kcl}}\n    - {step: ready, functionRef: {name: function-auto-ready}}\n    - 5\n  resources:")  # fmt: skip
    unread = read({"c.yaml": text}).unread
    assert [(each.line, each.why) for each in unread] == [
        (11, "what the function function-kcl composes is known only when it runs"),
        (13, "what the function of this step composes is known only when it runs"),
    ]


def test_templates_that_only_observe_claim_nothing():
    assert (
        outside({"c.yaml": composition("[]", base='managementPolicies: ["Observe"], forProvider: {identifier: a}')})
        == set()
    )


TERRAFORM = """\
apiVersion: infra.contrib.fluxcd.io/v1alpha2
kind: Terraform
metadata: {name: %s, namespace: infra}
spec:
  path: ./modules/db
  vars:
    - {name: name, value: %s}
    - {name: secret, valueFrom: {}}
    - 5
"""
MODULE = 'variable "name" {}\nresource "aws_db_instance" "x" {\n  identifier = var.name\n}\n'


def test_terraform_objects_run_folders_with_their_variables():
    of = {
        "tf.yaml": TERRAFORM % ("a", "one") + "---\n" + TERRAFORM % ("b", "two"),
        "modules/db/main.tf": MODULE,
        "root/main.tf": 'module "db" {\n  source = "../modules/db"\n  name = "three"\n}\n',
    }
    assert outside(of) == {
        ("Terraform infra/a", External("aws_db_instance", "one")),
        ("Terraform infra/b", External("aws_db_instance", "two")),
        ("Terraform root", External("aws_db_instance", "three")),
    }


def test_two_terraform_objects_that_run_the_same_are_in_conflict():
    report = read(
        {"tf.yaml": TERRAFORM % ("a", "one") + "---\n" + TERRAFORM % ("b", "one"), "modules/db/main.tf": MODULE}
    )
    assert [str(conflict.resource) for conflict in report.conflicts] == ["aws_db_instance/one"]


def test_plans_and_json_and_values_take_part():
    plan = b'{"format_version": "1.2", "resource_changes": [{"address": "aws_sqs_queue.q", "type": "aws_sqs_queue", "change": {"actions": ["create"], "after": {"name": "jobs"}}}]}'
    of = {
        "one/plan.json": plan,
        "two/main.tf.json": '{"variable": {"n": {}}, "resource": {"aws_sqs_queue": {"q": {"name": "${var.n}"}}}}',
        "two/terraform.tfvars.json": '{"n": "jobs"}',
        "three/main.tofu": 'variable "n" {}\nresource "aws_sqs_queue" "q" {\n  name = var.n\n}\n',
        "three/x.auto.tfvars": 'n = "jobs"\n',
    }
    (conflict,) = read(of).conflicts
    assert [claim.source.place for claim in conflict.claims] == [
        "one/plan.json",
        "three/main.tofu:2",
        "two/main.tf.json:1",
    ]


def test_terraform_files_that_cannot_be_read_keep_a_check_from_passing():
    for path, text in (
        ("main.tf", b"resource {"),
        ("main.tf", b"\xff"),
        ("x.tfstate", b"{}"),
        ("main.tf.json", b"{"),
        ("terraform.tfvars", b"="),
        ("main.tf", b'module "me" { source = "./." }'),
    ):
        report = check([File(path, text)])
        assert [each.blocking for each in report.unread] == [True]
        assert not report.passed


def test_yaml_that_cannot_be_read_is_named_and_does_not_stop_the_rest():
    report = read({"a.yaml": "{{ helm }}", "b.yaml": config(), "c.yaml": "- 1\n", "d.yaml": "kind: x\nmetadata: {}\n", "e.yaml": "kind: x\nmetadata: 5\n"})  # fmt: skip
    assert [each.path for each in report.unread] == ["a.yaml"]
    assert report.passed
    assert report.resources == 1


def test_applications_that_lead_elsewhere_are_named():
    several = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: s}\nspec:\n  sources: [{chart: x}, {ref: v}, 5]\n"
    generated = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\n"
    report = read({"a.yaml": application("shop", "gone"), "b.yaml": several, "c.yaml": generated})
    assert [(each.path, each.why) for each in report.unread] == [
        ("a.yaml", "Application argocd/shop delivers gone, which is not in these files"),
        ("c.yaml", "the Applications of an ApplicationSet are known only when it runs; name them with --app"),
    ]


def test_saying_it_twice_is_told_apart_from_two_owners():
    report = read({"k8s/a.yaml": config("a"), "k8s/b.yaml": config("a"), "app.yaml": application("x", "k8s")})
    assert report.passed
    assert [[claim.source.place for claim in repeat.claims] for repeat in report.repeats] == [
        ["k8s/a.yaml:1", "k8s/b.yaml:1"]
    ]


def test_ids_that_cannot_be_read_are_listed_as_undecided():
    hcl = 'resource "aws_sqs_queue" "q" {\n  name = var.x\n}\nresource "aws_vpc" "v" {}\n'
    report = read({"main.tf": hcl})
    assert [(str(claim.resource), claim.source.place) for claim in report.undecided] == [
        ("aws_sqs_queue/* (aws_sqs_queue.q)", "main.tf:1")
    ]


def test_a_report_can_be_read_by_programs_and_names_the_commit():
    hcl = 'resource "aws_s3_bucket" "b" {\n  bucket = "images"\n}\n'
    bucket = "apiVersion: s3.aws.upbound.io/v1beta2\nkind: Bucket\nmetadata: {name: images}\n"
    policy = Policy(
        (Placed(Rule(name="buckets", reason="r", external=("aws_s3_*",), engines=("crossplane",)), "p.yaml", 3),)
    )
    report = read({"infra/main.tf": hcl, "k8s/b.yaml": bucket}, policy=policy, commit="0123456789abcdef")
    found = report_json(report)
    assert found["passed"] is False
    (conflict,) = found["conflicts"]
    assert conflict["resource"] == "aws_s3_bucket/images"
    assert [claim["source"] for claim in conflict["claims"]] == [
        {"file": "infra/main.tf", "line": 1, "commit": "0123456789abcdef", "said": "aws_s3_bucket.b"},
        {"file": "k8s/b.yaml", "line": 3, "commit": "0123456789abcdef", "said": "metadata.name"},
    ]
    assert len(conflict["fixes"]) == 2
    (violation,) = found["violations"]
    assert (violation["rule"], violation["place"], violation["claim"]["owner"]) == (
        "buckets",
        "p.yaml:3",
        {"engine": "terraform", "name": "infra"},
    )
