"""Patches and transforms: what a composition's templates make of a composite. Pure.

As function-patch-and-transform (`PatchAndTransform`) and as mode Resources of Crossplane 1.x (`native`); both are
Functions of composition.functions, and say exactly what upstream says. `converted` turns the second into the first.
"""

from plumbline.composition.patching.conversion import converted
from plumbline.composition.patching.function import PatchAndTransform
from plumbline.composition.patching.native import Native, native

__all__ = ["Native", "PatchAndTransform", "converted", "native"]
