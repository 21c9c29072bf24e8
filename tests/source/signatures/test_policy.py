"""What projects ask for, and what they get when a commit or tag carries something else (attack 14)."""

from fnmatch import fnmatchcase

import pytest

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.kinds.appproject import (
    AppProjectSpec,
    GitIntegrity,
    GitPolicy,
    GitRepository,
    GpgPolicy,
    SignatureKey,
    SourceIntegrity,
)
from plumbline.source.signatures import Checked, Outcome, Requirement, Target, Verdict, problems, requirement

URL = "https://git.example/team/app"
A, B = "A" * 16, "B" * 16


def matches(pattern, url):
    return fnmatchcase(url, pattern)


def policy(*patterns, mode="head", keys=(A,)):
    return GitPolicy(
        repos=tuple(GitRepository(url=pattern) for pattern in patterns), gpg=GpgPolicy(mode=mode, keys=keys)
    )


def project(*policies, legacy=()):
    integrity = SourceIntegrity(git=GitIntegrity(policies=policies)) if policies else None
    return AppProjectSpec(source_integrity=integrity, signature_keys=tuple(SignatureKey(key_id=key) for key in legacy))


@pytest.mark.parametrize(
    ("spec", "asked", "why"),
    [
        (project(), None, "nothing is asked for"),
        (project(legacy=(A, B)), Requirement("head", (A, B)), "the old list holds for every repository"),
        (project(policy("*")), Requirement("head", (A,)), "a policy for all"),
        (project(policy("*", mode="strict")), Requirement("strict", (A,)), "a strict one"),
        (project(policy("*", mode="none")), None, "one that asks for nothing"),
        (project(policy("https://else/*")), None, "one for others"),
        (project(policy("*", f"!{URL}")), None, "one that excludes it, in whatever order"),
        (project(policy(f"!{URL}", "*")), None, "the same"),
        (project(policy(f"!{URL}x")), None, "an exclusion alone includes nothing"),
        (
            project(policy("https://else/*"), policy("https://git.example/*", keys=(B,))),
            Requirement("head", (B,)),
            "the one",
        ),
        (project(policy("https://else/*"), legacy=(B,)), None, "beside policies the old list does not count"),
    ],
)
def test_a_project_says_what_a_repository_has_to_prove(spec, asked, why):
    assert requirement(spec, URL, matches) == asked


@pytest.mark.parametrize(
    "spec",
    [project(policy("*"), policy("https://git.*")), project(policy("*", mode="")), project(policy("*", mode="Head"))],
)
def test_a_policy_that_cannot_be_read_is_not_switched_off_by_that(spec):
    with pytest.raises(InvalidInput):
        requirement(spec, URL, matches)


def good(key, *more):
    return Verdict(Outcome.GOOD, key, (key, *more))


def test_only_listed_keys_are_good_enough():
    asked = Requirement("head", (A,))
    assert problems(asked, [Checked("c1", "Ann", good(A))]) == ()
    (told,) = problems(asked, [Checked("c1", "Ann", good(B))])
    assert told == f"Failed verifying revision c1 by 'Ann': signed with unallowed key (key_id={B})"


@pytest.mark.parametrize(
    ("listed", "fits"),
    [
        ("0123456789ABCDEF", True),
        ("0123456789abcdef", True),
        ("C" * 24 + "0123456789ABCDEF", True),
        ("D" * 24 + "0123456789ABCDEF", False),
        ("E" * 40, True),
        ("E" * 16, True),
        ("89ABCDEF", False),
        ("", False),
        ("SHA256:abc", False),
    ],
)
def test_keys_may_be_listed_by_id_or_fingerprint_of_themselves_or_their_primary_key(listed, fits):
    verdict = good("0123456789ABCDEF", "C" * 24 + "0123456789ABCDEF", "E" * 40)
    assert (problems(Requirement("head", (listed,)), [Checked("c", "", verdict)]) == ()) == fits


def test_ssh_keys_are_listed_by_their_whole_fingerprint():
    found = [Checked("c", "", good("SHA256:abc"))]
    assert problems(Requirement("head", ("SHA256:abc",)), found) == ()
    assert problems(Requirement("head", ("SHA256:ab", "abc")), found)


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.GOOD])
def test_a_listed_key_does_not_help_a_signature_that_is_not_good(outcome):
    (told,) = problems(Requirement("head", (A,)), [Checked("c1", "Ann", Verdict(outcome, A, (A,)))])
    assert outcome.value in told


def test_ten_problems_are_told_and_each_key_once():
    asked = Requirement("strict", (A,))
    same = [Checked(f"c{n}", "", good(B)) for n in range(30)]
    assert len(problems(asked, same)) == 1
    unsigned = [Checked(f"c{n}", "", Verdict(Outcome.UNSIGNED)) for n in range(30)]
    assert len(problems(asked, unsigned)) == 10
    tags = [Checked("t", "", good(B), tag=True), Checked("c", "", good(B))]
    assert len(problems(asked, tags)) == 2


