"""Addresses are written as the tools write them, and nothing else of a state is looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadDocument, TooNew
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.state.document import parsed, quoted

from .stage import resource, state_text


def test_what_is_in_a_state_is_listed_by_address():
    document = parsed(
        state_text(
            7,
            "abc",
            [
                resource("plain", {"attributes": {"id": "i-1", "password": "canary"}}),
                resource("many", {"index_key": 0}, {"index_key": 1, "status": "tainted", "attributes": {"id": 5}}),
                resource("each", {"index_key": 'a"${b}\n', "attributes": {"id": None}}, module='module.net["eu"]'),
                resource("next", {"deposed": "00000001"}, {"attributes": {}}),
                resource("looked_up", {}, mode="data"),
            ],
            outputs={"a": {"value": "canary"}},
        )
    )
    assert (document.serial, document.lineage, document.tool_version, document.outputs) == (7, "abc", "1.11.4", 1)
    assert [(each.address, each.tainted, each.deposed) for each in document.instances] == [
        ("terraform_data.plain", False, ""),
        ("terraform_data.many[0]", False, ""),
        ("terraform_data.many[1]", True, ""),
        ('module.net["eu"].terraform_data.each["a\\"$${b}\\n"]', False, ""),
        ("terraform_data.next", False, "00000001"),
        ("terraform_data.next", False, ""),
    ]
    assert [each.id for each in document.instances[:4]] == [Plaintext("i-1"), None, Plaintext("5"), None]
    assert "canary" not in repr(document)
    assert "i-1" not in repr(document)


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("a", "a"),
        ("%{x}", "%%{x}"),
        ("$x", "$x"),
        ("\t\\", "\\t\\\\"),
        ("\x00", "\\u0000"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_keys_are_quoted_as_the_tools_quote_them(key, written):
    assert quoted(key) == written


@given(st.text())
def test_a_quoted_key_can_be_printed(key):
    assert quoted(key).isprintable()


def test_of_an_encrypted_state_serial_and_lineage_are_known():
    text = encode({"serial": 3, "lineage": "x", "meta": {}, "encrypted_data": "AAAA", "encryption_version": "v0"})
    document = parsed(text)
    assert (document.serial, document.lineage, document.encrypted, document.instances) == (3, "x", True, ())


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        (b"", BadDocument, "nothing"),
        (b"{", BadDocument, "half of it"),
        (b"[]", BadDocument, "no state at all"),
        (b'{"version": 4}', BadDocument, "nobody knows which version it is"),
        (b'{"version": 4, "serial": "1", "lineage": "x"}', BadDocument, "a serial that is no number"),
        (b'{"version": 4, "serial": 1, "lineage": "\xff"}', BadDocument, "no text"),
        (state_text(version=3), BadDocument, "a format of old"),
        (state_text(version=5), TooNew, "a format to come"),
        (b'{"version":4,"serial":1,"lineage":"x","check_results":' + b"[" * 100_000, BadDocument, "very deep"),
        (state_text(resources=[{"mode": "managed"}]), BadDocument, "a resource without a name"),
    ],
)
def test_what_is_no_state_is_refused(text, error, why):
    with pytest.raises(error):
        parsed(text)
