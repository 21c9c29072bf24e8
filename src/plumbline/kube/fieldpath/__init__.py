"""Crossplane's field paths: `spec.containers[0].name`, `metadata.annotations['example.org/a.b']`, `spec.rules[*].host`."""

from plumbline.kube.fieldpath.merge import MergeOptions, merge_path
from plumbline.kube.fieldpath.path import FieldPath
from plumbline.kube.fieldpath.walk import delete_path, expand_wildcards, get_path, set_path

__all__ = ["FieldPath", "MergeOptions", "delete_path", "expand_wildcards", "get_path", "merge_path", "set_path"]
