"""Acting as somebody else: who is asked for, and whether the caller may be them.

Since 1.36 there are five ways to be allowed, tried in turn. The constrained ones also ask whether this request may be
made while impersonating (`impersonate-on:<mode>:<verb>`), and the old one, `impersonate`, does not.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from plumbline.access.identity import (
    ANONYMOUS_NAME,
    AUTHENTICATED,
    MASTERS,
    NODE_NAME,
    NODES,
    UNAUTHENTICATED,
    Identity,
    node_of,
    service_account_groups,
    service_account_of,
)
from plumbline.apiserver.rbac.attributes import Attributes, Decision, forbidden
from plumbline.apiserver.statuses import aggregated, bad_request
from plumbline.apiserver.validation.checks import domain_path_errors
from plumbline.base.errors import RequestRefused
from plumbline.kube.gotext import quoted

Decide: TypeAlias = Callable[[Attributes], Decision]

HEADER_PREFIX: Final = "impersonate-"
_EXTRA_PREFIX: Final = "impersonate-extra-"
_GROUP: Final = "authentication.k8s.io"
_broken_escape: Final = re.compile("%(?![0-9a-f]{2})").search

# More than this many groups or extras are first asked about all at once.
_MANY: Final = 4
_REMEMBERED: Final = 10_000


class Mode(NamedTuple):
    """One way to be allowed; only the oldest has no constraint."""

    name: str
    constrained: bool = True

    @property
    def verb(self) -> str:
        return f"impersonate:{self.name}" if self.constrained else "impersonate"


_ASSOCIATED_NODE: Final = Mode("associated-node")
_ARBITRARY_NODE: Final = Mode("arbitrary-node")
_SERVICE_ACCOUNT: Final = Mode("serviceaccount")
_USER_INFO: Final = Mode("user-info")
_LEGACY: Final = Mode("legacy", constrained=False)
_MODES: Final = (_ASSOCIATED_NODE, _ARBITRARY_NODE, _SERVICE_ACCOUNT, _USER_INFO, _LEGACY)


def wanted_identity(headers: Iterable[tuple[str, str]]) -> Identity | None:
    """Whom the headers ask for, as they spell it; None where they ask for nobody.

    Headers come as they were sent: one that is repeated comes several times. Raises RequestRefused where they ask for
    groups or more, but not for a user.
    """
    name = uid = ""
    groups: list[str] = []
    extra: dict[str, tuple[str, ...]] = {}
    for header, value in headers:
        title = header.lower()
        if title == "impersonate-user":
            name = name or value
        elif title == "impersonate-uid":
            uid = uid or value
        elif title == "impersonate-group":
            groups.append(value)
        elif title.startswith(_EXTRA_PREFIX):
            key = _unescaped(title.removeprefix(_EXTRA_PREFIX))
            extra[key] = (*extra.get(key, ()), value)
    wanted = Identity(name, uid, tuple(groups), extra)
    if not name and (uid or groups or extra):
        raise bad_request(f"requested {_go_syntax(wanted)} without impersonating a user name")
    return wanted if name else None


class Impersonation:
    """Remembers which mode served a caller last, and tries it first: that also decides which refusal is shown."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._last: dict[str, Mode] = {}

    def impersonated(self, wanted: Identity, request: Attributes) -> Identity:
        """Who the caller of *request* becomes, or RequestRefused with the first thing that they may not do."""
        caller = request.identity
        last = self._last.get(caller.name)
        order = _MODES if last is None else (last, *(mode for mode in _MODES if mode is not last))
        refusals: list[RequestRefused] = []
        for mode in order:
            if not _applies(mode, wanted, caller):
                continue
            try:
                identity = self._become(mode, wanted, request)
            except RequestRefused as refused:
                refusals.append(refused)
                continue
            if last is not mode:
                self._remember(caller.name, mode)
            return identity
        # There is at least one: the oldest mode is open to all.
        raise refusals[0]

    def _remember(self, caller: str, mode: Mode) -> None:
        if len(self._last) >= _REMEMBERED:
            self._last.clear()
        self._last[caller] = mode

    def _become(self, mode: Mode, wanted: Identity, request: Attributes) -> Identity:
        if mode.constrained:
            self._check(request._replace(verb=f"impersonate-on:{mode.name}:{request.verb}"))
        for wish in _name_wishes(mode, wanted, request.identity):
            self._check(wish)
        self._check_groups(mode, wanted, request.identity)
        self._check_extra(mode, wanted, request.identity)
        return _completed(mode, wanted)

    def _check_groups(self, mode: Mode, wanted: Identity, caller: Identity) -> None:
        if not wanted.groups:
            return
        wish = Attributes(caller, mode.verb, _GROUP if mode.constrained else "", "v1", "groups")
        if mode.constrained:
            if "" in wanted.groups:
                raise forbidden(wish, "impersonating the empty string group is not allowed")
            if MASTERS in wanted.groups:
                raise forbidden(wish._replace(name=MASTERS), "impersonating the system:masters group is not allowed")
            if len(wanted.groups) >= _MANY and self._decide(wish._replace(name="*")).allowed:
                return
        for group in wanted.groups:
            self._check(wish._replace(name=group))

    def _check_extra(self, mode: Mode, wanted: Identity, caller: Identity) -> None:
        if not wanted.extra:
            return
        wish = Attributes(caller, mode.verb, _GROUP, "v1", "userextras")
        if mode.constrained:
            if fault := next(_extra_faults(wanted.extra), ""):
                raise forbidden(wish, fault)
            many = len(wanted.extra) >= _MANY or sum(map(len, wanted.extra.values())) >= _MANY
            if many and self._decide(wish._replace(subresource="*", name="*")).allowed:
                return
        for key, values in wanted.extra.items():
            for value in values:
                self._check(wish._replace(subresource=key, name=value))

    def _check(self, wish: Attributes) -> None:
        allowed, reason = self._decide(wish)
        if not allowed:
            raise forbidden(wish, reason)


