"""Terraform or OpenTofu, run: confined, masked, within a deadline, from a store of providers that all runs share.

    async with room.opened(tree, workplace, key="apps/network") as session:
        planned = await session.plan(Planning())
        applied = await session.apply(Applying(plan=planned.plan), progress)

The tool gets the files of the source, what the workplace names, and nothing of ours. It takes no lock unless told to.
"""

from plumbline.terraform.tool.commands import Bounds
from plumbline.terraform.tool.facts import Facts
from plumbline.terraform.tool.finding import Tool, found
from plumbline.terraform.tool.room import Terms, Toolroom
from plumbline.terraform.tool.session import Session

__all__ = ["Bounds", "Facts", "Session", "Terms", "Tool", "Toolroom", "found"]
