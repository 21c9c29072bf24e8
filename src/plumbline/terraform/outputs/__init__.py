"""Outputs of a module for those who use them: a Secret in upstream's format, and a ConfigMap for what is no secret. Pure."""

from plumbline.terraform.outputs.publishing import (
    CONFIG_MAP_ANNOTATION,
    PublicOutputs,
    output_secret,
    outputs_missing,
    public_name,
    public_outputs,
    published,
)
from plumbline.terraform.outputs.selecting import available

__all__ = [
    "CONFIG_MAP_ANNOTATION",
    "PublicOutputs",
    "available",
    "output_secret",
    "outputs_missing",
    "public_name",
    "public_outputs",
    "published",
]
