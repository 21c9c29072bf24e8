"""The files in docs/ci: each can be read, says nothing that the command line does not take, and does what it promises.

The scripts for GitHub are run in the order in which a CI runs them, from a pull request to the merge, against a
repository, a server for state and a forge on this machine; the others are in tests/conformance/terraform.
"""

import re
import shlex

import click
import pytest
from tests.terraform.changed.forge import Forge

from plumbline.cli.main import plumb as command
from plumbline.cli.terminal import Settings

from .agents import CI, github, pipeline, prepared, walked, workflow

FILES = sorted(CI.iterdir())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_command_in_them_is_one_of_ours(path):
    lines = [line for line in path.read_text().splitlines() if re.search(r"\bplumb tf\b", line)]
    assert lines
    for line in lines:
        words = shlex.split(re.search(r"plumb (tf [^|#]+)", line)[1].strip().rstrip("'"))
        _parsed(command, words)


def _parsed(group, words):
    """As far as a parser goes, without doing anything."""
    ctx = click.Context(group, obj=Settings())
    while isinstance(group, click.Group):
        name, group, words = group.resolve_command(ctx, list(words))
        ctx = click.Context(group, info_name=name, parent=ctx, obj=Settings())
    words = ["README.md" if word.startswith("plans/report") else word for word in words]
    group.parse_args(ctx, words)


def test_github_actions_are_pinned_and_get_no_more_than_they_need():
    jobs = workflow()["jobs"]
    assert workflow()["permissions"] == {}
    uses = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert [each for each in uses if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+\.\d+\.\d+", each)] == []
    writing = {name: [what for what, how in job["permissions"].items() if how == "write"] for name, job in jobs.items()}
    assert writing == {"plan": ["pull-requests", "id-token"], "apply": ["id-token"]}
    assert "head.repo.full_name == github.repository" in jobs["plan"]["if"]
    assert jobs["plan"]["concurrency"]["cancel-in-progress"] is True
    assert jobs["apply"]["concurrency"]["cancel-in-progress"] is False
    for job in jobs.values():
        assert [step for step in job["steps"] if "${{" in step.get("run", "")] == [], (
            "nothing of others enters a script"
        )
        keyed = [step["name"] for step in job["steps"] if "PLUMBLINE_PLAN_KEY" in step.get("env", {})]
        assert len(keyed) == 1


def test_gitlab_plans_no_forks_and_applies_one_after_the_other():
    jobs = pipeline()
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in jobs["plan"]["rules"][0]["if"]
    assert jobs["apply"]["resource_group"]
    assert jobs[".terraform"]["variables"]["GIT_DEPTH"] == "0"


def test_jenkins_plans_no_forks():
    assert "env.CHANGE_FORK == null" in (CI / "Jenkinsfile").read_text()


@pytest.fixture
def agent(tmp_path, repository):
    forge = Forge("github", tells=False)
    yield prepared(tmp_path, repository, forge)
    forge.close()


def test_a_pull_request_goes_from_plan_to_comment_to_merge_to_apply(tool, agent):
    walked("github", agent)


def test_a_merge_without_terraform_applies_nothing(tool, agent, repository):
    _, apply = github(agent)
    before = repository.git("rev-parse", "main")
    repository.branch("change")
    repository.commit({"README.md": "y"})
    assert "nothing is applied" in apply(before, repository.merged("change")).stderr
    assert repository.states.states == {}
