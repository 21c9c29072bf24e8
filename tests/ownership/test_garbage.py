"""Whatever people commit, a check answers."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.json import encode
from plumbline.ownership.declared import File, check
from plumbline.ownership.learn import Setting, facts_of, learn, learn_managed, learn_terraform
from plumbline.ownership.states import state_of_terraform, stored_states

NAMES = [
    "apiVersion", "kind", "metadata", "spec", "name", "source", "sources", "path", "destination", "directory", "include",
    "resources", "base", "patches", "fromFieldPath", "toFieldPath", "transforms", "type", "string", "fmt", "combine",
    "variables", "pipeline", "input", "functionRef", "compositeTypeRef", "names", "claimNames", "group", "forProvider",
    "identifier", "region", "annotations", "labels", "crossplane.io/external-name", "managementPolicies", "manifest",
    "providerConfigRef", "compositionRef", "compositionSelector", "matchLabels", "vars", "value", "items", "status",
    "atProvider", "arn", "inventory", "entries", "t", "n", "id", "resource", "aws_db_instance", "module", "provider",
    "import", "to", "version", "instances", "attributes", "format_version", "resource_changes", "change", "actions",
    "namePrefix", "namespace", "ownerReferences", "managedFields", "manager", "data", "tfstate", "backendConfig",
]  # fmt: skip
TEXTS = st.sampled_from([
    "", "a", "*", "spec.name", "a[", "%s", "v1", "List", "Application", "Composition", "Instance", "XDatabase", "string",
    "Format", "PatchSet", "../x", "/", "..", "${var.x}", "${", "arn:aws:s3:::b", "{a,b}", "\n", "é", "x" * 300,
])  # fmt: skip
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)),
    max_leaves=15,
)
KINDS = st.sampled_from([
    ("argoproj.io/v1alpha1", "Application"),
    ("argoproj.io/v1alpha1", "ApplicationSet"),
    ("apiextensions.crossplane.io/v1", "Composition"),
    ("apiextensions.crossplane.io/v1", "CompositeResourceDefinition"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("rds.aws.upbound.io/v1beta3", "Instance"),
    ("eks.aws.upbound.io/v1beta2", "NodeGroup"),
    ("kubernetes.crossplane.io/v1alpha2", "Object"),
    ("kubernetes.crossplane.io/v1alpha1", "ProviderConfig"),
    ("infra.contrib.fluxcd.io/v1alpha2", "Terraform"),
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    ("example.org/v1", "XDatabase"),
])  # fmt: skip
OBJECTS = st.builds(
    lambda kind, name, spec, status, metadata: {
        "apiVersion": kind[0],
        "kind": kind[1],
        "metadata": {**(metadata if isinstance(metadata, dict) else {}), "name": name},
        "spec": spec,
        "status": status,
    },
    KINDS,
    st.sampled_from(["a", "b"]),
    JSON,
    JSON,
    JSON,
)


@given(st.lists(OBJECTS, max_size=4), JSON, JSON, JSON)
def test_a_check_answers_whatever_is_in_the_files(objects, settings, hcl, anything):
    files = [
        *(File(f"k8s/{at}.json", encode(obj)) for at, obj in enumerate(objects)),
        File("k8s/kustomization.yaml", encode(settings)),
        File("infra/main.tf.json", encode(hcl)),
        File("infra/terraform.tfvars.json", encode(anything)),
        File("infra/x.tfstate", encode({"version": 4, "resources": anything})),
        File("infra/plan.json", encode({"format_version": "1.2", "resource_changes": anything})),
        File("any.yaml", encode(anything)),
        File("apps.json", encode({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "x"}, "spec": {"source": {"path": "k8s"}}})),
    ]  # fmt: skip
    report = check(files)
    assert report == check(files[::-1])


@given(OBJECTS)
def test_learning_is_total(obj):
    learn(facts_of(obj), Setting())
    learn_managed(obj)
    learn_terraform(obj)
    state_of_terraform(obj)
    stored_states([obj, {**obj, "data": obj["spec"]}])
