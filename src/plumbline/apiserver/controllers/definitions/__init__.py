"""CustomResourceDefinitions at work: what they define is served, and cleaned up when they go."""

from plumbline.apiserver.controllers.definitions.controller import DefinitionController
from plumbline.apiserver.controllers.definitions.serving import CustomResources

__all__ = ["CustomResources", "DefinitionController"]
