"""function-go-templating: desired resources from Go templates with Sprig.

Templates see the call as upstream's do, as the JSON form of the protocol's request. What differs: templates of the
`FileSystem` source are read beneath one configured folder only, complaints about YAML name the line but never quote it,
and what templates may cost is bounded.
"""

from plumbline.composition.functions.gotemplating.function import GoTemplating

__all__ = ["GoTemplating"]
