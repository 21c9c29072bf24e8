"""Every function that expressions in Kubernetes may call."""

from functools import cache

from plumbline.apiserver.cel.functions import Registry
from plumbline.apiserver.cel.library.arithmetic import ARITHMETIC, COMPARISONS
from plumbline.apiserver.cel.library.collections import LISTS, OPTIONALS
from plumbline.apiserver.cel.library.conversions import CONVERSIONS, TIMES
from plumbline.apiserver.cel.library.kubernetes import ADDRESSES, NAMED_FORMATS, QUANTITIES, SEMVERS, URLS
from plumbline.apiserver.cel.library.texts import TEXTS

__all__ = ["kubernetes_functions"]


@cache
def kubernetes_functions() -> Registry:
    """The environment of Kubernetes 1.36: the language itself with the libraries that the API server adds."""
    return Registry(
        (
            ARITHMETIC, COMPARISONS, CONVERSIONS, TIMES, TEXTS, LISTS, OPTIONALS, QUANTITIES, ADDRESSES, URLS, SEMVERS,
            NAMED_FORMATS,
        )
    )  # fmt: skip
