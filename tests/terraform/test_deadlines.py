"""A run may take as long as its object says, within reason."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.terraform.deadlines import ANNOTATION, USUAL_S, deadline_s


def obj(**annotations):
    return {"metadata": {"annotations": annotations} if annotations else {}}


def test_an_hour_unless_something_is_said():
    assert deadline_s(obj()) == deadline_s(obj(other="1s")) == USUAL_S


@pytest.mark.parametrize(("said", "seconds"), [("90m", 5400), ("1s", 1), ("24h", 86_400)])
def test_as_long_as_the_object_says(said, seconds):
    assert deadline_s(obj(**{ANNOTATION: said})) == seconds


@pytest.mark.parametrize("said", ["soon", "", "0s", "-1m", "25h", "1"])
def test_what_cannot_be_kept_is_refused(said):
    with pytest.raises(InvalidInput):
        deadline_s(obj(**{ANNOTATION: said}))
