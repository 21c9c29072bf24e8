"""The environment of the tool: made from nothing, and closed to what would change how we run it."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.tool.places import Places
from plumbline.terraform.work import Argument, Workplace

_OURS: Final = "it is set here"
_LOADER: Final = "it would load code into every program"
_PROGRAM: Final = "it would have another program run"
_NAMES: Final = {
    **dict.fromkeys(("CHECKPOINT_DISABLE", "HOME", "PATH", "PWD", "TMPDIR"), _OURS),
    **dict.fromkeys(("TF_DATA_DIR", "TF_INPUT", "TF_IN_AUTOMATION", "TF_WORKSPACE"), _OURS),
    "TF_CLI_CONFIG_FILE": "it would have providers come from anywhere; use cliConfigSecretRef",
    "TF_REATTACH_PROVIDERS": "it would have a program act as provider that nobody checked",
    "TF_DISABLE_PLUGIN_TLS": "it would leave providers open to whoever is on this machine",
    **dict.fromkeys(("TF_ACC", "TF_FORK", "TF_TEMP_LOG_PATH", "GODEBUG", "GOTRACEBACK"), "it is for debugging"),
    **dict.fromkeys(("BASH_ENV", "ENV", "IFS", "NODE_OPTIONS", "RUBYOPT", "SHELL", "SHELLOPTS"), _LOADER),
    **dict.fromkeys(("EDITOR", "PAGER", "VISUAL", "SSH_ASKPASS", "GLIBC_TUNABLES"), _PROGRAM),
}
_BEGINNINGS: Final = {
    "TF_CLI_ARGS": "it would change what we ask for; use the fields of the object",
    "TF_LOG": "logs of that kind hold secrets",
    "TF_PLUGIN": _OURS,
    "PLUGIN_": _OURS,
    "LD_": _LOADER,
    "DYLD_": _LOADER,
    "BASH_FUNC_": _LOADER,
    "PERL5": _LOADER,
    "PYTHON": _LOADER,
    "GIT_": _PROGRAM,
}
_TRUST: Final = ("SSL_CERT_", "TF_TOKEN_")
_LOGINS: Final = "credentials.tfrc.json"
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def refuse_foreign(names: Iterable[str]) -> None:
    """Raise InvalidInput for a variable that is not for others to set."""
    for name in names:
        plain = name.upper()
        why = _NAMES.get(plain) or next((why for begin, why in _BEGINNINGS.items() if plain.startswith(begin)), "")
        if why:
            raise InvalidInput(
                f"Cannot set {name} for the tool", why=why, hint="Remove it from the environment of the runner."
            )


def trusts_others(workplace: Workplace) -> bool:
    """Whether providers may come from whom only this object trusts, or is trusted by: they are nothing for others then."""
    named = any(each.name.upper().startswith(_TRUST) for each in workplace.environment)
    return named or any(each.place == "home" and each.path.endswith(_LOGINS) for each in workplace.files)


def variables(places: Places, config: str, given: Iterable[Argument]) -> dict[str, str | Plaintext]:
    """What the tool sees: *config* is its configuration file, *given* was checked by `refuse_foreign`."""
    return {
        **{each.name: each.value for each in given},
        "HOME": str(places.home),
        "PATH": _PATH,
        "TMPDIR": str(places.tmp),
        "CHECKPOINT_DISABLE": "1",
        "TF_CLI_CONFIG_FILE": config,
        "TF_DATA_DIR": str(places.data),
        "TF_INPUT": "0",
        "TF_IN_AUTOMATION": "1",
        "GIT_ALLOW_PROTOCOL": "https:http:ssh",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
