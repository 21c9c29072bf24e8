import pytest

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import ENVIRONMENT, Call, Resource, State
from plumbline.composition.patching import native

BASE = {"apiVersion": "example.org/v1", "kind": "Bucket", "metadata": {"name": "never", "labels": {"a": "b"}}}
XR = {
    "apiVersion": "example.org/v1",
    "kind": "XStore",
    "metadata": {"name": "my-store", "labels": {"team": "x"}},
    "spec": {"region": "eu", "count": 3, "list": [{"a": 1}, {"a": 2}]},
    "status": {"conditions": [{"type": "Ready", "status": "False"}]},
}
LIVE = {
    "apiVersion": "example.org/v1beta1",
    "kind": "Bucket",
    "metadata": {"name": "my-store-abc", "labels": {"live": "yes"}},
    "status": {"arn": "arn:x", "conditions": [{"type": "Ready", "status": "True"}]},
}


def spec(*patches, name="bucket", base=BASE, **rest):
    template = {"base": base, "patches": list(patches), **rest} | ({"name": name} if name else {})
    return {"compositeTypeRef": {}, "mode": "Resources", "resources": [template]}


async def run(given, *, live=None, **call):
    function = native(given)
    observed = {} if live is None else {function.names[0]: live if isinstance(live, Resource) else Resource(live)}
    before = encode([given, XR])
    answer = await function.run(Call(observed=State(Resource(XR), observed), **call))
    assert encode([given, XR]) == before, "nothing that was given changes"
    return answer


async def test_the_name_is_that_of_what_is_there_and_never_that_of_the_base():
    new = await run(spec({"fromFieldPath": "spec.region"}))
    assert new.desired.resources["bucket"] == Resource(
        {**BASE, "metadata": {"labels": {"a": "b"}}, "spec": {"region": "eu"}}, ready="False"
    )
    known = await run(spec(), live=LIVE)
    assert known.desired.resources["bucket"].resource["metadata"] == {"labels": {"a": "b"}, "name": "my-store-abc"}
    assert known.desired.resources["bucket"].ready == "True"


async def test_templates_without_names_are_bound_by_their_place():
    function = native({"resources": [{"base": BASE}, {"base": BASE}]})
    assert (function.names, function.anonymous) == (("resource 1", "resource 2"), True)
    assert native(spec()).anonymous is False


async def test_a_patch_that_fails_leaves_its_resource_alone_and_no_other():
    given = spec({"fromFieldPath": "spec.gone", "policy": {"fromFieldPath": "Required"}})
    given["resources"].append({"name": "other", "base": BASE})
    answer = await run(given, live=LIVE)
    assert answer.left_alone == {"bucket"}
    assert list(answer.desired.resources) == ["other"]
    assert [(each.severity, each.message) for each in answer.results] == [(
        "Warning",
        ('cannot render FromComposite patches for composed resource "bucket": '
        'cannot apply the "FromCompositeFieldPath" patch at index 0: spec.gone: no such field'),
    )]  # fmt: skip


@pytest.mark.parametrize(
    ("patch", "fault"),
    [
        ({"type": "FromCompositeFieldPath"}, "FromFieldPath is required by type FromCompositeFieldPath"),
        ({"type": "CombineFromComposite"}, "Combine is required by type CombineFromComposite"),
        ({"type": "CombineFromComposite", "combine": {}}, "ToFieldPath is required by type CombineFromComposite"),
        ({"type": "CombineFromComposite", "combine": {}, "toFieldPath": "a"}, "combine patch types require at least one variable"),
        ({"fromFieldPath": "spec.region", "toFieldPath": "metadata.labels.a.b"}, "metadata.labels.a is not an object"),
        ({"fromFieldPath": "spec.region", "toFieldPath": "metadata[*].x[*]"}, "cannot expand ToFieldPath metadata[*].x[*]"),
    ],
)  # fmt: skip
async def test_patches_that_say_nonsense_are_told_when_they_are_made(patch, fault):
    answer = await run(spec(patch))
    kind = patch.get("type", "FromCompositeFieldPath")
    assert [each.severity for each in answer.results] == ["Warning"]
    assert answer.results[0].message.endswith(f'cannot apply the "{kind}" patch at index 0: {fault}')


async def test_optional_values_that_are_missing_and_unknown_types_do_nothing():
    answer = await run(spec({"fromFieldPath": "spec.gone"}, {"type": "Nope", "fromFieldPath": "spec.region"}))
    assert (answer.results, answer.left_alone) == ((), frozenset())


