"""function-go-templating: what templates see, what they can print, and what they are told."""

import base64

import pytest
from tests.composition.functions.asking import XR, ask, call, refusal

from plumbline.base.clock import VirtualClock
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.gotemplating import GoTemplating
from plumbline.composition.functions.values import Condition, Resource, Selector
from plumbline.gotemplate import Surroundings

NAME = "gotemplating.fn.crossplane.io/composition-resource-name"
READY = "gotemplating.fn.crossplane.io/ready"
META = "apiVersion: meta.gotemplating.fn.crossplane.io/v1alpha1\nkind: "


def function(folder=None):
    return GoTemplating(Surroundings(VirtualClock().now, Ids(1)), folder)


def inline(template, **fields):
    return {"source": "Inline", "inline": {"template": template}, **fields}


def printed(expression, **fields):
    """What *expression* prints, as a field of the one object that is desired."""
    template = f"apiVersion: v1\nkind: A\nmetadata:\n  annotations: {{ {NAME}: a }}\nout: |\n  {expression}\n"
    answer = ask(function(), call(input=inline(template), **fields))
    assert refusal(answer) == ""
    return answer.desired.resources["a"].resource["out"].removesuffix("\n")


def told(template, **fields):
    return refusal(ask(function(), call(input=inline(template), **fields)))


def manifest(name="a", **annotations):
    more = "".join(f"\n    {key}: {value}" for key, value in annotations.items())
    return f"apiVersion: example.org/v1\nkind: CD\nmetadata:\n  annotations:\n    {NAME}: {name}{more}\n"


def test_each_document_is_a_desired_resource_under_the_name_that_its_annotation_gives():
    template = "{{ range $i := until 2 }}\n---\n" + manifest("cd-{{ $i }}") + "spec: {at: {{ $i }}}\n{{ end }}"
    asked = call(input=inline(template), desired={"before": {"kind": "B"}})
    answer = ask(function(), asked)
    assert sorted(answer.desired.resources) == ["before", "cd-0", "cd-1"]
    assert answer.desired.resources["cd-1"] == Resource(
        {"apiVersion": "example.org/v1", "kind": "CD", "metadata": {"annotations": {}}, "spec": {"at": 1}}
    )
    assert answer.ttl_s == 60.0


def test_readiness_comes_from_an_annotation_which_is_taken_off():
    answer = ask(function(), call(input=inline(manifest(**{READY: '"True"', "other": "x"}))))
    made = answer.desired.resources["a"]
    assert made.ready == "True"
    assert made.resource["metadata"]["annotations"] == {"other": "x"}


def test_the_composite_itself_gets_a_status_merged_into_what_is_desired():
    template = "apiVersion: example.org/v1\nkind: XR\nstatus: {a: {b: 2}, list: [3]}\n"
    asked = call(input=inline(template))
    asked = type(asked)(
        observed=asked.observed,
        input=asked.input,
        desired=type(asked.desired)(Resource({"status": {"a": {"b": 1, "c": 1}, "list": [1, 2]}}, ready="True")),
    )
    answer = ask(function(), asked)
    assert answer.desired.composite == Resource({"status": {"a": {"b": 2, "c": 1}, "list": [3]}}, ready="True")
    assert answer.desired.resources == {}


def test_a_composite_of_the_same_kind_with_a_name_is_composed():
    answer = ask(function(), call(input=inline(manifest().replace("kind: CD", "kind: XR"))))
    assert list(answer.desired.resources) == ["a"]


def test_connection_details_are_secrets_from_the_first_moment():
    template = META + "CompositeConnectionDetails\ndata: {key: dmFsdWU=, bad: '%%%'}\n"
    answer = ask(function(), call(input=inline(template)))
    assert answer.desired.composite.connection == {"key": Plaintext("value"), "bad": Plaintext("")}
    assert "value" not in repr(answer)
    ignored = ask(function(), call(input=inline(META + "CompositeConnectionDetails\ndata: {key: 1}\n")))
    assert ignored.desired.composite.connection == {}


