"""Overrides end to end: settings, the script they name, the worker that runs it, and the health it means."""

import pytest

from plumbline.base.evaluator import Evaluator
from plumbline.kube.health import Health, Script, Status, assess, health_from_lua, parse_overrides

LUA = """
hs = {}
if obj.status ~= nil and obj.status.phase == "Up" then
  hs.status = "Healthy"
  hs.message = obj.kind .. " is up"
end
return hs
"""


@pytest.mark.parametrize(
    ("status", "health"),
    [({"phase": "Up"}, Health(Status.HEALTHY, "Thing is up", "override")), ({}, None), (None, None)],
)
async def test_a_users_script_decides_for_its_kind(status, health):
    overrides = parse_overrides({"resource.customizations.health.example.org_*": LUA})
    obj = {"apiVersion": "example.org/v1", "kind": "Thing", "status": status}
    script = assess(obj, overrides)
    assert isinstance(script, Script)
    async with Evaluator() as evaluator:
        result = await evaluator.lua(script.source, {"obj": obj}, open_libs=script.open_libs)
    assert health_from_lua(result) == health
