import pytest

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import ENVIRONMENT, Call, Resource, State
from plumbline.composition.patching import PatchAndTransform

BASE = {"apiVersion": "example.org/v1", "kind": "Bucket", "spec": {"forProvider": {"tags": {"a": "b"}}}}
XR = {
    "apiVersion": "example.org/v1",
    "kind": "XStore",
    "metadata": {"name": "my-store", "labels": {"team": "x"}},
    "spec": {"region": "eu", "count": 3, "nothing": None},
}
OBSERVED = {
    "apiVersion": "example.org/v1",
    "kind": "Bucket",
    "metadata": {"name": "my-store-abc", "uid": "1"},
    "status": {"arn": "arn:x", "size": 7, "conditions": [{"type": "Ready", "status": "True"}]},
}
DEFAULT_ENVIRONMENT = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}


def given(*patches, **rest):
    template = {"name": "bucket", "base": BASE, "patches": list(patches), **rest}
    return {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": [template]}


async def run(function_input, *, observed=None, xr=XR, **call):
    resources = {} if observed is None else {"bucket": observed}
    state = State(Resource(xr), resources)
    before = encode([function_input, xr])
    answer = await PatchAndTransform().run(Call(observed=state, input=function_input, **call))
    assert encode([function_input, xr]) == before, "nothing that was given changes"
    return answer


async def test_a_patch_copies_a_value_from_the_composite_into_the_base():
    answer = await run(given({"fromFieldPath": "spec.region", "toFieldPath": "spec.forProvider.region"}))
    assert answer.desired.resources["bucket"] == Resource(
        {**BASE, "spec": {"forProvider": {"tags": {"a": "b"}, "region": "eu"}}}
    )
    assert answer.desired.composite.resource == {"apiVersion": "example.org/v1", "kind": "XStore"}
    assert (answer.results, answer.ttl_s, answer.context) == ((), 60.0, {ENVIRONMENT: DEFAULT_ENVIRONMENT})


async def test_what_is_observed_keeps_its_name_and_tells_whether_it_is_ready():
    answer = await run(
        given({"type": "ToCompositeFieldPath", "fromFieldPath": "status.arn"}), observed=Resource(OBSERVED)
    )
    bucket = answer.desired.resources["bucket"]
    assert bucket.resource["metadata"] == {"name": "my-store-abc"}
    assert bucket.ready == "True"
    assert answer.desired.composite.resource["status"] == {"arn": "arn:x"}


async def test_nothing_is_taken_from_what_is_not_there_yet():
    answer = await run(
        given({"type": "ToCompositeFieldPath", "fromFieldPath": "status.arn", "policy": {"fromFieldPath": "Required"}})
    )
    assert (answer.results, "status" in answer.desired.composite.resource) == ((), False)
    assert answer.desired.resources["bucket"].ready == "Unspecified"


@pytest.mark.parametrize(
    ("to", "existing", "expect"),
    [
        (None, "tags", {"team": "x"}),
        ("Replace", "tags", {"team": "x"}),
        ("MergeObjects", "tags", {"a": "b", "team": "x"}),
        ("ForceMergeObjectsAppendArrays", "tags", {"a": "b", "team": "x"}),
    ],
)
async def test_the_policy_says_how_a_value_meets_what_is_there(to, existing, expect):
    policy = {"toFieldPath": to} if to else {}
    patch = {"fromFieldPath": "metadata.labels", "toFieldPath": f"spec.forProvider.{existing}", "policy": policy}
    answer = await run(given(patch))
    assert answer.desired.resources["bucket"].resource["spec"]["forProvider"][existing] == expect


async def test_patches_of_a_set_take_the_place_of_their_mention():
    with_set = given(
        {"type": "PatchSet", "patchSetName": "common"},
        {"fromFieldPath": "gone", "policy": {"fromFieldPath": "Required"}},
    ) | {
        "patchSets": [
            {"name": "common", "patches": [{"fromFieldPath": "spec.region"}, {"fromFieldPath": "spec.count"}]}
        ]
    }
    answer = await run(with_set)
    assert [each.message for each in answer.results] == [
        (
            'not adding new composed resource "bucket" to desired state because "FromCompositeFieldPath" patch at index 2 '
            "has 'policy.fromFieldPath: Required': gone: no such field"
        )
    ]
    assert (answer.desired.resources, answer.desired.composite.ready) == ({}, "False")


async def test_a_required_value_holds_up_nothing_that_exists():
    patch = {"fromFieldPath": "gone", "policy": {"fromFieldPath": "Required"}}
    answer = await run(given(patch), observed=Resource(OBSERVED))
    assert [(each.severity, each.message) for each in answer.results] == [(
        "Warning",
        ('cannot render composed resource "bucket" "FromCompositeFieldPath" patch at index 0: ignoring '
        "'policy.fromFieldPath: Required' because 'to' resource already exists: gone: no such field"),
    )]  # fmt: skip
    assert "bucket" in answer.desired.resources


async def test_combined_values_are_one_text_and_numbers_are_floats():
    combine = {
        "strategy": "string",
        "string": {"fmt": "%s-%.1f"},
        "variables": [{"fromFieldPath": "spec.region"}, {"fromFieldPath": "spec.count"}],
    }
    answer = await run(given({"type": "CombineFromComposite", "combine": combine, "toFieldPath": "spec.id"}))
    assert answer.desired.resources["bucket"].resource["spec"]["id"] == "eu-3.0"


async def test_whole_numbers_arrive_whole():
    double = [{"type": "math", "math": {"type": "Multiply", "multiply": 2}}]
    answer = await run(
        given(
            {"fromFieldPath": "spec.count"},
            {"fromFieldPath": "spec.count", "toFieldPath": "spec.double", "transforms": double},
        )
    )
    spec = answer.desired.resources["bucket"].resource["spec"]
    assert (spec["count"], spec["double"], type(spec["double"])) == (3, 6, int)


async def test_the_environment_comes_from_the_context_and_goes_back_to_it():
    function_input = given(
        {"type": "FromEnvironmentFieldPath", "fromFieldPath": "zone", "toFieldPath": "spec.zone"},
        {"type": "FromEnvironmentFieldPath", "fromFieldPath": "region", "toFieldPath": "spec.region"},
        {"type": "ToEnvironmentFieldPath", "fromFieldPath": "status.size", "toFieldPath": "size"},
    ) | {"environment": {"patches": [
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.region", "toFieldPath": "region"},
        {"type": "FromEnvironmentFieldPath", "fromFieldPath": "zone", "toFieldPath": "status.zone"},
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.gone"},
    ]}}  # fmt: skip
    answer = await run(function_input, observed=Resource(OBSERVED), context={"k": 1, ENVIRONMENT: {"zone": "a"}})
    assert answer.context == {"k": 1, ENVIRONMENT: {**DEFAULT_ENVIRONMENT, "zone": "a", "region": "eu", "size": 7}}
    assert answer.desired.resources["bucket"].resource["spec"] == {**BASE["spec"], "zone": "a", "region": "eu"}
    assert answer.desired.composite.resource["status"] == {"zone": "a"}


async def test_a_required_value_of_the_environment_is_fatal():
    patch = {"fromFieldPath": "spec.gone", "policy": {"fromFieldPath": "Required"}}
    answer = await run(given() | {"environment": {"patches": [patch]}})
    assert [(each.severity, each.message) for each in answer.results] == [
        ("Fatal", 'cannot apply the "FromCompositeFieldPath" environment patch at index 0: spec.gone: no such field')
    ]


async def test_a_template_without_a_base_patches_what_an_earlier_step_wants():
    template = {"name": "bucket", "patches": [{"fromFieldPath": "spec.region"}]}
    desired = State(Resource({"status": {"a": 1}}), {"bucket": Resource(BASE, ready="True"), "other": Resource(BASE)})
    answer = await run({"resources": [template]}, desired=desired)
    assert answer.desired.resources["bucket"].resource["spec"]["region"] == "eu"
    assert answer.desired.resources["other"] is desired.resources["other"]
    assert answer.desired.composite.resource["status"] == {"a": 1}
    lonely = await run({"resources": [template]})
    assert lonely.results[0].message == (
        'composed resource "bucket" has no base template, and was not produced by a previous Function in the pipeline'
    )


async def test_a_wildcard_patches_everything_that_is_there():
    base = {**BASE, "spec": {"rules": [{"a": 1}, {"a": 2}]}}
    patch = {"fromFieldPath": "spec.region", "toFieldPath": "spec.rules[*].a"}
    answer = await run(given(patch, base=base))
    assert answer.desired.resources["bucket"].resource["spec"]["rules"] == [{"a": "eu"}, {"a": "eu"}]
    empty = await run(given(patch | {"toFieldPath": "spec.none[*]"}, base=base))
    assert empty.results[0].message.endswith("patch at index 0: cannot expand ToFieldPath spec.none[*]")


@pytest.mark.parametrize(
    ("patch", "fault"),
    [
        ({"fromFieldPath": "spec.region.x"}, "spec.region: not an object"),
        ({"fromFieldPath": "spec.region", "toFieldPath": "kind.x"}, "cannot patch to object: kind is not an object"),
        ({"fromFieldPath": "spec.region", "toFieldPath": "spec.a[1000000]"}, "cannot patch to object: index 1000000 is greater than max allowed index 1024"),
        ({"fromFieldPath": "spec.nothing", "toFieldPath": "kind"}, 'cannot patch to object: Object \'Kind\' is missing in \'{"apiVersion":"example.org/v1","kind":null,"spec":{"forProvider":{"tags":{"a":"b"}}}}\''),
        ({"fromFieldPath": "a..b"}, 'cannot parse path "a..b": unexpected \'.\' at position 2'),
        ({"fromFieldPath": "spec.region", "transforms": [{"type": "map", "map": {"us": "1"}}]}, "transform at index 0 returned error: map transform could not resolve: key eu is not found in map"),
    ],
)  # fmt: skip
async def test_a_patch_that_cannot_be_made_is_fatal_and_nothing_changes(patch, fault):
    desired = State(Resource({}), {"other": Resource(BASE)})
    answer = await run(given(patch), desired=desired, context={"k": 1})
    assert [each.message for each in answer.results] == [
        f'cannot render composed resource "bucket" "FromCompositeFieldPath" patch at index 0: {fault}'
    ]
    assert (answer.desired, answer.context) == (desired, {"k": 1})


@pytest.mark.parametrize(
    ("function_input", "fault"),
    [
        (None, "resources: Required value: resources or environment patches are required"),
        ({"patchSets": [{"name": ""}]}, "name: Required value: name is required"),
        ({"patchSets": [{"name": "a", "patches": [{"type": "PatchSet"}]}]}, 'patches[0].type: Invalid value: "PatchSet": patch type *v1beta1.PatchSetPatch does not support patch of type PatchSet'),
        ({"resources": [{"base": BASE}]}, "resources[0].name: Required value: name is required"),
        (given({}), "resources[0].patches[0].fromFieldPath: Required value: fromFieldPath must be set for patch type FromCompositeFieldPath"),
        (given({"type": "Nope"}), 'resources[0].patches[0].type: Invalid value: "Nope": unknown patch type'),
        (given({"type": "PatchSet"}), "resources[0].patches[0].patchSetName: Required value: patchSetName must be set for patch type PatchSet"),
        (given({"type": "CombineFromComposite"}), "resources[0].patches[0].combine: Required value: combine must be set for patch type CombineFromComposite"),
        (given({"type": "CombineFromComposite", "combine": {}}), "resources[0].patches[0].toFieldPath: Required value: toFieldPath must be set for patch type CombineFromComposite"),
        (given({"type": "CombineFromComposite", "combine": {}, "toFieldPath": "a"}), "resources[0].patches[0].combine.strategy: Required value: a combine strategy must be provided"),
        (given({"type": "CombineFromComposite", "combine": {"strategy": "x"}, "toFieldPath": "a"}), 'resources[0].patches[0].combine.strategy: Invalid value: "x": unknown strategy type'),
        (given({"type": "CombineFromComposite", "combine": {"strategy": "string"}, "toFieldPath": "a"}), "resources[0].patches[0].combine.string: Required value: string must be set for combine strategy string"),
        (given({"type": "CombineFromComposite", "combine": {"strategy": "string", "string": {"fmt": ""}}, "toFieldPath": "a"}), "resources[0].patches[0].combine.variables: Required value: at least one variable must be provided"),
        (given({"type": "CombineFromComposite", "combine": {"strategy": "string", "string": {"fmt": ""}, "variables": [{}]}, "toFieldPath": "a"}), "resources[0].patches[0].combine.variables[0].fromFieldPath: Required value: fromFieldPath must be set for each combine variable"),
        (given({"fromFieldPath": "a", "policy": {"toFieldPath": "Nope"}}), 'resources[0].patches[0].policy.toFieldPathPolicy: Invalid value: "Nope": unknown toFieldPathPolicy'),
        (given({"fromFieldPath": "a", "policy": {"fromFieldPath": "Nope"}}), 'resources[0].patches[0].policy.fromFieldPathPolicy: Invalid value: "Nope": unknown fromFieldPathPolicy'),
        (given({"fromFieldPath": "a", "transforms": [{"type": "x"}]}), 'resources[0].patches[0].transforms[0].type: Invalid value: "x": unknown transform type'),
        (given({"fromFieldPath": "a", "transforms": [{"type": "map"}]}), "resources[0].patches[0].transforms[0].map: Required value: given transform type map requires configuration"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "map", "map": {}}]}), "resources[0].patches[0].transforms[0].map.pairs: Required value: at least one pair must be specified if a map transform is specified"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "math", "math": {}}]}), "resources[0].patches[0].transforms[0].math.type: Required value: math transform type is required"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "match", "match": {}}]}), "resources[0].patches[0].transforms[0].match.patterns: Required value: at least one pattern must be specified if a match transform is specified"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "match", "match": {"patterns": [{}]}}]}), "resources[0].patches[0].transforms[0].match.patterns[0].literal: Required value: literal pattern type requires a literal"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "match", "match": {"patterns": [{"type": "regexp"}]}}]}), "resources[0].patches[0].transforms[0].match.patterns[0].regexp: Required value: regexp pattern type requires a regexp"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "match", "match": {"patterns": [{"type": "regexp", "regexp": "("}]}}]}), 'resources[0].patches[0].transforms[0].match.patterns[0].regexp: Invalid value: "(": invalid regexp'),
        (given({"fromFieldPath": "a", "transforms": [{"type": "match", "match": {"patterns": [{"type": "x"}]}}]}), 'resources[0].patches[0].transforms[0].match.patterns[0].type: Invalid value: "x": unknown pattern type'),
        (given({"fromFieldPath": "a", "transforms": [{"type": "string", "string": {"fmt": "x"}}]}), "resources[0].patches[0].transforms[0].string.type: Required value: string transform type is required"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "string", "string": {"type": "x"}}]}), 'resources[0].patches[0].transforms[0].string.type: Invalid value: "x": unknown string transform type'),
        (given({"fromFieldPath": "a", "transforms": [{"type": "string", "string": {"type": "Join"}}]}), "resources[0].patches[0].transforms[0].string.join: Required value: join transform requires a join"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "string", "string": {"type": "Replace", "replace": {}}}]}), "resources[0].patches[0].transforms[0].string.replace.search: Required value: replace transform requires a search"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "string", "string": {"type": "Regexp", "regexp": {}}}]}), "resources[0].patches[0].transforms[0].string.regexp.match: Required value: regexp transform requires a match"),
        (given({"fromFieldPath": "a", "transforms": [{"type": "string", "string": {"type": "Regexp", "regexp": {"match": "("}}}]}), 'resources[0].patches[0].transforms[0].string.regexp.match: Invalid value: "(": invalid regexp'),
        (given(connectionDetails=[{}]), "resources[0].connectionDetails[0].type: Required value: connection detail type is required"),
        (given(connectionDetails=[{"type": "x"}]), 'resources[0].connectionDetails[0].type: Invalid value: "x": unknown connection detail type'),
        (given(connectionDetails=[{"type": "FromValue"}]), "resources[0].connectionDetails[0].name: Required value: name is required"),
        (given(connectionDetails=[{"type": "FromValue", "name": "a"}]), "resources[0].connectionDetails[0].value: Required value: value connection detail requires a value"),
        (given(readinessChecks=[{"type": "x"}]), 'resources[0].readinessChecks[0].type: Invalid value: "x": unknown readiness check type'),
        (given(readinessChecks=[{"type": "MatchString"}]), "resources[0].readinessChecks[0].matchString: Required value: cannot be nil for type MatchString"),
        (given(readinessChecks=[{"type": "MatchInteger"}]), "resources[0].readinessChecks[0].matchInteger: Required value: cannot be nil for type MatchInteger"),
        (given(readinessChecks=[{"type": "NonEmpty"}]), "resources[0].readinessChecks[0].fieldPath: Required value: cannot be empty"),
        (given(readinessChecks=[{"type": "MatchCondition", "matchCondition": {}}]), "resources[0].readinessChecks[0].matchCondition.type: Required value: cannot be empty for type MatchCondition"),
        (given(readinessChecks=[{"type": "MatchCondition", "matchCondition": {"type": "A"}}]), "resources[0].readinessChecks[0].matchCondition.status: Required value: cannot be empty for type MatchCondition"),
        ({"environment": {"patches": [{"type": "CombineToEnvironment"}]}}, 'environment.patches[0][type]: Invalid value: "CombineToEnvironment": invalid environment patch type'),
        ({"environment": {"patches": [{}]}}, "environment.patches[0].fromFieldPath: Required value: fromFieldPath must be set for patch type FromCompositeFieldPath"),
    ],
)  # fmt: skip
async def test_input_that_is_wrong_is_refused_first(function_input, fault):
    answer = await run(function_input)
    assert [(each.severity, each.message) for each in answer.results] == [("Fatal", f"invalid Function input: {fault}")]


