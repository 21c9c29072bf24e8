"""Plain manifests: YAML, JSON and Jsonnet files of a folder, chosen by name, pattern and depth."""

from plumbline.render.directory.tool import Directory

__all__ = ["Directory"]
