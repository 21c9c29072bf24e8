"""Pages of rows: what is looked for, how it is sorted, and how many there are."""

import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded, TimedOut
from plumbline.web.api.ours.lists import Asked, Columns, paged

COLUMNS = Columns(
    shown={"name": lambda row: row[0], "state": lambda row: row[1]},
    counted=("state",),
    shaped=lambda row: {"name": row[0]},
    order={"age": lambda row: row[2]},
)
ROWS = [("web", "well", 3), ("db", "wrong", 1), ("webhook", "wrong", 2)]

SEARCHES = [
    ("", ["web", "db", "webhook"], "nothing is looked for"),
    ("web", ["web", "webhook"], "a part of the name"),
    ("web,db", ["web", "db", "webhook"], "one or the other"),
    ("-web", ["db"], "turned round"),
    ("state:WRONG", ["db", "webhook"], "whatever the case"),
    ("state:w*g", ["db", "webhook"], "with a pattern"),
    ("state:wrong hook", ["webhook"], "both"),
    ('"db"', ["db"], "in quotes"),
    ("state:", [], "nothing has no state"),
    ("-", ["web", "db", "webhook"], "a mere sign"),
]


@pytest.mark.parametrize(("search", "names", "why"), SEARCHES, ids=[each[2] for each in SEARCHES])
def test_rows_are_found(search, names, why):
    assert [row[0] for row in paged(ROWS, Asked(search), COLUMNS).rows] == names


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (Asked('"'), InvalidInput),
        (Asked("colour:red"), InvalidInput),
        (Asked(sort="colour"), InvalidInput),
        (Asked("x" * 1001), LimitExceeded),
        (Asked("x " * 41), LimitExceeded),
    ],
)
def test_what_cannot_be_read_is_refused(asked, error):
    with pytest.raises(error):
        paged(ROWS, asked, COLUMNS)


def test_pages_come_in_order_and_say_where_the_next_begins():
    page = paged(ROWS, Asked(sort="-age", limit=2), COLUMNS)
    assert [row[0] for row in page.rows] == ["web", "webhook"]
    assert page.next == 2
    assert paged(ROWS, Asked(sort="state,name", offset=2), COLUMNS).next is None
    assert paged(ROWS, Asked(limit=0), COLUMNS).shaped(COLUMNS.shaped) == {
        "items": [],
        "counts": {"total": 3, "state": {"well": 1, "wrong": 2}},
    }


def test_a_column_is_counted_whatever_is_asked_of_it_and_not_of_others():
    page = paged(ROWS, Asked("state:well"), COLUMNS)
    assert page.counts == {"total": 1, "state": {"well": 1, "wrong": 2}}
    assert paged(ROWS, Asked("hook"), COLUMNS).counts["state"] == {"wrong": 1}
    assert page.shaped(COLUMNS.shaped, TimedOut("late"))["stale"] == "late"