@pytest.mark.parametrize(
    ("function_input", "fault"),
    [
        (given() | {"resource": []}, 'at "": unknown name "resource"'),
        (given({"fromFieldPath": "a", "policy": {"mergeOptions": {}}}), 'at "/resources/0/patches/0/policy": unknown name "mergeOptions"'),
        (given({"fromFieldPath": 5}), "Expected `str | null`, got `int` - at `$.resources[0].patches[0].fromFieldPath`"),
        ({"resources": "x"}, "Expected `array | null`, got `str` - at `$.resources`"),
    ],
)  # fmt: skip
async def test_input_that_cannot_be_read_is_refused(function_input, fault):
    answer = await run(function_input)
    assert answer.results[0].message.startswith(
        "cannot get Function input: cannot get function input *v1beta1.Resources"
    )
    assert answer.results[0].message.endswith(fault)


@pytest.mark.parametrize(
    ("function_input", "fault"),
    [
        (given({"type": "PatchSet", "patchSetName": "x"}), "cannot resolve PatchSets: cannot find PatchSet by name x"),
        (given(base={"spec": {}}), 'cannot parse base template of composed resource "bucket": Object \'Kind\' is missing in \'{"spec":{}}\''),
    ],
)  # fmt: skip
async def test_templates_that_cannot_be_used_are_refused(function_input, fault):
    assert (await run(function_input)).results[0].message == fault


