"""The tables are made elsewhere; here they only have to fit together."""

from importlib.resources import files

import pytest

from plumbline.apiserver.protobuf import folds, scalars
from plumbline.apiserver.protobuf.messages import message
from plumbline.apiserver.protobuf.table import BODIES, OPENAPI, SCALARS

TABLES = [BODIES, OPENAPI]


@pytest.mark.parametrize("table", TABLES)
def test_every_type_that_is_named_is_there(table):
    known = set(table.messages) | SCALARS
    assert {field.type for name in table.messages for field in table.fields(name)} - known == set()


@pytest.mark.parametrize("table", TABLES)
def test_no_number_is_given_twice(table):
    for name in table.messages:
        numbers = [field.number for field in table.fields(name)]
        assert len(set(numbers)) == len(numbers), name


def test_every_message_compiles():
    for name in BODIES.messages:
        steps = message(name).steps
        tags = {*steps.chunks, *steps.numbers, *steps.doubles}
        assert {tag >> 3 for tag in tags} == {field.number for field in BODIES.fields(name)}


def test_every_fold_has_its_message():
    assert set(folds.FOLDS) - set(BODIES.messages) == set()


def test_scalars_say_how_they_are_read():
    assert {*scalars.NUMBERS, *scalars.CHUNKS} == SCALARS == set(scalars.ZEROES)


def test_the_tables_stay_small():
    room = files("plumbline.apiserver.protobuf")
    assert len(room.joinpath("messages.txt").read_bytes()) < 100_000
    assert len(room.joinpath("openapi_v2.txt").read_bytes()) < 10_000
