import pytest

from .journals import SqliteJournals


@pytest.fixture
def journals(tmp_path):
    return SqliteJournals(tmp_path / "journal.db")