def test_conditions_for_the_claim():
    template = META + (
        "ClaimConditions\nconditions:\n- {type: Mine, status: 'True', reason: R, message: M, target: CompositeAndClaim}\n"
        "- {type: Other, reason: R}\n"
    )
    answer = ask(function(), call(input=inline(template)))
    assert answer.conditions == (
        Condition("Mine", "True", "R", "M", "CompositeAndClaim"),
        Condition("Other", "Unknown", "R", "", "Composite"),
    )


def test_the_context_is_merged_and_later_templates_read_it():
    template = META + "Context\ndata: {a: {x: 2}, new: 1}\n---\n" + META + "Context\ndata: {new: 3}\n"
    answer = ask(function(), call(input=inline(template), context={"a": {"x": 1, "y": 1}, "kept": 1}))
    assert answer.context == {"a": {"x": 2, "y": 1}, "kept": 1, "new": 3}


def test_extra_resources_are_asked_for_and_passed_on():
    template = META + (
        "ExtraResources\nrequirements:\n  one: {apiVersion: v1, kind: A, matchName: it, namespace: ns}\n"
        "  many: {apiVersion: v1, kind: B, matchLabels: {a: b}}\n"
    )
    answer = ask(function(), call(input=inline(template)))
    assert answer.requirements.resources == {
        "one": Selector(api_version="v1", kind="A", name="it", namespace="ns"),
        "many": Selector(api_version="v1", kind="B", labels={"a": "b"}),
    }
    found = {"one": (Resource({"kind": "A"}),), "many": ()}
    again = ask(function(), call(input=inline(template), required=found, context={"apiextensions.crossplane.io/extra-resources": {"was": 1}}))  # fmt: skip
    assert again.context == {
        "apiextensions.crossplane.io/extra-resources": {"was": 1, "one": {"items": [{"resource": {"kind": "A"}}]}, "many": {}}
    }  # fmt: skip


