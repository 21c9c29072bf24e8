"""One rule of a role: what it permits, and whether holding some rules is as good as holding others."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

ALL: Final = "*"


class Rule(NamedTuple):
    verbs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()

    def permits_resource(self, verb: str, group: str, resource: str, subresource: str) -> bool:
        """Whatever the object's name; `names` restrict it further."""
        if not (ALL in self.verbs or verb in self.verbs) or not (ALL in self.groups or group in self.groups):
            return False
        if ALL in self.resources:
            return True
        if not subresource:
            return resource in self.resources
        return f"{resource}/{subresource}" in self.resources or f"{ALL}/{subresource}" in self.resources

    def permits_path(self, verb: str, path: str) -> bool:
        if not (ALL in self.verbs or verb in self.verbs):
            return False
        return any(_url_covers(url, path) for url in self.urls)

    def described(self) -> str:
        """As refusals of an escalation list it; what is empty is left out."""
        columns = {
            "APIGroups": self.groups,
            "Resources": self.resources,
            "NonResourceURLs": self.urls,
            "ResourceNames": self.names,
            "Verbs": self.verbs,
        }
        return "{" + ", ".join(f"{title}:{listed(texts)}" for title, texts in columns.items() if texts) + "}"


def listed(texts: Iterable[str]) -> str:
    """As Go prints a slice of strings with %q."""
    return "[" + " ".join(map(quoted, texts)) + "]"


def rule_from(value: Json) -> Rule:
    """Read a PolicyRule; what is not a list of strings permits nothing."""
    if not isinstance(value, dict):
        return Rule()
    return Rule(
        _texts(value.get("verbs")),
        _texts(value.get("apiGroups")),
        _texts(value.get("resources")),
        _texts(value.get("resourceNames")),
        _texts(value.get("nonResourceURLs")),
    )


def rules_from(role: JsonObject) -> tuple[Rule, ...]:
    rules = role.get("rules")
    return tuple(map(rule_from, rules)) if isinstance(rules, list) else ()


def breadth(rules: Iterable[Rule]) -> int:
    """How many atoms `atoms` gives, without making them."""
    return sum(
        len(rule.verbs) * (len(rule.groups) * len(rule.resources) * max(len(rule.names), 1) + len(rule.urls))
        for rule in rules
    )


def atoms(rule: Rule) -> Iterator[Rule]:
    """The same permissions, one verb on one thing at a time."""
    for group in rule.groups:
        for resource in rule.resources:
            for verb in rule.verbs:
                if not rule.names:
                    yield Rule((verb,), (group,), (resource,))
                for name in rule.names:
                    yield Rule((verb,), (group,), (resource,), (name,))
    for url in rule.urls:
        for verb in rule.verbs:
            yield Rule((verb,), urls=(url,))


def missing(held: Sequence[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """The atoms of *wanted* that no rule of *held* covers; permissions do not add up across rules."""
    return [atom for rule in wanted for atom in atoms(rule) if not any(_covers(owner, atom) for owner in held)]


def compacted(rules: Iterable[Rule]) -> list[Rule]:
    """Atoms of the same thing joined into one rule with all their verbs."""
    others: list[Rule] = []
    verbs: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for rule in rules:
        if rule.urls:
            others.append(rule)
        else:
            verbs.setdefault((rule.groups, rule.resources, rule.names), []).extend(rule.verbs)
    return others + [Rule(tuple(each), *thing) for thing, each in verbs.items()]


def _covers(owner: Rule, atom: Rule) -> bool:
    if not (ALL in owner.verbs or atom.verbs[0] in owner.verbs):
        return False
    if owner.names and (not atom.names or atom.names[0] not in owner.names):
        return False
    if atom.urls:
        return any(_url_covers(url, atom.urls[0]) for url in owner.urls)
    return (ALL in owner.groups or atom.groups[0] in owner.groups) and _resource_covers(owner, atom.resources[0])


def _resource_covers(owner: Rule, resource: str) -> bool:
    if ALL in owner.resources or resource in owner.resources:
        return True
    _, slash, subresource = resource.partition("/")
    return bool(slash) and f"{ALL}/{subresource}" in owner.resources


def _url_covers(pattern: str, path: str) -> bool:
    return pattern == path or (pattern.endswith(ALL) and path.startswith(pattern.rstrip(ALL)))


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
