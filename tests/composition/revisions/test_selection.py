"""Which composition and which revision: the same question always has the same answer."""

import msgspec
import pytest
from tests.composition.definitions.samples import xrd

from plumbline.composition.definitions.values import defined
from plumbline.composition.revisions.revision import revision_of
from plumbline.composition.revisions.selection import (
    Chosen,
    Machinery,
    Unchosen,
    chosen_composition,
    chosen_revision,
    composes,
    revision_selector,
)

from .samples import composition

DEFINITION = defined(xrd())
SMALL = composition("small", metadata={"labels": {"size": "s", "tier": "a"}})
LARGE = composition("large", metadata={"labels": {"size": "l", "tier": "a"}})
OTHER = composition("another", kind="XOther", metadata={"labels": {"tier": "a"}})
ALL = [SMALL, LARGE, OTHER]


def labels(**matching):
    return {"matchLabels": matching}


CHOICES = [
    ({}, Machinery(), Chosen("large", "selector"), "the smallest name of those that compose the kind"),
    ({}, Machinery("mine"), Chosen("mine", "reference"), "what is named stays"),
    ({}, Machinery(selector=labels(size="s")), Chosen("small", "selector"), "labels decide"),
    ({}, Machinery(selector=labels(tier="a")), Chosen("large", "selector"), "the smallest name again"),
    ({"default_composition": "small"}, Machinery(), Chosen("small", "default"), "the default"),
    (
        {"default_composition": "small"},
        Machinery(selector=labels(size="l")),
        Chosen("large", "selector"),
        "a selector goes before the default",
    ),
    ({"enforced_composition": "small"}, Machinery("mine"), Chosen("small", "enforced"), "what is enforced wins"),
    ({"enforced_composition": "small"}, Machinery("small"), Chosen("small", "reference"), "and is said only once"),
]


@pytest.mark.parametrize(("settings", "said", "expected", "why"), CHOICES, ids=[each[3] for each in CHOICES])
def test_a_composition_is_chosen(settings, said, expected, why):
    definition = msgspec.structs.replace(DEFINITION, **settings)
    assert chosen_composition(said, definition, ALL) == expected
    assert chosen_composition(said, definition, ALL[::-1]) == expected


def test_nothing_that_fits_is_said_with_what_was_looked_for():
    found = chosen_composition(Machinery(selector=labels(size="xl")), DEFINITION, ALL)
    assert isinstance(found, Unchosen)
    assert "size=xl" in found.message
    assert isinstance(chosen_composition(Machinery(), DEFINITION, [OTHER]), Unchosen)


def test_a_composition_is_for_one_kind_in_one_version():
    assert composes(SMALL, DEFINITION.composite.gvk)
    assert not composes(SMALL, DEFINITION.composite.gvk._replace(version="v2"))


def revision(number, **with_labels):
    made = revision_of({**SMALL, "metadata": {**SMALL["metadata"], "labels": with_labels}}, number)
    return {**made, "metadata": {**made["metadata"], "name": f"small-{number}"}}


REVISIONS = [revision(1, channel="stable"), revision(3, channel="beta"), revision(2, channel="stable")]
PICKS = [
    ({}, Machinery(), "small-3", "the newest"),
    ({}, Machinery(revision="small-1", update_policy="Manual"), "small-1", "the one that is named"),
    ({}, Machinery(update_policy="Manual"), "small-3", "manual, and none named yet"),
    ({}, Machinery(revision="small-1", update_policy="Automatic"), "small-3", "automatic moves on"),
    ({"update_policy": "Manual"}, Machinery(revision="small-2"), "small-2", "the definition says what holds"),
    ({}, Machinery(revision_selector=labels(channel="stable")), "small-2", "the newest of those selected"),
    (
        {"default_revision_selector": labels(channel="stable")},
        Machinery(),
        "small-2",
        "those that the definition selects",
    ),
    (
        {},
        Machinery(revision_selector=labels(channel="stable"), update_policy="Manual"),
        "small-3",
        "a selector is for automatic updates",
    ),
]


@pytest.mark.parametrize(("settings", "said", "expected", "why"), PICKS, ids=[each[3] for each in PICKS])
def test_a_revision_is_chosen(settings, said, expected, why):
    definition = msgspec.structs.replace(DEFINITION, **settings)
    assert chosen_revision(said, definition, SMALL, REVISIONS)["metadata"]["name"] == expected


@pytest.mark.parametrize(
    "said",
    [Machinery(revision="gone", update_policy="Manual"), Machinery(revision_selector=labels(channel="none"))],
)
def test_a_revision_that_is_not_there_is_said(said):
    assert isinstance(chosen_revision(said, DEFINITION, SMALL, REVISIONS), Unchosen)


def test_revisions_of_another_composition_do_not_count():
    assert isinstance(chosen_revision(Machinery(), DEFINITION, LARGE, REVISIONS), Unchosen)


def test_a_selector_of_ones_own_goes_before_the_definitions():
    definition = msgspec.structs.replace(DEFINITION, default_revision_selector=labels(a="b"))
    assert revision_selector(Machinery(revision_selector=labels(c="d")), definition) == labels(c="d")
    assert revision_selector(Machinery(revision="x"), definition) is None


def test_machinery_is_read_where_the_lineage_keeps_it():
    said = {
        "compositionRef": {"name": "small"},
        "compositionSelector": labels(a="b"),
        "compositionRevisionRef": {"name": "small-1"},
        "compositionRevisionSelector": labels(c="d"),
        "compositionUpdatePolicy": "Manual",
    }
    expected = Machinery("small", labels(a="b"), "small-1", labels(c="d"), "Manual")
    modern = defined(xrd(scope="Cluster"))
    assert Machinery.of({"spec": said}, DEFINITION) == expected
    assert Machinery.of({"spec": {"crossplane": said}}, modern) == expected
    assert Machinery.of({"spec": said}, modern) == Machinery()
    assert Machinery.of({}, DEFINITION) == Machinery()
