"""`plumb tf plan` on a pull request and `plumb tf apply` after the merge, with the real tool and the state on a server."""

import re

import pytest

from plumbline.base.json import decode

from .workshop import CANARY, KEY

SECRET = f"""
variable "password" {{
  sensitive = true
}}
resource "terraform_data" "secret" {{
  input = var.password
}}
output "plain" {{
  value = nonsensitive(sha256(var.password))
}}
locals {{
  written_down = "{CANARY}"
}}
"""


def test_what_was_reviewed_is_applied_after_the_merge_and_nothing_else(tool, repository, plumb, tmp_path):
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2")})
    planned = plumb("tf", "plan", "--changed-since", "main", "--out", tmp_path / "plans")
    assert planned.returncode == 1, planned.stderr
    assert "1 root module is concerned: 1 would change." in planned.stderr
    (plan,) = (tmp_path / "plans").glob("*.plan")
    assert plan.name[:12] in planned.stdout
    assert (tmp_path / "plans/report.md").read_text() == planned.stdout
    report = decode((tmp_path / "plans/report.json").read_bytes())
    assert report["affected"] == [
        {
            "path": "live/a",
            "workspace": "default",
            "name": "",
            "change": "changed",
            "because": [{"path": "live/a/main.tf", "modules": ["live/a"]}],
        }
    ]
    repository.merged("change")
    applied = plumb("tf", "apply", "--plan", plan.stem[:12], "--plans", tmp_path / "plans")
    assert applied.returncode == 0, applied.stderr
    assert "1 plan applied." in applied.stderr
    assert applied.stdout == ""
    assert list(repository.states.states) == ["/a"]
    assert repository.states.locks == {}
    again = plumb("tf", "apply", "--changed-since", "HEAD^1", "--plans", tmp_path / "plans")
    assert again.returncode == 6
    assert "error[plan-stale]" in again.stderr


def test_a_change_that_concerns_nobody_is_done_without_a_tool(repository, plumb):
    repository.branch("change")
    repository.commit({"README.md": "y"})
    planned = plumb("tf", "plan", "--changed-since", "main", PATH="/nowhere")
    assert planned.returncode == 0, planned.stderr
    assert "No root module is concerned" in planned.stderr


def test_a_plan_that_changes_nothing_exits_0_and_leaves_nothing_to_apply(tool, repository, plumb, tmp_path):
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2")})
    assert plumb("tf", "plan", "--changed-since", "main", "--out", tmp_path / "1").returncode == 1
    assert plumb("tf", "apply", "--changed-since", "main", "--plans", tmp_path / "1").returncode == 0
    repository.commit({"live/a/main.tf": repository.module("a", "2") + "# a note\n"})
    planned = plumb("tf", "plan", "--changed-since", "main", "--out", tmp_path / "2", "--format", "text")
    assert planned.returncode == 0, planned.stderr
    applied = plumb("tf", "apply", "--changed-since", "main", "--plans", tmp_path / "2")
    assert (applied.returncode, "1 changes nothing" in applied.stderr) == (0, True)


def test_one_root_module_that_fails_hides_no_other(tool, repository, plumb, tmp_path):
    repository.branch("change")
    repository.commit(
        {"live/a/main.tf": repository.module("a", more="nonsense {\n"), "live/b/main.tf": repository.module("b", "2")}
    )
    planned = plumb("tf", "plan", "--changed-since", "main", "--format", "json", "--out", tmp_path / "plans")
    assert planned.returncode == 3
    by_path = {each["path"]: each for each in decode(planned.stdout)["modules"]}
    assert by_path["live/a"]["error"]
    assert by_path["live/b"]["plan"]["counts"]["create"] == 1
    assert "1 would change, 1 failed" in planned.stderr
    applied = plumb("tf", "apply", "--changed-since", "main", "--plans", tmp_path / "plans")
    assert applied.returncode == 6
    assert repository.states.states == {}


def test_a_commit_after_the_review_voids_the_plan(tool, repository, plumb, tmp_path):
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2")})
    plumb("tf", "plan", "--changed-since", "main", "--out", tmp_path / "plans")
    repository.commit({"live/a/main.tf": repository.module("a", "3")})
    applied = plumb("tf", "apply", "--changed-since", "main", "--plans", tmp_path / "plans")
    assert applied.returncode == 6
    assert "its files are no longer those" in applied.stderr
    assert "hint" in applied.stderr
    assert repository.states.states == {}


