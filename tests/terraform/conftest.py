"""Terraform or OpenTofu, where there is one."""

import asyncio

import pytest

from plumbline.base.errors import ToolMissing
from plumbline.terraform.tool import found


@pytest.fixture(scope="session")
def terraform():
    """The tool of this machine."""
    try:
        return asyncio.run(found())
    except ToolMissing as error:
        pytest.skip(str(error))
