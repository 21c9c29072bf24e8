"""The commit message and the README: templates that people may replace, with what they are given. Pure, but for chance."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from plumbline.base.errors import InvalidInput
from plumbline.delivery.hydrating.commits import Dry

if TYPE_CHECKING:
    from plumbline.gotemplate import Surroundings, Template

_MESSAGE: Final = """\
{{.metadata.drySha | trunc 7}}: {{ .metadata.subject }}
{{- if .metadata.body }}

{{ .metadata.body }}
{{- end }}
{{ range $each := .metadata.references }}
{{- if and $each.commit $each.commit.author }}
Co-authored-by: {{ $each.commit.author }}
{{- end }}
{{- end }}
{{- if .metadata.author }}
Co-authored-by: {{ .metadata.author }}
{{- end }}
"""
_README: Final = """\
# Manifest Hydration

To hydrate the manifests in this repository, run the following commands:

```shell
git clone {{ .RepoURL }}
# cd into the cloned directory
git checkout {{ .DrySHA }}
{{ range $each := .Commands }}{{ $each }}
{{ end }}```
{{ if .References }}## References

{{ range $each := .References }}{{ if $each.Commit -}}
* [{{ $each.Commit.SHA | mustRegexFind "[0-9a-f]+" | trunc 7 }}]({{ $each.Commit.RepoURL }}): {{ $each.Commit.Subject }} ({{ $each.Commit.Author }})
{{ end }}{{ end }}{{ end }}"""


def message(dry: Dry, template: str, surroundings: "Surroundings") -> str:
    """Raises what is wrong with the template, in Go's words."""
    return _read("commit-template", template or _MESSAGE, surroundings).execute({"metadata": dry.written()})


def tidied(text: str) -> str:
    """A message as `git commit` keeps it: no space at the end of a line, and never two empty lines in a row."""
    lines = [line.rstrip() for line in text.replace("\0", "").strip().splitlines()]
    kept = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    if not kept:
        raise InvalidInput(
            "The commit message is empty", hint="Correct sourceHydrator.commitMessageTemplate in argocd-cm."
        )
    return "\n".join([*kept, ""])


def readme(dry: Dry, template: str, surroundings: "Surroundings") -> Callable[[tuple[str, ...]], str]:
    """What is in the folder of an application, given the commands that make it. Read once for all of them."""
    read = _read("readme", template or _README, surroundings)
    given = {
        "RepoURL": dry.repo_url, "DrySHA": dry.sha,
        "Author": "", "Date": "", "Subject": "", "Body": "", "References": [],
    }  # fmt: skip
    return lambda commands: read.execute({**given, "Commands": list(commands)})


def _read(name: str, text: str, surroundings: "Surroundings") -> "Template":
    from plumbline.gotemplate import Template, sprig  # noqa: PLC0415 - few installations hydrate anything

    return Template(name, text, sprig(surroundings))