DETAILS = [
    {"name": "user", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "username"},
    {"name": "gone", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "nope"},
    {"name": "arn", "type": "FromFieldPath", "fromFieldPath": "status.arn"},
    {"name": "conditions", "type": "FromFieldPath", "fromFieldPath": "status.conditions"},
    {"name": "missing", "type": "FromFieldPath", "fromFieldPath": "status.nope"},
    {"name": "port", "type": "FromValue", "value": "5432"},
]


def known(answer):
    return {key: each.reveal() for key, each in answer.desired.composite.connection.items()}


async def test_connection_details_are_taken_from_what_there_is():
    observed = Resource(OBSERVED, {"username": Plaintext("root")})
    answer = await run(given(connectionDetails=DETAILS), observed=observed)
    assert known(answer) == {
        "user": b"root", "arn": b"arn:x", "conditions": b'[{"status":"True","type":"Ready"}]', "port": b"5432",
    }  # fmt: skip
    assert list(answer.desired.resources) == ["bucket"]


@pytest.mark.parametrize(
    ("spec", "ref", "metadata"),
    [
        ({}, None, {"name": "my-store-connection", "namespace": "team"}),
        ({}, {"name": "own"}, {"name": "own"}),
        ({"writeConnectionSecretToRef": {"name": "mine", "namespace": "here"}}, {"name": "own"}, {"name": "mine", "namespace": "here"}),
        ({"writeConnectionSecretToRef": {"name": 5}}, {"name": "own"}, {"name": "own"}),
        ({}, {"patches": [{"fromFieldPath": "spec.region", "toFieldPath": "name"}, {"fromFieldPath": "spec.gone", "toFieldPath": "name"}]}, {"name": "eu", "namespace": "team"}),
        ({}, {"patches": [{"fromFieldPath": "spec.count", "toFieldPath": "name"}]}, {"name": "my-store-connection", "namespace": "team"}),
    ],
)  # fmt: skip
async def test_a_modern_composite_composes_a_secret_of_its_own(spec, ref, metadata):
    xr = {**XR, "metadata": {"name": "my-store", "namespace": "team"}, "spec": {**XR["spec"], "crossplane": {}, **spec}}
    function_input = given(connectionDetails=[DETAILS[-1]]) | ({"writeConnectionSecretToRef": ref} if ref else {})
    answer = await run(function_input, observed=Resource(OBSERVED), xr=xr)
    secret = answer.desired.resources["my-store-connection-secret"]
    assert secret == Resource(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "type": "connection.crossplane.io/v1alpha1",
            "data": {"port": "NTQzMg=="},
        },
        ready="True",
    )


