"""Is this object well? One answer for every kind.

`assess` decides for one object, `aggregate` for an application. Both are pure: where a user's own Lua has to be asked,
`assess` hands back the script, whoever runs it gives the result to `health_from_lua`, and no other order is possible:

    answer = assess(obj, overrides)
    if isinstance(answer, Script):
        result = await evaluator.lua(answer.source, {"obj": obj}, open_libs=answer.open_libs)
        answer = health_from_lua(result)
"""

from plumbline.kube.health.aggregation import Part, aggregate
from plumbline.kube.health.assessing import assess
from plumbline.kube.health.overrides import Overrides, Script, health_from_lua, override_for, parse_overrides
from plumbline.kube.health.status import Health, Status, worst

__all__ = [
    "Health",
    "Overrides",
    "Part",
    "Script",
    "Status",
    "aggregate",
    "assess",
    "health_from_lua",
    "override_for",
    "parse_overrides",
    "worst",
]
