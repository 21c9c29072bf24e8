"""What the recorded cases cannot hold: time, chance, and properties that hold for every text."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gotemplate.asking import FUNCTIONS, NOW, printed

from plumbline.base.errors import EvaluationFailed, PlumblineError
from plumbline.base.ids import Ids
from plumbline.gotemplate import Failed, Surroundings, Template, Typed, function, sprig
from plumbline.gotemplate.bounds import Bounds, Budget
from plumbline.gotemplate.layouts import read, written
from plumbline.gotemplate.moments import HOUR, MINUTE, SECOND, Duration, Time, duration, zone
from plumbline.gotemplate.printing import formatted
from plumbline.gotemplate.quoting import quoted, unquoted
from plumbline.gotemplate.values import INVALID, Int, Raw


def test_now_is_the_time_that_it_was_given():
    assert printed('{{now | date "2006-01-02 15:04:05"}}') == "2026-01-02 03:04:05"
    assert printed("{{now | unixEpoch}}") == str(int(NOW.timestamp()))
    assert printed("{{ago .when}}", {"when": Time.of(NOW - timedelta(hours=2, seconds=1))}) == "2h0m1s"
    assert printed("{{durationRound .when}}", {"when": Time.of(NOW - timedelta(days=3))}) == "3d"
    assert printed('{{date "2006" "whatever"}}{{htmlDate 1.5}}') == "20262026-01-02"
    assert printed("{{ago 0}}") == "490923h4m5s"


def test_chance_can_be_repeated():
    def drawn():
        template = Template(
            "t",
            "{{randAlphaNum 9}} {{uuidv4}} {{shuffle `abcdef`}} {{randInt 3 9}}",
            sprig(Surroundings(lambda: NOW, Ids(3))),
        )
        return template.execute({})

    assert drawn() == drawn()
    with pytest.raises(EvaluationFailed, match="invalid argument to Intn"):
        printed("{{randInt 3 3}}")


def test_sprig_leaves_out_what_tells_about_the_process():
    assert not {"env", "expandenv", "getHostByName"} & FUNCTIONS.keys()
    assert len(FUNCTIONS) > 180


class Ship(Typed):
    type_name = "harbour.Ship"

    def member(self, name):
        return {"Name": "Vasa", "Sail": function("string", lambda to: f"to {to}")}.get(name, INVALID)

    def text(self):
        return "a ship"


def test_values_of_named_types_have_fields_and_methods():
    value = {"ship": Ship(), "f": function("string ...int", lambda name, *rest: f"{name}{len(rest)}")}
    assert (
        printed('{{.ship}} {{.ship.Name}} {{.ship.Sail "Kiel"}} {{"Kiel" | .ship.Sail}}', value)
        == "a ship Vasa to Kiel to Kiel"
    )
    assert (
        printed('{{call .f "x" 1 2}} {{kindOf .ship}} {{typeOf .ship}} {{if .ship}}afloat{{end}}', value)
        == "x2 struct harbour.Ship afloat"
    )
    for text, complaint in [
        ("{{.ship.Name 1}}", "has arguments but cannot be invoked as function"),
        ("{{.ship.Mast}}", "can't evaluate field Mast in type interface {}"),
        ("{{.ship.Sail}}", "wrong number of args for Sail: want 1 got 0"),
        ("{{.f}}", "can't print"),
        ("{{call .f}}", "got 0 want at least 1"),
        ("{{call .f 1}}", "arg 0: value has type int; should be string"),
        ("{{call .f nil}}", "arg 0: value is nil; should be of type string"),
        ("{{.ship.Name.x}}", "can't evaluate field x in type string"),
        ("{{toJson .ship}}{{mustToJson .ship}}", "json: unsupported type"),
    ]:
        with pytest.raises(EvaluationFailed) as refused:
            printed(text, value)
        assert complaint in str(refused.value)


def test_bytes_are_text_that_is_meant_as_it_is():
    value = {"raw": Raw(b"hi")}
    assert printed('{{.raw}} {{.raw | toString}} {{printf "%s %x %q" .raw .raw .raw}} {{typeOf .raw}}', value) == (
        '[104 105] hi hi 6869 "hi" []uint8'
    )


@pytest.mark.parametrize(
    ("text", "ns", "shown"),
    [
        ("1h2m3.5s", HOUR + 2 * MINUTE + 3 * SECOND + SECOND // 2, "1h2m3.5s"),
        ("-1.5h", -90 * MINUTE, "-1h30m0s"),
        ("100ms", SECOND // 10, "100ms"),
        ("1us", 1000, "1µs"),
        ("3ns", 3, "3ns"),
        ("0", 0, "0s"),
        ("1.5us", 1500, "1.5µs"),
    ],
)
def test_durations_are_read_and_written_as_in_go(text, ns, shown):
    assert duration(text) == ns
    assert duration(text).text() == shown


@pytest.mark.parametrize("text", ["", "1", "h", "1x", "1h-", "99999999999h"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(Failed, match="time: invalid duration"):
        duration(text)


def test_durations_round_and_have_parts():
    value = {"d": Duration(90 * SECOND + 1)}
    assert printed(
        "{{.d.Minutes}} {{.d.Seconds}} {{.d.Milliseconds}} {{.d.Microseconds}} {{.d.Nanoseconds}} {{.d.String}}", value
    ) == ("1.5000000000166667 90.000000001 90000 90000000 90000000001 1m30.000000001s")
    assert Duration(-1500).rounded(1000) == -2000
    assert Duration(-1500).truncated(1000) == -1000
    assert Duration(1499).rounded(1000) == 1000
    assert Duration(7).rounded(0) == Duration(7).truncated(0) == 7
    assert (
        printed("{{.d.Abs}} {{lt .d 5}} {{printf `%d %f` .d .d}}", {"d": Duration(-5)})
        == "5ns true -5 %!f(time.Duration=-5ns)"
    )


def test_moments_know_their_parts():
    value = {"t": Time.of(datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)), "d": Duration(HOUR)}
    assert printed(
        "{{.t.Hour}}:{{.t.Minute}}:{{.t.Second}}.{{.t.Nanosecond}} {{.t.IsZero}} {{.t.Local.Day}} {{.t.Month.String}}",
        value,
    ) == ("5:6:7.89000 false 4 March")
    assert printed(
        "{{.t.Truncate .d}} {{.t.Round .d}} {{.t.Add .d}} {{.t.UnixMilli}} {{.t.UnixMicro}} {{.t.UnixNano}}", value
    ).startswith("2026-03-04 05:00:00 +0000 UTC 2026-03-04 05:00:00 +0000 UTC 2026-03-04 06:06:07.000089 +0000 UTC")
    assert printed("{{.t.Equal .t}} {{.t.Compare .t}} {{.t.String}} {{eq .t .t}} {{toJson .t}}", value).endswith(
        '"2026-03-04T05:06:07.000089Z"'
    )
    assert hash(value["t"]) == hash(Time.of(datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)))


def test_calendars_go_on_where_pythons_ends():
    assert written(read("2006-01-02", "0001-01-01").add(-24 * HOUR), "2006-01-02 002") == "0000-12-31 366"
    assert written(read("2006-01-02", "0000-02-29").add(24 * HOUR), "2006-01-02 Mon") == "0000-03-01 Wed"
    with pytest.raises(Failed, match="unknown time zone"):
        zone("No/Where")


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_is_read_as_it_was_written(moment):
    told = Time.of(moment)
    for layout in (
        "2006-01-02T15:04:05.999999999Z07:00",
        "Mon Jan _2 15:04:05.000000 2006",
        "2006 002 15:04:05.000000",
    ):
        assert read(layout, written(told, layout)).ns == told.ns


@given(st.text())
def test_quoted_text_is_read_as_it_was_meant(text):
    text = text.encode(errors="ignore").decode()
    assert unquoted(quoted(text)) == text
    assert unquoted(quoted(text, ascii_only=True)) == text


@given(st.text(alphabet="{}%- .$|()\"`'abrnge=:/*ifndlsw0127\n", max_size=60))
def test_any_text_is_printed_or_refused_in_words(text):
    with suppress(PlumblineError):
        assert isinstance(printed("{{" + text, {"a": 1}), str)


@given(
    st.text(alphabet="%+-# 0123456789.*[]vdsqxXtTfegcUob!", max_size=20),
    st.lists(st.integers() | st.text(max_size=5) | st.floats() | st.none(), max_size=3),
)
def test_any_format_is_printed(form, values):
    assert isinstance(
        formatted(form, [Int(each) if isinstance(each, int) else each for each in values], Budget(Bounds())), str
    )


def bare(text, value=None):
    """Without Sprig, which has a `slice` of its own."""
    return Template("t", text).execute({"l": [1, 2, 3], "s": "héllo"} if value is None else value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{slice .l 1 2}} {{slice .l}} {{slice .s 1 3}} {{slice .l 0 1 3}} {{slice .l 3}}", "[2] [1 2 3] é [1] []"),
        ("{{slice .l 2 1}}", "invalid slice index: 2 > 1"),
        ("{{slice .l 0 2 1}}", "invalid slice index: 2 > 1"),
        ("{{slice .l 0 1 2 3}}", "too many slice indexes: 4"),
        ("{{slice .s 0 1 2}}", "cannot 3-index slice a string"),
        ("{{slice .nope}}", "slice of untyped nil"),
        ("{{slice 1}}", "can't slice item of type int"),
        ("{{slice .l 9}}", "index out of range: 9"),
        ("{{1+2i}}", "complex numbers such as 1+2i are not supported"),
        ("{{2+0i}} {{0i}}", "complex numbers such as 2+0i are not supported"),
        ("{{1+2x}}", 'bad number syntax: "1+2x"'),
        ("{{0x1p4}} {{1e400}}", 'illegal number syntax: "1e400"'),
        ("{{0x1p4}}", "16"),
        ("{{printf `%v %s` nil}}", "<nil> %!s(MISSING)"),
        ("{{printf `%[9]d` 1}}{{printf `%*d` `x` 1}}", "%!d(BADINDEX)%!(BADWIDTH)1"),
        ("{{printf `%.*f|%-*d|` 1 2.55 4 7}}", "2.5|7   |"),
        ("{{printf `%#U %c` 9731 1114112}}", "U+2603 '☃' �"),
        ("{{define `T`}}{{.}}{{end}}{{template `T` .s}}{{template `U`}}", 'template "U" not defined'),
        ("{{html nil}}{{js `a\n<`}}", r"&lt;no value&gt;a\u000A\u003C"),
        ("{{.l.x}}", "can't evaluate field x in type interface {}"),
        ("{{and 1 (not 0)}}{{or}}", "wrong number of args for or: want at least 1 got 0"),
    ],
)
def test_what_every_template_has(text, expected):
    try:
        found = bare(text)
    except PlumblineError as fault:
        found = str(fault)
    assert found == expected or found.endswith(f": {expected}")


def test_an_empty_template_prints_nothing_and_one_that_is_not_there_says_so():
    assert bare("") == ""
    assert bare("{{define `T`}}x{{end}}") == ""


def test_floats_print_as_in_go():
    odd = {"a": float("nan"), "b": float("inf"), "c": -float("inf"), "d": -0.0, "e": 1e-7, "f": 123456.0}
    assert bare("{{.a}} {{.b}} {{.c}} {{.d}} {{.e}} {{.f}}", odd) == "NaN +Inf -Inf -0 1e-07 123456"
    assert bare("{{printf `%+v %6.2f %+.1f %G` .b .f .f .e}}", odd) == "+Inf 123456.00 +123456.0 1E-07"


def test_sprig_leaves_corners_to_nobody():
    value = {"t": Time.of(NOW), "big": 2**62, "m": {"a": 1}}
    assert printed(
        '{{abbrevboth 5 8 "1234 5678 9123"}} {{abbrevboth 9 7 "0123456789abc"}} {{splitn "" 2 "abc"}} {{splitn "," 0 "a"}}',
        value,
    )
    assert (
        printed("{{mul .big 4}} {{add .big .big}} {{int64 1e300}}", value)
        == "0 -9223372036854775808 -9223372036854775808"
    )
    assert printed('{{b64dec "a"}} {{b32dec "1"}} {{toJson 0.00002}} {{toJson 0.000012345}}', value).endswith(
        "0.00002 0.000012345"
    )
    assert printed('{{wrap 5 "aaaaaaaaaa b"}}|{{wrapWith 3 "" "a  bcdef"}}', value) == "aaaaaaaaaa\nb|a \nbcd\nef"
    assert (
        printed('{{urlJoin (dict "scheme" "mailto" "opaque" "a@b")}} {{(urlParse "http://[::1]:80/").hostname}}', value)
        == "mailto:a@b ::1"
    )
    assert (
        printed(
            '{{regexSplit "" "ab" -1}} {{regexSplit "b" "ab" 0}} {{regexFindAll "a" "aa" 0}} {{chunk 2 (list)}}', value
        )
        == "[a b] [] [] []"
    )
    for text, complaint in [
        ('{{urlJoin (dict "path" 1)}}', "must be of type string, but int found"),
        ('{{urlParse "http://[x"}}', "unable to parse url"),
        ("{{chunk 0 (list 1)}}", "makeslice"),
        ('{{dig 1 "d" .m}}', "not string"),
        ('{{substr 3 1 "abc"}}', "out of range"),
        ('{{indent -1 "a"}}', "negative Repeat count"),
        ('{{mustFromJson "{"}}', "invalid JSON"),
        ("{{toRawJson .f}}", "unsupported value"),
        ('{{slice "x"}}', "list should be type of slice or array but string"),
        ('{{mustRegexFind "[" "a"}}', "missing closing ]"),
    ]:
        with pytest.raises(EvaluationFailed) as refused:
            printed(text, {**value, "f": float("inf")})
        assert complaint in str(refused.value)
