"""The tool of this machine makes what the files here say it makes."""

import subprocess

import pytest

from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import dangers, digest, summarised

from .test_masking import everything

BEFORE = """
variable "password" {
  sensitive = true
  default   = "canary-9f2-value"
}
resource "terraform_data" "db" {
  input            = { password = var.password, copy = "x-canary-9f2-value-y", force_destroy = false }
  triggers_replace = ["1"]
}
resource "terraform_data" "old" {
  lifecycle {
    prevent_destroy = true
  }
}
"""
AFTER = BEFORE.partition('resource "terraform_data" "old"')[0].replace('["1"]', '["2"]')


@pytest.fixture(scope="module")
def run(terraform, tmp_path_factory):
    folder = tmp_path_factory.mktemp("module")
    environment = {
        "HOME": str(folder),
        "TF_CLI_CONFIG_FILE": "/dev/null",
        "CHECKPOINT_DISABLE": "1",
        "PATH": "/usr/bin:/bin",
    }

    def run(*arguments):
        made = subprocess.run(
            [terraform.path, *arguments], cwd=folder, env=environment, capture_output=True, check=False
        )
        assert made.returncode == 0, made.stderr.decode()
        return made.stdout

    (folder / "main.tf").write_text(BEFORE)
    run("init", "-no-color")
    run("apply", "-no-color", "-auto-approve")
    (folder / "main.tf").write_text(AFTER)
    for name in ("one", "two"):
        run("plan", "-no-color", f"-out={name}")
    run.folder = folder
    return run


def _json(run, name):
    return Plaintext(run("show", "-json", name))


def test_the_same_plan_made_twice_has_one_digest(run):
    """The files differ as soon as there is a second between them: the tool writes down when it made them."""
    one, two = (
        digest(Plaintext((run.folder / name).read_bytes()), serial=1, lineage="l", revision="r", json=_json(run, name))
        for name in ("one", "two")
    )
    assert one.content == two.content


def test_what_it_destroys_is_told_and_no_secret_is(run):
    found = summarised(_json(run, "one"))
    told = dangers(found, guarded_before={"terraform_data.old"})
    assert [(each.kind, each.address) for each in told] == [
        ("share", ""),
        ("unprotect", "terraform_data.old"),
        ("destroy", "terraform_data.old"),
        ("replace", "terraform_data.db"),
    ]
    assert "canary-9f2" not in everything(_json(run, "one"))
