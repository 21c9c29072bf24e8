"""What a plan comes to, from what the tools really print."""

import pytest

from plumbline.base.errors import BadDocument, LimitExceeded, TooNew
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import summarised
from plumbline.terraform.plans.values import Counts, Field, OutputChange
from plumbline.terraform.plans.wording import block_address

from .samples import change, made, prior, real, summary

COUNTS = [
    ("create", Counts(create=4), 0, "a first plan"),
    ("tofu", Counts(create=2), 0, "OpenTofu prints the same, and no state where there is none"),
    ("nothing", Counts(), 4, "nothing to do"),
    ("mixed", Counts(update=2, delete=1, replace=1), 4, "some of all"),
    ("forget", Counts(forget=1, import_=1, move=1), 3, "blocks removed, moved and import"),
    ("guard", Counts(delete=1), 2, "a block that is gone"),
    ("deposed", Counts(delete=1), 2, "what a failed replacement left"),
    ("tainted", Counts(replace=1), 1, "made again"),
    ("errored", Counts(create=1), 0, "a precondition that does not hold"),
]


@pytest.mark.parametrize(("name", "counts", "managed", "why"), COUNTS)
def test_counts_what_real_plans_do(name, counts, managed, why):
    found = summarised(real(name))
    assert (found.counts, found.managed) == (counts, managed), why
    assert found.providers == ("terraform.io/builtin/terraform",)


def _of(name, address):
    return next(each for each in summarised(real(name)).acting if each.address == address)


def test_a_replacement_says_why_and_in_which_order():
    found = _of("mixed", "terraform_data.reads")
    assert (found.action, found.order, found.action_reason) == (
        "replace",
        "create-first",
        "replace_because_cannot_update",
    )
    assert found.replace_paths == ("triggers_replace",)
    assert Field("triggers_replace[0]", '"a"', '"b"', replaces=True) in found.fields
    assert _of("tainted", "terraform_data.a").order == "delete-first"


def test_renamed_imported_forgotten_and_deposed_are_told_apart():
    assert _of("forget", "terraform_data.renamed").previous_address == "terraform_data.kept"
    assert _of("forget", "terraform_data.renamed").action == "move"
    assert (_of("forget", "terraform_data.taken").action, _of("forget", "terraform_data.taken").importing) == (
        "import",
        "existing-id",
    )
    assert _of("forget", "terraform_data.gone").action == "forget"
    assert _of("deposed", "terraform_data.a").deposed == "0badcafe"


def test_fields_say_what_becomes_of_attributes():
    fields = {field.path: field for field in _of("mixed", "terraform_data.db").fields}
    assert fields["input.extra[0]"] == Field("input.extra[0]", None, "1")
    assert fields["input.password"] == Field("input.password", "(sensitive value)", "(sensitive value)")
    assert fields["output"].after == "(known after apply)"
    assert "input.name" not in fields, "it does not change"
    gone = {field.path: field for field in _of("mixed", 'module.net["b"].terraform_data.subnet[0]').fields}
    assert gone["input.name"] == Field("input.name", '"b"', None)


def test_outputs_come_go_and_change():
    assert summarised(real("mixed")).outputs == (
        OutputChange(name="id", action="update", before=summarised(real("mixed")).outputs[0].before, after='"x"'),
        OutputChange(name="list", action="delete", before='["x",1,true,null]'),
        OutputChange(name="secret", action="delete", before="(sensitive value)", sensitive=True),
    )
    assert summarised(real("nothing")).is_empty
    assert not summarised(real("create")).is_empty


def test_checks_that_fail_are_named():
    (check,) = summarised(real("errored")).checks
    assert (check.address, check.kind, check.status, check.messages) == (
        "terraform_data.b",
        "resource",
        "fail",
        ("n is 1",),
    )
    found = summarised(real("errored"))
    assert (found.errored, found.applyable, found.complete) == (True, False, False)


def test_blocks_of_the_state_are_known_without_keys():
    assert summarised(real("nothing")).blocks == {
        "terraform_data.db",
        "terraform_data.reads",
        "module.net.terraform_data.subnet",
    }


IMPORTS = [
    ({"id": "i-1"}, "i-1"),
    ({"identity": {"account": "1"}}, "(by its identity)"),
    ({"unknown": True}, "(known after apply)"),
]


@pytest.mark.parametrize(("importing", "shown"), IMPORTS)
def test_an_import_says_of_what(importing, shown):
    assert summary(change("a.b", "no-op", importing=importing)).changes[0].importing == shown


ADDRESSES = [
    ("a.b", "a.b"),
    ("a.b[0]", "a.b"),
    ('module.m["x.y[1]"].a.b["k"]', "module.m.a.b"),
    (r'a.b["quo\"ted]"].c', "a.b.c"),
    ("a.b[", "a.b"),
]


@pytest.mark.parametrize(("address", "block"), ADDRESSES)
def test_keys_of_instances_are_taken_off(address, block):
    assert block_address(address) == block


