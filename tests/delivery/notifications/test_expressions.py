"""Conditions of triggers mean what expr-lang says that they mean."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadExpression
from plumbline.delivery.notifications.configuration import Configuration
from plumbline.delivery.notifications.expressions import Expression, compiled
from plumbline.delivery.notifications.stock import TRIGGERS
from plumbline.delivery.notifications.variables import variables
from plumbline.gotemplate.moments import Duration
from plumbline.gotemplate.values import Failed

APP = {
    "metadata": {"name": "web", "annotations": {"team": "a"}, "labels": {}},
    "spec": {"source": {"repoURL": "git@github.com:acme/shop.git"}, "replicas": 3, "ratio": 0.5},
    "status": {
        "sync": {"status": "Synced"},
        "health": {"status": "Healthy", "lastTransitionTime": "2026-01-01T00:00:30Z"},
        "operationState": {
            "phase": "Succeeded",
            "startedAt": "2026-01-01T00:00:00Z",
            "finishedAt": "2026-01-01T00:01:00Z",
            "syncResult": {"revision": "abc"},
        },
        "conditions": [{"type": "SyncError", "message": "no"}, {"type": "Warning", "message": "hm"}],
    },
}
SEEN = variables(APP, None, Configuration(context={"url": "u"}), lambda: datetime(2026, 1, 1, 1, tzinfo=UTC))

TRUE = [
    ("app.status.sync.status == 'Synced'", "comparison of strings"),
    ('app.status.sync.status != "Unknown"', "and of others"),
    ("app.status.operationState.phase in ['Succeeded', 'Failed']", "membership"),
    ("app.status.operationState.phase not in ['Running']", "and the lack of it"),
    ("'team' in app.metadata.annotations", "keys of a map"),
    ("not ('x' in app.metadata.labels)", "negation in words"),
    ("!('x' in app.metadata.labels) && true", "and in signs"),
    ("app.nowhere == nil", "what is not there is nil"),
    ("app.nowhere?.deeper.still == nil", "optional chains end"),
    ("app.status.operationState?.syncResult?.revision == 'abc'", "or do not"),
    ("(app.nowhere ?? 'none') == 'none'", "a value instead of nil"),
    ("app.spec.replicas > 2 and app.spec.replicas <= 3", "numbers"),
    ("app.spec.replicas >= 3 or false", "more of them"),
    ("app.spec.ratio < 1", "whole and floating"),
    ("1 + 2 * 3 == 7 and 2 ** 3 == 8 and 7 % 4 == 3 and 7 / 2 == 3.5", "arithmetic"),
    ("-1 < 0 and +1 > 0", "signs"),
    ("'a' + 'b' == 'ab' and 'a' < 'b'", "strings"),
    ("app.metadata.name contains 'e' and app.metadata.name startsWith 'w' and app.metadata.name endsWith 'b'", "texts"),
    ("app.metadata.name matches '^w.b$'", "patterns"),
    ("app.metadata.name not matches '^x'", "and the lack of them"),
    ("app.nowhere contains 'x' == false", "nil contains nothing"),
    ("len(app.status.conditions) == 2 and len('é') == 2", "lengths"),
    ("any(app.status.conditions, {.type == 'SyncError'})", "some element"),
    ("all(app.status.conditions, #.message != '')", "every element"),
    ("none(app.status.conditions, {.type == 'x'}) and one(app.status.conditions, {.type == 'Warning'})", "and others"),
    ("count(app.status.conditions, {.type contains 'r'}) == 2", "how many"),
    ("len(filter(app.status.conditions, {.type == 'Warning'})) == 1", "those that"),
    ("map(app.status.conditions, {.type}) == ['SyncError', 'Warning']", "each as"),
    ("find(app.status.conditions, {.type == 'Warning'}).message == 'hm'", "the first that"),
    ("app.status.conditions | filter(.type == 'Warning') | any(.message == 'hm')", "pipes"),
    ("app.status.conditions[0].type == 'SyncError' and app.status.conditions[-1].type == 'Warning'", "indexes"),
    ("app.metadata['name'] == 'web' and app.metadata?.['nope'] == nil", "keys by name"),
    ("(app.spec.replicas > 1 ? 'many' : 'one') == 'many'", "choices"),
    ("{'a': 1, b: 2}.a == 1 and [1, 2,][1] == 2", "literals"),
    ("time.Now().Sub(time.Parse(app.status.operationState.startedAt)).Minutes() >= 60", "time that has passed"),
    ("time.Now() - time.Parse(app.status.operationState.startedAt) == time.Hour", "the same in signs"),
    ("time.Parse(app.status.operationState.startedAt) + 2 * time.Minute > time.Parse(app.status.operationState.finishedAt)", "time to come"),
    ("time.Parse(app.status.operationState.finishedAt) - time.Second < time.Now()", "time before"),
    ("time.Hour - time.Minute == 59 * time.Minute and 0.5 * time.Hour == 30 * time.Minute", "durations"),
    ("time.Minute + time.Parse(app.status.operationState.startedAt) == time.Parse(app.status.operationState.finishedAt)", "sums"),
    ("time.Hour / time.Minute == 60 and -time.Hour < time.Minute", "quotients"),
    ("now() == time.Now() and duration('1h') == time.Hour", "now"),
    ("repo.FullNameByRepoURL(app.spec.source.repoURL) == 'acme/shop'", "names of repositories"),
    ("repo.RepoURLToHTTPS(app.spec.source.repoURL) == 'https://github.com/acme/shop.git'", "their addresses"),
    ("repo.QueryEscape('a b&') == 'a+b%26'", "escapes"),
    ("strings.ToUpper('a') == 'A' and strings.ToLower('B') == 'b' and strings.ReplaceAll('aa', 'a', 'b') == 'bb'", "texts again"),
    ("upper('a') + lower('B') + trim(' x ') == 'Abx'", "functions"),
    ("join(split('a,b', ','), '-') == 'a-b' and replace('aa', 'a', 'c') == 'cc'", "more of them"),
    ("first([1, 2]) == 1 and last([1, 2]) == 2 and keys({'b': 1, 'a': 2}) == ['a', 'b'] and values({'a': 2}) == [2]", "and more"),
    ("int('4') == 4 and float('1.5') == 1.5 and string(5) == '5' and abs(-2) == 2 and max(1, 3) == 3 and min(1, 3) == 1", "conversions"),
    ("hasPrefix('ab', 'a') and hasSuffix('ab', 'b') and trimPrefix('ab', 'a') == 'b' and trimSuffix('ab', 'b') == 'a'", "ends"),
    ("true == true and 1 == 1.0 and 'a' != 1 and nil == nil and 0x1F == 31 and 1_000 == 1000 and 1e3 == 1000", "equality"),
    ("repo.RepoURLToHTTPS('ssh://git@h.example/a/b') == 'https://h.example/a/b' and repo.FullNameByRepoURL('https://h/x') == '/x'", "other addresses"),
    ("context.url == 'u' // a comment", "the context, and a comment"),
    (r"'it\'s' == `it's` and " + r'"a\tb" != "ab"', "quotes"),
]  # fmt: skip

FAILING = [
    ("app.nowhere.deeper", "cannot fetch deeper from <nil>"),
    ("app.metadata.name.x", "cannot fetch x from string"),
    ("app.status.conditions[9]", "index out of range"),
    ("app.metadata.name[0]", "cannot fetch 0 from string"),
    ("app.nowhere > 1", "invalid operation"),
    ("app.metadata and true", "not bool"),
    ("1 + 'a'", "invalid operation"),
    ("1 - 'a'", "invalid operation"),
    ("'a' * 2", "invalid operation"),
    ("'a' / 2", "invalid operation"),
    ("1 % 0", "invalid operation"),
    ("'a' ** 2", "invalid operation"),
    ("-'a'", "invalid operation"),
    ("1 contains 'a'", "invalid operation"),
    ("1 in 2", 'operator "in" not defined on int64'),
    ("'a' matches '('", "missing closing )"),
    ("app.metadata.name()", "is not a function"),
    ("time.Parse('nope')", "parsing time"),
    ("time.Parse(1)", "cannot use int64"),
    ("time.Now().Before(1)", "cannot use int64"),
    ("time.Now().Add(1)", "cannot use int64"),
    ("time.Now().AddDate('a', 1, 1)", "cannot use string"),
    ("time.Parse()", "arguments"),
    ("repo.GetCommitMetadata('abc')", "not supported"),
    ("repo.RepoURLToHTTPS('https://[x')", "cannot be read"),
    ("any(app.metadata, {true})", "invalid argument for any"),
    ("any(app.status.conditions, {.type})", "predicate should return boolean"),
    ("any(time.Now(), {true})", "invalid argument"),
    ("len(1)", "invalid argument for len"),
    ("upper(1)", "no string"),
    ("int('x')", "invalid operation"),
    ("float(nil)", "invalid operation"),
    ("keys(1)", "cannot get keys"),
    ("len('a', 'b')", "cannot be worked out"),
]

BROKEN = [
    "9" * 5000,
    "", "1 +", "(1", "[1", "{a 1}", "a.", "a.1", "a ? 1", "a b", "1 not 2", "'unterminated", "a | 1", "a | nope(1)", "@",
    "a[1", "any(a)", "any(a {true})", ". == 1", "f(1,, 2)", "in", "{(1: 2}", "#", "'\\q'", "let x = 1; x",
    "(" * 100 + "1" + ")" * 100, "1" * 20_000,
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), TRUE, ids=[why for _, why in TRUE])
def test_is_true(text, why):
    assert compiled(text).evaluate(SEEN) is True


@pytest.mark.parametrize(("text", "complaint"), FAILING, ids=[text for text, _ in FAILING])
def test_what_cannot_be_worked_out_says_why(text, complaint):
    with pytest.raises(Failed, match=r".*") as refused:
        compiled(text).evaluate(SEEN)
    assert complaint in str(refused.value)


@pytest.mark.parametrize("text", BROKEN, ids=[text[:20] for text in BROKEN])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(BadExpression):
        Expression(text)


@pytest.mark.parametrize("name", TRIGGERS)
def test_stock_conditions_can_be_read(name):
    for condition in TRIGGERS[name]:
        assert isinstance(compiled(condition.when).evaluate(SEEN), bool)
        compiled(condition.once_per).evaluate(SEEN)


def test_knows_whether_time_alone_changes_it():
    assert compiled("time.Now() > time.Parse('x')").timed
    assert compiled("now() > time.Parse('x')").timed
    assert not compiled("app.x == 1").timed


def test_predicates_take_no_more_steps_than_there_are():
    inner = "any(xs, {any(xs, {any(xs, {# == 1})})})"
    with pytest.raises(Failed, match="too many steps"):
        compiled(inner).evaluate({"xs": [0] * 100})


def test_text_cannot_grow_without_end():
    with pytest.raises(Failed, match="too long"):
        compiled("a + a").evaluate({"a": "x" * 40_000})


def test_a_duration_is_one_that_go_prints():
    assert compiled("time.Hour").evaluate(SEEN) == Duration(3600 * 10**9)


@given(st.text(alphabet="ab.()[]{}'\"?:|&!<>=+-*/%^#,0123 nilotrue", max_size=40))
def test_any_text_is_worked_out_or_refused_in_words(text):
    with suppress(BadExpression, Failed):
        Expression(text).evaluate({"a": {"b": 1}, "b": [1]})
