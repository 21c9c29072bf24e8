import pytest

from plumbline.apiserver.crds.definitions.validation import definition_errors, definition_status_errors
from plumbline.base.json import decode, encode

from .corpus import I, O, T, crd, rules, schema, version, webhook, with_defaults
from .refusals import REFUSALS
from .wrong import CRDS

IMMUTABLE = "field is immutable"


def shown(error):
    text = str(error)
    return text if len(text) <= 200 else f"{text[:90]} ... {text[-100:]}"


def told(definition, old=None):
    return tuple(shown(each) for each in definition_errors(definition, old))


@pytest.mark.parametrize("why", CRDS)
def test_definitions_are_refused_in_the_servers_words(why):
    assert told(with_defaults(CRDS[why])) == REFUSALS[why]


@pytest.mark.parametrize("why", CRDS)
def test_nothing_is_wrong_only_because_it_was_there_before(why):
    old = established(CRDS[why])
    fresh = {each.field for each in definition_errors(with_defaults(CRDS[why]))}
    assert {each.field for each in definition_errors(old, old)} <= fresh


def established(definition):
    made = with_defaults(definition)
    made["metadata"]["resourceVersion"] = "1"
    made["status"]["conditions"] = [{"type": "Established", "status": "True"}]
    return made


def changed(definition, change):
    made = decode(encode(definition))
    change(made)
    return made


OLD = crd(root=schema(spec=O))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda each: each["spec"].update(scope="Cluster"), (f'spec.scope: Invalid value: "Cluster": {IMMUTABLE}',)),
        (
            lambda each: each["spec"]["names"].update(kind="Other"),
            (f'spec.names.kind: Invalid value: "Other": {IMMUTABLE}',),
        ),
        (
            lambda each: each["spec"]["names"].update(plural="others"),
            (f'spec.names.plural: Invalid value: "others": {IMMUTABLE}',),
        ),
        (
            lambda each: each["spec"].update(group="other.org"),
            (f'spec.group: Invalid value: "other.org": {IMMUTABLE}',),
        ),
        (
            lambda each: each["spec"].update(group=""),
            ("spec.group: Required value", f'spec.group: Invalid value: "": {IMMUTABLE}'),
        ),
    ],
    ids=["scope", "kind", "plural", "group", "no group"],
)
def test_what_was_established_stays(change, said):
    assert told(changed(established(OLD), change), established(OLD)) == said


def test_until_it_is_established_a_kind_may_still_change():
    old = with_defaults(OLD)
    old["metadata"]["resourceVersion"] = "1"
    assert told(changed(old, lambda each: each["spec"]["names"].update(kind="Other")), old) == ()


def test_versions_that_hold_objects_stay():
    old = established(OLD)
    gone = changed(old, lambda each: each["spec"]["versions"][0].update(name="v2"))
    first, second = told(gone, old)
    assert first == 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2'
    assert second.startswith('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was prev')


def test_the_status_is_written_alone():
    old = established(OLD)
    new = changed(old, lambda each: each["status"].update(acceptedNames={"plural": "A", "shortNames": ["b", "C"]}))
    found = [each.field for each in definition_status_errors(new, old)]
    assert found == ["status.acceptedNames.plural", "status.acceptedNames.shortNames[1]"]


LOOSE = {
    "a schema that is missing": crd(versions=[version(), {"name": "v2", "served": False, "storage": False}]),
    "a type that is none": crd(root=schema(a={"type": "foo"})),
    "no structure": crd(root=schema(a={})),
    "a default with more than its schema": crd(root=schema(a={**schema(b=T), "default": {"c": 1}})),
    "a set of objects": crd(root=schema(a={"type": "array", "x-kubernetes-list-type": "set", "items": O})),
    "a map without keys": crd(
        root=schema(
            a={
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
                "items": schema(k=T),
            }
        )
    ),
    "reviews that nobody knows": crd(conversion=webhook(url="https://x.example.org", reviews=["v9"])),
    "unknown fields that are kept": crd(preserveUnknownFields=True),
    "rules that cost too much": crd(
        root=schema(a={"type": "array", "maxItems": 1500, "items": I, **rules("self.all(x, self.all(y, x == y))")})
    ),
    "many selectable fields": crd(
        versions=[
            version(
                root=schema(spec=schema(**{f"f{at}": T for at in range(9)})),
                selectableFields=[{"jsonPath": f".spec.f{at}"} for at in range(9)],
            )
        ]
    ),
    "many selectable fields in one version": crd(
        versions=[
            version(
                root=schema(spec=schema(**{f"f{at}": T for at in range(9)})),
                selectableFields=[{"jsonPath": f".spec.f{at}"} for at in range(9)],
            ),
            version("v2"),
        ]
    ),
    "no approval": crd(group="x.k8s.io"),
}


@pytest.mark.parametrize("why", LOOSE)
def test_faults_from_before_do_not_stop_changes(why):
    old = established(LOOSE[why])
    assert definition_errors(with_defaults(LOOSE[why])), "or it would be no fault"
    new = changed(old, lambda each: each["metadata"].update(labels={"a": "b"}))
    assert told(new, old) == ()


def test_too_many_selectable_fields_are_refused():
    (said,) = told(with_defaults(LOOSE["many selectable fields"]))
    assert said == "spec.selectableFields: Too many: 9: must have at most 8 items"


def test_a_served_version_needs_a_schema_even_where_another_never_had_one():
    old = established(LOOSE["a schema that is missing"])
    new = changed(old, lambda each: each["spec"]["versions"][1].update(served=True))
    place = "spec.versions[1].schema.openAPIV3Schema"
    assert told(new, old) == (f"{place}: Required value: because otherwise all fields are pruned",)


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        (
            [{**version(), "schema": None, "selectableFields": [{"jsonPath": ".spec.a"}]}],
            'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included',
        ),
        (
            [version(), {**version("v2"), "schema": None, "selectableFields": [{"jsonPath": ".spec.a"}]}],
            'spec.versions[1].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
        ),
    ],
    ids=["shared", "one of two"],
)
def test_fields_cannot_be_selected_by_without_schema(versions, said):
    assert said in [str(each) for each in definition_errors(with_defaults(crd(versions=versions)))]


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        ("https://example.org/approved", ""),
        ("unapproved, for now", ""),
        ("yes", "with either a URL or a reason starting with"),
    ],
)
def test_groups_of_the_community_need_its_approval(annotation, said):
    definition = with_defaults(crd(group="x.k8s.io"))
    definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": annotation}
    errors = definition_errors(definition)
    assert len(errors) == bool(said)
    assert all(said in str(each) for each in errors)


def test_rules_whose_old_values_cannot_be_found_are_refused_where_they_stand():
    listed = {"type": "array", "maxItems": 3, "items": {**I, **rules("self >= oldSelf")}}
    (said,) = definition_errors(with_defaults(crd(root=schema(spec=schema(l=listed)))))
    assert said.field == (
        "spec.validation.openAPIV3Schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule"
    )
    assert "oldSelf cannot be used on the uncorrelatable portion of the schema" in said.message


def test_a_bundle_that_holds_no_certificate_is_refused_once_objects_are_served():
    def trusting(bundle):
        return lambda each: each["spec"].update(conversion=webhook(url="https://x.example.org", caBundle=bundle))

    old = established(OLD)
    (said,) = told(changed(old, trusting("AAAA")), old)
    assert said.endswith("unable to load root certificates: unable to parse bytes as PEM block")
    broken = changed(old, trusting("!"))
    assert told(changed(broken, trusting("AAAA")), broken) == ()
