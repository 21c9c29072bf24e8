"""Clusters that applications may be delivered to, as the Secrets that Argo CD keeps of them."""
