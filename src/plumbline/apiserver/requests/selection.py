"""Which objects a request is about: by label, by field."""

from plumbline.apiserver import statuses
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.errors import BadSelector
from plumbline.kube.selectors.fields import FieldSelector
from plumbline.kube.selectors.labels import LabelSelector

_BY_KEY = frozenset({"metadata.name", "metadata.namespace"})


class Selection:
    def __init__(self, model: Model, labels: str, fields: str) -> None:
        try:
            self._labels = LabelSelector.parse(labels) if labels else None
            selector = FieldSelector.parse(fields) if fields else FieldSelector()
            bound = selector.bind(model.selectable)
        except BadSelector as bad:
            raise statuses.bad_request(bad.what) from None
        self._fields = bound if any(term.field not in _BY_KEY for term in selector.terms) else None
        self._keys = [term for term in selector.terms if term.field in _BY_KEY]
        self._model = model
        self.name = selector.required_value("metadata.name") or ""
        self.namespace = selector.required_value("metadata.namespace") or ""
        self.everything = self._labels is None and not selector.terms

    def matches(self, entry: Entry) -> bool:
        if self.everything:
            return True
        if self._labels is not None and not self._labels.matches(entry.labels):
            return False
        for term in self._keys:
            value = entry.key.name if term.field == "metadata.name" else entry.key.namespace
            if (value == term.value) is not term.wanted:
                return False
        return self._fields is None or self._fields.matches(self._model.served(entry.object()))
