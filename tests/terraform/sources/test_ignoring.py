"""What is left out of a source: single rules as git reads them, several together as Flux does."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.errors import LimitExceeded
from plumbline.terraform.sources.ignore import STANDARD, Rules, rules

PATHS = (
    *("a", "b", "ab", "abc", "a b", ".a", "[a]", "a*", "#a", "!a", "a\\b", "a ", "A"),
    *("a/a", "a/b", "a/ab", "b/a", "a/b/a", "a/b/c", "a/a/b", "b/b/b", "a/.a", "a/b/ab", "x/a/b/c", "x/y/z/a"),
)

NAMES = st.sampled_from([
    *("a", "b", "ab", "*", "**", "?", "a*", "*b", "*a*", "a**b", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]a]"),
    *("[[:alpha:]]", "[[:upper:]]b", "\\a", "\\*", "a\\*", "\\[a]", "a\\", "[\\a]", "[z-a]"),
    *("#a", "\\#a", "\\!a", "a ", "a\\ ", "a  ", ".a", "x", "??"),
])  # fmt: skip


@st.composite
def patterns(draw):
    """Brackets that do not end would take the slashes after them along, to git: no rule of Flux does."""
    names = draw(st.lists(NAMES, max_size=3))
    text = "/".join([*names, draw(NAMES | st.sampled_from(["[a", "[a-", "[[:nope:]]"]))])
    return draw(st.sampled_from(["", "/"])) + text + draw(st.sampled_from(["", "/"]))


@pytest.fixture(scope="module")
def git(tmp_path_factory):
    """Asks git which of the paths a file with these lines leaves out."""
    folder = tmp_path_factory.mktemp("ignoring")
    subprocess.run(["git", "init", "-q", folder], check=True)

    def left_out(text):
        (folder / ".git" / "info" / "exclude").write_text(text)
        done = subprocess.run(
            ["git", "-C", folder, "-c", "core.excludesFile=", "check-ignore", "--no-index", "--stdin", "-z"],
            input="\0".join(PATHS).encode(),
            capture_output=True,
            check=False,
        )
        assert done.returncode in {0, 1}, done.stderr
        return {path for path in done.stdout.decode().split("\0") if path}

    return left_out


def ours(text):
    chosen = Rules(rules(text))
    return {path for path in PATHS if chosen.leaves_out(path)}


@settings(max_examples=200)
@given(pattern=patterns())
def test_a_single_rule_leaves_out_what_git_leaves_out(git, pattern):
    assert ours(pattern) == git(pattern)


@settings(max_examples=60)
@given(lines=st.lists(patterns(), max_size=6))
def test_rules_that_bring_nothing_back_are_gits(git, lines):
    text = "\n".join(lines)
    assert ours(text) == git(text)


@settings(max_examples=25)
@given(lines=st.lists(st.tuples(st.booleans(), patterns()), min_size=1, max_size=5))
def test_the_last_rule_that_speaks_of_a_path_decides(git, lines):
    spoken = [(keeps, git(pattern)) for keeps, pattern in lines if not pattern.startswith(("#", "!"))]
    expected = set()
    for keeps, paths in spoken:
        expected = expected - paths if keeps else expected | paths
    text = "\n".join(f"{'!' if keeps else ''}{line}" for keeps, line in lines if not line.startswith(("#", "!")))
    assert ours(text) == expected


CASES = [
    ("*.md\r\n# a comment\r\n\r\n", {"README.md": True, "a/b.md": True, "a.tf": False}, "line ends of another system"),
    ("\ufeff*.md", {"a.md": True}, "a mark at the beginning of the file"),
    (
        "/*\n!/deploy\n/deploy/**/*.md",
        {"x.tf": True, "deploy/a.tf": False, "deploy/x/a.md": True},
        "upstream's example",
    ),
    (
        "/*\n!/deploy/app",
        {"deploy/app/a.tf": False, "deploy/b.tf": True},
        "brought back from a folder that is left out",
    ),
    ("*.x\n!a/", {"a/b.x": False, "b.x": True}, "a folder is brought back with all that is in it"),
    ("/", {"a": False}, "says nothing"),
    ("a" * 5000, {"a" * 5000: False}, "longer than a path can be"),
]


@pytest.mark.parametrize(("text", "expected", "why"), CASES, ids=[each[2] for each in CASES])
def test_whole_files(text, expected, why):
    chosen = Rules(rules(text))
    assert {path: chosen.leaves_out(path) for path in expected} == expected


def test_rules_of_a_folder_speak_of_what_is_in_it():
    chosen = Rules((*rules("*.md"), *rules("/a.tf\n!b.md", "x/y")))
    told = {
        path: chosen.leaves_out(path) for path in ("a.tf", "x/a.tf", "x/y/a.tf", "x/y/z/a.tf", "b.md", "x/y/z/b.md")
    }
    assert told == {
        "a.tf": False, "x/a.tf": False, "x/y/a.tf": True, "x/y/z/a.tf": False, "b.md": True, "x/y/z/b.md": False,
    }  # fmt: skip


def test_what_is_left_out_by_default_is_upstreams_list():
    chosen = Rules(STANDARD)
    out = (".gitignore", ".github/x.yml", "a/b.png", "x.tar.gz", "a/.sops.yaml", ".gitlab-ci.yml", "m/.gitmodules")
    stays = ("main.tf", ".terraform.lock.hcl", "a/x.tgz", ".sourceignore", "github/x.yml", ".tflint.hcl")
    assert [path for path in out if not chosen.leaves_out(path)] == []
    assert [path for path in stays if chosen.leaves_out(path)] == []


def test_rules_that_are_made_to_be_slow_are_refused_before_they_are():
    hostile = Rules(rules("\n".join(f"{'*a' * 400}{n}" for n in range(1000))))
    with pytest.raises(LimitExceeded):
        any(hostile.leaves_out(f"{n}{'a' * 250}") for n in range(10_000))


def test_many_folders_and_ordinary_rules_stay_within_bounds():
    chosen = Rules((*STANDARD, *rules("*.md\n/docs/\n**/test/**/*.tf\n!keep.md\n" + "/some/folder/x*\n" * 20)))
    paths = [f"team-{n % 50}/module-{n % 400}/a/file-{n}.tf" for n in range(2_000)]
    assert not any(chosen.leaves_out(path) for path in paths)


def test_a_question_mark_is_a_character_whatever_its_bytes():
    assert Rules(rules("?")).leaves_out("é")


def test_a_file_with_too_many_rules_is_refused():
    with pytest.raises(LimitExceeded):
        rules("a\n" * 30_000)
