"""What a pull request changes, read from Git without running anything of the repository."""

import subprocess

import pytest

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.tree import walk
from plumbline.terraform.changed import RootModules, inputs_digest
from plumbline.terraform.changed.checkout import Checkout


class Repository:
    def __init__(self, folder):
        self.folder = folder
        self("init", "--quiet", "--initial-branch=main")

    def __call__(self, *arguments):
        who = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        done = subprocess.run(["git", "-C", self.folder, *who, *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, **files):
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", "x")
        return self("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_it_is_compared_with_where_the_histories_parted(repository):
    base = repository.commit(a_dot_tf="1", b_dot_tf="1")
    repository("switch", "--quiet", "--create", "change")
    head = repository.commit(a_dot_tf="2")
    repository("switch", "--quiet", "main")
    repository.commit(b_dot_tf="2")
    repository("switch", "--quiet", "change")
    between = Checkout(repository.folder).since("main")
    assert (between.base, between.head, between.changed, between.clean) == (base, head, {"a.tf"}, True)


def test_a_merge_of_both_is_the_change_alone(repository):
    repository.commit(a_dot_tf="1", b_dot_tf="1")
    repository("switch", "--quiet", "--create", "change")
    repository.commit(a_dot_tf="2")
    repository("switch", "--quiet", "main")
    repository.commit(b_dot_tf="2")
    repository("merge", "--quiet", "--no-ff", "--message", "m", "change")
    assert Checkout(repository.folder).since("HEAD^1").changed == {"a.tf"}


def test_a_renamed_file_counts_under_both_names(repository):
    repository.commit(a_dot_tf="the same content")
    repository("switch", "--quiet", "--create", "change")
    repository("mv", "a.tf", "b.tf")
    repository.commit()
    assert Checkout(repository.folder).since("main").changed == {"a.tf", "b.tf"}


def test_it_is_found_from_a_folder_below(repository):
    repository.commit(x__a_dot_tf="1")
    assert Checkout(repository.folder / "x").root == repository.folder
    assert Checkout(repository.folder / "x").since("HEAD").changed == frozenset()


def test_what_is_not_committed_counts_where_it_is_asked_for(repository):
    repository.commit(a__x_dot_tf="1", b__x_dot_tf="1", c__x_dot_tf="1", _dot_gitignore="*.log\n")
    (repository.folder / "a/x.tf").write_text("2")
    (repository.folder / "b/x.tf").unlink()
    (repository.folder / "new").mkdir()
    (repository.folder / "new/y.tf").write_text("")
    (repository.folder / "new/run.sh").write_text("")
    (repository.folder / "new/run.sh").chmod(0o755)
    (repository.folder / "link.tf").symlink_to("a/x.tf")
    (repository.folder / "x.log").write_text("ignored")
    checkout = Checkout(repository.folder)
    assert checkout.since("HEAD").changed == frozenset()
    between = checkout.since("HEAD", worktree=True)
    assert between.changed == {"a/x.tf", "b/x.tf", "new/y.tf", "new/run.sh", "link.tf"}
    assert not between.clean
    assert [path for path, entry in walk(between.after) if entry.kind == "link"] == ["link.tf"]
    assert (between.after.read("a/x.tf"), between.after.size("a/x.tf")) == (b"2", 1)
    assert between.after.entry("new/run.sh").executable
    assert between.after.entry("nowhere") is None


def test_inputs_are_the_same_committed_or_not(repository):
    repository.commit(a__x_dot_tf="1")
    (repository.folder / "a/x.tf").write_text("2")
    checkout = Checkout(repository.folder)
    roots = RootModules.found(checkout.since("HEAD", worktree=True).after)
    loose = inputs_digest(roots, roots.roots[0])
    repository.commit()
    roots = RootModules.found(checkout.tree(Checkout(repository.folder).head))
    assert inputs_digest(roots, roots.roots[0]) == loose


def test_what_is_no_repository_or_has_no_such_commit_is_refused(repository, tmp_path_factory):
    with pytest.raises(NotFound):
        Checkout(tmp_path_factory.mktemp("elsewhere"))
    repository.commit()
    for ref in ("nowhere", "origin/main", "0" * 40, "HEAD~5", "", "HEAD^{tree}"):
        with pytest.raises(NotFound, match="no commit"):
            Checkout(repository.folder).since(ref)


def test_histories_without_a_common_commit_are_refused_with_a_way_out(repository):
    repository.commit(a_dot_tf="1")
    repository("switch", "--quiet", "--orphan", "stranger")
    repository.commit(b_dot_tf="1")
    with pytest.raises(NotFound) as refused:
        Checkout(repository.folder).since("main")
    assert "fetch-depth: 0" in refused.value.hint


def test_a_repository_without_files_is_refused(tmp_path):
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path], check=True)
    with pytest.raises(InvalidInput):
        _ = Checkout(tmp_path).root


def test_nothing_of_the_repository_is_run(repository):
    repository.commit(a_dot_tf="1", _dot_gitattributes="*.tf filter=evil diff=evil\n")
    trap = repository.folder / "trap"
    for name in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "core.fsmonitor"):
        repository("config", name, f"touch {trap}; cat")
    (repository.folder / "a.tf").write_text("2")
    Checkout(repository.folder).since("HEAD", worktree=True)
    assert not trap.exists()
