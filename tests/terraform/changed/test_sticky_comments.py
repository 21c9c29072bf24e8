"""One comment for each pull request, ours alone, on four forges."""

import pytest

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    Refused,
    ServerFault,
    Throttled,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.changed.comments import FORGES, LIMITS, Place, place_of, posted

from .forge import TOKEN, Forge


@pytest.fixture(params=FORGES)
def forge(request):
    served = Forge(request.param)
    yield served
    served.close()


@pytest.fixture
def github():
    served = Forge("github")
    yield served
    served.close()


def place(forge, **more):
    return Place(forge.kind, forge.url, "o/r", "7", Plaintext(TOKEN))._replace(**more)


async def test_the_first_report_is_made_and_later_ones_change_it(forge):
    forge.plant("hello")
    first = await posted(place(forge), "terraform", "one")
    second = await posted(place(forge), "terraform", "two")
    third = await posted(place(forge), "terraform", "two")
    assert [first.what, second.what, third.what] == ["made", "changed", "unchanged"]
    assert first.id == second.id == third.id == "2"
    assert len(forge.comments) == 2
    assert forge.comments[1][2].endswith("\n\ntwo")


async def test_several_names_are_several_comments(forge):
    await posted(place(forge), "terraform", "one")
    await posted(place(forge), "other", "two")
    assert [body.splitlines()[-1] for *_, body in forge.comments] == ["one", "two"]


@pytest.mark.parametrize("tells", [True, False])
async def test_a_comment_that_somebody_planted_is_never_taken_for_ours(forge, tells):
    await posted(place(forge), "terraform", "one")
    ours = forge.comments.pop()[2]
    forge.tells = tells
    forge.plant(ours, author="2")
    assert (await posted(place(forge), "terraform", "two")).what == "made"
    assert forge.comments[0][2] == ours


async def test_it_is_found_on_later_pages(forge):
    for at in range(230):
        forge.plant(f"talk {at}")
    await posted(place(forge), "terraform", "one")
    for at in range(30):
        forge.plant(f"talk {at}")
    assert (await posted(place(forge), "terraform", "two")).what == "changed"
    assert len(forge.comments) == 261


async def test_a_mark_in_the_middle_of_a_text_is_no_mark(forge):
    await posted(place(forge), "terraform", "one")
    marker = forge.comments[0][2].splitlines()[0]
    forge.comments.clear()
    forge.plant(f"see {marker}", author="1")
    assert (await posted(place(forge), "terraform", "two")).what == "made"


async def test_a_report_keeps_one_mark_that_its_forge_hides(forge):
    await posted(place(forge), "terraform", "<!-- plumbline-terraform-plans -->\n\n### Terraform")
    body = forge.comments[0][2]
    assert body.count("plumbline") == 1
    assert ("<!--" in body) is (forge.kind != "bitbucket")


async def test_what_does_not_fit_is_cut_with_a_word_about_it(forge):
    await posted(place(forge), "terraform", "x" * 2_000_000)
    body = forge.comments[0][2]
    assert len(body) == LIMITS[forge.kind]
    assert "does not fit" in body


STATUSES = [
    (401, Unauthenticated),
    (403, Forbidden),
    (404, NotFound),
    (413, Refused),
    (422, Refused),
    (429, Throttled),
    (503, ServerFault),
    (302, GarbledReply),
    (200, GarbledReply),
]


@pytest.mark.parametrize(("status", "error"), STATUSES, ids=[str(status) for status, _ in STATUSES])
async def test_what_a_forge_refuses_is_said_without_the_token(github, status, error):
    github.status = status
    with pytest.raises(error) as refused:
        await posted(place(github), "terraform", "one")
    assert TOKEN not in f"{refused.value} {refused.value.hint}"


async def test_a_forge_that_cannot_be_reached_is_said(github):
    github.close()
    with pytest.raises(Unreachable):
        await posted(place(github), "terraform", "one")


PLACES = [
    (
        {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_TOKEN": "t"},
        ("github", "https://api.github.com", "o/r", "7"),
        "GitHub Actions",
    ),
    (
        {
            "GITHUB_ACTIONS": "true",
            "GITEA_ACTIONS": "true",
            "GITHUB_API_URL": "https://git.example.org/api/v1/",
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_REF": "refs/pull/7/head",
            "GITEA_TOKEN": "t",
        },
        ("gitea", "https://git.example.org/api/v1", "o/r", "7"),
        "Gitea Actions",
    ),
    (
        {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": "https://git.example.org/api/v4",
            "CI_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "7",
            "PLUMBLINE_FORGE_TOKEN": "t",
        },
        ("gitlab", "https://git.example.org/api/v4", "3", "7"),
        "GitLab CI",
    ),
    (
        {
            "BITBUCKET_BUILD_NUMBER": "1",
            "BITBUCKET_REPO_FULL_NAME": "o/r",
            "BITBUCKET_PR_ID": "7",
            "BITBUCKET_TOKEN": "t",
        },
        ("bitbucket", "https://api.bitbucket.org/2.0", "o/r", "7"),
        "Bitbucket Pipelines",
    ),
]


@pytest.mark.parametrize(("environment", "expected", "why"), PLACES, ids=[why for *_, why in PLACES])
def test_the_pull_request_is_known_from_the_ci(environment, expected, why):
    found = place_of(environment)
    assert found[:4] == expected
    assert found.token == Plaintext("t")
    assert str(found) == f"{expected[2]}#7"


def test_what_is_said_wins():
    found = place_of(
        {"CHANGE_ID": "9", "GITHUB_TOKEN": "t"}, forge="github", api="http://x", repository="a/b", change="8"
    )
    assert found[:4] == ("github", "http://x", "a/b", "8")
    assert place_of({"CHANGE_ID": "9", "GITHUB_TOKEN": "t"}, forge="github", repository="a/b").change == "9"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({}, InvalidInput),
        ({"forge": "gitea", "repository": "a/b", "change": "1"}, InvalidInput),
        ({"forge": "github", "change": "1"}, InvalidInput),
        ({"forge": "github", "repository": "a/b"}, InvalidInput),
        ({"forge": "github", "repository": "a/b", "change": "1/../../x"}, InvalidInput),
        ({"forge": "github", "repository": "a/b", "change": "1"}, Unauthenticated),
    ],
)
def test_what_is_not_known_is_asked_for(said, error):
    with pytest.raises(error) as refused:
        place_of({}, **said)
    assert refused.value.hint
