"""Planning what changed, and applying exactly that: with a tool that is none, so that every way out can be taken."""

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import ApplyFailed, Corrupted, Forbidden, NotFound, PlanStale, Refused, ToolFailed
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.changed import RootModules, affected
from plumbline.terraform.changed.applying import Applier, by_change, by_digest, failures
from plumbline.terraform.changed.kept import Kept
from plumbline.terraform.changed.marks import Mark, mark_of_plan, mark_of_state
from plumbline.terraform.changed.planning import Planner, Wanted
from plumbline.terraform.changed.sealing import Key
from plumbline.terraform.changed.surroundings import equipment

from .bench import BACKEND, FakeTool, between, made, of, plan_bytes, plan_json, replaced, state

KEY = Key(Plaintext("00" * 32))
BEFORE = {"live/a/main.tf": BACKEND, "live/b/main.tf": BACKEND, "live/c/main.tf": BACKEND, "local/main.tf": ""}
AFTER = {**BEFORE, "live/a/main.tf": BACKEND + "# 2", "live/b/main.tf": BACKEND + "# 2"}


class Change:
    """A change, with everything between a pull request and its merge."""

    def __init__(self, folder, tool, before=BEFORE, after=AFTER, **wanted):
        self.tool, self.kept = tool, Kept(folder)
        self.between = between(before, after)
        self.roots = RootModules.found(self.between.after)
        self.affected = affected(RootModules.found(self.between.before), self.roots, self.between.changed)
        self.wanted = Wanted(**wanted)
        self.unsaved = []

    async def planned(self):
        told = []
        planner = Planner(self.tool, self.between, self.roots, self.wanted, VirtualClock())
        tried = await planner.planned(self.affected, told.append)
        assert {each.affected.root for each in told} == {each.affected.root for each in tried}
        for each in tried:
            if each.made:
                self.kept.put(each.made.header, KEY.seal(each.made.header, each.made.planned.plan))
        return {each.affected.root.folder: each for each in tried}

    def reviewed(self, after=None, tool=None):
        roots = RootModules.found(of(after)) if after else self.roots
        return by_change(self.affected, self.kept, KEY, roots, tool or self.tool)

    async def applied(self, reviewed=None):
        applier = Applier(self.tool, self.between.after, self.wanted, lambda *each: self.unsaved.append(each))
        outcomes = await applier.applied(
            self.reviewed() if reviewed is None else reviewed, lambda _: None, lambda _: None
        )
        return {each.root.folder: each for each in outcomes}


async def test_what_changed_is_planned_and_the_same_bytes_are_applied(tmp_path):
    plan = made(lineage="l", serial=4)
    tool = FakeTool({"live/a": plan}, {"live/a": state("l", 4)})
    change = Change(tmp_path, tool)
    tried = await change.planned()
    assert list(tried) == ["live/a", "live/b"]
    header = tried["live/a"].made.header
    assert (header.lineage, header.serial, header.tool, header.commit) == ("l", 4, "terraform", "a" * 40)
    assert header.created == "2026-01-01T00:00:00Z"
    outcomes = await change.applied()
    assert all(each.applied for each in outcomes.values())
    assert dict(tool.applied)["live/a"] == plan.plan
    assert [type(each).__name__ for each in tool.asked] == ["Planning"] * 2 + ["Applying"] * 2
    assert [each.lock for each in tool.asked] == [False, False, True, True]
    assert all(place.upgrade is False and place.backend == () for place in tool.workplaces)


async def test_one_that_fails_hides_none_of_the_others(tmp_path):
    change = Change(tmp_path, FakeTool({"live/a": ToolFailed("terraform failed", why="no credentials")}))
    tried = await change.planned()
    assert tried["live/a"].error.why == "no credentials"
    assert tried["live/b"].changes
    with pytest.raises(PlanStale, match="no plan of it"):
        change.reviewed()


async def test_dangers_are_counted_in_the_header(tmp_path):
    change = Change(tmp_path, FakeTool({"live/a": made(json=plan_json(deletes=True))}))
    tried = await change.planned()
    assert tried["live/a"].made.header.dangers == len(tried["live/a"].made.dangers) > 0
    assert tried["live/b"].made.header.dangers == 0


