"""A machine that runs the scripts of docs/ci in the order in which a CI runs them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.terraform.changed.forge import TOKEN

from plumbline.base.documents import load_document

from .workshop import KEY

CI = Path(__file__).parents[3] / "docs/ci"


def workflow():
    return load_document((CI / "github-actions.yaml").read_bytes()).value


def pipeline():
    return load_document((CI / "gitlab-ci.yml").read_bytes()).value


def _jenkins_scripts():
    """The shell scripts of the stages, as Groovy hands them over."""
    text = (CI / "Jenkinsfile").read_text()
    return [script.replace("\\\\", "\\") for script in re.findall(r"sh '''(.*?)'''", text, re.DOTALL)]


class Agent:
    """A machine that runs scripts of a CI: `plumb` is ours, what fetches artifacts finds them in a folder."""

    def __init__(self, folder, repository, forge):
        self.folder, self.repository, self.forge = folder, repository, forge
        self.artifacts = folder / "artifacts"
        tools = folder / "tools"
        tools.mkdir()
        self._tool(tools / "plumb", f'exec {sys.executable} -c "from plumbline.cli.main import main; main()" "$@"')
        self._tool(tools / "pip", "exit 0")
        self._tool(
            tools / "gh",
            'case "$1 $2" in\n'
            "  *commits*pulls*) echo 7 ;;\n"
            "  *artifacts?name=terraform-plans-7) echo 99 ;;\n"
            f'  "run download") mkdir -p "$7" && cp "{self.artifacts}"/*.plan "$7" ;;\n'
            "  *) exit 1 ;;\nesac",
        )
        self._tool(
            tools / "curl",
            'for last; do :; done\ncase "$last" in\n'
            "  */merge_requests) echo '[{\"iid\": 7}]' ;;\n"
            "  *refs%2Fmerge-requests%2F7%2Fhead/download?job=plan)\n"
            f'    cd "{self.artifacts}/.." && {sys.executable} -m zipfile -c "$OLDPWD/plans.zip" plans/ ;;\n'
            "  *) exit 1 ;;\nesac",
        )
        self.environment = {
            "HOME": str(folder),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "GITHUB_API_URL": forge.url,
            "CI_API_V4_URL": forge.url,
            "PLUMBLINE_PLAN_KEY": KEY,
        }

    def _tool(self, path, script):
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def run(self, script, **environment):
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.repository.folder,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done

    def keep(self, folder):
        """As a CI takes artifacts: plans leave the agent, and what is in the checkout goes."""
        folder.mkdir(parents=True, exist_ok=True)
        for plan in (self.repository.folder / "plans").iterdir():
            plan.rename(folder / plan.name)


def _step(job, name):
    return next(step["run"] for step in workflow()["jobs"][job]["steps"] if step.get("name") == name)


def github(agent):
    """The steps of the workflow, with what GitHub sets for them."""
    known = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/pull/7/merge"}

    def plan():
        agent.run(_step("plan", "Install"))
        agent.run(_step("plan", "Plan"), **known, GITHUB_BASE_REF="main")
        agent.run(_step("plan", "Comment"), **known, GITHUB_TOKEN=TOKEN)
        agent.keep(agent.artifacts)

    def apply(before, sha):
        agent.run(_step("apply", "Install"))
        agent.run(_step("apply", "Bring the reviewed plans"), **known, GH_TOKEN="t", GITHUB_SHA=sha)
        return agent.run(_step("apply", "Apply"), **known, BEFORE=before)

    return plan, apply


def gitlab(agent):
    known = {"GITLAB_CI": "true", "CI_PROJECT_ID": "o/r", "CI_MERGE_REQUEST_IID": "7", "PLUMBLINE_FORGE_TOKEN": TOKEN}
    jobs = pipeline()

    def script(*lines, **more):
        return agent.run("\n".join(lines), **known, **more)

    def plan():
        script(*jobs[".terraform"]["before_script"])
        script(*jobs["plan"]["script"], CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main")
        script(*jobs["plan"]["after_script"])
        agent.artifacts = agent.artifacts.parent / "plans"
        agent.keep(agent.artifacts)
        agent._tool(
            agent.folder / "tools/curl",
            (agent.folder / "tools/curl").read_text().replace("artifacts/..", "."),
        )

    def apply(before, sha):
        return script(*jobs["apply"]["script"], CI_COMMIT_BEFORE_SHA=before, CI_COMMIT_SHA=sha)

    return plan, apply


def jenkins(agent):
    making, comment, applying = _jenkins_scripts()
    asking = re.search(r"script: '(.*?)'\)", (CI / "Jenkinsfile").read_text())[1].replace("\\\\", "\\")

    def plan():
        agent.run(making, CHANGE_TARGET="main", CHANGE_ID="7")
        agent.run(
            comment,
            CHANGE_URL="https://github.com/o/r/pull/7",
            CHANGE_ID="7",
            PLUMBLINE_FORGE_TOKEN=TOKEN,
        )

    def apply(before, sha):
        assert agent.run(asking).stdout.strip() == "7"
        return agent.run(applying, GIT_PREVIOUS_COMMIT=before)

    return plan, apply


FLOWS = {"github": github, "gitlab": gitlab, "jenkins": jenkins}


def prepared(folder, repository, forge):
    """An agent with a checkout that has an origin."""
    origin = folder / "origin.git"
    repository.git("clone", "--quiet", "--bare", repository.folder, origin)
    repository.git("remote", "add", "origin", origin)
    repository.git("fetch", "--quiet", "origin")
    (repository.folder / ".git/info/exclude").write_text("plans/\nplans.zip\n")
    return Agent(folder, repository, forge)


def walked(kind, agent):
    """From a pull request with two pushes to its merge, and what was said when it was applied."""
    plan, apply = FLOWS[kind](agent)
    repository, forge = agent.repository, agent.forge
    before = repository.git("rev-parse", "main")
    repository.branch("change")
    repository.commit({"live/a/main.tf": repository.module("a", "2")})
    plan()
    assert len(forge.comments) == 1
    assert "`live/a`" in forge.comments[0][2]
    repository.commit({"live/b/main.tf": repository.module("b", "2")})
    plan()
    assert len(forge.comments) == 1, "the comment stays one"
    assert "`live/b`" in forge.comments[0][2]
    done = apply(before, repository.merged("change"))
    assert "2 plans applied." in done.stderr
    assert sorted(repository.states.states) == ["/a", "/b"]
