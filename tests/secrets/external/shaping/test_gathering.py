"""What stores answered, put together."""

import base64

import pytest
from tests.secrets.external.shaping.making import SURROUNDINGS, opened, plain

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretItem,
    ExternalSecretItems,
    ExternalSecretSpec,
    ExternalSecretTarget,
    Find,
    GeneratorRef,
    RemoteRef,
    Rewrite,
    RewriteRegexp,
    SourceRef,
)
from plumbline.secrets.external.shaping.gathering import Answers, gathered


def _item(secret_key, key="remote", **fields):
    return ExternalSecretItem(secret_key=secret_key, remote_ref=RemoteRef(key=key, **fields))


def _extract(rewrite=(), **fields):
    return ExternalSecretItems(extract=RemoteRef(key="remote", **fields), rewrite=rewrite)


def _spec(*, data=(), data_from=(), deletion="Retain"):
    return ExternalSecretSpec(
        data=tuple(data), data_from=tuple(data_from), target=ExternalSecretTarget(deletion_policy=deletion)
    )


def _gathered(spec, data_from=(), data=()):
    return gathered(spec, Answers(data_from, data), SURROUNDINGS)


def test_later_entries_count_and_single_keys_most():
    spec = _spec(data_from=[_extract(), _extract()], data=[_item("c"), _item("c")])
    first, second = plain(a="1", b="1", c="1"), plain(b="2", c="2")
    made = _gathered(spec, [first, second], [Plaintext("3"), Plaintext("4")])
    assert opened(made.values) == {"a": b"1", "b": b"2", "c": b"4"}
    assert (made.missing, made.gone, made.unmatched) == ((), False, False)


def test_keys_are_converted_unless_they_are_rewritten():
    rewrite = (Rewrite(regexp=RewriteRegexp(source="/", target="-")),)
    spec = _spec(data_from=[_extract(), _extract(rewrite, conversion_strategy="Unicode")])
    made = _gathered(spec, [plain(**{"a/b": "1"}), plain(**{"c/d": "2"})])
    assert opened(made.values) == {"a_b": b"1", "c-d": b"2"}


def test_rewritten_keys_have_to_be_keys():
    rewrite = (Rewrite(regexp=RewriteRegexp(source="x", target="y")),)
    with pytest.raises(InvalidInput, match="invalid secret keys"):
        _gathered(_spec(data_from=[_extract(rewrite)]), [plain(**{"a/b": "1"})])


def test_values_are_decoded_where_they_are_asked_for():
    spec = _spec(
        data_from=[ExternalSecretItems(find=Find(decoding_strategy="Base64"))],
        data=[_item("one", decoding_strategy="Base64"), _item("two")],
    )
    made = _gathered(spec, [plain(f="Yg==")], [Plaintext("YQ=="), Plaintext("YQ==")])
    assert opened(made.values) == {"f": b"b", "one": b"a", "two": b"YQ=="}


def test_null_bytes_are_looked_for_in_what_was_decoded():
    spec = _spec(data=[_item("k", decoding_strategy="Base64", null_byte_policy="Fail")])
    with pytest.raises(InvalidInput, match='key "k" contains null bytes'):
        _gathered(spec, data=[Plaintext("QQBC")])
    spec = _spec(data_from=[_extract(null_byte_policy="Fail")])
    with pytest.raises(InvalidInput, match='key "k" contains null bytes'):
        _gathered(spec, [plain(k="\0")])


def test_a_bad_value_is_named_by_its_key():
    with pytest.raises(InvalidInput, match="mine: it is no base64") as caught:
        _gathered(_spec(data=[_item("mine", decoding_strategy="Base64")]), data=[Plaintext("canary")])
    assert "canary" not in str(caught.value)


def test_what_generators_make_is_taken_as_it_is():
    reference = SourceRef(generator_ref=GeneratorRef(kind="Password", name="p"))
    spec = _spec(data_from=[ExternalSecretItems(source_ref=reference)])
    assert opened(_gathered(spec, [plain(password="YQ==")]).values) == {"password": b"YQ=="}
    with pytest.raises(InvalidInput, match="invalid secret keys"):
        _gathered(spec, [plain(**{"a/b": "1"})])


def test_what_is_missing_is_an_error_where_it_has_to_be_kept():
    spec = _spec(data_from=[_extract()], data=[_item("k", key="db/pass")])
    with pytest.raises(NotFound) as caught:
        _gathered(spec, [plain(a="1")], [None])
    assert caught.value.why == "secret does not exist at provider using spec.data[0] (key=db/pass)"
    with pytest.raises(NotFound, match=r"spec.dataFrom\[0\]"):
        _gathered(spec, [None], [Plaintext("x")])


@pytest.mark.parametrize("deletion", ["Delete", "Merge"])
def test_otherwise_it_is_left_out_and_reported(deletion):
    spec = _spec(data_from=[_extract()], data=[_item("k"), _item("l")], deletion=deletion)
    made = _gathered(spec, [None], [None, Plaintext("x")])
    assert opened(made.values) == {"l": b"x"}
    assert len(made.missing) == 2
    assert not made.gone


def test_not_found_is_more_than_nothing_found():
    find = ExternalSecretItems(find=Find())
    gone = _gathered(_spec(data_from=[_extract()], data=[_item("k")], deletion="Delete"), [None], [None])
    unmatched = _gathered(_spec(data_from=[find, _extract()], deletion="Delete"), [{}, None])
    empty = _gathered(_spec(data_from=[_extract()], deletion="Delete"), [{}])
    assert (gone.gone, gone.unmatched) == (True, False)
    assert (unmatched.gone, unmatched.unmatched) == (False, True)
    assert (empty.gone, empty.unmatched) == (False, False)
    assert not any(each.values for each in (gone, unmatched, empty))


def test_more_than_a_secret_holds_is_refused_before_it_is_made():
    """A large value that is asked for many times is one value for the store, and would be many here."""
    large = Plaintext(base64.b64encode(bytes(600_000)))
    items = [_item(f"key{number}", decoding_strategy="Base64") for number in range(3)]
    with pytest.raises(LimitExceeded, match="a Secret holds no more than 1,024 KiB"):
        _gathered(_spec(data=items), data=[large] * 3)
    assert len(_gathered(_spec(data=items[:1]), data=[large]).values) == 1
    again = [_item("key", decoding_strategy="Base64") for _ in range(3)]
    assert len(_gathered(_spec(data=again), data=[large] * 3).values) == 1, "one takes the place of another"
    with pytest.raises(LimitExceeded):
        _gathered(_spec(data_from=[_extract()]), [plain(**{f"key{number}": bytes(600_000) for number in range(3)})])
