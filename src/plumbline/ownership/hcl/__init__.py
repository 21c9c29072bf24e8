"""Terraform's language, as far as it says what exists: blocks, attributes and literal values, each with its line.

It is read here and not with a library for the reasons in docs/adr/0008.
"""

from plumbline.ownership.hcl.blocks import Block, Body, read_hcl
from plumbline.ownership.hcl.modules import Declared, Modules, Part

__all__ = ["Block", "Body", "Declared", "Modules", "Part", "read_hcl"]
