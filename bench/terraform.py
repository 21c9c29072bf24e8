"""Terraform: which root modules a change concerns, in a repository of two hundred of them; and what objects cost."""

import subprocess
import tempfile
import time
from pathlib import Path

from bench import terraform_objects
from bench.timing import line
from plumbline.source.git.library import library
from plumbline.terraform.changed import RootModules, affected
from plumbline.terraform.changed.checkout import Checkout

ROOTS = 200
MODULES = 20
RESOURCES = 12


def run():
    with tempfile.TemporaryDirectory() as place:
        repository = _repository(Path(place))
        line(f"repository of {ROOTS} root modules, one changed: found", f"{found_ms(repository):.0f} ms", "<= 1000 ms")
    terraform_objects.run()


def found_ms(repository, times=3):
    """From the name of a branch to the list, as the command does it; loading libgit2 is part of starting Python."""
    library()
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        between, skims = Checkout(repository).since("main"), {}
        before = RootModules.found(between.before, skims=skims)
        after = RootModules.found(between.after, skims=skims)
        found = affected(before, after, between.changed)
        best = min(best, time.perf_counter() - start)
        assert [each.root.folder for each in found] == ["live/r042"]
        assert len(after.roots) == ROOTS
    return best * 1000


def _repository(folder):
    for number in range(MODULES):
        _write(folder / f"modules/m{number:02}", _resources(f"m{number}"))
    for number in range(ROOTS):
        root = folder / f"live/r{number:03}"
        _write(root, _root(number) + _resources(f"r{number}"))
        (root / "terraform.tfvars").write_text(f'name = "r{number}"\n')
        (root / "policy.json").write_text("{}\n")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _commit(folder)
    _git(folder, "switch", "--quiet", "--create", "change")
    (folder / "live/r042/policy.json").write_text('{"Version": "1"}\n')
    _commit(folder)
    return folder


def _write(folder, text):
    folder.mkdir(parents=True)
    (folder / "main.tf").write_text(text)
    (folder / "variables.tf").write_text(
        "".join(f'variable "v{at}" {{\n  type    = string\n  default = "x"\n}}\n\n' for at in range(RESOURCES))
    )
    (folder / "outputs.tf").write_text(
        "".join(f'output "o{at}" {{\n  value = terraform_data.t{at}.id\n}}\n\n' for at in range(RESOURCES))
    )


def _root(number):
    return (
        'terraform {\n  required_version = ">= 1.5"\n  backend "s3" {\n    bucket = "states"\n  }\n}\n\n'
        'provider "aws" {\n  region = "eu-central-1"\n}\n\n'
        f'module "net" {{\n  source = "../../modules/m{number % MODULES:02}"\n}}\n\n'
        f'module "app" {{\n  source = "../../modules/m{(number + 7) % MODULES:02}"\n}}\n\n'
        'locals {\n  policy = file("${path.module}/policy.json")\n}\n\n'
    )


def _resources(name):
    return "".join(
        f'resource "terraform_data" "t{at}" {{\n  input = {{\n    name = "{name}-${{var.v{at}}}"\n'
        f'    tags = ["a", "b"] # as everywhere\n  }}\n}}\n\n'
        for at in range(RESOURCES)
    )


def _commit(folder):
    _git(folder, "add", "--all")
    _git(folder, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", "change")


def _git(folder, *arguments):
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    run()