@pytest.mark.parametrize(
    ("patch", "fault"),
    [
        ({"type": "ToCompositeFieldPath", "fromFieldPath": "a"}, "unsupported patch type ToCompositeFieldPath at index 0"),
        ({"fromFieldPath": "gone", "policy": {"fromFieldPath": "Required"}}, "cannot apply patch type FromCompositeFieldPath at index 0: gone: no such field"),
        ({"type": "CombineFromComposite", "combine": {"strategy": "x"}, "toFieldPath": "name"}, "cannot apply patch type CombineFromComposite at index 0: combine strategy x is not supported"),
        ({"type": "CombineFromComposite", "combine": {"strategy": "string"}, "toFieldPath": "name"}, "cannot apply patch type CombineFromComposite at index 0: given combine strategy string requires configuration"),
    ],
)  # fmt: skip
async def test_a_secret_that_cannot_be_named_is_fatal(patch, fault):
    xr = {**XR, "spec": {"crossplane": {}}}
    function_input = given(connectionDetails=[DETAILS[-1]]) | {"writeConnectionSecretToRef": {"patches": [patch]}}
    answer = await run(function_input, observed=Resource(OBSERVED), xr=xr)
    assert [each.message for each in answer.results] == [
        (
            "cannot compose connection secret: cannot generate connection secret reference: "
            f"cannot apply connection secret patches: {fault}"
        )
    ]


