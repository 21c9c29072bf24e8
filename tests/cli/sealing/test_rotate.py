"""plumb secret rotate."""

from pathlib import Path

import pytest

from plumbline.base.documents import dump_yaml, load_documents
from plumbline.base.json import decode, encode
from plumbline.secrets.sealing import SEALED_WITH, key_secret

from .cluster import FORBIDDEN
from .sealed import CANARY, masked


class Repository:
    def __init__(self, git, sealed) -> None:
        self.git, self.sealed = git, sealed
        self.root = Path.cwd()

    def write(self, name, key=None, *, namespace="shop", note="", also=""):
        """A file with comments, and two values that *key* sealed."""
        value = self.sealed.value(key=key or self.sealed.old, namespace="shop", name="db")
        annotations = f"  annotations:\n    {SEALED_WITH}: {note}  # hint\n" if note else ""
        place = f"  namespace: {namespace}\n" if namespace else ""
        self.put(
            name,
            "# comment\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n"
            f"  name: db\n{place}{annotations}spec:\n  encryptedData:\n"
            f"    password: {value}  # here\n    user: '{value}'\n{also}",
        )

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "more")

    def read(self, name):
        return (self.root / name).read_text()

    def keys(self, name, at=0):
        return {key for _, key in self.sealed.opened(self.read(name), at=at).values()}


@pytest.fixture
def repository(git, sealed):
    return Repository(git, sealed)


@pytest.fixture
def backup(sealed, tmp_path):
    file = tmp_path / "backup.yaml"
    items = [key_secret(key, "kube-system") for key in (sealed.old, sealed.new)]
    file.write_text(dump_yaml({"apiVersion": "v1", "kind": "List", "items": items}))
    return file


def test_what_old_keys_sealed_is_sealed_again_and_nothing_else_changes(run, cluster, sealed, repository):
    repository.write("apps/db.yaml")
    repository.write("apps/new.yml", sealed.new)
    repository.put("apps/other.yaml", "kind: ConfigMap\n")
    repository.put("chart/sealed.yaml", "kind: SealedSecret\nname: {{ .Values.name }}\n")
    repository.commit()
    before = repository.read("apps/db.yaml")
    said = run("secret", "rotate")
    assert said.code == 0
    header, *rows = said.out.splitlines()
    assert header.split("  ")[0] == "FILE"
    assert [row.split()[:3] for row in rows] == [["apps/db.yaml", "shop/db", "2"], ["apps/new.yml", "shop/db", "0"]]
    assert [row.split()[-1] for row in rows] == ["re-sealed", "current"]
    assert sealed.new.fingerprint[:19] in rows[0]
    assert repository.keys("apps/db.yaml") == {sealed.new.fingerprint}
    assert masked(repository.read("apps/db.yaml")) == masked(before)
    assert repository.git("diff", "--numstat") == "2\t2\tapps/db.yaml"
    assert "chart/sealed.yaml" in said.err
    assert "2 items of 1 SealedSecret re-sealed, 1 current." in said.err
    assert CANARY not in said.out + said.err
    repository.commit()
    assert run("secret", "rotate").out.count("current") == 2, "a second time there is nothing to do"
    assert repository.git("status", "--porcelain") == ""


def test_upstreams_controller_seals_everything_again(run, cluster, sealed, repository):
    cluster.upstream = True
    repository.write("db.yaml", sealed.new)
    repository.commit()
    assert "re-sealed" in run("secret", "rotate", repository.root).out
    assert repository.git("diff", "--numstat") == "2\t2\tdb.yaml"


def test_all_means_all(run, cluster, backup, repository, sealed):
    repository.write("db.yaml", sealed.new)
    repository.commit()
    for more in ((), ("--recovery-private-key", backup)):
        assert run("secret", "rotate", "--all", *more).code == 0
        assert repository.git("diff", "--numstat") == "2\t2\tdb.yaml"
        repository.git("checkout", "--quiet", "--", ".")


