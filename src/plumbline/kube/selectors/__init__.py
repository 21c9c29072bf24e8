"""Which objects are meant: label selectors and field selectors, parsed once and matched many times."""

from plumbline.kube.selectors.fields import FieldSelector, custom_fields, selectable_fields
from plumbline.kube.selectors.labels import EVERYTHING, NOTHING, LabelSelector

__all__ = ["EVERYTHING", "NOTHING", "FieldSelector", "LabelSelector", "custom_fields", "selectable_fields"]
