"""Names of container images, and what pulling one of them says. Nothing is ever pulled."""

import hashlib
import re
from typing import Final, NamedTuple

from plumbline.kube.gotext import quoted

_HOST: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN: Final = rf"(?:{_HOST}(?:\.{_HOST})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
_PART: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_PATH: Final = rf"{_PART}(?:/{_PART})*"
_TAG: Final = r"[\w][\w.-]{0,127}"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE: Final = re.compile(rf"({_DOMAIN}/)?({_PATH})(?::({_TAG}))?(?:@({_DIGEST}))?", re.ASCII)
_NAKED_DIGEST: Final = re.compile(r"[a-f0-9]{64}")
_LONGEST_NAME: Final = 255


class Image(NamedTuple):
    domain: str
    path: str
    tag: str
    digest: str

    @property
    def repository(self) -> str:
        return f"{self.domain}/{self.path}"

    @property
    def reference(self) -> str:
        """The whole name, as the container runtime keeps it."""
        return f"{self.repository}@{self.digest}" if self.digest else f"{self.repository}:{self.tag}"

    @property
    def id(self) -> str:
        """Made up where the name has no digest, and always the same for the same name."""
        made = f"sha256:{hashlib.sha256(self.reference.encode()).hexdigest()}"
        return f"{self.repository}@{self.digest or made}"


class BadName(NamedTuple):
    message: str


def parsed(name: str) -> Image | BadName:
    """Read *name* as container runtimes do, with Docker Hub and `latest` where it leaves them out."""
    if _NAKED_DIGEST.fullmatch(name):
        return _bad(name, f"invalid repository name ({name}), cannot specify 64-byte hexadecimal strings")
    first, _, rest = name.partition("/")
    qualified = bool(rest) and (("." in first or ":" in first) or first == "localhost" or first != first.lower())
    domain, remote = (first, rest) if qualified else ("docker.io", name)
    domain = "docker.io" if domain == "index.docker.io" else domain
    if domain == "docker.io" and "/" not in remote:
        remote = f"library/{remote}"
    repository = re.split(r"[:@]", remote, maxsplit=1)[0]
    if repository != repository.lower():
        return _bad(name, f"invalid reference format: repository name ({repository}) must be lowercase")
    match = _REFERENCE.fullmatch(f"{domain}/{remote}")
    if match is None:
        return _bad(name, "invalid reference format")
    if len(f"{domain}/{match[2]}") > _LONGEST_NAME:
        return _bad(name, f"repository name must not be more than {_LONGEST_NAME} characters")
    digest = match[4] or ""
    return Image(domain, match[2], match[3] or ("" if digest else "latest"), digest)


def pull_failure(image: Image) -> str:
    """What a registry, or the lack of one, makes of an image that cannot be pulled."""
    reference = quoted(image.reference)
    began = f"failed to pull and unpack image {reference}: failed to resolve reference {reference}: "
    if image.domain.startswith("invalid."):
        url = f"https://{image.domain}/v2/{image.path}/manifests/{image.digest or image.tag}"
        host = image.domain.partition(":")[0]
        why = f"failed to do request: Head {quoted(url)}: dial tcp: lookup {host}: no such host"
        return f"rpc error: code = Unknown desc = {began}{why}"
    return f"rpc error: code = NotFound desc = {began}{image.reference}: not found"


def _bad(name: str, why: str) -> BadName:
    return BadName(f"Failed to apply default image tag {quoted(name)}: couldn't parse image name {quoted(name)}: {why}")