OBSERVED = {
    "a": Resource(
        {"kind": "A", "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "R", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}},
        {"user": Plaintext("bob")},
        "True",
    )
}  # fmt: skip
EXTRA = {"apiextensions.crossplane.io/extra-resources": {"e": {"items": [{"resource": {"n": 1}}]}}}

EXPRESSIONS = [
    ("{{ .observed.composite.resource.spec.region }}", "eu", "the composite"),
    ("{{ (getCompositeResource .).spec.count }}", "2", "the composite by name"),
    ("{{ (getComposedResource . `a`).kind }}", "A", "a composed resource"),
    ("{{ if getComposedResource . `b` }}x{{ else }}none{{ end }}", "none", "one that is not there"),
    ("{{ index (getComposedConnectionDetails . `a`) `user` | b64dec }}", "bob", "connection details are base64"),
    ("{{ .observed.resources.a.connectionDetails.user }}", base64.b64encode(b"bob").decode(), "also by their path"),
    ("{{ .observed.resources.a.ready }}", "READY_TRUE", "readiness in the protocol's words"),
    ("{{ (getResourceCondition `Ready` .observed.resources.a).Status }}", "True", "a condition"),
    ("{{ (.observed.resources.a | getResourceCondition `Ready`).Reason }}", "R", "its reason"),
    ("{{ (getResourceCondition `Ready` .observed.resources.a.resource).LastTransitionTime.Year }}", "2026", "its time"),
    ("{{ (.observed.resources.zzz | getResourceCondition `Ready`).Status }}", "Unknown", "of something not there"),
    ("{{ getResourceCondition `Ready` .observed.resources.a }}", "{Ready True 2026-01-01 00:00:00 +0000 UTC R  0}", "printed"),
    ("{{ getResourceCondition `X` .observed.resources.a | toJson }}", '{"lastTransitionTime":null,"reason":"","status":"Unknown","type":"X"}', "as JSON"),
    ("{{ range getExtraResources . `r` }}{{ .resource.n }}{{ end }}", "7", "what was asked for"),
    ("{{ range getExtraResources . `x` }}x{{ else }}none{{ end }}", "none", "what was not"),
    ("{{ (index .extraResources.r.items 0).resource.n }}", "7", "under the older name too"),
    ("{{ range getExtraResourcesFromContext . `e` }}{{ .resource.n }}{{ end }}", "1", "what others asked for"),
    ("{{ (getCredentialData . `cloud`).token | toString }}", "t0ken", "credentials"),
    ("{{ if getCredentialData . `none` }}x{{ else }}none{{ end }}", "none", "credentials that are not there"),
    ("{{ setResourceNameAnnotation `b` }}", f"{NAME}: b", "the annotation"),
    ("{{ toYaml (dict `a` (list 1 2)) | nindent 2 }}", "\na:\n    - 1\n    - 2", "YAML of the third version"),
    ("{{ (fromYaml `a: [1, {b: c}]`).a | toJson }}", '[1,{"b":"c"}]', "and back"),
    ("{{ fromYaml `` | toJson }}", "null", "nothing, and back"),
    ("{{ randomChoice `a` `a` }}", "a", "chance"),
    ("{{ define `t` }}<{{ . }}>{{ end }}{{ include `t` 5 }}", "<5>", "another template as a value"),
    ("{{ .desired | toJson }}", "{}", "nothing is desired yet"),
    ("{{ .context.k }} {{ .meta.tag }}", "1 tag", "context and tag"),
    ("{{ .input.source }}", "Inline", "its own input"),
    ("{{ .requiredSchemas.pod.openapiV3.type }}", "object", "schemas"),
    ("{{ .observed.composite.resource.spec.float }}", "3", "whole numbers are integers"),
    ("{{ typeOf .observed.composite.resource.spec.float }}", "int64", "of the usual kind"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected", "why"), EXPRESSIONS, ids=[each[2] for each in EXPRESSIONS])
def test_templates_see_the_call(expression, expected, why):
    xr = {**XR, "spec": {**XR["spec"], "float": 3.0}}
    got = printed(
        expression,
        xr=xr,
        observed=OBSERVED,
        context={"k": 1, **EXTRA},
        required={"r": (Resource({"n": 7}),)},
        credentials={"cloud": {"token": Plaintext("t0ken")}},
        schemas={"pod": {"type": "object"}},
        tag="tag",
    )
    assert got == expected, why


def test_a_template_cannot_change_what_others_see():
    asked = call(input=inline('{{ $_ := set .observed.composite.resource.spec "region" "changed" }}'))
    ask(function(), asked)
    assert asked.observed.composite.resource["spec"]["region"] == "eu"


@pytest.mark.parametrize(
    ("given", "expected", "why"),
    [
        (inline("[[ .context.k ]] {{ x }}", delims={"left": "[[", "right": "]]"}), "1 {{ x }}", "both delimiters"),
        (inline("{{ .context.k }}", delims={"left": "[["}), "1", "one is none"),
        (inline("{{ .context.nope }}", options=["missingkey=zero"]), "<no value>", "a missing key"),
        ({"source": "Inline", "inline": {"templates": ["a: 1", "b: 2"]}}, "a: 1\n---\nb: 2", "several templates"),
        ({"source": "Environment", "environment": {"key": "t"}}, "from 1", "a template of the environment"),
    ],
)
def test_where_templates_come_from(given, expected, why, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "plumbline.composition.functions.gotemplating.function.manifests", lambda text: seen.append(text) or []
    )
    context = {"k": 1, "apiextensions.crossplane.io/environment": {"t": "from {{ .context.k }}", "n": 5}}
    assert refusal(ask(function(), call(input=given, context=context))) == ""
    assert seen == [expected], why


def test_templates_are_read_beneath_one_folder_and_nowhere_else(tmp_path):
    root = tmp_path / "templates"
    (root / "app" / "sub").mkdir(parents=True)
    (root / "app" / ".git").mkdir()
    (root / "app" / ".git" / "config").write_text("{{ fail }}")
    (root / "app" / ".hidden").write_text("{{ fail }}")
    (root / "app" / "a.yaml").write_text(manifest("a"))
    (root / "app" / "sub" / "b.yaml").write_text(manifest("b"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("x")

    def asked(path, folder=root):
        return ask(function(folder), call(input={"source": "FileSystem", "fileSystem": {"dirPath": path}}))

    assert sorted(asked("/app").desired.resources) == ["a", "b"]
    for path in ("../outside", "/app/../../outside"):
        assert "it leads out of the folder" in refusal(asked(path))
    (root / "app" / "link").symlink_to(tmp_path / "outside" / "secret")
    assert "a link that leads out of it" in refusal(asked("app"))
    assert "there is no such folder" in refusal(asked("nowhere"))
    assert "no folder with templates is configured" in refusal(asked("app", None))
    assert refusal(asked("")) == "invalid function input: fileSystem.dirPath should be provided"


FATAL = [
    (None, "invalid function input: source is required"),
    ({"source": "Elsewhere"}, "invalid function input: invalid source: Elsewhere"),
    ({"source": "Inline"}, "invalid function input: inline.template or inline.templates should be provided"),
    ({"source": "Environment"}, "invalid function input: environment.key should be provided"),
    ({"source": "Environment", "environment": {"key": "k"}}, "invalid function input: cannot read tmpl from the environment: apiextensions.crossplane.io/environment key does not exist in context"),
    (inline("{{ nope }}"), 'invalid function input: cannot parse the provided templates: template: manifests:1: function "nope" not defined'),
    (inline("x", options=["foo"]), "cannot apply template options: panic occurred while applying template options: unrecognized option: foo"),
    (inline("x", options=[""]), "cannot apply template options: panic occurred while applying template options: empty option string"),
    (inline("{{ .a.b }}", options=["missingkey=error"]), 'cannot execute template: template: manifests:1:5: executing "manifests" at <.a.b>: map has no entry for key "a"'),
    (inline('{{ fail "no" }}'), 'cannot execute template: template: manifests:1:3: executing "manifests" at <fail "no">: error calling fail: no'),
    (inline("{{ randomChoice }}"), 'cannot execute template: template: manifests:1:3: executing "manifests" at <randomChoice>: error calling randomChoice: invalid argument to Intn'),
    (inline("apiVersion: example.org/v1\n"), "cannot decode manifest: Object 'Kind' is missing in '{\"apiVersion\":\"example.org/v1\"}'"),
    (inline("just text"), "cannot decode manifest: json: cannot unmarshal string into Go value of type map[string]interface {}"),
    (inline("- 1"), "cannot decode manifest: json: cannot unmarshal array into Go value of type map[string]interface {}"),
    (inline("apiVersion: example.org/v1\nkind: CD\n"), f'"CD" template is missing required "{NAME}" annotation'),
    (inline(manifest(**{READY: "wrongValue"})), f'invalid function input: invalid "{READY}" annotation value "wrongValue": must be True, False, or Unspecified'),
    (inline(manifest(x="true")), "invalid annotations in resource 'example.org/v1, Kind=CD resource-name=a': .metadata.annotations accessor error: contains non-string value in the map under key \"x\": true is of the type bool, expected string"),
    (inline("apiVersion: v1\nkind: A\nmetadata: {annotations: [a]}"), "invalid annotations in resource '/v1, Kind=A resource-name=<nil>': .metadata.annotations accessor error: [a] is of the type []interface {}, expected map[string]interface{}"),
    (inline("apiVersion: v1\nkind: A\nmetadata: a"), "invalid annotations in resource '/v1, Kind=A resource-name=<nil>': .metadata.annotations accessor error: a is of the type string, expected map[string]interface{}"),
    (inline(META + "Nope\n"), 'invalid kind "Nope" for apiVersion "meta.gotemplating.fn.crossplane.io/v1alpha1" - must be one of CompositeConnectionDetails, Context or ExtraResources'),
    (inline(META + "ClaimConditions\nconditions: [{type: Ready}]\n"), "cannot set ClaimCondition type: Ready is a reserved Crossplane Condition"),
    (inline(META + "Context\ndata: 5\n"), "cannot get Contexts from input: data is not an object"),
    (inline(META + "ExtraResources\nrequirements: {a: {kind: A}}\n---\n" + META + "ExtraResources\nrequirements: {a: {kind: A}}\n"), 'duplicate extra resource key "a"'),
    (inline("apiVersion: example.org/v1\nkind: XR\nstatus: 5\n"), "cannot get templated composite status: it is not an object"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), FATAL, ids=[each[1][:60] for each in FATAL])
def test_refusals_are_in_the_functions_own_words(given, expected):
    assert refusal(ask(function(), call(input=given, desired={"a": {"kind": "A"}}))) == expected


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"source": 5}, "cannot get Function input from *v1.RunFunctionRequest"),
        (inline(META + "ClaimConditions\nconditions: 5\n"), "cannot get Conditions from input"),
        (inline(META + "ExtraResources\n"), "cannot get extra resources requirements"),
        (inline("a: [1"), "cannot decode manifest"),
        (
            inline("{{ range $i := until 300 }}{{ range $j := until 500 }}{{ $j }}{{ end }}{{ end }}"),
            "more than 200000 steps",
        ),
        (inline("x", ttl="soon"), "Not a duration"),
        (inline('{{ fromYaml "a: [" }}'), "error calling fromYaml: yaml"),
    ],
)
def test_refusals_name_what_is_wrong(given, part):
    assert part in refusal(ask(function(), call(input=given)))


@pytest.mark.parametrize(("text", "part"), [(5, "value is not a string"), (None, "key: k does not exist")])
def test_an_environment_without_the_template(text, part):
    environment = {} if text is None else {"k": text}
    asked = call(input={"source": "Environment", "environment": {"key": "k"}}, context={"apiextensions.crossplane.io/environment": environment})  # fmt: skip
    assert part in refusal(ask(function(), asked))


def test_a_desired_status_that_is_none_is_refused():
    asked = call(input=inline("apiVersion: example.org/v1\nkind: XR\nstatus: {}\n"))
    desired = type(asked.desired)(Resource({"status": "x"}))
    asked = type(asked)(observed=asked.observed, input=asked.input, desired=desired)
    assert refusal(ask(function(), asked)) == "cannot get desired composite status: it is not an object"


def test_the_time_to_live_is_the_composites_then_the_inputs():
    assert ask(function(), call(input=inline("", ttl="5m") | {"inline": {"template": "# x"}})).ttl_s == 300.0
    xr = {**XR, "metadata": {"name": "x", "annotations": {"gotemplating.fn.crossplane.io/ttl": "10s"}}}
    assert ask(function(), call(xr=xr, input=inline("# x", ttl="5m"))).ttl_s == 10.0


def test_templates_are_parsed_once_and_the_oldest_is_forgotten(monkeypatch):
    parsed = []
    module = "plumbline.composition.functions.gotemplating.function"
    from plumbline.gotemplate import Template  # noqa: PLC0415 - the real one, before it is counted

    monkeypatch.setattr(f"{module}.Template", lambda *a, **k: parsed.append(a[1]) or Template(*a, **k))
    monkeypatch.setattr(f"{module}._KEPT", 2)
    shared = function()
    for text in ("# a", "# b", "# a", "# c", "# a", "# b"):
        ask(shared, call(input=inline(text)))
    assert parsed == ["# a", "# b", "# c", "# b"]


def test_what_a_document_without_a_kind_holds_of_secrets_is_not_told():
    said = told("apiVersion: v1\nstringData: {password: hunter22}\n")
    assert "hunter22" not in said
    assert "Object 'Kind' is missing" in said
