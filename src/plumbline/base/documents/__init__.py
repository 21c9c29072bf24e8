"""The one place that reads YAML and JSON from outside: under limits, with Kubernetes' scalars, and with line numbers.

It reads what kubectl reads and gives the values that kubectl would send. Where the two differ, kubectl loses something
without saying so, and this refuses: keys that are set twice (unless the caller asks for a report), tags that mean
nothing to Kubernetes, text after the end of a document, and UTF-16.
"""

from plumbline.base.documents.dump import dump_yaml
from plumbline.base.documents.places import Document, Duplicate
from plumbline.base.documents.positions import line_of, paths_by_line
from plumbline.base.documents.sequence import dump_documents
from plumbline.base.documents.stream import load_document, load_documents, load_json

__all__ = [
    "Document",
    "Duplicate",
    "dump_documents",
    "dump_yaml",
    "line_of",
    "load_document",
    "load_documents",
    "load_json",
    "paths_by_line",
]
