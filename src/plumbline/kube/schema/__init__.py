"""Schemas of built-in kinds and of CRDs, compiled into shapes."""

from plumbline.kube.schema.builtin import builtin_shape
from plumbline.kube.schema.crd import crd_shape
from plumbline.kube.schema.shape import FREE, Form, Shape

__all__ = ["FREE", "Form", "Shape", "builtin_shape", "crd_shape"]
