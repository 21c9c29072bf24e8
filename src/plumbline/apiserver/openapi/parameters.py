"""The parameters that operations take."""

from functools import cache
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.kube.schema.builtin import catalog


class Parameter(NamedTuple):
    name: str
    type: str
    description: str
    place: str = "query"


_WORDS: Final = """\
allowWatchBookmarks boolean Asks a watch for BOOKMARK events as well. Clients must not rely on when they come, or that they come. Ignored unless watching.
continue string The token that an earlier, limited list gave for its next page, with otherwise equal parameters. A token that is too old is answered with 410 and, where possible, with a token that goes on inconsistently. Not for watches.
fieldManager string The name of who makes this change, to own the fields that it sets: at most 128 printable characters.
fieldSelector string Restricts the objects to those whose fields match. Everything matches by default.
fieldValidation string What to do about unknown and duplicate fields of the request: Ignore drops them silently (of duplicates the last counts), Warn, the default, also answers with a warning for each, and Strict refuses the request.
force boolean Lets an apply take over fields that others own. Must not be set for other patches.
labelSelector string Restricts the objects to those whose labels match. Everything matches by default.
limit integer How many objects to answer at most. Where there are more, the list's metadata carries a continue token for the next page of the same snapshot. Fewer may come, even none, before the last page. Not for watches.
pretty string Indents the answer when 'true'. The default is 'false', but 'true' for browsers, curl and wget.
resourceVersion string Which versions of the data may answer: unset for the latest, 0 for any, another for one at least as new, unless resourceVersionMatch says otherwise.
resourceVersionMatch string How resourceVersion is meant for a list: Exact or NotOlderThan. Unset by default.
sendInitialEvents boolean Makes a watch begin with what exists, as events, followed by a bookmark annotated with k8s.io/initial-events-end. Needs resourceVersionMatch=NotOlderThan.
shardSelector string Restricts a list to a range of hashes over object.metadata.uid or object.metadata.namespace. Alpha: servers without ShardedListAndWatch do not know it.
timeoutSeconds integer How long a list or watch may take, whatever happens during it.
watch boolean Answers with a stream of changes instead of a list. Give the resourceVersion to start from.
command string The command and its arguments, not run by a shell.
container string Which container of the pod; may be left out where there is only one.
stdin boolean Connects standard input. False by default.
stdout boolean Connects standard output.
stderr boolean Connects standard error.
tty boolean Allocates a terminal. False by default.
ports integer The ports to forward. Required over WebSockets.
follow boolean Goes on with the log as it is written. False by default.
insecureSkipTLSVerifyBackend boolean Does not check the certificate of the kubelet that the log is read from, so that the log may come from an impostor.
limitBytes integer Ends the log after about that many bytes.
previous boolean Reads the log of the container's previous, ended run. False by default.
sinceSeconds integer Starts that many seconds ago.
stream string Which stream of the container to read: All, Stdout or Stderr. All by default, and with tailLines only that.
tailLines integer Starts that many lines before the end.
timestamps boolean Begins each line with its time. False by default.
"""
_OF_DELETIONS: Final = (
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
)
NAMESPACE: Final = Parameter(
    "namespace", "string", "object name and auth scope, such as for teams and projects", "path"
)
PATH: Final = Parameter("path", "string", "path to the resource", "path")
PROXIED: Final = Parameter(
    "path", "string", "The rest of the URL that the request is passed on to, with its own query."
)


def name_of(kind: str) -> Parameter:
    return Parameter("name", "string", f"name of the {kind}", "path")


@cache
def parameters(names: str) -> tuple[Parameter, ...]:
    """Query parameters by their *names*, with spaces between."""
    return tuple(_known()[name] for name in names.split())


@cache
def _known() -> dict[str, Parameter]:
    rows = (line.split(" ", 2) for line in _WORDS.splitlines())
    known = {name: Parameter(name, kind, words) for name, kind, words in rows}
    options: JsonObject = (catalog().definition("meta.v1.DeleteOptions") or {}).get("properties", {})
    for name, kind in _OF_DELETIONS:
        known[name] = Parameter(name, kind, options.get(name, {}).get("description", ""))
    return known


LIST: Final = (
    "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch "
    "sendInitialEvents shardSelector timeoutSeconds watch"
)
WRITE: Final = "dryRun fieldManager fieldValidation"
PATCH: Final = f"{WRITE} force"
DELETE: Final = " ".join(name for name, _ in _OF_DELETIONS)
DELETE_COLLECTION: Final = f"{DELETE} {LIST.removeprefix('allowWatchBookmarks ').removesuffix(' watch')}"
CONNECT: Final = {
    "PodAttachOptions": "container stderr stdin stdout tty",
    "PodExecOptions": "command container stderr stdin stdout tty",
    "PodPortForwardOptions": "ports",
}
LOG: Final = (
    "container follow insecureSkipTLSVerifyBackend limitBytes previous sinceSeconds stream tailLines timestamps"
)
