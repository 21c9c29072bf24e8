"""What a table says about one kind. `docs/providers/new-kind.md` goes through one line by line.

Fields are named as in manifests and separated by spaces. Expressions are JMESPath over what was read. In parameters,
`$name` is the external name, `$key` the name that is known before creation, `$arn`, `$region`, `$account`, `$partition`,
`$token` (the same for every attempt to create one object), `$tags`, `$keys` (of tags to take away), `$tagged` (filters that find
what carries our tags), `$identity` (the same for the tagging service), `$.field` a field of forProvider; a parameter whose value is nowhere to be had is left out. In expressions, `_.name`, `_.arn` and `_.region` are there
beside what was read.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from plumbline.base.json import Json, JsonObject
from plumbline.managed.external import Difference, State
from plumbline.managed.kinds import Generated, Reference

Equality: TypeAlias = Literal["document", "version", "ordered", "lower", "id", "switch", "dns"]
"""How two values are the same besides being equal: as JSON documents, as versions that are at least as new (none goes back), as lists
in order, whatever their case, as the last part of an ARN, as what is off whatever else it says, as names of hosts."""
TagForm: TypeAlias = Literal["pairs", "map", "lower pairs", "kms pairs"]
"""[{Key, Value}], {key: value}, [{key, value}], [{TagKey, TagValue}]."""


class Call(msgspec.Struct, frozen=True):
    operation: str
    params: Mapping[str, Json] = {}


class Read(msgspec.Struct, frozen=True):
    """One question. The first one of a kind decides whether it exists; what others find is added to its answer."""

    operation: str
    params: Mapping[str, Json] = {}
    at: str = "@"
    """Where in the answer it is. Nothing there: it does not exist."""
    match: Mapping[str, Json] = {}
    """Members that the one meant has, where `at` is a list of several; `pick` is what of it is meant."""
    pick: str = "@"
    when: str = ""
    """Asked only where one of these fields is wanted, so that an ordinary resource costs one call."""
    deleting: bool = False
    """Asked only while it is being deleted."""
    into: str = ""
    """The member that the answer becomes; otherwise its members are added."""
    none: str = ""
    """Codes of errors that say there is none of it, though the resource exists."""
    service: str = ""
    """Another service than the table's."""


class Update(msgspec.Struct, frozen=True):
    operation: str
    params: Mapping[str, Json] = {}
    fields: str = ""
    """Empty: every field that is a member of its request."""
    form: Literal["changed", "whole", "each"] = "changed"
    """Only the fields that differ; all that are wanted; one call for each that differs (`$field`, `$value` in parameters)."""
    off: str = ""
    """The operation instead, where the first of the fields is a switch that is wanted off."""
    within: str = ""
    """The member that holds the fields as a map of strings, such as `Attributes`."""
    names: Mapping[str, str] = {}
    build: Callable[[Mapping[str, Difference], JsonObject], JsonObject] | None = None
    """Makes further parameters of the differences and what is wanted, where spelling alone does not do."""
    built: str = ""
    """Fields that only `build` knows."""


class Tags(msgspec.Struct, frozen=True, kw_only=True):
    write: Call
    erase: Call | None = None
    """None: `write` sets all of them."""
    member: str = "Tags"
    """In the request that creates; empty: tags are written right after."""
    found: str = "Tags"
    read: Read | None = None
    form: TagForm = "pairs"
    resource_type: str = ""
    """EC2's TagSpecifications need one."""


class Key(msgspec.Struct, frozen=True):
    """The name that is known before creation, so that what a lost reply has made is found again."""

    field: str = ""
    """A field of forProvider that may say it."""
    limit: int = 0
    """How long AWS lets it be, where it is derived from the object's name; 0: it is not."""
    suffix: Callable[[JsonObject], str] | None = None
    """What AWS asks such names to end with, such as `.fifo`."""
    joined: str = ""
    """Fields that together say it, where AWS has no name for it: the external name is made of them."""


class States(msgspec.Struct, frozen=True):
    at: str
    creating: str = ""
    deleting: str = ""
    unavailable: str = ""
    available: str = ""
    """Empty: every other."""
    changing: str = ""
    """Available ones in which a change is under way: AWS shows some fields as they were, and takes no other change."""
    absent: str = ""
    """States in which it is as good as gone."""
    why: str = ""
    """Where it says why it is not available."""

    def of(self, status: str) -> State:
        listed: tuple[tuple[State, str], ...] = (
            ("Creating", self.creating), ("Deleting", self.deleting), ("Unavailable", self.unavailable)
        )  # fmt: skip
        for state, words in listed:
            if status in words.split():
                return state
        return "Available" if not self.available or status in self.available.split() else "Unavailable"


class Codec(msgspec.Struct, frozen=True):
    """A field that requests and answers have in another form."""

    schema: JsonObject
    request: Callable[[Json, JsonObject], JsonObject]
    """Members of requests by their paths, given the value and all that is wanted."""
    found: Callable[[JsonObject], Json]


class Master(msgspec.Struct, frozen=True, kw_only=True):
    """A master user: made up where nobody says who, with a password that is kept in the connection Secret alone."""

    user: str = "username"
    reference: str = "passwordSecretRef"
    switch: str = "manageMasterUserPassword"
    """AWS keeps the password itself."""
    keys: tuple[str, ...] = ("password", "attribute.password")
    """Of the connection Secret."""
    inherited: str = ""
    """Fields with which it comes from somewhere else, such as a snapshot."""


