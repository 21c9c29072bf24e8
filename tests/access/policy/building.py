"""Short ways to a policy and to questions."""

from plumbline.access.policy import Policy, Subject, policy_source
from plumbline.kinds.appproject import ProjectRole


def policy(csv="", *, default="", mode="", projects=None, **parts):
    entries = {"policy.csv": csv, "policy.default": default, "policy.matchMode": mode}
    entries |= {f"policy.{name}.csv": text for name, text in parts.items()}
    return Policy.compiled(policy_source(entries), projects or {})


def role(name, *policies, groups=()):
    return ProjectRole(name=name, policies=policies, groups=groups)


def asked(text, who="alice", *groups):
    """`sync applications shop/web`, asked by somebody in some groups."""
    action, resource, *name = text.split(" ")
    return Subject(who, groups), resource, action, name[0] if name else ""