def test_without_a_cluster_keys_from_a_file_do_it_and_tell_which_had_sealed(run, sealed, repository, backup):
    repository.write("db.yaml")
    repository.commit()
    said = run("secret", "rotate", "db.yaml", "--recovery-private-key", backup, "-o", "json")
    assert said.code == 0
    assert decode(said.out) == {
        "items": [
            {
                "file": "db.yaml",
                "name": "shop/db",
                "items": 2,
                "old": sealed.old.fingerprint,
                "new": sealed.new.fingerprint,
                "outcome": "re-sealed",
                "why": "",
            }
        ]
    }
    assert repository.keys("db.yaml") == {sealed.new.fingerprint}
    assert "current" in run("secret", "rotate", "--force", "--recovery-private-key", backup).out


def test_a_bare_private_key_needs_a_certificate_to_seal_for(run, sealed, repository, tmp_path):
    key = tmp_path / "old.key"
    key.write_bytes(sealed.old.private.reveal())
    repository.write("db.yaml")
    repository.commit()
    said = run("secret", "rotate", "--recovery-private-key", key)
    assert said.code == 2
    assert "--cert" in said.err
    assert run("secret", "rotate", "--recovery-private-key", key, "--cert", sealed.cert).code == 0
    assert repository.keys("db.yaml") == {sealed.new.fingerprint}


def test_a_note_of_the_key_is_kept_up_to_date(run, cluster, sealed, repository):
    repository.write("db.yaml", note=sealed.old.fingerprint)
    repository.commit()
    assert sealed.old.fingerprint[:19] in run("secret", "rotate").out
    assert f"{SEALED_WITH}: {sealed.new.fingerprint}  # hint" in repository.read("db.yaml")


def test_a_dry_run_writes_nothing_and_answers_no(run, cluster, repository):
    repository.write("db.yaml")
    before = repository.read("db.yaml")
    said = run("secret", "rotate", "--dry-run")
    assert said.code == 1, "files that are not committed may be looked at"
    assert "would be re-sealed" in said.out
    assert repository.read("db.yaml") == before


def test_one_that_cannot_be_opened_is_told_and_the_others_are_done(run, cluster, sealed, repository):
    repository.write("bad.yaml")
    repository.put("bad.yaml", repository.read("bad.yaml").replace("name: db", "name: renamed"))
    repository.put("blob.yaml", "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: b, namespace: c}\nspec: {data: QUI=}\n")  # fmt: skip
    repository.write("good.yaml", also="---\nkind: ConfigMap\n")
    repository.commit()
    said = run("secret", "rotate")
    assert said.code == 3
    assert [row.split()[-1] for row in said.out.splitlines()[1:]] == ["failed", "failed", "re-sealed"]
    assert "bad.yaml, shop/renamed" in said.err
    assert "import the key" in said.err
    assert "spec.data" in said.err
    assert repository.keys("good.yaml") == {sealed.new.fingerprint}
    assert repository.git("diff", "--name-only") == "good.yaml"


def test_a_file_that_does_not_say_its_namespace_gets_it_from_the_command_line(run, cluster, repository):
    repository.write("db.yaml", namespace="")
    repository.commit()
    said = run("secret", "rotate")
    assert said.code == 3
    assert "--namespace" in said.err
    assert run("secret", "rotate", "-n", "shop").code == 0
    assert "namespace" not in repository.read("db.yaml")


def test_several_in_one_file(run, cluster, sealed, repository):
    repository.write("one.yaml")
    repository.put("both.yaml", repository.read("one.yaml") + "---\n" + repository.read("one.yaml"))
    repository.put("one.json", encode(load_documents(repository.read("one.yaml"))[0].value).decode())
    repository.commit()
    assert run("secret", "rotate", "both.yaml", "one.json").code == 0
    assert repository.keys("both.yaml") == repository.keys("both.yaml", 1) == {sealed.new.fingerprint}
    assert repository.keys("one.json") == {sealed.new.fingerprint}
    assert repository.keys("one.yaml") == {sealed.old.fingerprint}, "it was not named"