@pytest.fixture
def asked(people, ssh_keys):
    return lambda mode: Requirement(mode, (people.ann.id, ssh_keys["ed25519"].id))


@pytest.mark.parametrize("who", [None, "bob", "eve", "gone", "lost", "brief"])
@pytest.mark.parametrize("mode", ["head", "strict"])
async def test_a_commit_without_a_good_signature_of_a_listed_key_is_refused(verifier, repo, people, asked, who, mode):
    first = repo.commit(by=people.ann)
    head = repo.commit(first, by=who and getattr(people, who))
    report = await verifier.check(asked(mode), Target(head), repo.read)
    assert not report.passed
    assert head in report.problems[0]


async def test_a_signed_tag_stands_for_itself_unless_the_history_is_asked_for(verifier, repo, people, asked):
    head = repo.commit()
    tag = repo.tag(head, by=people.ann)
    assert (await verifier.check(asked("head"), Target(head, tag), repo.read)).passed
    strict = await verifier.check(asked("strict"), Target(head, tag), repo.read)
    assert strict.problems == (f"Failed verifying revision {head} by 'Ann <ann@example.org>': unsigned (key_id=)",)


async def test_a_signed_commit_does_not_help_an_unsigned_tag(verifier, repo, people, asked):
    head = repo.commit(by=people.ann)
    for mode in ("head", "strict"):
        report = await verifier.check(asked(mode), Target(head, repo.tag(head)), repo.read)
        assert report.problems == ("Failed verifying revision v1 by 'Bea <bea@example.org>': unsigned (key_id=)",)


async def test_a_signed_tag_of_something_else_is_bad(verifier, repo, people, asked):
    one, two = repo.commit(by=people.ann), repo.commit(by=people.ann)
    nested = repo.tag(repo.tag(one, by=people.ann), by=people.ann, kind="tag")
    for tag in (repo.tag(two, by=people.ann), nested):
        assert not (await verifier.check(asked("head"), Target(one, tag), repo.read)).passed


async def test_a_signature_on_the_merge_alone_is_enough_for_the_head_and_not_for_the_history(
    verifier, repo, people, asked
):
    first = repo.commit(by=people.ann)
    side = repo.commit(first)
    merge = repo.commit(repo.commit(first, by=people.ann), side, by=people.ann)
    assert (await verifier.check(asked("head"), Target(merge), repo.read)).passed
    report = await verifier.check(asked("strict"), Target(merge), repo.read)
    assert len(report.problems) == 1
    assert side in report.problems[0]


async def test_a_history_signed_throughout_passes(verifier, repo, people, ssh_keys, asked):
    head = repo.commit(repo.commit(repo.commit(by=people.ann), by=ssh_keys["ed25519"]), by=people.ann)
    report = await verifier.check(asked("strict"), Target(head, repo.tag(head, by=people.ann)), repo.read)
    assert report.passed
    assert len(report.checked) == 4


async def test_history_before_a_seal_is_left_alone(verifier, repo, people, asked):
    old = repo.commit(repo.commit())
    seal = repo.commit(old, by=people.ann, message="look\n\nArgocd-gpg-seal: looked at all of it")
    head = repo.commit(seal, by=people.ann)
    report = await verifier.check(asked("strict"), Target(head), repo.read)
    assert report.passed
    assert [checked.revision for checked in report.checked] == [head, seal]


@pytest.mark.parametrize(("who", "told"), [(None, 3), ("eve", 3), ("lost", 3), ("bob", 1)])
async def test_a_seal_counts_only_with_a_good_signature_and_has_to_be_of_a_listed_key(
    verifier, repo, people, asked, who, told
):
    old = repo.commit(repo.commit())
    seal = repo.commit(old, by=who and getattr(people, who), message="argocd-GPG-seal: yes")
    report = await verifier.check(asked("strict"), Target(repo.commit(seal, by=people.ann)), repo.read)
    assert len(report.problems) == told


async def test_after_ten_problems_nothing_more_is_looked_at(verifier, repo, asked):
    head = repo.commit()
    for _ in range(40):
        head = repo.commit(head)
    report = await verifier.check(asked("strict"), Target(head), repo.read)
    assert len(report.problems) == 10
    assert len(report.checked) == 12


async def test_a_history_that_is_not_there_is_not_good(verifier, repo, people, asked):
    head = repo.commit("0" * 40, by=people.ann)
    with pytest.raises(NotFound):
        await verifier.check(asked("strict"), Target(head), repo.read)
