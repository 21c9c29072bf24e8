"""From a Terraform object to the workplace of a run: variables, backend, environment and files, with upstream's rules.

Everything that may be secret stays a `Plaintext`; what is wrong is said with names of objects and keys, never with values.
"""

from plumbline.terraform.inputs.backend import Kept, Reach
from plumbline.terraform.inputs.gathering import Gathered, Terms, Ungathered, gathered
from plumbline.terraform.inputs.reading import Reader, entries_of
from plumbline.terraform.inputs.typed import TYPE_SUFFIX
from plumbline.terraform.inputs.variables import RENDERED_FILE, TEMPLATE_FILE, rendered_main

__all__ = [
    "RENDERED_FILE",
    "TEMPLATE_FILE",
    "TYPE_SUFFIX",
    "Gathered",
    "Kept",
    "Reach",
    "Reader",
    "Terms",
    "Ungathered",
    "entries_of",
    "gathered",
    "rendered_main",
]
