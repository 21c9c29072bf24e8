"""Regular expressions as Go reads them, matched in time linear in the text.

Patterns come from CRDs and texts from custom resources, so that neither may hang the server: Python's `re` backtracks and
is not used for them.
"""

from plumbline.apiserver.cel.regex.matching import Regex, compiled

__all__ = ["Regex", "compiled"]
