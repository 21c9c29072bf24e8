"""From a CompositeResourceDefinition to kinds that the API serves, and back again without losing what is in them."""
