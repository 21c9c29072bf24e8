"""The last word before an object is stored: built-in plugins change it, or refuse it with a reason."""

from plumbline.apiserver.admission.builtin import BuiltinAdmission, builtin_plugins
from plumbline.apiserver.admission.lookups import Lookups, StoredObjects
from plumbline.apiserver.admission.plugin import Plugin

__all__ = ["BuiltinAdmission", "Lookups", "Plugin", "StoredObjects", "builtin_plugins"]