async def test_a_plan_without_changes_is_kept_as_proof_and_not_applied(tmp_path):
    tool = FakeTool({"live/a": made(changes=False)})
    change = Change(tmp_path, tool)
    assert not (await change.planned())["live/a"].changes
    outcomes = await change.applied()
    assert outcomes["live/a"].skipped == "nothing changes"
    assert [folder for folder, _ in tool.applied] == ["live/b"]


async def test_the_same_content_in_another_commit_passes(tmp_path):
    change = Change(tmp_path, FakeTool())
    await change.planned()
    assert len(change.reviewed({**AFTER, "README.md": "a merge brought more"})) == 2


async def test_files_that_moved_on_make_a_plan_void(tmp_path):
    change = Change(tmp_path, FakeTool())
    await change.planned()
    with pytest.raises(PlanStale, match="files are no longer"):
        change.reviewed({**AFTER, "live/a/main.tf": BACKEND + "# 3"})


async def test_another_version_of_the_tool_makes_a_plan_void(tmp_path):
    change = Change(tmp_path, FakeTool())
    await change.planned()
    with pytest.raises(PlanStale, match=r"terraform 1\.11\.4, and here is terraform 1\.12\.0"):
        change.reviewed(tool=FakeTool(version="1.12.0"))


async def test_a_state_that_moved_on_makes_a_plan_void(tmp_path):
    plans = {"live/a": made(lineage="l", serial=4)}
    for there in (state("l", 5), state("other", 4), Plaintext("")):
        tool = FakeTool(plans, {"live/a": there})
        change = Change(tmp_path, tool)
        await change.planned()
        outcomes = await change.applied()
        assert isinstance(outcomes["live/a"].error, PlanStale)
        assert "live/a" not in dict(tool.applied)
        assert outcomes["live/b"].applied


async def test_a_first_plan_is_not_applied_twice(tmp_path):
    tool = FakeTool(states={"live/a": state("l", 1)})
    change = Change(tmp_path, tool)
    await change.planned()
    assert isinstance((await change.applied())["live/a"].error, PlanStale)


async def test_plans_are_applied_by_digest(tmp_path):
    tool = FakeTool()
    change = Change(tmp_path, tool)
    digest = (await change.planned())["live/b"].made.header.digest
    roots, reviewed = by_digest([digest[:12], digest], change.kept, KEY, change.between.after, tool)
    assert [root.folder for root in roots.roots] == ["live/b"]
    assert list(await change.applied(reviewed)) == ["live/b"]
    with pytest.raises(NotFound):
        by_digest(["f" * 12], change.kept, KEY, change.between.after, tool)
    with pytest.raises(PlanStale, match="no root module any more"):
        by_digest([digest], change.kept, KEY, of({"live/a/main.tf": BACKEND}), tool)


async def test_the_newest_plan_that_fits_is_taken(tmp_path):
    change = Change(tmp_path, FakeTool())
    tried = await change.planned()
    old = tried["live/a"].made
    for digest, created, inputs in (("1", "2027", old.header.inputs), ("2", "2028", "of an earlier push")):
        header = replaced(old.header, digest=digest * 64, created=created, inputs=inputs)
        change.kept.put(header, KEY.seal(header, old.planned.plan))
    assert {each.header.digest for each in change.reviewed()} == {"1" * 64, tried["live/b"].made.header.digest}


async def test_what_was_put_in_the_place_of_a_plan_does_not_open(tmp_path):
    change = Change(tmp_path, FakeTool())
    tried = await change.planned()
    header = tried["live/a"].made.header
    change.kept.put(header, Key(Plaintext("11" * 32)).seal(header, plan_bytes()))
    with pytest.raises(Corrupted):
        change.reviewed()


async def test_a_plan_under_the_header_of_another_is_refused(tmp_path):
    change = Change(tmp_path, FakeTool())
    header = (await change.planned())["live/a"].made.header
    change.kept.put(header, KEY.seal(header, plan_bytes("l", 9)))
    outcomes = await change.applied()
    assert isinstance(outcomes["live/a"].error, Corrupted)


async def test_a_failure_ends_what_comes_later_but_not_what_is_beside_it(tmp_path):
    listed = "version: 3\nprojects:\n" + "".join(
        f"- {{dir: {name}, execution_order_group: {order}}}\n" for name, order in (("a", 1), ("b", 1), ("c", 2))
    )
    before = {"atlantis.yaml": listed, **{f"{name}/x.tf": BACKEND for name in "abc"}}
    after = before | {f"{name}/x.tf": BACKEND + "#" for name in "abc"}
    lost = state("l", 1)
    failed = ApplyFailed("terraform apply failed")
    failed.state = lost
    tool = FakeTool(failures={"a": failed})
    change = Change(tmp_path, tool, before, after)
    await change.planned()
    outcomes = await change.applied()
    assert [folder for folder, _ in tool.applied] == ["b"]
    assert outcomes["c"].skipped == "an earlier one failed"
    assert list(failures(outcomes.values())) == [outcomes["a"].error]
    assert [kept for _, kept in change.unsaved] == [lost]


