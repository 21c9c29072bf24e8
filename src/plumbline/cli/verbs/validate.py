from pathlib import Path
from typing import Any

import click

from plumbline.base.json import JsonObject
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common
from plumbline.cli.options import output_option

_PLACE: Any = click.Path(exists=True, allow_dash=True, path_type=Path)


@click.command("validate", cls=GoFlags)
@click.argument("extensions", type=_PLACE)
@click.argument("resources", type=_PLACE)
@click.option("--skip-success-results", is_flag=True, help="Print only what is wrong.")
@click.option("--error-on-missing-schemas", is_flag=True, help="Exit with 1 where a kind is not known, too.")
@output_option("text", "json", "yaml")
@common
def verb(
    extensions: Path, resources: Path, skip_success_results: bool, error_on_missing_schemas: bool, output: str
) -> Exit:
    """Check manifests against CRDs, XRDs and Compositions.

    EXTENSIONS and RESOURCES are files or folders, or - for stdin. Every object of RESOURCES is filled with defaults and
    judged as an API server would: by the schema of its kind, for fields that it does not know, and by its CEL rules.
    Kubernetes' own kinds, ours, Crossplane's and all managed kinds are known without a CRD. Every patch of every
    Composition is followed through the schemas on both of its sides; what leads nowhere is a warning. No cluster is
    asked and nothing is downloaded. Exits 1 if anything is invalid.
    """
    if str(extensions) == "-" == str(resources):
        raise click.UsageError("Only one of EXTENSIONS and RESOURCES can be stdin.", click.get_current_context())
    from plumbline.cli.composition.paths import warnings  # noqa: PLC0415 - loads schemas, which --help must not
    from plumbline.cli.composition.schemas import Schemas  # noqa: PLC0415 - same
    from plumbline.cli.composition.validating import judged, summary, summary_line  # noqa: PLC0415 - same
    from plumbline.cli.inputs import objects_in  # noqa: PLC0415 - same
    from plumbline.cli.output import print_value  # noqa: PLC0415 - same

    given, wanted = ([each.obj for each in objects_in((path,), named=False)] for path in (extensions, resources))
    schemas = Schemas(given)
    found = judged(wanted, schemas)
    warned = [each for obj in _compositions(given, wanted) for each in warnings(obj, schemas)]
    if output == "text":
        for one in found:
            for line in one.lines(successes=not skip_success_results):
                click.echo(line)
        for each in warned:
            click.echo(each.line)
        click.echo(summary_line(found))
    else:
        told = {"summary": summary(found), "resources": [each.item() for each in found]}
        print_value(told | ({"warnings": [each._asdict() for each in warned]} if warned else {}), output)
    total = summary(found)
    return Exit.NO if total["invalid"] or (error_on_missing_schemas and total["missingSchemas"]) else Exit.DONE


def _compositions(*groups: list[JsonObject]) -> list[JsonObject]:
    """Each once, though it may be among the extensions and among the resources."""
    found: list[JsonObject] = []
    for group in groups:
        found += [each for each in group if each.get("kind") == "Composition" and each not in found]
    return found