def test_a_root_module_that_is_gone_is_warned_about(repository, plumb):
    repository.branch("change")
    repository.commit({"live/a/main.tf": None})
    planned = plumb("tf", "plan", "--changed-since", "main", "--format", "text")
    assert planned.returncode == 0, planned.stderr
    assert "It is gone; what its state holds stays" in planned.stdout
    assert "1 gone, with its state left behind" in planned.stderr


def test_no_secret_reaches_anybody(tool, repository, plumb, tmp_path):
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2", SECRET)})
    secret = {"TF_VAR_password": CANARY, "AWS_SECRET_ACCESS_KEY": CANARY}
    out = ("--out", tmp_path / "plans", "--format", "text", "-v")
    planned = plumb("tf", "plan", "--changed-since", "main", *out, **secret)
    assert planned.returncode == 1, planned.stderr
    assert CANARY not in planned.stdout + planned.stderr
    assert "sensitive" in (tmp_path / "plans/report.md").read_text()
    applied = plumb("tf", "apply", "--changed-since", "main", "--plans", tmp_path / "plans", "-v", **secret)
    assert applied.returncode == 0, applied.stderr
    assert CANARY not in applied.stdout + applied.stderr
    assert KEY not in applied.stdout + applied.stderr
    assert CANARY.encode() in repository.states.states["/a"], "it is a secret that the state really has"
    written = [path for path in tmp_path.rglob("*") if path.is_file() and ".git" not in path.parts]
    found = {path.relative_to(tmp_path) for path in written if CANARY.encode() in path.read_bytes()}
    assert {path.as_posix() for path in found} == {"checkout/live/a/main.tf"}


def test_root_modules_can_be_named_and_uncommitted_files_count(tool, repository, plumb):
    (repository.folder / "live/a/main.tf").write_text(repository.module("a", "2"))
    (repository.folder / "live/b/main.tf").write_text(repository.module("b", "2"))
    planned = plumb("tf", "plan", "--changed-since", "HEAD", "--uncommitted", "--root", "live/b", "--tool", tool)
    assert planned.returncode == 1, planned.stderr
    assert "`live/b`" in planned.stdout
    assert "`live/a`" not in planned.stdout


REFUSED = [
    (["plan", "--changed-since", "main", "--out", "plans"], {"PLUMBLINE_PLAN_KEY": ""}, 2, "no key for plans"),
    (["plan", "--changed-since", "main", "--out", "plans"], {"PLUMBLINE_PLAN_KEY": "short"}, 2, "32 bytes"),
    (["plan", "--changed-since", "nowhere"], {}, 5, "no commit of this repository"),
    (["plan", "--changed-since", "main", "--root", "nowhere"], {}, 5, "no root module"),
    (["plan"], {}, 2, "--changed-since"),
    (["apply"], {}, 2, "--plan"),
    (["apply", "--plan", "a" * 12, "--changed-since", "main"], {}, 2, "--plan"),
    (["comment", "--report", "README.md"], {}, 2, "--forge"),
    (["comment", "--report", "README.md", "--name", "a -->"], {"GITHUB_ACTIONS": "1"}, 2, ""),
]


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "words"), REFUSED, ids=[" ".join(each[0]) for each in REFUSED]
)
def test_what_cannot_be_done_is_refused_with_a_reason(repository, plumb, arguments, environment, code, words):
    said = plumb("tf", *arguments, **environment)
    assert said.returncode == code, said.stderr
    assert words in said.stderr
    assert re.search(r"^error\[[a-z-]+\]", said.stderr)


def test_a_plan_that_is_not_there_is_not_found(tool, repository, plumb):
    assert plumb("tf", "apply", "--plan", "a" * 12).returncode == 5


def test_arguments_from_the_environment_are_refused(repository, plumb):
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2")})
    said = plumb("tf", "plan", "--changed-since", "main", TF_CLI_ARGS_plan="-target=x")
    assert said.returncode == 4
    assert "TF_CLI_ARGS_plan" in said.stderr


def test_a_key_can_come_from_a_file(tool, repository, plumb, tmp_path):
    (tmp_path / "key").write_text(KEY)
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2")})
    key = ("--key-file", tmp_path / "key")
    planned = plumb("tf", "plan", "--changed-since", "main", "--out", tmp_path / "plans", *key, PLUMBLINE_PLAN_KEY="")
    assert planned.returncode == 1, planned.stderr
    other = plumb("tf", "apply", "--changed-since", "main", "--plans", tmp_path / "plans", PLUMBLINE_PLAN_KEY="00" * 32)
    assert other.returncode == 3
    assert "error[corrupted]" in other.stderr


def test_the_group_explains_itself(run):
    said = run("tf")
    assert said.code == 0
    assert "apply" in said.out
