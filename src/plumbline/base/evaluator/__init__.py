"""Running code that users supply (Lua, jq, jsonnet) where it can do no harm: in workers that are confined and killed.

async with Evaluator() as evaluator:
    health = await evaluator.lua(script, {"obj": live})
"""

from plumbline.base.evaluator.evaluator import Bounds, Evaluator, Jsonnet

__all__ = ["Bounds", "Evaluator", "Jsonnet"]
