"""GitRepository (source.toolkit.fluxcd.io): a revision of a repository, kept at hand for others. As Flux's source-controller has it."""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import field

from plumbline.base.json import JsonObject
from plumbline.kinds.duration import Duration
from plumbline.kinds.fields import DEFAULTED, Fields, Int64, shaped
from plumbline.kinds.flux.common import (
    AGE,
    NEVER_OBSERVED,
    READY,
    STATUS,
    Artifact,
    Condition,
    LocalReference,
)
from plumbline.kinds.kind import Column, Kind, Version


class Interval(Duration):
    """A time between looks."""

    openapi: ClassVar[JsonObject] = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"}


class Patience(Duration):
    """A time that something may take."""

    openapi: ClassVar[JsonObject] = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m))+$"}


class GitRepositoryRef(Fields):
    """Which revision. The last of these that is said is the one that counts: branch, tag, semver, name, commit."""

    branch: str = ""
    """master if nothing is said."""
    tag: str = ""
    """A tag, by its name."""
    semver: str = ""
    """A range; the newest tag in it."""
    name: str = ""
    """A whole reference, such as refs/pull/420/head."""
    commit: str = ""
    """With a branch, one that is known to be on it."""


class GitRepositoryVerification(Fields):
    """Whose signatures are asked for."""

    mode: Annotated[Literal["head", "HEAD", "Tag", "TagAndHEAD"], DEFAULTED] = "HEAD"
    """What must be signed: the commit, the tag that leads to it, or both."""
    secret_ref: LocalReference
    """Secret with public keys: PGP ones in keys that end in .asc, SSH ones in keys that end in .sshpub."""


class GitRepositoryInclude(Fields):
    """Files of another GitRepository, put in among these."""

    repository: LocalReference
    from_path: str = ""
    """Folder there; all of it if empty."""
    to_path: str = ""
    """Folder here; a folder with the other's name if empty."""


class GitRepositorySpec(Fields):
    """Which repository, which revision, which of its files."""

    url: Annotated[str, shaped("^(http|https|ssh)://.*$")]
    """Where the repository is, over http, https or ssh."""
    secret_ref: LocalReference | None = None
    """Secret with username and password, bearerToken, identity and known_hosts, or ca.crt, tls.crt and tls.key."""
    provider: Literal["generic", "aws", "azure", "github"] | None = None
    """Whose way of signing in; generic if absent."""
    service_account_name: str = ""
    """As whom to sign in, for the providers aws and azure."""
    interval: Interval
    """Time between looks at the repository."""
    timeout: Annotated[Patience, DEFAULTED] = Patience.of_seconds(60)
    """How long one Git operation may take."""
    ref: GitRepositoryRef | None = field(name="ref", default=None)
    verify: GitRepositoryVerification | None = None
    proxy_secret_ref: LocalReference | None = None
    """Secret with address, and perhaps username and password, of a proxy."""
    ignore: str | None = None
    """Files that are left out or brought back, as .gitignore says it; it has the last word."""
    suspend: bool = False
    """Whether this object is left alone."""
    recurse_submodules: bool = False
    """Whether the files of submodules are there too."""
    include: tuple[GitRepositoryInclude, ...] = ()
    """Files of other GitRepositories, put in among these."""
    sparse_checkout: tuple[str, ...] = ()
    """Folders that are wanted; all of them if there are none."""


class GitRepositoryStatus(Fields):
    """Which revision is at hand."""

    observed_generation: Int64 = 0
    """The generation of the object that was last looked at."""
    conditions: tuple[Condition, ...] = ()
    artifact: Artifact | None = None
    included_artifacts: tuple[Artifact, ...] = ()
    observed_ignore: str | None = None
    observed_recurse_submodules: bool = False
    observed_include: tuple[GitRepositoryInclude, ...] = ()
    observed_sparse_checkout: tuple[str, ...] = ()
    source_verification_mode: str | None = None
    """What was verified."""
    source_verification_fingerprint: str = ""
    """Of the keys that it was verified with."""
    last_handled_reconcile_at: str = ""
    """Value of the annotation reconcile.fluxcd.io/requestedAt at the last look."""


GIT_REPOSITORY: Final = Kind(
    group="source.toolkit.fluxcd.io",
    kind="GitRepository",
    plural="gitrepositories",
    short_names=("gitrepo",),
    categories=("all", "fluxcd", "fluxcd-sources"),
    description="A revision of a Git repository, kept at hand for other objects.",
    versions=(
        Version(
            name="v1",
            spec=GitRepositorySpec,
            status=GitRepositoryStatus,
            columns=(Column(name="URL", path=".spec.url"), AGE, READY, STATUS),
            rules=(
                (
                    "!has(self.serviceAccountName) || (has(self.provider) && (self.provider == 'azure' || self.provider == 'aws'))",
                    "serviceAccountName can only be set when provider is 'azure' or 'aws'",
                ),
            ),
            status_default=NEVER_OBSERVED,
        ),
    ),
    keep_unknown=True,
)
