"""Templates without functions: what they make is told apart as Crossplane does it, so that either may take over."""

import pytest
from tests.composition.composites.test_planning import XR, composing, config_map, live

from plumbline.composition import marks
from plumbline.composition.composites.observing import _called
from plumbline.composition.composites.planning import Templates, planned
from plumbline.composition.composites.takeover import taken_over

NAMED = Templates(("first", "second", "third"))
ANONYMOUS = Templates(("resource 1", "resource 2", "resource 3"), anonymous=True)
NOTHING = {"apiVersion": "", "kind": ""}


def by(templates):
    return composing()._replace(templates=templates)


def there(name, **metadata):
    return live({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}})


def names(references):
    return [each.get("name", "") for each in references]


def test_references_are_in_the_order_of_templates():
    plan = planned(by(NAMED), {"third": config_map(name="a"), "first": config_map(name="z")}, {})
    assert names(plan.references((), local=False, templates=NAMED)) == ["z", "a"]


def test_what_could_not_be_rendered_keeps_its_place():
    plan = planned(by(NAMED), {"third": config_map(name="a"), "first": config_map(name="z")}, {})
    kept = (("gone", there("old")), ("second", there("m")))
    assert names(plan.references(kept, local=False, templates=NAMED)) == ["z", "m", "a", "old"]


def test_without_names_every_template_has_its_place_even_if_nothing_is_there():
    plan = planned(by(ANONYMOUS), {"resource 3": config_map(name="a")}, {})
    kept = (("resource 1", there("old")),)
    assert names(plan.references(kept, local=False, templates=ANONYMOUS)) == ["old", "", "a"]
    assert plan.references((), local=False, templates=ANONYMOUS)[:2] == [NOTHING, NOTHING]


def test_without_names_nothing_says_what_it_is_called():
    (wanted,) = planned(by(ANONYMOUS), {"resource 1": config_map()}, {}).wanted
    assert marks.RESOURCE_NAME not in wanted.body["metadata"]["annotations"]


def test_a_template_has_no_say_in_how_names_begin():
    (wanted,) = planned(by(NAMED), {"first": config_map(generateName="mine-")}, {}).wanted
    assert wanted.body["metadata"]["generateName"] == "orders-"
    assert wanted.ref.name.startswith("orders-")


def test_empty_labels_of_crossplane_1_stay_where_they_are():
    empty = {marks.CLAIM_NAME: "", marks.CLAIM_NAMESPACE: ""}
    (wanted,) = planned(by(NAMED), {"first": config_map()}, {"first": there("a", labels=empty)}).wanted
    assert wanted.body["metadata"]["labels"] == {marks.COMPOSITE: XR["metadata"]["name"], **empty}
    (wanted,) = planned(by(NAMED), {"first": config_map()}, {"first": there("a")}).wanted
    assert wanted.body["metadata"]["labels"] == {marks.COMPOSITE: XR["metadata"]["name"]}


def called(*said):
    """Entries that say their names; None for what is not there, nothing for what does not say it."""
    return [None if name is None else there("a", annotations={marks.RESOURCE_NAME: name} if name else {}).entry for name in said]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "templates", "expected", "why"),
    [
        (("b", "a"), None, ["b", "a"], "functions give names"),
        (("b", ""), None, ["b", ""], "and whoever has none has none"),
        (("third", None, "first"), NAMED, ["third", "", "first"], "templates with names do too"),
        (("third", ""), NAMED, ["first", "second"], "a composition that was given names since: places count for all"),
        (("x", None, "", ""), ANONYMOUS, ["resource 1", "resource 2", "resource 3", ""], "what is too much belongs to none"),
        (("resource 2",), ANONYMOUS, ["resource 1"], "without names only places count"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_what_is_there_is_bound_to_templates(said, templates, expected, why):
    assert _called(called(*said), templates) == expected, why


def entry(manager, operation="Update", fields=None, **more):
    return {"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsV1": fields or {"f:data": {"f:a": {}}}, **more}  # fmt: skip


def test_what_was_applied_on_the_clients_side_is_taken_over():
    assert taken_over([entry("crossplane"), entry("kubectl")], "us") == [entry("us", "Apply"), entry("kubectl")]


def test_nothing_of_others_is_taken_over():
    others = [entry("kubectl"), entry("crossplane", subresource="status"), entry("us", "Apply")]
    assert taken_over(others, "us") == others


def test_a_composite_that_is_composed_keeps_its_machinery():
    theirs = {"f:resourceRefs": {}, "f:compositionRef": {".": {}, "f:name": {}}}
    held = {"f:metadata": {"f:finalizers": {".": {}}, "f:labels": {"f:a": {}}}, "f:spec": {"f:size": {}, **theirs}}
    ours, kept = taken_over([entry("crossplane", fields=held)], "us")
    assert ours == entry("us", "Apply", {"f:metadata": {"f:labels": {"f:a": {}}}, "f:spec": {"f:size": {}}})
    assert kept == entry("crossplane", fields={"f:metadata": {"f:finalizers": {".": {}}}, "f:spec": theirs})
    assert taken_over([ours, kept], "us") == [ours, kept]
