"""The JSONPath of printer columns, as Kubernetes' own dialect of it has been read since before there was a standard."""

from plumbline.apiserver.tables.jsonpath.evaluation import first_result, results
from plumbline.apiserver.tables.jsonpath.nodes import Path
from plumbline.apiserver.tables.jsonpath.parsing import BadPath, parse

__all__ = ["BadPath", "Path", "first_result", "parse", "results"]
