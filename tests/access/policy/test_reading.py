"""Lines and settings, as they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.policy import AccessSettings, PolicySource, Subject, access_settings, policy_source, remarks
from plumbline.access.policy.lines import BadRecord, numbered, read, record
from plumbline.access.policy.places import BUILT_IN, Place
from plumbline.access.policy.subject import name_in, project_of

from .building import policy


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("p, a,b", ["p", "a", "b"]),
        ("p, a , b", ["p", "a ", "b"]),
        ('p, "a, b",c', ["p", "a, b", "c"]),
        ('"say ""hi""",x', ['say "hi"', "x"]),
        ("a,", ["a", ""]),
        (",", ["", ""]),
        ('""', [""]),
        ("p,\xa0a", ["p", "a"]),
        ("p,\x1fa", ["p", "\x1fa"]),
    ],
)
def test_fields_are_those_of_gos_reader(line, fields):
    assert record(line) == fields


@pytest.mark.parametrize("line", ['a"b', '"a" ,b', '"a', '"a"b', '"', 'x,"a""'])
def test_quotes_in_the_wrong_place_are_found(line):
    with pytest.raises(BadRecord):
        record(line)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])), min_size=1, max_size=6))
def test_what_is_quoted_comes_back(fields):
    assert record(",".join('"{}"'.format(field.replace('"', '""')) for field in fields)) == fields


@given(st.text(max_size=60))
def test_no_text_is_too_odd_to_be_read_or_refused(text):
    found = read(numbered("policy.csv", text))
    assert len(found.rules) + len(found.links) + len(found.idle) + len(found.faults) <= text.count("\n") + 1


def test_every_fault_is_found_with_its_number():
    text = "p, a, b\n# fine\n\ng, a, b, c\r\nx\n, a\nr, passes\n p, a, logs, get, *, allow"
    found = read(numbered("policy.csv", text))
    assert [(fault.place.number, fault.why) for fault in found.faults] == [
        (1, "it has 3 fields, and a line with p has 6"),
        (4, "it has 4 fields, and a line with g has 3"),
        (5, "it begins with 'x', and lines begin with p or g"),
        (6, "it begins with 'nothing', and lines begin with p or g"),
    ]
    assert [line.place.number for line in (*found.idle, *found.rules)] == [7, 8]


def test_places_are_said_in_words():
    assert str(Place("policy.csv", 3)) == "line 3 of policy.csv"
    assert str(Place("scopes")) == "scopes"
    assert str(BUILT_IN) == "the built-in policy"
    assert str(Place(project="shop", role="ci")) == "role ci of project shop"
    assert str(Place(project="shop", role="ci", number=2)) == "policy 2 of role ci of project shop"


class TestTheConfigMap:
    def test_parts_come_in_the_order_of_their_keys_after_the_main_one(self):
        entries = {
            "policy.b.csv": "2",
            "policy.csv": "0",
            "policy.a.csv": "1",
            "other.csv": "",
            "policy.default": "role:x",
        }
        source = policy_source(entries)
        assert source.parts == (("policy.csv", "0"), ("policy.a.csv", "1"), ("policy.b.csv", "2"))
        assert source.default_role == "role:x"
        assert policy_source({"policy.b.csv": "2"}).parts == (("policy.b.csv", "2"),)

    def test_nothing_is_an_empty_policy(self):
        assert policy_source({}) == PolicySource()

    @pytest.mark.parametrize(
        ("mode", "read_as"), [("regex", "regex"), ("glob", "glob"), ("Regex", "glob"), ("", "glob")]
    )
    def test_only_regex_is_regex(self, mode, read_as):
        assert policy_source({"policy.matchMode": mode}).match_mode == read_as

    @pytest.mark.parametrize(
        ("text", "scopes"),
        [("", ("groups",)), ("[groups, email]", ("groups", "email")), ("- a", ("a",)), ("[]", ()), ("[1, true, no]", ("1", "true", "false"))],
    )  # fmt: skip
    def test_scopes_are_a_list(self, text, scopes):
        assert policy_source({"scopes": text}).scopes == scopes

    @pytest.mark.parametrize("text", ["groups", "{a: b}", "[", "[[a]]", "a: 1\n---\nb: 2", "[1.5]"])
    def test_scopes_that_are_none_stop_the_policy(self, text):
        [fault] = policy_source({"scopes": text}).faults
        assert str(fault).startswith("scopes cannot be read: ")


