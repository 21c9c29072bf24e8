"""The one managed-resource reconciler and its five-method External protocol."""
