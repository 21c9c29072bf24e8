"""What keeps a GitRepository from being ready, in upstream's words. Pure."""

from typing import Final, Literal, NamedTuple, TypeAlias

Type: TypeAlias = Literal["FetchFailed", "IncludeUnavailable", "StorageOperationFailed", "SourceVerified"]

AUTHENTICATION: Final = "AuthenticationFailed"
ARCHIVE: Final = "ArchiveOperationFailed"
COMMIT_SIGNATURE: Final = "InvalidCommitSignature"
COPY: Final = "CopyFailure"
EMPTY: Final = "EmptyGitRepository"
GIT: Final = "GitOperationFailed"
IGNORE: Final = "SourceIgnoreError"
NOT_FOUND: Final = "NotFound"
NO_ARTIFACT: Final = "NoArtifact"
PATH: Final = "IllegalPath"
PROVIDER: Final = "InvalidProviderConfiguration"
TAG_SIGNATURE: Final = "InvalidTagSignature"
UNSIGNED: Final = "InvalidGitObject"
URL: Final = "URLInvalid"
VERIFICATION: Final = "VerificationError"
VERIFICATION_MODE: Final = "InvalidVerificationMode"

_TYPES: Final[dict[str, Type]] = {
    ARCHIVE: "StorageOperationFailed",
    COPY: "StorageOperationFailed",
    PATH: "StorageOperationFailed",
    IGNORE: "StorageOperationFailed",
    NOT_FOUND: "IncludeUnavailable",
    NO_ARTIFACT: "IncludeUnavailable",
    COMMIT_SIGNATURE: "SourceVerified",
    TAG_SIGNATURE: "SourceVerified",
    UNSIGNED: "SourceVerified",
    VERIFICATION: "SourceVerified",
    VERIFICATION_MODE: "SourceVerified",
}


class Trouble(NamedTuple):
    reason: str
    message: str
    final: bool = False
    """Only a change of the object helps."""


def condition_of(reason: str) -> Type:
    """The condition that says so; for everything that is not known better it is that the fetch failed."""
    return _TYPES.get(reason, "FetchFailed")