async def test_a_state_that_would_be_lost_is_said_and_not_written(tmp_path):
    change = Change(tmp_path, FakeTool(), after={**BEFORE, "local/main.tf": "# 2"})
    tried = await change.planned()
    assert "no backend that outlives" in tried["local"].notes[0]
    with pytest.raises(Refused, match="state would be lost"):
        change.reviewed()


async def test_variable_files_are_given_and_bound(tmp_path):
    files = {**AFTER, "common.tfvars": "x = 1", "live/a/env/default.tfvars": "y = 1"}
    change = Change(tmp_path, FakeTool(), after=files, var_files=("common.tfvars",))
    await change.planned()
    assert change.tool.workplaces[0].var_files == ("live/a/env/default.tfvars", "common.tfvars")
    assert len(change.reviewed(files)) == 2
    with pytest.raises(PlanStale):
        change.reviewed({**files, "common.tfvars": "x = 2"})


@pytest.mark.parametrize("path", ["nowhere.tfvars", "../../etc/passwd", "live"])
async def test_variable_files_that_are_not_there_are_refused(tmp_path, path):
    change = Change(tmp_path, FakeTool(), var_files=(path,))
    assert isinstance((await change.planned())["live/a"].error, NotFound)


async def test_root_modules_that_are_gone_are_not_planned(tmp_path):
    change = Change(
        tmp_path, FakeTool(), after={path: text for path, text in BEFORE.items() if path != "live/c/main.tf"}
    )
    assert [each.change for each in change.affected] == ["gone"]
    assert await change.planned() == {}
    assert change.reviewed() == []


def test_marks_tell_which_state_a_plan_is_for():
    assert mark_of_plan(plan_bytes("l", 3)) == Mark("l", 3)
    assert mark_of_plan(Plaintext("encrypted")) is None
    assert mark_of_state(Plaintext("")) == Mark()
    assert mark_of_state(Plaintext("{")) is None
    assert str(Mark("l", 3)) == "serial 3 of l"


def test_only_what_is_for_clouds_and_the_tool_is_handed_on(tmp_path):
    token = tmp_path / "token"
    token.write_text("tok")
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/credentials").write_text("cred")
    config = tmp_path / "x.tfrc"
    config.write_text("credentials {}")
    given = equipment(
        {
            "HOME": str(tmp_path),
            "PATH": "/bin",
            "AWS_REGION": "eu",
            "AWS_WEB_IDENTITY_TOKEN_FILE": str(token),
            "TF_VAR_file": str(token),
            "TF_CLI_CONFIG_FILE": str(config),
            "PLUMBLINE_PLAN_KEY": "canary",
            "GITHUB_TOKEN": "canary",
            "MY_CLOUD": "x",
            "GOOGLE_CREDENTIALS": "/nowhere\0",
        },
        frozenset({"MY_CLOUD"}),
    )
    assert {each.name: each.value.reveal().decode() for each in given.variables} == {
        "AWS_REGION": "eu",
        "AWS_WEB_IDENTITY_TOKEN_FILE": ".plumbline/AWS_WEB_IDENTITY_TOKEN_FILE",
        "GOOGLE_CREDENTIALS": "/nowhere\0",
        "MY_CLOUD": "x",
        "TF_VAR_file": str(token),
    }
    assert [(each.place, each.path, each.content.reveal()) for each in given.files] == [
        ("home", ".aws/credentials", b"cred"),
        ("module", ".plumbline/AWS_WEB_IDENTITY_TOKEN_FILE", b"tok"),
        ("home", ".plumbline/TF_CLI_CONFIG_FILE", b"credentials {}"),
    ]
    assert given.command_line_config == ".plumbline/TF_CLI_CONFIG_FILE"


def test_arguments_that_no_review_shows_are_refused():
    with pytest.raises(Forbidden, match="TF_CLI_ARGS_apply"):
        equipment({"TF_CLI_ARGS_apply": "-target=x"})
