from dataclasses import FrozenInstanceError, fields, replace

import pytest

from plumbline.base.limits import DEEPEST, MANIFESTS, MIB, REQUESTS, SETTINGS, Limits

PRESETS = [MANIFESTS, REQUESTS, SETTINGS]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("field", [field.name for field in fields(Limits)])
def test_no_limit_can_be_switched_off(preset, field):
    with pytest.raises(ValueError, match="at least 1"):
        replace(preset, **{field: 0})


def test_nothing_is_read_deeper_than_the_stack_bears():
    assert max(preset.depth for preset in PRESETS) <= DEEPEST
    with pytest.raises(ValueError, match=str(DEEPEST)):
        replace(MANIFESTS, depth=DEEPEST + 1)


def test_a_request_may_be_as_large_as_kubernetes_takes_it():
    assert REQUESTS.size_bytes == 3 * MIB
    assert REQUESTS.scalar_bytes == REQUESTS.size_bytes


def test_limits_do_not_change_under_way():
    with pytest.raises(FrozenInstanceError):
        MANIFESTS.depth = 5