Hook: TypeAlias = Callable[[Any], Awaitable[None]]
"""Gets the scene (engine.scene.Scene) of one resource."""
Change: TypeAlias = Callable[[Any, Mapping[str, Difference]], Awaitable[None]]
"""Gets the scene, and what differs by field."""
Search: TypeAlias = Callable[[Any], Awaitable[list[str]]]
"""Gets the scene; the external names that it may have."""


class Table(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Compared by identity: there is one of each."""

    service: str
    kind: str
    plural: str
    versions: tuple[str, ...] = ("v1beta1",)
    group: str = ""
    """The first label of its API group, where it is not the service."""
    loose: bool = False
    """Older versions write structures as lists of one."""

    external_name: Literal["chosen", "assigned"] = "chosen"
    key: Key = Key()
    find: Read | None = None
    """How the external name is found where only the key, the tags or the fields are known."""
    search: Search | None = None
    """Made as well after a creation whose outcome nobody knows, where `find` is slow to learn of new ones."""
    foreign: tuple[str, Read] | None = None
    """External names of another form that upstream has used, as a regular expression, and how to find ours by one."""
    renames: bool = False
    """Updates give it another external name, so that it is looked for again where it is no longer found."""
    called: str = ""
    """In what was read or in the answer to a creation: the external name. Empty: `$key`, or what was chosen."""

    prefix: str = ""
    """What some answers put before the external name."""

    create: Call
    creation: Callable[[Any], JsonObject] | None = None
    """Further parameters of the creation, given the scene."""
    created_at: str = "@"
    """Where in the answer to a creation the same is that `reads` find, for the external name."""
    exists: str = ""
    """Codes that say, besides the usual ones, that there is one of that name."""
    variants: Mapping[str, Call] = {}
    """Other ways to create, by the field that asks for them, or the field and its value: `type=egress`."""
    after_create: Hook | None = None
    """What belongs to a creation and takes calls of its own; made again where nobody knows whether it was. Needs tags in the request."""
    reads: tuple[Read, ...]
    updates: tuple[Update, ...] = ()
    change: Change | None = None
    """Makes the changes that calls of the table alone cannot, of the fields in `changed`."""
    changed: str = ""
    delete: Call
    ending: str = ""
    """Codes that say that its deletion is under way already."""
    deletes: Mapping[str, Call] = {}
    """Other ways to delete, as in `variants`."""
    deletion: Callable[[Any], JsonObject] | None = None
    """Further parameters of the deletion, given the scene."""
    before_delete: Hook | None = None

    settable: str = ""
    fixed: str = ""
    """Cannot change in place."""
    unread: str = ""
    """Of the above: AWS does not tell, so they are never compared."""
    local: str = ""
    """Not in any request that creates or updates: they say how to do it."""
    numbers: str = ""
    switches: str = ""
    words: str = ""
    texts: str = ""
    maps: str = ""
    """Types of fields that no shape describes: numbers, booleans, strings, lists of strings, and what is looked at no closer."""
    required: str = ""
    names: Mapping[str, str] = {}
    """Members of requests that are spelled otherwise than their fields, or lie deeper: `PublicAccessBlockConfiguration.BlockPublicAcls`.
    Fields below fields are named by their path, `attribute.name`, or for any depth by their name alone."""
    codecs: Mapping[str, Codec] = {}
    found: Mapping[str, str] = {}
    """Where a field is in what was read, if not under the name that it has in requests."""
    same: Mapping[str, Equality] = {}
    defaults: Mapping[str, Json] = {}
    """What `$.field` stands for where nobody says."""
    within: str = ""
    """The member of the creation's request that holds the fields as a map of strings."""
    grows: Mapping[str, str] = {}
    """Fields that AWS may have made larger by itself, where the field behind the colon is wanted."""
    late: str = ""
    """Fields that are filled in with what AWS chose. Few: what is filled in is kept even where AWS moves on."""

    tags: Tags | None = None
    states: States | None = None
    arn: str = ""
    """Where it is in what was read."""
    arn_form: str = ""
    """How it is put together before anything was read, where reading needs it."""
    extra: Mapping[str, str] = {}
    """Further fields of atProvider."""
    seen: Callable[[JsonObject, Any], JsonObject | None] | None = None
    """Makes what was read regular, given the scene; None: it does not exist."""
    gone: Callable[[JsonObject], bool] | None = None
    """Whether what was read is as good as gone once deletion was asked for."""

    connection: Mapping[str, str] = {}
    master: Master | None = None
    secrets: Mapping[str, str] = {}
    """Fields that name a Secret, and the member that its value goes to."""
    secrets_found: Mapping[str, str] = {}
    """Where AWS tells the value that it has; otherwise the one in the connection Secret is held to be it."""
    sealed: Mapping[str, str] = {}
    """Keys of the connection Secret that only the answer to a creation tells."""
    generates: tuple[Generated, ...] = ()
    references: tuple[Reference, ...] = ()

    holds: str = ""
    size: str = ""
    """Says more about what it holds."""
    empty: str = ""
    """True where it holds nothing after all."""
    protected: Mapping[str, str] = {}
    """Expressions that are true where AWS would refuse to delete, with the reason."""
    wait_s: float = 5.0
    poll_s: float = 600.0
    regional: bool = True

    @property
    def api_group(self) -> str:
        return f"{self.group or self.service}.aws.upbound.io"

    @property
    def several(self) -> bool:
        """Whether `find` may find more than one."""
        return self.find is not None and "[]" in self.find.at and not self.find.match

    @property
    def fields(self) -> tuple[str, ...]:
        """Those that are compared or sent, in the order of the table."""
        return (*self.settable.split(), *self.fixed.split())
