"""Between the versions of a built-in kind that is served in more than one."""

from plumbline.apiserver.versions.conversion import converted

__all__ = ["converted"]
