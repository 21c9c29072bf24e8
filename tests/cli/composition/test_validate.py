"""`plumb validate`: what an API server would say, without one, and where patches lead."""

import pytest

from plumbline.base.documents import dump_yaml
from plumbline.base.json import decode

XRD = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xshops.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XShop", "plural": "xshops"},
        "claimNames": {"kind": "Shop", "plural": "shops"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "referenceable": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["region"],
                                "x-kubernetes-validations": [{"rule": "self.size < 10", "message": "size must be below ten"}],
                                "properties": {
                                    "region": {"type": "string"},
                                    "size": {"type": "integer", "default": 3},
                                    "names": {"type": "array", "items": {"type": "string"}},
                                    "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                },
                            },
                            "status": {"type": "object", "properties": {"arn": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}  # fmt: skip
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Cluster",
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}, "text": {"type": "string"}}}}}}},
            {"name": "v0", "served": True, "storage": False},
        ],
    },
}  # fmt: skip


def obj(kind, name="it", api_version="example.org/v1", **fields):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


@pytest.fixture
def validate(run, tmp_path):
    def validated(*resources, extensions=(XRD, CRD), flags=()):
        for name, objects in (("extensions", extensions), ("resources", resources)):
            (tmp_path / f"{name}.yaml").write_text("---\n".join(dump_yaml(each) for each in objects))
        return run("validate", tmp_path / "extensions.yaml", tmp_path / "resources.yaml", *flags)

    return validated


CASES = [
    (obj("XShop", spec={"region": "eu"}), "[✓] example.org/v1, Kind=XShop, it validated successfully", "defaults are filled in"),
    (obj("Shop", spec={}), "[x] schema validation error example.org/v1, Kind=Shop, it : spec.region: Required value", "claims are known too"),
    (obj("Thing", spec={"size": "3"}), '[x] schema validation error example.org/v1, Kind=Thing, it : spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"', "types"),
    (obj("Thing", spec={"bogus": 3}), '[x] schema validation error example.org/v1, Kind=Thing, it : spec.bogus: Invalid value: "bogus": unknown field: "bogus"', "unknown fields"),
    (obj("XShop", spec={"region": "eu", "size": 12}), "[x] CEL validation error example.org/v1, Kind=XShop, it : spec: Invalid value: size must be below ten", "rules"),
    (obj("Mystery"), "[!] could not find CRD/XRD for: example.org/v1, Kind=Mystery", "nobody knows it"),
    (obj("Thing", api_version="example.org/v0"), "[!] could not find CRD/XRD for: example.org/v0, Kind=Thing", "a version without a schema"),
    (obj("Thing", api_version="example.org/v9"), "[!] could not find CRD/XRD for: example.org/v9, Kind=Thing", "another version"),
    (obj("Bucket", api_version="s3.aws.upbound.io/v1beta1", spec={"forProvider": {"region": "eu", "bogus": 1}}), '[x] schema validation error s3.aws.upbound.io/v1beta1, Kind=Bucket, it : spec.forProvider.bogus: Invalid value: "bogus": unknown field: "bogus"', "managed kinds are known without a CRD"),
    (obj("ProviderConfig", api_version="aws.upbound.io/v1beta1", spec={"credentials": {"source": "None"}}), "[✓] aws.upbound.io/v1beta1, Kind=ProviderConfig, it validated successfully", "and how to reach their clouds"),
    (obj("ConfigMap", api_version="v1", dat={}), '[x] schema validation error v1, Kind=ConfigMap, it : unknown field "dat"', "Kubernetes' own are decoded strictly"),
    (obj("ConfigMap", api_version="v1", data=[]), "[x] schema validation error v1, Kind=ConfigMap, it : ", "and must be of their types"),
    (obj("Application", api_version="argoproj.io/v1alpha1", spec={"bogus": 1}), "[x] schema validation error argoproj.io/v1alpha1, Kind=Application, it : ", "ours are known"),
]  # fmt: skip


