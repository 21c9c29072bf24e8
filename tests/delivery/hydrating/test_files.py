"""What is written, byte by byte as Argo CD writes it: its own tests say these bytes."""

from datetime import UTC, datetime

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.tree import MemoryTree
from plumbline.delivery.hydrating.commits import Dry, Reference, described
from plumbline.delivery.hydrating.files import Written, manifests, plan_files
from plumbline.delivery.hydrating.texts import message, readme
from plumbline.gotemplate import Surroundings
from plumbline.source.git.values import Commit

SHA = "3ff41cc5247197a6caf50216c4c76cc29d78a97d"
REPO = "https://github.com/example/repo"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
AROUND = Surroundings(lambda: NOW, Ids(1))
WEB = Written("apps/web", b"kind: Pod\n", ("kustomize build .",))


def dry(**said):
    return Dry(**{"repo_url": REPO, "sha": SHA, "author": "test <test@test.com>", "subject": "testSubject", **said})


def commit(text):
    return Commit(SHA, "Ada <ada@example.com>", NOW, text, (), ())


told = readme(dry(), "", AROUND)


TRAILED = """\
Bump image

Because of <that> & more.

Signed-off-by: CI <ci@example.com>
Argocd-reference-commit-author: Author Name <author@example.com>
Argocd-reference-commit-sha: b82add298aa045d3672880802d5305c5a8aaa46e
Argocd-reference-commit-subject: chore: make a change
Argocd-reference-commit-body: "make a change\\n\\nmore"
Argocd-reference-commit-repourl: https://git.example.com/owner/repo
Argocd-reference-commit-date: 2025-06-09T13:50:18-04:00
Argocd-reference-commit-date: yesterday"""


def test_the_readme_says_how_it_is_made_by_hand():
    assert readme(dry(sha="abc123"), "", AROUND)(()) == (
        "# Manifest Hydration\n\nTo hydrate the manifests in this repository, run the following commands:\n\n"
        "```shell\ngit clone https://github.com/example/repo\n# cd into the cloned directory\ngit checkout abc123\n```\n"
    )
    assert "git checkout abc123\nhelm template .\nsed\n```\n" in readme(dry(sha="abc123"), "", AROUND)(
        ("helm template .", "sed")
    )


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (
            {"body": "testBody", "references": (Reference(author="ref test <ref-test@test.com>"), Reference(author="ref test 2 <ref-test-2@test.com>"))},
            ("3ff41cc: testSubject\n\ntestBody\n\nCo-authored-by: ref test <ref-test@test.com>\n"
            "Co-authored-by: ref test 2 <ref-test-2@test.com>\nCo-authored-by: test <test@test.com>\n"),
        ),
        ({"body": "testBody"}, "3ff41cc: testSubject\n\ntestBody\n\nCo-authored-by: test <test@test.com>\n"),
        ({}, "3ff41cc: testSubject\n\nCo-authored-by: test <test@test.com>\n"),
    ],
)  # fmt: skip
def test_the_message_names_the_commit_and_who_had_a_part_in_it(said, written):
    assert message(dry(**said), "", AROUND) == written


def test_templates_of_ones_own_count_instead():
    assert message(dry(), "{{ .metadata.subject | upper }}", AROUND) == "TESTSUBJECT"
    assert readme(dry(), "{{ .DrySHA | trunc 3 }} {{ .Commands }}", AROUND)(("x",)) == "3ff [x]"


def test_trailers_that_name_a_commit_become_a_reference_and_leave_the_body():
    found = described(REPO, commit(TRAILED))
    assert found.written() == {
        "repoURL": REPO,
        "drySha": SHA,
        "author": "Ada <ada@example.com>",
        "date": "2026-01-02T03:04:05Z",
        "subject": "Bump image",
        "body": "Because of <that> & more.\n\nSigned-off-by: CI <ci@example.com>\nArgocd-reference-commit-date: yesterday\n",
        "references": [
            {
                "commit": {
                    "author": '"Author Name" <author@example.com>',
                    "date": "2025-06-09T13:50:18-04:00",
                    "subject": "chore: make a change",
                    "body": "make a change\n\nmore",
                    "sha": "b82add298aa045d3672880802d5305c5a8aaa46e",
                    "repoUrl": "https://git.example.com/owner/repo",
                }
            }
        ],
    }


@pytest.mark.parametrize(
    "text",
    [
        "Argocd-reference-commit-sha: abc12",
        "subject\n\nprose first\nArgocd-reference-commit-sha: abc12",
        "subject\n\nArgocd-reference-commit-sha: NOTHEX",
        "subject\n\nArgocd-reference-commit-other: abc12",
        "subject\n\nArgocd-reference-commit-author: nobody",
    ],
)
def test_what_is_no_trailer_is_no_reference(text):
    assert described(REPO, commit(text)).references == ()


def test_metadata_and_attributes_are_upstreams():
    files = plan_files(None, dry(body="a <b>\n"), [WEB], told)
    assert files["apps/web/hydrator.metadata"] == (
        f'{{\n  "repoURL": "{REPO}",\n  "drySha": "{SHA}",\n  "commands": [\n    "kustomize build ."\n  ]\n}}\n'.encode()
    )
    assert files["hydrator.metadata"] == (
        f'{{\n  "repoURL": "{REPO}",\n  "drySha": "{SHA}",\n  "author": "test <test@test.com>",\n'
        f'  "subject": "testSubject",\n  "body": "a <b>\\n"\n}}\n'.encode()
    )
    assert files[".gitattributes"] == (
        b"**/README.md linguist-generated=true\n**/hydrator.metadata linguist-generated=true"
    )
    assert files["apps/web/manifest.yaml"] == b"kind: Pod\n"


def test_manifests_are_in_their_order_and_without_our_marks():
    objects = (
        {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "b", "annotations": {"argocd.argoproj.io/tracking-id": "x"}}},
        {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a", "labels": {"app": "a", "mark": "web"}}, "spec": {"containers": [{"name": "c"}]}},
    )  # fmt: skip
    assert manifests(objects, "mark").decode() == (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: b\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    app: a\n"
        "  name: a\nspec:\n  containers:\n    - name: c\n"
    )
    assert "mark: web" in manifests(objects, "").decode()


def test_only_folders_whose_manifests_are_others_are_written():
    other = Written("apps/db", b"kind: Service\n")
    before = plan_files(None, dry(), [WEB, other], told)
    tree = MemoryTree(dict(before))
    assert plan_files(tree, dry(sha="b" * 40), [WEB, other], told) == {}
    changed = plan_files(tree, dry(sha="b" * 40), [WEB._replace(manifests=b"kind: Job\n"), other], told)
    assert sorted(changed) == [
        ".gitattributes",
        "apps/web/README.md",
        "apps/web/hydrator.metadata",
        "apps/web/manifest.yaml",
        "hydrator.metadata",
    ]


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("apps/web/manifest.yaml", {}),
        ("apps/web/README.md/more", {}),
        ("hydrator.metadata", {}),
        (".gitattributes/x", {}),
        ("apps/db", {"apps/web/manifest.yaml/kept": b"theirs"}),
        ("apps/db", {"hydrator.metadata/kept": b"theirs"}),
    ],
)
def test_no_file_takes_the_place_of_a_folder_nor_a_folder_that_of_a_file(path, held):
    """Git holds one of the two: somebody's manifests would be gone, and be pruned."""
    with pytest.raises(InvalidInput):
        plan_files(MemoryTree(held) if held else None, dry(), [WEB, Written(path, b"kind: Service\n")], told)
