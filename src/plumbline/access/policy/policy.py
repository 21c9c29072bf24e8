"""Who may do what. Decided as Argo CD decides it, from lines that were put in order once."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.access.policy.book import Book
from plumbline.access.policy.builtin import built_in
from plumbline.access.policy.decision import Decision, decided, refused
from plumbline.access.policy.grants import Crowd, Grants
from plumbline.access.policy.lines import Fault, Lines, numbered, read
from plumbline.access.policy.patterns import GLOB
from plumbline.access.policy.projects import RESOURCES, role_lines
from plumbline.access.policy.rules import Rule
from plumbline.access.policy.source import PolicySource
from plumbline.access.policy.subject import Subject, project_of
from plumbline.kinds.appproject import ProjectRole

LONGEST: Final = 1_000
"""Characters of an action or an object: three of the longest names that Kubernetes has and a kind fit in. With no more
than that, no pattern can come to the end of the work it may do and fail to match because of it."""
_IN_PROJECTS: Final = frozenset(RESOURCES)
_PROJECTS: Final = "projects"


class _Found(NamedTuple):
    """The rule that decided, whose it was, and in which book."""

    rule: Rule
    grants: Grants
    book: Book
    by_default: bool


class Policy:
    """Immutable to those who ask: it only remembers how it put its lines in order.

    The default role is tried first, and what it allows nobody can deny. Then the name is tried, and then each group
    that has a role: one that some line allows and no line denies is enough. Lines of a project count for requests
    about that project.
    """

    def __init__(
        self,
        source: PolicySource,
        lines: Lines,
        book: Book,
        projects: Mapping[str, tuple[ProjectRole, ...]],
    ) -> None:
        self.source = source
        self.lines = lines
        self.faults: tuple[Fault, ...] = (*source.faults, *lines.faults)
        """Why nothing can be decided by this policy. Upstream stops in the same way at the first of them."""
        self.projects = projects
        self._book = book
        self._books: dict[str, Book] = {}
        self._default = book.crowd(source.default_role, ()) if source.default_role else None

    @classmethod
    def compiled(cls, source: PolicySource, projects: Mapping[str, tuple[ProjectRole, ...]] | None = None) -> "Policy":
        """Never refuses: a policy that cannot be read permits nothing, and `faults` says why."""
        lines = read(line for key, text in source.parts for line in numbered(key, text))
        # The built-in lines are globs in either mode. Upstream reads them as expressions where policy.matchMode says
        # so, which they are not, and nobody has role:admin any more.
        return cls(source, lines, Book(lines, source.match_mode, Book(built_in(), GLOB)), projects or {})

    def with_projects(self, projects: Mapping[str, tuple[ProjectRole, ...]]) -> "Policy":
        """The same lines with other projects; what was put in order for those that did not change is kept."""
        found = Policy(self.source, self.lines, self._book, projects)
        found._books.update(
            (name, book) for name, book in self._books.items() if projects.get(name) == self.projects[name]
        )
        return found

    def succeeded_by(self, newer: "Policy") -> "Policy":
        """The policy to decide by after a change: *newer* if it can be read, and otherwise this one for now."""
        return self.with_projects(newer.projects) if newer.faults else newer

    def project_faults(self, project: str) -> tuple[Fault, ...]:
        """Why the roles of *project* do not count."""
        return read(role_lines(project, self.projects.get(project, ()))).faults

    def allows(self, subject: Subject, resource: str, action: str, name: str) -> bool:
        """The same as `decide`, without the reason: for lists."""
        found = self._found(subject, resource, action, name)
        return isinstance(found, _Found) and not found.rule.denies

    def decide(self, subject: Subject, resource: str, action: str, name: str) -> Decision:
        """Whether *subject* may do *action* to the *resource* with this *name*."""
        found = self._found(subject, resource, action, name)
        if not isinstance(found, _Found):
            return refused(found or self._silence(subject, resource, name))
        through = found.book.way(found.grants.name, found.rule.subject)
        return decided(found.rule, through, by_default=found.by_default)

    def _found(self, subject: Subject, resource: str, action: str, name: str) -> _Found | str:
        """What decides, or why nothing can; an empty text if no line says anything."""
        if self.faults:
            return f"{self.faults[0]}; until it can nobody may do anything"
        if len(name) > LONGEST or len(action) > LONGEST or len(resource) > LONGEST:
            return f"nothing has a name of more than {LONGEST} characters"
        asked = (resource, action, name)
        default = self._by(self._default, self._book, asked, by_default=True)
        if not subject.name or (default is not None and not default.rule.denies):
            return default or ""
        project = self._project_in(resource, name)
        own = project_of(subject.name) if project else None
        if own is not None and own != project:
            return f"{subject.name} is a role of project {own} and may do nothing in project {project}"
        groups = subject.all_groups(self.source.scopes) if own is None else ()
        if not project:
            return self._by(self._book.crowd(subject.name, groups), self._book, asked) or default or ""
        book = self._book_of(project)
        if self._default is not None:
            default = self._by(book.crowd(self.source.default_role, ()), book, asked, by_default=True)
            if default is not None and not default.rule.denies:
                return default
        return self._by(book.crowd(subject.name, groups), book, asked) or default or ""

    def _by(
        self, crowd: Crowd | None, book: Book, asked: tuple[str, str, str], *, by_default: bool = False
    ) -> _Found | None:
        ruling = crowd.deciding(*asked) if crowd is not None else None
        return _Found(*ruling, book, by_default) if ruling is not None else None

    def _project_in(self, resource: str, name: str) -> str:
        """The project that a request is about, if there is such a project."""
        if resource in _IN_PROJECTS:
            project, slash, _ = name.partition("/")
            return project if slash and project in self.projects else ""
        return name if resource == _PROJECTS and name in self.projects else ""

    def _book_of(self, project: str) -> Book:
        found = self._books.get(project)
        if found is None:
            lines = read(role_lines(project, self.projects[project]))
            # Upstream goes on without the lines of a project of which it cannot read one.
            usable = (lines.rules or lines.links) and not lines.faults
            found = Book(lines, self.source.match_mode, self._book) if usable else self._book
            self._books[project] = found
        return found

    def _silence(self, subject: Subject, resource: str, name: str) -> str:
        role = self.source.default_role
        said = f"no line allows it; {f'default role is {role}' if role else 'there is no default role'}"
        if not subject.name:
            return f"{said}, and nobody is logged in"
        project = self._project_in(resource, name)
        known = (self._book_of(project) if project else self._book).known
        groups = subject.all_groups(self.source.scopes)
        if not groups or any(map(known, groups)):
            return said
        return f"{said}, and {f'none of the {len(groups)} groups has a' if groups[1:] else f'group {groups[0]} has no'} role"
