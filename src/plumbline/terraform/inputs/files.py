"""Files of a run that are not in the source: those that the object maps from Secrets, and the tool's own configuration."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import Forbidden, InvalidInput
from plumbline.kinds.flux.terraform import TerraformSpec
from plumbline.terraform.inputs.paths import file_below
from plumbline.terraform.inputs.reading import Sources
from plumbline.terraform.work import Placed

_OWN_CONFIGS: Final = (".terraformrc", ".tofurc")


async def mapped(namespace: str, spec: TerraformSpec, sources: Sources) -> tuple[Placed, ...]:
    """In the order of the object. Raises InvalidInput for paths that lead out, Unresolved for what is not there."""
    return tuple(
        [
            Placed(
                "home" if each.location == "home" else "module",
                file_below(each.path, "The path in fileMappings"),
                await sources.entry("Secret", namespace, each.secret_ref.name, each.secret_ref.key),
            )
            for each in spec.file_mappings
        ]
    )


async def command_line_config(
    namespace: str, spec: TerraformSpec, sources: Sources, *, cross_namespace: bool
) -> Placed | None:
    """The one key of the Secret that `cliConfigSecretRef` names. Raises Forbidden for another namespace's."""
    reference = spec.cli_config_secret_ref
    if reference is None:
        return None
    where = reference.namespace or namespace
    if where != namespace and not cross_namespace:
        raise Forbidden(
            f"cannot access secret {where}/{reference.name}, cross-namespace references have been disabled",
            hint="Copy the Secret into the namespace of the Terraform object.",
        )
    entries = await sources.entries("Secret", where, reference.name)
    if len(entries) != 1:
        raise _unusable("expect the secret to contain 1 data")
    name, content = next(iter(entries.items()))
    if not name.endswith(".tfrc"):
        raise _unusable("expect the secret key to end with .tfrc")
    return Placed("home", file_below(name, "The key in cliConfigSecretRef"), content)


def config_among(files: Iterable[Placed]) -> str:
    """Path below home of the tool's own configuration where it is mapped there under the name that the tool looks for."""
    return next((each.path for each in files if each.place == "home" and each.path in _OWN_CONFIGS), "")


def distinct(files: Iterable[Placed]) -> tuple[Placed, ...]:
    """*files*, if no two of them are in the same place: whichever came last would win without a word."""
    found = {}
    for each in files:
        if (each.place, each.path) in found:
            raise InvalidInput(
                f"{each.path[:200]} cannot be written",
                why="two files are to be there",
                hint="Map one of them to another path.",
            )
        found[each.place, each.path] = each
    return tuple(found.values())


def _unusable(why: str) -> InvalidInput:
    return InvalidInput("cannot process cli config", why=why)