async def test_values_keep_their_types():
    transforms = [{"type": "string", "string": {"fmt": "%d"}}]
    answer = await run(spec({"fromFieldPath": "spec.count", "toFieldPath": "spec.text", "transforms": transforms}))
    assert answer.desired.resources["bucket"].resource["spec"]["text"] == "3"


async def test_what_patches_write_into_the_composite_is_wanted_and_nothing_else():
    patches = [
        {"type": "ToCompositeFieldPath", "fromFieldPath": "status.arn"},
        {"type": "ToCompositeFieldPath", "fromFieldPath": "status.arn", "toFieldPath": "spec.list[1].arn"},
        {"type": "ToCompositeFieldPath", "fromFieldPath": "status.arn", "toFieldPath": "spec.list[*].a"},
        {"type": "ToCompositeFieldPath", "fromFieldPath": "metadata.labels", "policy": {"mergeOptions": {"keepMapValues": True}}},
    ]  # fmt: skip
    answer = await run(spec(*patches), live=LIVE)
    assert answer.desired.composite.resource == {
        "apiVersion": "example.org/v1",
        "kind": "XStore",
        "metadata": {"labels": {"team": "x", "live": "yes"}},
        "spec": {"list": [{"a": "arn:x"}, {"a": "arn:x", "arn": "arn:x"}]},
        "status": {"arn": "arn:x"},
    }


async def test_a_required_value_for_the_composite_fails_late():
    patch = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.gone", "policy": {"fromFieldPath": "Required"}}
    answer = await run(spec(patch), live=LIVE)
    assert [(each.severity, each.message) for each in answer.results] == [(
        "Fatal",
        ('cannot render ToComposite patches for composed resource "bucket": '
        'cannot apply the "ToCompositeFieldPath" patch at index 0: status.gone: no such field'),
    )]  # fmt: skip
    assert "bucket" in answer.desired.resources
    assert (await run(spec(patch))).results == (), "there is nothing to take it from yet"


async def test_merge_options_meet_the_base_and_what_is_live():
    patch = {"fromFieldPath": "metadata.labels", "policy": {"mergeOptions": {"keepMapValues": True}}}
    answer = await run(spec(patch), live=LIVE)
    assert answer.desired.resources["bucket"].resource["metadata"]["labels"] == {"live": "yes", "a": "b", "team": "x"}
    combine = {"strategy": "string", "string": {"fmt": "%s"}, "variables": [{"fromFieldPath": "spec.region"}]}
    ignored = {
        "type": "CombineFromComposite",
        "combine": combine,
        "toFieldPath": "metadata.labels",
        "policy": {"mergeOptions": {}},
    }
    answer = await run(
        spec(ignored, {"fromFieldPath": "metadata.labels", "toFieldPath": "spec.x", "policy": {"mergeOptions": {}}}),
        live=LIVE,
    )
    assert answer.desired.resources["bucket"].resource["metadata"]["labels"] == "eu"


@pytest.mark.parametrize(
    ("base", "live", "fault"),
    [
        ({"spec": {}}, None, "cannot unmarshal JSON data: Object 'Kind' is missing in '{\"spec\":{}}'"),
        (None, None, "cannot unmarshal JSON data: unexpected end of JSON input"),
        (
            {**BASE, "kind": "Table"},
            LIVE,
            (
                "cannot change the kind of a composed resource from example.org/v1beta1, Kind=Bucket to example.org/v1, "
                "Kind=Table (possible composed resource template mismatch)"
            ),
        ),
    ],
)
async def test_a_base_that_cannot_be_used_is_fatal_and_nothing_is_wanted(base, live, fault):
    answer = await run(spec(base=base), live=live, context={"k": 1})
    assert [each.message for each in answer.results] == [
        f'cannot parse base template of composed resource "bucket": {fault}'
    ]
    assert (answer.desired, answer.context) == (State(), {"k": 1})


async def test_a_core_kind_has_no_group():
    live = {**LIVE, "apiVersion": "v1", "kind": "Secret"}
    answer = await run(spec(), live=live)
    assert "from /v1, Kind=Secret to example.org/v1, Kind=Bucket" in answer.results[0].message


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (spec({"type": "PatchSet", "patchSetName": "x"}), "cannot find PatchSet by name x"),
        (spec({"type": "PatchSet"}), "PatchSetName is required by type PatchSet"),
        (spec() | {"patchSets": [{"name": "a", "patches": [{"type": "PatchSet"}]}]}, "a patch in a PatchSet cannot be of type PatchSet"),
        ({"resources": 5}, "Expected `array | null`, got `int` - at `$.resources`"),
    ],
)  # fmt: skip
async def test_a_composition_that_cannot_be_read_is_fatal(given, fault):
    answer = await native(given).run(Call(observed=State(Resource(XR))))
    assert [each.message for each in answer.results] == [f"cannot inline Composition patch sets: {fault}"]


