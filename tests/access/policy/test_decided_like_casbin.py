"""Random policies, projects and people, decided as casbin decides them with Argo CD's model."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.policy.lines import read
from plumbline.access.policy.policy import _IN_PROJECTS
from plumbline.access.policy.projects import role_lines
from plumbline.access.policy.subject import project_of

from .casbin_oracle import Oracle, decide
from .dice import Dice, built_in_text, roles_of


def oracles(scene, mode):
    written = [built_in_text(mode)]
    if "policy.csv" in scene.entries:
        written.append(scene.entries["policy.csv"])
    written += [text for key, text in sorted(scene.entries.items()) if key.startswith("policy.") and key.endswith(".csv") and key != "policy.csv"]  # fmt: skip
    general = read(("", line) for text in written for line in text.split("\n"))
    assert not general.faults

    def oracle(*lines):
        return Oracle(
            [line.fields for each in lines for line in each.rules],
            [line.fields for each in lines for line in each.links],
            mode,
        )

    projects = {}
    for name, roles in roles_of(scene.projects).items():
        own = read(role_lines(name, roles))
        projects[name] = oracle(general) if own.faults else oracle(general, own)
    return oracle(general), projects


def theirs(scene):
    mode = scene.entries.get("policy.matchMode", "")
    general, projects = oracles(scene, mode)
    for asked in scene.asked:
        subject = asked.subject.name
        name = asked.name.partition("/")[0] if asked.resource in _IN_PROJECTS and "/" in asked.name else ""
        name = asked.name if asked.resource == "projects" else name
        project = name if name in projects else ""
        own = project_of(subject)
        sides = (general, projects.get(project, general), bool(project) and own not in {None, project}, bool(project) and own is not None)  # fmt: skip
        yield decide(
            sides,
            scene.entries.get("policy.default", ""),
            subject,
            scene.groups(asked),
            (asked.resource, asked.action, asked.name),
        )


@given(st.integers(min_value=0, max_value=10**9))
def test_every_question_is_answered_as_casbin_answers_it(seed):
    scene = Dice(seed).scene(questions=8)
    policy = scene.policy()
    ours = [policy.decide(*asked.question).allowed for asked in scene.asked]
    assert ours == list(theirs(scene))
    assert ours == [policy.allows(*asked.question) for asked in scene.asked]