def _applies(mode: Mode, wanted: Identity, caller: Identity) -> bool:
    if mode is _LEGACY:
        return True
    node, account = node_of(wanted.name), service_account_of(wanted.name)
    if mode is _USER_INFO:
        return node is None and account is None
    if wanted.uid or wanted.groups or wanted.extra:
        return False
    if mode is _SERVICE_ACCOUNT:
        return account is not None
    if mode is _ARBITRARY_NODE or node is None:
        return node is not None
    return service_account_of(caller.name) is not None and caller.extra.get(NODE_NAME) == (node,)


def _name_wishes(mode: Mode, wanted: Identity, caller: Identity) -> Iterator[Attributes]:
    """To be that user, and to have that uid."""
    wish = Attributes(caller, mode.verb, _GROUP if mode.constrained else "", "v1", "users", name=wanted.name)
    node, account = node_of(wanted.name), service_account_of(wanted.name)
    if node is not None and mode.constrained:
        # One grant serves a daemon on every node: each may only become its own, which has been checked.
        wish = wish._replace(resource="nodes", name="*" if mode is _ASSOCIATED_NODE else node)
    if account is not None:
        wish = wish._replace(resource="serviceaccounts", namespace=account.namespace, name=account.name)
    yield wish
    if wanted.uid:
        yield Attributes(caller, mode.verb, _GROUP, "v1", "uids", name=wanted.uid)


def _completed(mode: Mode, wanted: Identity) -> Identity:
    """With the groups that follow from the name."""
    groups = wanted.groups
    if mode.constrained and node_of(wanted.name) is not None:
        groups = (NODES,)
    if (account := service_account_of(wanted.name)) is not None and not groups:
        groups = service_account_groups(account.namespace)
    if wanted.name == ANONYMOUS_NAME:
        groups = _with(groups, UNAUTHENTICATED)
    elif UNAUTHENTICATED not in groups:
        groups = _with(groups, AUTHENTICATED)
    return replace(wanted, groups=groups)


def _with(groups: tuple[str, ...], group: str) -> tuple[str, ...]:
    return groups if group in groups else (*groups, group)


def _extra_faults(extra: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for key, values in extra.items():
        if not key:
            yield "impersonating the empty string key in extra is not allowed"
        if errors := [str(error) for error in domain_path_errors("extra.key", key)]:
            yield f"impersonating an invalid key in extra is not allowed: {aggregated(errors)}"
        if key != key.lower():
            yield f"impersonating a non-lowercase key in extra is not allowed: {quoted(key)}"
        if "" in values:
            yield "impersonating the empty string value in extra is not allowed"


def _unescaped(key: str) -> str:
    return key if _broken_escape(key) else unquote(key)


def _go_syntax(wanted: Identity) -> str:
    groups = _go_slice(wanted.groups) if wanted.groups else "[]string(nil)"
    pairs = ", ".join(f"{quoted(key)}:{_go_slice(wanted.extra[key])}" for key in sorted(wanted.extra))
    extra = f"map[string][]string{{{pairs}}}" if pairs else "map[string][]string(nil)"
    return f'&user.DefaultInfo{{Name:"", UID:{quoted(wanted.uid)}, Groups:{groups}, Extra:{extra}}}'


def _go_slice(texts: tuple[str, ...]) -> str:
    return "[]string{" + ", ".join(map(quoted, texts)) + "}"
