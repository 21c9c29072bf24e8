"""The page about AWS says what the tables say."""

from pathlib import Path

import pytest

from plumbline.providers.aws.catalogue import tables

from .pages import section

DOCS = Path(__file__).parents[3] / "docs" / "providers"


@pytest.mark.parametrize("table", list(tables()), ids=lambda table: f"{table.service}-{table.kind}")
def test_a_kind_is_documented_as_its_table_has_it(table):
    assert section(table) in (DOCS / "aws.md").read_text() + "\n"