@pytest.mark.parametrize(("resource", "line", "why"), CASES, ids=[case[-1] for case in CASES])
def test_a_resource_is_judged(validate, resource, line, why):
    said = validate(resource)
    assert any(each.startswith(line) for each in said.out.splitlines()), (why, said.out)
    assert said.code == (1 if "[x]" in line else 0)


def test_the_whole_answer(validate):
    resources = [obj("XShop", "good", spec={"region": "eu"}), obj("XShop", "bad", spec={}), obj("Mystery")]
    said = validate(*resources)
    assert said.out.splitlines()[-1] == "Total 3 resources: 1 missing schemas, 1 success cases, 1 failure cases"
    quiet = validate(*resources, flags=("--skip-success-results",))
    assert "[✓]" in said.out
    assert "[✓]" not in quiet.out


def test_missing_schemas_fail_only_where_that_is_asked_for(validate):
    assert validate(obj("Mystery")).code == 0
    assert validate(obj("Mystery"), flags=("--error-on-missing-schemas",)).code == 1


def test_the_answer_for_programs(validate):
    resources = [obj("XShop", spec={"region": "eu"}), {**obj("Thing", spec={"x": 1}), "metadata": {"namespace": "n", "annotations": {"crossplane.io/composition-resource-name": "part"}}}]  # fmt: skip
    said = decode(validate(*resources, flags=("-o", "json")).out)
    assert said == {
        "summary": {"total": 2, "valid": 1, "invalid": 1, "missingSchemas": 0},
        "resources": [
            {"apiVersion": "example.org/v1", "kind": "XShop", "name": "it", "status": "valid"},
            {
                "apiVersion": "example.org/v1",
                "kind": "Thing",
                "name": "part",
                "namespace": "n",
                "status": "invalid",
                "errors": [{"type": "unknownField", "field": "spec.x", "message": 'spec.x: Invalid value: "x": unknown field: "x"'}],
            },
        ],
    }  # fmt: skip


def test_what_render_prints_can_be_piped_in(run, tmp_path):
    (tmp_path / "crd.yaml").write_text(dump_yaml(CRD))
    said = run(
        "validate", tmp_path / "crd.yaml", "-", stdin=dump_yaml({"apiVersion": "example.org/v1", "kind": "Thing"})
    )
    assert said.code == 0
    assert run("validate", "-", "-").code == 2


BROKEN = [
    ({**CRD, "spec": {}}, "spec.names is missing"),
    ({**XRD, "spec": {"group": "x"}}, "cannot derive composite CRD"),
]


@pytest.mark.parametrize(("extension", "text"), BROKEN)
def test_a_definition_that_is_none_is_refused(validate, extension, text):
    said = validate(obj("Thing"), extensions=[extension])
    assert said.code == 2
    assert text in said.err


def patch(source="spec.region", target="spec.text", kind="FromCompositeFieldPath", **more):
    return {"type": kind, "fromFieldPath": source, "toFieldPath": target, **more}


