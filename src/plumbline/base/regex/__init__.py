"""Regular expressions as Go reads them, matched in time linear in the text.

Patterns come from CRDs, projects and settings, and texts from custom resources, so that neither may hang the process:
Python's `re` backtracks and is not used for them. `found_in` also looks around, as the library does that upstream uses
for names of namespaces; it takes time with the square of the text, so that texts have to be short.
"""

from plumbline.base.regex.capturing import Captures, capturing
from plumbline.base.regex.looking import found_in
from plumbline.base.regex.matching import Regex, compiled

__all__ = ["Captures", "Regex", "capturing", "compiled", "found_in"]
