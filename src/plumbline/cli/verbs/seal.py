from pathlib import Path
from typing import Any, Final

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.options import Decorated
from plumbline.cli.sealing.options import Where, namespace_option, option, recovery_option, scope_option, sealing

_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_MODES: Final = ("recovery-unseal", "validate", "re-encrypt", "fetch-cert", "merge-into", "raw")
"""In the order in which they win where several are given, which is kubeseal's."""


def _flags(command: Decorated) -> Decorated:
    for name, about in reversed((
        ("--fetch-cert", "Print the certificate, for later use with --cert."),
        ("--allow-empty-data", "Seal a Secret without values."),
        ("--validate", "Ask the controller whether it can open what is sealed; exits 1 if not."),
        ("--raw", "Seal one value, from --from-file or stdin, and print it without a newline."),
        ("--recovery-unseal", "Open what is sealed with the keys of --recovery-private-key, without a cluster."),
    )):  # fmt: skip
        command = option(name, is_flag=True, help=about)(command)
    return option("--re-encrypt", "--rotate", "re_encrypt", is_flag=True, help="Let the controller seal it again with its newest key; with only -f, in place.")(command)  # fmt: skip


@click.command("seal", cls=GoFlags)
@option("-f", "--secret-file", type=_FILE, metavar="FILE", help="What to read instead of stdin.")
@option("-w", "--sealed-secret-file", "output", type=_FILE, metavar="FILE", help="What to write instead of stdout; .yaml means YAML.")  # fmt: skip
@option("-o", "--format", "form", type=click.Choice(["json", "yaml"], case_sensitive=False), help="How to print; json if not given.")  # fmt: skip
@option("--name", default="", metavar="NAME", help="Name of the Secret.")
@namespace_option("Namespace of the Secret; the context's if neither says one.")
@scope_option
@option("--merge-into", type=_FILE, metavar="FILE", help="Put the values into this SealedSecret, in place.")
@option("--from-file", multiple=True, metavar="[KEY=]FILE", help="With --raw: the file with the value.")
@_flags
@recovery_option
@sealing
def verb(where: Where, from_file: tuple[str, ...], **asked: Any) -> Exit:
    """Seal Secrets, so that only the cluster can open them and they may lie in Git.

    Reads Secrets as YAML or JSON, one or several, and prints SealedSecrets. Works as kubeseal does, with its flags, its
    variables SEALED_SECRETS_… and its output, byte for byte; `alias kubeseal='plumb seal'` is enough. With --cert no
    cluster is asked.
    """
    if from_file and not asked["raw"]:
        raise click.UsageError("--from-file requires --raw")
    if len(from_file) > 1:
        raise click.UsageError("must provide only one --from-file when encrypting a single item with --raw")
    mode = next((each for each in _MODES if asked[each.replace("-", "_")]), "seal")
    output = asked["output"]
    if mode == "re-encrypt" and output is None:
        output = asked["secret_file"]
    from plumbline.cli.sealing import seal  # noqa: PLC0415 - loads cryptography, which --help must not

    return performed(
        seal.performed(
            seal.Asked(
                where=where,
                mode=mode,
                form=asked["form"],
                output=output,
                secret_file=asked["secret_file"],
                namespace=asked["namespace"],
                name=asked["name"],
                scope=asked["scope"],
                allow_empty=asked["allow_empty_data"],
                merge_into=asked["merge_into"],
                from_file=from_file[0] if from_file else "",
                private_keys=asked["private_keys"],
            )
        )
    )