async def test_connection_details_are_inferred():
    details = [
        {"fromConnectionSecretKey": "user"},
        {"name": "renamed", "fromConnectionSecretKey": "user", "fromFieldPath": "status.arn"},
        {"name": "arn", "fromFieldPath": "status.arn"},
        {"name": "port", "value": "1"},
        {"name": "odd", "type": "Nope"},
    ]
    live = Resource(LIVE, {"user": Plaintext("root")})
    answer = await run(spec(connectionDetails=details), live=live)
    found = {key: each.reveal() for key, each in answer.desired.composite.connection.items()}
    assert found == {"user": b"root", "renamed": b"root", "arn": b"arn:x", "port": b"1"}


@pytest.mark.parametrize(
    ("detail", "fault"),
    [
        ({}, "connection detail is missing name"),
        ({"name": "a"}, 'connection detail of type "FromConnectionSecretKey" key is not set'),
        ({"name": "a", "type": "FromValue"}, 'connection detail of type "FromValue" value is not set'),
        ({"name": "a", "type": "FromFieldPath"}, 'connection detail of type "FromFieldPath" fromFieldPath is not set'),
    ],
)
async def test_a_detail_that_says_nothing_fails_late(detail, fault):
    answer = await run(spec(connectionDetails=[detail]), live=LIVE)
    assert [each.message for each in answer.results] == [
        f'cannot extract composite resource connection details from composed resource "bucket": {fault}'
    ]


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"type": "Nope"}, 'unknown type "Nope"'),
        ({"type": "MatchString", "fieldPath": "a"}, 'type "MatchString" requires a match string'),
        ({"type": "MatchInteger", "fieldPath": "a", "matchInteger": 0}, 'type "MatchInteger" requires a match integer'),
        ({"type": "MatchCondition"}, 'type "MatchCondition" requires a valid match condition'),
        ({"type": "MatchTrue"}, 'type "MatchTrue" requires a field path'),
    ],
)
async def test_a_check_that_says_nothing_fails_late(check, fault):
    answer = await run(spec(readinessChecks=[check]), live=LIVE)
    assert [each.message for each in answer.results] == [
        f'cannot check whether composed resource "bucket" is ready: cannot run readiness check at index 0: invalid: {fault}'
    ]


@pytest.mark.parametrize("status", [5, {"conditions": 5}, {"conditions": [5]}, None])
async def test_a_status_that_says_nothing_is_not_ready(status):
    answer = await run(spec(), live={**LIVE, "status": status})
    assert answer.desired.resources["bucket"].ready == "False"


async def test_older_compositions_patch_an_environment_too():
    given = spec(
        {"type": "FromEnvironmentFieldPath", "fromFieldPath": "zone", "toFieldPath": "spec.zone"},
        {"type": "ToEnvironmentFieldPath", "fromFieldPath": "status.arn", "toFieldPath": "arn"},
    ) | {"environment": {"policy": {}, "patches": [{"fromFieldPath": "spec.region", "toFieldPath": "region"}, {"type": "ToCompositeFieldPath", "fromFieldPath": "zone", "toFieldPath": "status.zone"}]}}  # fmt: skip
    answer = await run(
        given, live=LIVE, context={ENVIRONMENT: {"zone": "a", "kind": "Environment", "apiVersion": "v1"}}
    )
    assert answer.context[ENVIRONMENT] == {
        "zone": "a",
        "kind": "Environment",
        "apiVersion": "v1",
        "region": "eu",
        "arn": "arn:x",
    }
    assert answer.desired.resources["bucket"].resource["spec"] == {"zone": "a"}
    assert answer.desired.composite.resource["status"] == {"zone": "a"}
    bad = spec() | {"environment": {"patches": [{"fromFieldPath": "x", "policy": {"fromFieldPath": "Required"}}]}}
    assert (await run(bad)).results[0].message == (
        'cannot apply the "FromCompositeFieldPath" environment patch at index 0: x: no such field'
    )


async def test_a_base_whose_metadata_is_none_is_left_as_it_is():
    answer = await run(spec(base={**BASE, "metadata": "x"}), live=LIVE)
    assert answer.desired.resources["bucket"].resource["metadata"] == "x"
    bare = await run(spec(base={"kind": "Bucket"}))
    assert bare.desired.resources["bucket"].resource == {"kind": "Bucket"}
