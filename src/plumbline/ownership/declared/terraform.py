"""HCL, state and plans in the files, each under the owner that runs its folder."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object
from plumbline.ownership.declared.files import File, Unread, normal_folder, purpose
from plumbline.ownership.declared.manifests import Manifest
from plumbline.ownership.declared.tfjson import read_hcl_json, read_values_json
from plumbline.ownership.hcl import Body, Modules, Part, read_hcl
from plumbline.ownership.refs import terraform_ref
from plumbline.ownership.terraform import plan_claims, state_claims, terraform_resource
from plumbline.ownership.values import Claim, Owner, Source

_TERRAFORM: Final = GroupKind("infra.contrib.fluxcd.io", "Terraform")
_MARKS_OF_A_PLAN: Final = (b'"format_version"', b'"resource_changes"')


class Workspace(NamedTuple):
    """Something that runs a folder, with the variables that it sets."""

    owner: Owner
    variables: Mapping[str, Any] = {}


def workspaces(manifests: Iterable[Manifest]) -> dict[str, list[Workspace]]:
    """By folder, the Terraform objects that run it."""
    found: dict[str, list[Workspace]] = {}
    for manifest in manifests:
        if manifest.kind != _TERRAFORM:
            continue
        view = Object(manifest.obj)
        owner = Owner.of("terraform", terraform_ref(view.namespace or "default", view.name))
        found.setdefault(normal_folder(view.spec.get("path")), []).append(Workspace(owner, _variables(view)))
    return found


def is_plan(file: File) -> bool:
    """Whether a JSON file is what `terraform show -json` prints of a plan; the name may be anything."""
    return file.path.endswith(".json") and all(mark in file.content for mark in _MARKS_OF_A_PLAN)


def terraform_claims(
    files: Sequence[File], run_by: Mapping[str, Sequence[Workspace]]
) -> tuple[list[Claim], list[Unread]]:
    """All that HCL, state and plans among *files* declare."""
    parts: list[Part] = []
    values: list[Part] = []
    claims: list[Claim] = []
    unread: list[Unread] = []
    for file in files:
        use = purpose(file.path)
        try:
            if use in {"hcl", "hcl-json"}:
                parts.append(Part(file.path, _body(file)))
            elif use in {"values", "values-json"}:
                values.append(Part(file.path, _body(file)))
            elif use == "state" or is_plan(file):
                read = state_claims if use == "state" else plan_claims
                for each in _running(file.folder, run_by):
                    claims += read(file.content, each.owner, Source(file.path))
        except (BadDocument, LimitExceeded) as fault:
            unread.append(Unread(file.path, fault.why, fault.line, blocking=True))
    found, refused = _declared(Modules(parts, values), run_by)
    return claims + found, unread + refused


def _declared(modules: Modules, run_by: Mapping[str, Sequence[Workspace]]) -> tuple[list[Claim], list[Unread]]:
    claims: list[Claim] = []
    unread: list[Unread] = []
    # A folder that an object runs is a root module, even where another folder uses it as a module too.
    for root in sorted({*modules.roots(), *(folder for folder in run_by if folder in modules)}):
        for each in _running(root, run_by):
            try:
                for described, file, line in modules.resources(root, each.variables):
                    said = f"{described.address}"
                    claims.append(Claim(terraform_resource(described), each.owner, Source(file, line, said=said)))
            except LimitExceeded as fault:
                unread.append(Unread(root or ".", fault.why, blocking=True))
    return claims, unread


def _running(folder: str, run_by: Mapping[str, Sequence[Workspace]]) -> Sequence[Workspace]:
    return run_by.get(folder) or [Workspace(Owner("terraform", folder or "."))]


def _body(file: File) -> Body:
    match purpose(file.path):
        case "hcl-json":
            return read_hcl_json(file.content, file.path)
        case "values-json":
            return read_values_json(file.content, file.path)
        case _:
            return read_hcl(_text(file), file.path)


def _text(file: File) -> str:
    try:
        return file.content.decode()
    except UnicodeDecodeError as fault:
        line = file.content.count(b"\n", 0, fault.start) + 1
        raise BadDocument(f"{file.path} cannot be read", line=line, why="it is not UTF-8") from None


def _variables(view: Object) -> dict[str, Any]:
    """Those with a literal value; what comes from Secrets and ConfigMaps is not in these files."""
    given = view.spec.get("vars")
    entries = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    return {each["name"]: each["value"] for each in entries if isinstance(each.get("name"), str) and "value" in each}