def test_programs_that_the_configuration_runs_are_seen_in_modules_too():
    inner = {"resources": [{"mode": "data", "type": "external"}, {"type": "null_resource", "provisioners": [{}]}]}
    configuration = {"root_module": {"module_calls": {"m": {"module": inner}}}}
    found = summary(configuration=configuration)
    assert (found.has_external_data, found.has_provisioners) == (True, True)
    assert not summarised(real("create")).has_external_data


def test_drift_deferred_changes_and_invocations_are_there():
    drifted = change("a.b", "update", before={"x": 1}, after={"x": 2})
    later = {"reason": "instance_count_unknown", "resource_change": change("a.c", "create")}
    found = summary(resource_drift=[drifted], deferred_changes=[later], action_invocations=[{"address": "action.x.y"}])
    assert found.drift[0].fields == (Field("x", "1", "2"),)
    assert (found.deferred[0].address, found.deferred[0].reason) == ("a.c", "instance_count_unknown")
    assert found.invocations == ("action.x.y",)
    assert found.changes == ()


def test_what_nobody_has_heard_of_is_tolerated():
    odd = {
        **change("a.b", "transmogrify", before={"x": 1}, after={"x": True}),
        "novel": [1],
        "action_reason": "because",
    }
    found = summary(odd, novelty={"a": 1})
    assert (found.changes[0].action, found.changes[0].actions) == ("unknown", ("transmogrify",))
    assert found.changes[0].fields == (Field("x", "1", "true"),), "to Python 1 is True, to people it is not"
    both = summary(change("a.b", "delete", "transmogrify"))
    assert both.changes[0].action == "delete"


def test_long_texts_show_where_they_differ():
    before, after = "x" * 300 + "old" + "y" * 300, "x" * 300 + "new" + "y" * 300
    (field,) = summary(change("a.b", "update", before={"t": before}, after={"t": after})).changes[0].fields
    assert field.before == '"…' + "x" * 30 + "old" + "y" * 30 + '…"'
    assert field.after == '"…' + "x" * 30 + "new" + "y" * 30 + '…"'


def test_what_is_longer_than_anybody_reads_is_only_measured():
    (field,) = (
        summary(change("a.b", "update", before={"t": "x" * 20_000}, after={"t": ["y" * 20_000]})).changes[0].fields
    )
    assert field.before == "(text of 20,000 characters)"
    assert (field.path, field.after) == ("t", "(value of 20,004 characters)")


def test_keys_that_are_no_names_stand_in_quotes():
    (field,) = summary(change("a.b", "update", before={"m": {"k 1": 1}}, after={"m": {"k 1": 2}})).changes[0].fields
    assert field.path == 'm["k 1"]'


def test_nothing_in_a_summary_moves_a_cursor():
    evil = "\x1b[31mred\u202e\n"
    odd = change(f'a.b["{evil}"]', "update", before={evil: evil}, after={evil: "z"})
    text = repr(summary(odd, checks=[{"status": "fail", "address": {"to_display": evil}}]))
    assert not any(mark in text for mark in ("\x1b", "\u202e", "\n"))


def test_fields_are_counted_where_they_are_too_many():
    after = {f"k{at}": at for at in range(1000)}
    found = summary(change("a.b", "create", after=after)).changes[0]
    assert (len(found.fields), found.fields_left_out) == (200, 800)


REFUSED = [
    (b"", BadDocument, "nothing"),
    (b"[]", BadDocument, "no object"),
    (b'{"format_version":"0.1"}', BadDocument, "before there was a format"),
    (b'{"format_version":"x"}', BadDocument, "no version"),
    (b'{"format_version":"2.0"}', TooNew, "a format to come"),
    (b'{"format_version":"1.2","resource_changes":[{}]}', BadDocument, "a change of nothing"),
    (b'{"format_version":"1.2","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", BadDocument, "too deep"),
    (b'{"format_version":"1.2","terraform_version":"\xff"}', BadDocument, "no UTF-8"),
]


@pytest.mark.parametrize(("content", "error", "why"), REFUSED)
def test_what_is_no_plan_is_refused(content, error, why):
    with pytest.raises(error):
        summarised(Plaintext(content))


def test_values_that_are_nested_too_deep_are_refused_or_hidden():
    deep = [('{"a":' * 900 + leaf + "}" * 900).encode() for leaf in "12"]
    text = made(change("a.b", "update", before="ONE", after="TWO")).reveal()
    with pytest.raises(BadDocument):
        summarised(Plaintext(text.replace(b'"ONE"', deep[0]).replace(b'"TWO"', deep[1])))
    found = summarised(Plaintext(text.replace(b'"ONE"', b'{"x":' + deep[0] + b"}").replace(b'"TWO"', b'{"x":1}')))
    assert "(hidden)" in found.changes[0].fields[0].before


def test_huge_plans_are_refused():
    many = [change("a.b", "no-op")] * 20_001
    with pytest.raises(LimitExceeded):
        summary(*many)
    with pytest.raises(LimitExceeded):
        summarised(Plaintext(b'{"format_version":"1.2"}' + b" " * (64 * 1024 * 1024)))


def test_managed_resources_of_the_state_are_counted():
    assert summary(**prior("a.b", "a.c[0]", "a.c[1]")).managed == 3