def composition(*patches, native=False, sets=(), base=None):
    base = base or {"apiVersion": "example.org/v1", "kind": "Thing"}
    given = {"resources": [{"name": "part", "base": base, "patches": list(patches)}], "patchSets": list(sets)}
    spec = {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XShop"}}
    if native:
        spec |= {"mode": "Resources", **given}
    else:
        step = {"step": "patch", "functionRef": {"name": "f"}, "input": {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", **given}}  # fmt: skip
        spec |= {"mode": "Pipeline", "pipeline": [step, {"step": "x", "functionRef": {"name": "y"}}]}
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "c"},
        "spec": spec,
    }


def combined(*sources, target="spec.text"):
    variables = [{"fromFieldPath": each} for each in sources]
    return {"type": "CombineFromComposite", "combine": {"variables": variables, "strategy": "string", "string": {"fmt": "%s"}}, "toFieldPath": target}  # fmt: skip


PATCHES = [
    (patch(), "", "both are there"),
    (patch("spec.regoin"), "spec.regoin is no field of XShop; did you mean region?", "a typing error"),
    (patch(target="spec.nowhere"), "spec.nowhere is no field of Thing", "no such target"),
    (patch("spec.region", None), "spec.region is no field of Thing", "the target is the source where none is given"),
    (patch("spec.size"), "spec.size is an integer and spec.text takes a string: a transform of type convert is missing", "types"),
    (patch("spec.size", transforms=[{"type": "convert", "convert": {"toType": "string"}}]), "", "which a transform settles"),
    (patch("spec.size", "spec.size"), "", "the same type"),
    (patch("spec.tags[a.b/c]"), "", "any key of a map"),
    (patch("spec.tags.a.b"), "spec.tags.a.b is no field of XShop: a string has no fields", "below a text"),
    (patch("spec.names[0]"), "", "an item of a list"),
    (patch("spec.names[*].x"), "spec.names[*].x is no field of XShop: a string has no fields", "below each of a list"),
    (patch("spec.region[0]"), "spec.region[0] is no field of XShop: it is a string, not a list", "no list"),
    (patch("spec.tags[*]"), "", "everything in a map"),
    (patch("spec.free.what.ever"), "", "where anything may be"),
    (patch("metadata.labels[x]"), "", "labels"),
    (patch("metadata.lables[x]"), "metadata.lables.x is no field of the metadata of any object", "metadata is known"),
    (patch("metadata"), "", "all of the metadata"),
    (patch("kind"), "", "what every object has"),
    (patch("spec..region"), "spec..region is no field path", "no path"),
    (patch("spec.text", "status.arm", "ToCompositeFieldPath"), "status.arm is no field of XShop; did you mean arn?", "the other way"),
    (patch("a", "spec.text", "FromEnvironmentFieldPath"), "", "nobody knows an environment"),
    (patch(kind="Mystery"), "", "a type that the composition's own schema refuses"),
    (combined("spec.region", "spec.none"), "spec.none is no field of XShop", "one of several"),
    (combined("spec.region", target="spec.none"), "spec.none is no field of Thing", "the target of several"),
    ({"type": "PatchSet", "patchSetName": "set"}, "spec.inset is no field of XShop", "in a set"),
]  # fmt: skip


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize(("given", "text", "why"), PATCHES, ids=[case[-1] for case in PATCHES])
def test_patches_are_followed_on_both_sides(validate, given, text, why, native):
    given = {key: value for key, value in given.items() if value is not None}
    sets = [{"name": "set", "patches": [patch("spec.inset")]}]
    said = validate(obj("Thing"), extensions=[XRD, CRD, composition(given, native=native, sets=sets)])
    told = [line for line in said.out.splitlines() if line.startswith("[!]")]
    assert [line.startswith(f'[!] composition c, resource "part", patch at index 0: {text}') for line in told] == ([True] if text else []), (why, told)  # fmt: skip
    assert said.code == 0, "they are warnings"


def test_patches_between_kinds_that_nobody_knows_are_left_alone(validate):
    unknown = composition(patch("a", "b"), base={"apiVersion": "else.org/v1", "kind": "What"})
    odd = composition()
    odd["spec"]["pipeline"][0]["input"]["resources"] = [{"name": 1}]
    said = validate(unknown, odd, extensions=[CRD])
    assert "patch at index" not in said.out


def test_a_composition_is_warned_of_once_and_for_programs(validate):
    wrong = composition(patch("spec.regoin"))
    said = validate(wrong, extensions=[XRD, CRD, wrong], flags=("-o", "json"))
    assert decode(said.out)["warnings"] == [
        {"composition": "c", "resource": "part", "patch": 0, "message": "spec.regoin is no field of XShop; did you mean region?"}
    ]  # fmt: skip