@pytest.mark.parametrize(
    ("checks", "ready", "warning"),
    [
        ([{"type": "None"}], "True", ""),
        ([{"type": "MatchCondition"}], "True", ""),
        ([{"type": "MatchCondition", "matchCondition": {"type": "Synced", "status": "True"}}], "Unspecified", ""),
        ([{"type": "MatchCondition", "matchCondition": {"type": "Synced", "status": "Unknown"}}], "True", ""),
        ([{"type": "NonEmpty", "fieldPath": "status.arn"}], "True", ""),
        ([{"type": "NonEmpty", "fieldPath": "status.nope"}], "Unspecified", ""),
        ([{"type": "MatchString", "fieldPath": "status.arn", "matchString": "arn:x"}], "True", ""),
        ([{"type": "MatchInteger", "fieldPath": "status.size", "matchInteger": 7}], "True", ""),
        ([{"type": "MatchInteger", "fieldPath": "status.arn", "matchInteger": 7}], "Unspecified", "status.arn: not a (int64) number"),
        ([{"type": "MatchTrue", "fieldPath": "status.arn"}], "Unspecified", "status.arn: not a bool"),
        ([{"type": "MatchString", "fieldPath": "status.size", "matchString": "x"}], "Unspecified", "status.size: not a string"),
        ([{"type": "NonEmpty", "fieldPath": "status.arn.x"}], "Unspecified", "status.arn: not an object"),
    ],
)  # fmt: skip
async def test_checks_tell_whether_a_resource_is_ready(checks, ready, warning):
    answer = await run(given(readinessChecks=checks), observed=Resource(OBSERVED))
    assert answer.desired.resources["bucket"].ready == ready
    prefix = 'cannot check readiness of composed resource "bucket": cannot run readiness check at index 0: '
    assert [each.message for each in answer.results] == ([prefix + warning] if warning else [])


async def test_an_input_is_read_once_however_often_it_comes():
    function, one = PatchAndTransform(), given({"fromFieldPath": "spec.region"})
    programs = {id(function._program(one)), id(function._program({**one})), id(function._program(one))}
    assert len(programs) == 1
    for count in range(600):
        function._program(given({"fromFieldPath": f"spec.{count}"}))
    assert len(function._known) == 512