@pytest.mark.parametrize("tracked", [True, False])
def test_changes_that_are_not_committed_are_not_mixed_with(run, cluster, sealed, repository, tracked):
    repository.write("dir/db with space.yaml")
    if tracked:
        repository.commit()
        repository.put("dir/db with space.yaml", "# mine\n" + repository.read("dir/db with space.yaml"))
    before = repository.read("dir/db with space.yaml")
    said = run("secret", "rotate")
    assert said.code == 6
    assert "dir/db with space.yaml" in said.err
    assert repository.read("dir/db with space.yaml") == before
    assert cluster.asked == []
    assert run("secret", "rotate", "--force").code == 0
    assert repository.keys("dir/db with space.yaml") == {sealed.new.fingerprint}


def test_many_changed_files_are_not_all_named(run, cluster, repository):
    for number in range(7):
        repository.write(f"{number}.yaml")
    assert "4.yaml and 2 more" in run("secret", "rotate").err


@pytest.mark.parametrize(
    ("flags", "subject"), [((), "Re-seal 1 SealedSecret with the newest key"), (("-m", "new key"), "new key")]
)
def test_the_change_can_be_committed_alone(run, cluster, sealed, repository, flags, subject):
    repository.write("db.yaml")
    repository.put("other.txt", "a")
    repository.commit()
    repository.put("other.txt", "b")
    repository.git("add", "other.txt")
    said = run("secret", "rotate", "--commit", *flags)
    assert said.code == 0
    assert repository.git("show", "--format=%s", "--name-only").splitlines()[0].startswith(subject)
    assert repository.git("show", "--format=", "--name-only") == "db.yaml"
    assert repository.git("status", "--porcelain") == "M  other.txt"
    assert repository.git("rev-parse", "HEAD") in said.err
    assert run("secret", "rotate", "--commit").code == 0, "there is nothing to commit then"


@pytest.mark.parametrize("flags", [("--commit", "--force"), ("--commit", "--dry-run"), ("-m", "x")])
def test_flags_that_do_not_go_together_are_refused(run, repository, flags):
    assert run("secret", "rotate", *flags).code == 2


def test_an_outage_leaves_the_work_tree_as_it_was(run, cluster, repository):
    repository.write("a.yaml")
    repository.write("b.yaml")
    repository.commit()
    cluster.odd["/v1/rotate"] = 403, encode(FORBIDDEN)
    assert run("secret", "rotate").code == 4
    assert repository.git("status", "--porcelain") == ""


@pytest.mark.parametrize("answer", [{"encryptedData": {}}, {"encryptedData": {"password": 1, "user": "x"}}, {}])
def test_an_answer_with_other_items_is_not_believed(run, cluster, repository, answer):
    repository.write("db.yaml")
    repository.commit()
    cluster.odd["/v1/rotate"] = 200, encode({"kind": "SealedSecret", "spec": answer})
    said = run("secret", "rotate")
    assert said.code == 3
    assert "answer has" in said.err
    assert repository.git("status", "--porcelain") == ""


def test_ignored_files_links_and_other_endings_are_left_alone(run, cluster, repository, tmp_path):
    repository.write("ignored/db.yaml")
    repository.write("notes.txt")
    (repository.root / "link.yaml").symlink_to("notes.txt")
    repository.commit()
    said = run("secret", "rotate")
    assert (said.code, said.out) == (0, "")
    assert "no SealedSecret" in said.err
    assert run("secret", "rotate", "notes.txt").code == 0
    assert repository.git("diff", "--name-only") == "notes.txt"


def test_a_file_that_is_named_and_cannot_be_read_is_an_error(run, cluster, repository):
    repository.put("chart.yaml", "kind: SealedSecret\nname: {{ .x }}\n")
    assert run("secret", "rotate", "chart.yaml").code == 2


def test_outside_of_git_nothing_is_done(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    said = run("secret", "rotate")
    assert said.code == 5
    assert "no Git work tree" in said.err