@pytest.mark.parametrize(
    ("entries", "settings"),
    [
        ({}, AccessSettings()),
        ({"users.anonymous.enabled": "true"}, AccessSettings(anonymous=True)),
        ({"users.anonymous.enabled": "True"}, AccessSettings()),
        ({"server.rbac.disableApplicationFineGrainedRBACInheritance": "false"}, AccessSettings(inherited=True)),
        ({"server.rbac.disableApplicationFineGrainedRBACInheritance": "1"}, AccessSettings()),
        (
            {"server.rbac.disableApplicationFineGrainedRBACInheritance": "no"},
            AccessSettings(unreadable=("server.rbac.disableApplicationFineGrainedRBACInheritance",)),
        ),
        ({"server.rbac.rollback.enforce.enable": "true"}, AccessSettings(rollback_enforced=True)),
        ({"server.rbac.rollback.enforce.enable": "0"}, AccessSettings()),
        (
            {"server.rbac.rollback.enforce.enable": "yes"},
            AccessSettings(rollback_enforced=True, unreadable=("server.rbac.rollback.enforce.enable",)),
        ),
    ],
)
def test_settings_that_cannot_be_read_permit_less(entries, settings):
    assert access_settings(entries) == settings


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"sub": "alice"}, "alice"),
        ({"sub": "x", "federated_claims": {"user_id": "alice"}}, "alice"),
        ({"sub": "alice", "federated_claims": {"user_id": ""}}, "alice"),
        ({"sub": "alice", "federated_claims": "bob"}, "alice"),
        ({"sub": 5}, ""),
        ({}, ""),
    ],
)
def test_who_somebody_is_comes_from_the_claims(claims, name):
    assert name_in(claims) == name


def test_groups_beside_claims_count_as_well():
    assert Subject("a", ("x",), {"groups": ["y", 1], "email": "z"}).all_groups(("groups", "email", "no")) == (
        "x",
        "y",
        "z",
    )


@pytest.mark.parametrize(("name", "project"), [("proj:a:b", "a"), ("proj:a", None), ("proj:a:b:c", None), ("alice", None), ("role:a:b", None)])  # fmt: skip
def test_roles_of_projects_are_known_by_their_names(name, project):
    assert project_of(name) == project


@pytest.mark.parametrize(
    ("csv", "mode", "said"),
    [
        ("p, , logs, get, *, allow", "", ["line 1 of policy.csv: without a subject it is for nobody"]),
        ("p, alice , logs, get, *, allow", "", ["line 1 of policy.csv: the blank at the end of 'alice ' is a part of it"]),
        ("p, alice, logs, get, *, Deny", "", ["line 1 of policy.csv: it has no effect: 'Deny' is neither allow nor deny"]),
        ("p, alice, log, get, *, allow", "", ["line 1 of policy.csv: there is no resource log"]),
        ("p, alice, l*, get, *, allow", "", []),
        ("p, alice, ^l, get, .*, allow", "regex", []),
        ("p, alice, logs, get, [, allow", "", ["line 1 of policy.csv: [ cannot be read (a class is not closed, or has more than one range), so that it never allows"]),
        ("p, alice, logs, get, [, deny", "", ["line 1 of policy.csv: [ cannot be read (a class is not closed, or has more than one range), so that it denies"]),
        ("p, alice, logs, get, *, allow", "regex", ["line 1 of policy.csv: * cannot be read (error parsing regexp: missing argument to repetition operator: `*`), so that it denies"]),
        ("g, alice, role:typo", "", ["line 1 of policy.csv: no line says what role:typo may do"]),
        ("g, alice, role:admin\ng, role:a, role:b\np, role:b, logs, get, *, allow\ng, bob, role:a", "", []),
        ("g, , role:admin\ng, alice,", "", ["line 1 of policy.csv: it links nobody, or to nothing", "line 2 of policy.csv: it links nobody, or to nothing"]),
        ("m, anything", "", ["line 1 of policy.csv: it has no effect: lines begin with p or g"]),
    ],
)  # fmt: skip
def test_what_is_probably_not_meant_is_remarked(csv, mode, said):
    assert [str(each) for each in remarks(policy(csv, mode=mode))] == said


def test_a_default_role_that_nothing_is_said_about_is_remarked():
    assert [str(each) for each in remarks(policy(default="role:none"))] == [
        "policy.default: no line says what role:none may do"
    ]
    assert remarks(policy(default="role:readonly")) == ()
