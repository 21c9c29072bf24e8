"""Who signed a commit or a tag, and whether that is enough for the project that uses it.

`trusted` reads the keys, `requirement` what a project asks for, and a `Verifier` compares both with what the objects of
a repository carry. Nothing here falls back: what cannot be verified is refused, and it is said why.
"""

from plumbline.source.signatures.objects import Raw, RawObject, Signed, parsed
from plumbline.source.signatures.policy import Checked, Requirement, problems, requirement
from plumbline.source.signatures.trusted import Trusted, trusted
from plumbline.source.signatures.verdict import Outcome, Verdict
from plumbline.source.signatures.verifier import Report, Target, Verifier

__all__ = [
    "Checked",
    "Outcome",
    "Raw",
    "RawObject",
    "Report",
    "Requirement",
    "Signed",
    "Target",
    "Trusted",
    "Verdict",
    "Verifier",
    "parsed",
    "problems",
    "requirement",
    "trusted",
]
