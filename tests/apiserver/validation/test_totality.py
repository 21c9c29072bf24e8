"""Whatever stands wherever in an object: validation answers, it never breaks."""

from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.apiserver.validation.casebook import Case, cases, changed, stored

from plumbline.apiserver.validation import (
    validated_create,
    validated_status_update,
    validated_subresource_update,
    validated_update,
)
from plumbline.base.json import Json

BASES = {f"{case.file} {case.base}": case for case in cases()}
_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_json = st.recursive(
    _scalars | st.sampled_from(["*", "/", "a.b", "10.0.0.0/8", "None", "-1", "1Gi", "https://a/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def _places(value: Json, path: str = "") -> list[str]:
    if isinstance(value, dict):
        inside = [each for key in value for each in _places(value[key], f"{path}/{key.replace('/', '~1')}")]
    elif isinstance(value, list):
        inside = [each for index, item in enumerate(value) for each in _places(item, f"{path}/{index}")]
    else:
        inside = []
    return [path[1:], *inside] if path else inside


@pytest.mark.parametrize("case", BASES.values(), ids=BASES)
@settings(max_examples=settings.default.max_examples // 4)
@given(st.data())
def test_any_value_in_any_place_has_an_answer(case: Case, data):
    base = stored(case)
    mine = [each for each in cases() if (each.file, each.base) == (case.file, case.base)]
    whole = changed(base, data.draw(st.sampled_from(mine)).changes)
    places = _places(whole)
    broken = changed(whole, {data.draw(st.sampled_from(places)): data.draw(_json)})
    gvk = case.gvk
    assert isinstance(validated_create(gvk, broken), list)
    for new, old in ((broken, base), (base, broken)):
        assert isinstance(validated_update(gvk, new, old), list)
        assert isinstance(validated_status_update(gvk, new, old), list)
        for subresource in ("approval", "finalize"):
            assert isinstance(validated_subresource_update(gvk, subresource, new, old), list)


MODULES = (
    *("admissionpolicies", "autoscaling", "certificates", "config", "csi", "devices", "endpoints", "events"),
    *("flowcontrol", "ingresses", "misc", "networking", "nodes", "policy", "quotas", "rbac", "registration"),
    *("runtimeclasses", "services", "storage", "volumes"),
)


@pytest.mark.parametrize("module", MODULES)
def test_an_object_of_nothing_has_an_answer(module):
    rules = import_module(f"plumbline.apiserver.validation.{module}")
    for rule in rules.CREATE.values():
        assert isinstance(rule({}), list)
    updates = [
        *rules.UPDATE.values(),
        *rules.STATUS_UPDATE.values(),
        *getattr(rules, "SUBRESOURCE_UPDATE", {}).values(),
    ]
    for rule in updates:
        assert isinstance(rule({}, {}), list)
