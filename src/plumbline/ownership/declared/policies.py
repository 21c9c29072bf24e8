"""The policy file: one or several Boundaries, each rule with its line."""

from plumbline.base.documents import line_of, load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.limits import SETTINGS
from plumbline.ownership.boundaries import Placed, Policy, boundary
from plumbline.ownership.declared.files import File


def read_policy(files: list[File]) -> Policy:
    """The rules of all *files* in order. Raises what says where they cannot be used: half a policy is none."""
    rules: list[Placed] = []
    denies = ""
    for file in files:
        for document in load_documents(file.content, limits=SETTINGS, source=file.path):
            if not isinstance(document.value, dict):
                raise InvalidInput(f"{file.path}, line {document.line}, holds no Boundary", why="it is not an object")
            spec = boundary(document.value)
            for at, rule in enumerate(spec.rules):
                rules.append(Placed(rule, file.path, line_of(file.content, document, ("spec", "rules", at))))
            if spec.otherwise == "deny":
                denies = denies or file.path
    return Policy(tuple(rules), "deny" if denies else "allow", denies)
