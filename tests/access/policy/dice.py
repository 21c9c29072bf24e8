"""Policies, projects and questions at random, the same ones for the same number."""

import random
from typing import NamedTuple

from plumbline.access.policy import Policy, Subject, policy_source
from plumbline.access.policy.builtin import built_in
from plumbline.access.policy.subject import groups_in, name_in
from plumbline.kinds.appproject import ProjectRole

PEOPLE = ("alice", "bob", "admin", "proj:shop:ci", "proj:shop:dev", "proj:bank:ci", "proj:gone:ci", "Ünï cøde")
GROUPS = ("team-a", "team-b", "my org:ops", "CN=x,OU=y", "nobody-knows", "role:dev", "admin2")
ROLES = ("role:dev", "role:ops", "role:readonly", "role:admin", "role:deep-1", "role:empty", "role:blocked")
RESOURCES = ("applications", "applicationsets", "clusters", "projects", "repositories", "logs", "exec", "accounts")
ACTIONS = ("get", "create", "update", "delete", "sync", "override", "action/apps/Deployment/restart",
           "update/apps/Deployment/web/api", "delete/*/Pod/web/api-0", "delete//Pod/web/api-0")  # fmt: skip
NAMES = ("shop/web", "shop/api", "bank/web", "bank/team/web", "shop/team/api", "gone/x", "shop", "bank", "*/*", "*", "", "a/b/c",
         "https://kubernetes.default.svc", "shop/https://git.example.org/r.git", "new\nline/x", "ünï/cøde", "shop//x")  # fmt: skip
GLOBS = ("*", "*/*", "shop/*", "bank/*", "shop/web", "*/web", "s?op/*", "{shop,bank}/*", "[sb]hop/*", "[!b]*/web", "shop/*/*", "sh*/a*i",
         "**", "*o*", "shop*", "bank/{web,team/*}", "https://*", "*cøde", "shop", "", "shop/\\*", "*/w[a-e]b")  # fmt: skip
REGEXES = (".*", "^shop/.*$", "shop", "^(shop|bank)/", "^bank/[a-z]+$", "web$", "^shop/?", "^shop/team|gone/x", "^[^/]+/web$", "",
           "(?i)SHOP/", "^shop/{2}x", ".*/.*", r"^shop/\w+$", "^bank/.*/", "^shop/w")  # fmt: skip
ACTION_GLOBS = (
    *ACTIONS,
    "*",
    "update/*",
    "delete/*",
    "action/*",
    "action/apps/*",
    "{get,sync}",
    "*e*",
    "delete/*/Pod/*",
)
ACTION_REGEXES = (".*", "^get$", "get|sync", "^update", "^delete/", "sync", "e$", "^action/apps/.*", "create")
RESOURCE_PATTERNS = (*RESOURCES, "*", "*", "*", "{applications,logs}", "app*")
RESOURCE_REGEXES = (*RESOURCES, "^applications$", ".*", ".*", "^app", "s$")
BROKEN_GLOBS = ("[", "a[]b", "[z-a]")
BROKEN_REGEXES = ("(", "*", "a**", "[z-a]", "(?<=x)y")


class Asked(NamedTuple):
    claims: dict
    resource: str
    action: str
    name: str
    anonymous: bool = False

    @property
    def subject(self):
        return Subject("" if self.anonymous else name_in(self.claims), claims=self.claims)

    @property
    def question(self):
        return self.subject, self.resource, self.action, self.name


class Scene(NamedTuple):
    entries: dict[str, str]
    scopes: list[str] | None
    projects: dict[str, list[dict]]
    asked: list[Asked]

    def policy(self):
        source = policy_source(self.entries)
        if self.scopes is not None:
            source = source._replace(scopes=tuple(self.scopes))
        return Policy.compiled(source, roles_of(self.projects))

    def groups(self, asked):
        return groups_in(asked.claims, ("groups",) if self.scopes is None else self.scopes)


def roles_of(projects):
    return {
        name: tuple(
            ProjectRole(name=role["name"], policies=tuple(role["policies"]), groups=tuple(role["groups"]))
            for role in roles
        )
        for name, roles in projects.items()
    }


def built_in_text(mode):
    """As upstream would have to write it for expressions."""
    lines = built_in()
    if mode != "regex":
        return "\n".join(line.text for line in (*lines.rules, *lines.links))
    rules = [
        [line.fields[0], *(f"(?s)^{field.replace('*', '.*')}$" for field in line.fields[1:4]), "allow"]
        for line in lines.rules
    ]
    return "\n".join(["\n".join("p, " + ", ".join(rule) for rule in rules), *(line.text for line in lines.links)])


