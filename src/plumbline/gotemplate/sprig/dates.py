"""Dates and durations."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from plumbline.gotemplate.layouts import read, written
from plumbline.gotemplate.moments import HOUR, MINUTE, SECOND, UTC_ZONE, Duration, Time, duration, zone
from plumbline.gotemplate.sprig.surroundings import Surroundings
from plumbline.gotemplate.values import Failed, Function, Value, function

_DATE: Final = "2006-01-02"
_SPANS: Final = (
    ("y", 365 * 24 * HOUR),
    ("mo", 30 * 24 * HOUR),
    ("d", 24 * HOUR),
    ("h", HOUR),
    ("m", MINUTE),
    ("s", SECOND),
)


class _Dates:
    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings

    def now(self) -> Time:
        return Time.of(self._surroundings.now())

    def _moment(self, value: Value) -> Time:
        if isinstance(value, Time):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return Time(value * SECOND)
        return self.now()

    def written_in(self, layout: str, value: Value, name: str = "Local") -> str:
        try:
            place = zone(name)
        except Failed:
            place = UTC_ZONE
        return written(Time(self._moment(value).ns, place), layout)

    def ago(self, value: Value) -> str:
        return self.now().since(self._moment(value)).rounded(SECOND).text()

    def rounded(self, value: Value) -> str:
        size = 0
        if isinstance(value, str):
            with suppress(Failed):
                size = abs(duration(value))
        elif isinstance(value, Time):
            size = abs(self.now().since(value))
        elif type(value) is int:
            size = abs(value)
        return next((f"{size // length}{unit}" for unit, length in _SPANS if size > length), "0s")


def _modified(by: str, moment: Time) -> Time:
    try:
        return moment.add(duration(by))
    except Failed:
        return moment


def _duration(value: Value) -> str:
    seconds = 0
    if isinstance(value, str):
        with suppress(ValueError):
            seconds = int(value, 10)
    elif type(value) is int:
        seconds = value
    return Duration(seconds * SECOND).text()


def _read(layout: str, text: str) -> Time:
    try:
        return read(layout, text)
    except Failed:
        return Time()


def functions(surroundings: Surroundings) -> Mapping[str, Function]:
    dates = _Dates(surroundings)
    in_zone = function("string any string", dates.written_in)
    modify = function("string time", _modified)
    must_modify = function("string time", lambda by, moment: moment.add(duration(by)))
    return {
        "ago": function("any", dates.ago),
        "date": function("string any", dates.written_in),
        "dateInZone": in_zone,
        "dateModify": modify,
        "date_in_zone": in_zone,
        "date_modify": modify,
        "duration": function("any", _duration),
        "durationRound": function("any", dates.rounded),
        "htmlDate": function("any", lambda value: dates.written_in(_DATE, value)),
        "htmlDateInZone": function("any string", lambda value, name: dates.written_in(_DATE, value, name)),
        "mustDateModify": must_modify,
        "mustToDate": function("string string", read),
        "must_date_modify": must_modify,
        "now": function("", dates.now),
        "toDate": function("string string", _read),
        "unixEpoch": function("time", lambda moment: str(moment.ns // SECOND)),
    }
