"""Objects that are known by their role rather than by what anybody wrote."""

from plumbline.kube.names import Ref


def application_ref(namespace: str, name: str) -> Ref:
    return Ref("argoproj.io", "Application", namespace, name)


def release_ref(namespace: str, name: str) -> Ref:
    """A Helm release is no object, but it can be owned like one: by Terraform, or by Flux."""
    return Ref("helm.sh", "Release", namespace, name)


def terraform_ref(namespace: str, name: str) -> Ref:
    return Ref("infra.contrib.fluxcd.io", "Terraform", namespace, name)