class Dice:
    def __init__(self, seed, *, odd_lines=True):
        self._random = random.Random(seed)  # noqa: S311 - the same numbers every time are the point
        self._odd = odd_lines
        self._regex = self.chance(0.35)

    def chance(self, share):
        return self._random.random() < share

    def one(self, choices):
        return self._random.choice(choices)

    def scene(self, questions=12):
        entries = {"policy.csv": self.text(self._random.randint(0, 40))}
        for key in ("policy.zz.csv", "policy.a.csv", "policy.notes", "other.csv"):
            if self.chance(0.3):
                entries[key] = self.text(3)
        if self.chance(0.6):
            entries["policy.default"] = self.one((*ROLES, "", "alice", "role:none"))
        if self._regex:
            entries["policy.matchMode"] = "regex"
        elif self.chance(0.2):
            entries["policy.matchMode"] = self.one(("glob", "Regex", ""))
        scopes = self.one((None, None, ["groups"], ["groups", "email"], ["roles"], []))
        projects = {name: self.roles(name) for name in ("shop", "bank") if self.chance(0.7)}
        return Scene(entries, scopes, projects, [self.asked() for _ in range(questions)])

    def text(self, count):
        lines = [self.rule() if self.chance(0.6) else self.link() for _ in range(count)]
        return self.one(("\n", "\n", "\r\n", "\n\n# a comment, with a comma\n")).join(lines)

    def rule(self, subject=""):
        subject = subject or self.one((*PEOPLE, *GROUPS, *ROLES, *ROLES))
        effect = self.one(("allow", "allow", "allow", "deny"))
        resource, action, name = (self.one(each) for each in self._patterns(allows=effect == "allow"))
        if self._odd and self.chance(0.03):
            effect = self.one(("Allow", "", "denied", "ALLOW"))
        return self._joined("p", subject, resource, action, name, effect)

    def link(self):
        return self._joined("g", self.one((*PEOPLE, *GROUPS, *GROUPS, *ROLES)), self.one((*ROLES, "proj:shop:ci")))

    def roles(self, project):
        found = []
        for name in ("ci", "dev"):
            subject = f"proj:{project}:{name}"
            policies = [
                self.rule(self.one((subject, subject, "alice", "role:dev"))) for _ in range(self.one((0, 1, 3)))
            ]
            if self._odd and self.chance(0.05):
                policies.append(
                    self.one(("p, too, short", "g, alice, role:admin", "", "# nothing", f"x\np, {subject}"))
                )
            groups = [self.one(("team-a", "team-b", '"CN=x,OU=y"', "CN=x,OU=y")) for _ in range(self.one((0, 1)))]
            found.append({"name": name, "policies": policies, "groups": groups})
        return found[: self.one((1, 2))]

    def asked(self):
        claims = {"sub": self.one(PEOPLE)}
        if self.chance(0.1):
            claims["federated_claims"] = self.one(({"user_id": "alice"}, {"user_id": ""}, "x", {}))
        for scope in ("groups", "email", "roles"):
            if self.chance(0.5):
                claims[scope] = self.one(
                    (self._random.sample(GROUPS, self.one((1, 2, 4))), self.one(GROUPS), [1, "team-a", None])
                )
        likely = self.chance(0.5)
        return Asked(
            claims,
            "applications" if likely else self.one(RESOURCES),
            self.one(ACTIONS[:5] if likely else ACTIONS),
            self.one(NAMES[:5] if likely else NAMES),
        )

    def _patterns(self, *, allows):
        if self._regex:
            broken = BROKEN_REGEXES if self._odd else ()
            return RESOURCE_REGEXES, ACTION_REGEXES * 2 + broken, REGEXES * 3 + broken
        # What denies by a pattern that cannot be read is the one thing that is decided in another way here.
        broken = BROKEN_GLOBS if allows and self._odd else ()
        return RESOURCE_PATTERNS, ACTION_GLOBS * 3 + broken, GLOBS * 3 + broken

    def _joined(self, *fields):
        quoted = [
            f'"{field}"' if any(char in field for char in ',"') or self.chance(0.05) else field for field in fields
        ]
        return self.one((", ", ", ", ",", ",\t ")).join(quoted)
