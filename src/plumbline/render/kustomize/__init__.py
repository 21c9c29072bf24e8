"""Kustomizations, built with Argo CD's overrides by one run of Kustomize that sees nothing but the files it needs."""

from plumbline.render.kustomize.tool import Kustomize

__all__ = ["Kustomize"]
