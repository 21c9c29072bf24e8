"""From a module of Terraform to a Helm release: what infrastructure gives out, applications use by themselves."""

import shutil

import pytest

from .installation import FORGE, application

MODULE = """
variable "vpc" {{ default = "{vpc}" }}
resource "terraform_data" "network" {{ input = var.vpc }}
output "vpc" {{ value = terraform_data.network.output }}
output "zones" {{ value = ["a", "b"] }}
output "key" {{
  value     = "{key}"
  sensitive = true
}}
"""
KEY = "canary-of-the-output"
CHART = {
    "using/Chart.yaml": "apiVersion: v2\nname: using\nversion: 0.1.0\n",
    "using/values.yaml": "network: {vpc: none, zones: [], key: none}\n",
    "using/templates/a.yaml": """apiVersion: v1
kind: ConfigMap
metadata: {name: using}
data:
  vpc: {{ .Values.network.vpc }}
  zones: {{ len .Values.network.zones | quote }}
  key: {{ sha256sum .Values.network.key }}
""",
}


@pytest.fixture(scope="module")
def tools():
    """Both, where they are."""
    if not (shutil.which("terraform") or shutil.which("tofu")):
        pytest.skip("neither terraform nor tofu is on PATH")
    if not shutil.which("helm"):
        pytest.skip("helm is not on PATH, and building it takes minutes")


def infrastructure(namespace):
    source = {"kind": "GitRepository", "name": "shop"}
    return (
        {
            "apiVersion": "source.toolkit.fluxcd.io/v1",
            "kind": "GitRepository",
            "metadata": {"name": "shop", "namespace": namespace},
            "spec": {"url": FORGE, "ref": {"branch": "main"}, "interval": "1h"},
        },
        {
            "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
            "kind": "Terraform",
            "metadata": {"name": "network", "namespace": namespace},
            "spec": {
                "path": "./network",
                "sourceRef": source,
                "approvePlan": "auto",
                "interval": "1h",
                "writeOutputsToSecret": {"name": "network-outputs"},
            },
        },
    )


def test_an_output_lands_in_a_release_and_a_push_to_the_module_changes_it(installation, shop, tools):
    namespace = "bridged"
    shop.push({"network/main.tf": MODULE.format(vpc="vpc-1", key=KEY), **CHART})
    installation.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    app = application("using", namespace=namespace)
    asked = "{from: terraform/network, as: network}"
    app["metadata"]["annotations"] = {"plumbline.dev/values-from": asked}
    installation.apply(app)

    def said():
        conditions = (installation.app("using") or {}).get("status", {}).get("conditions", ())
        return next((each["message"] for each in conditions if each["type"] == "ComparisonError"), "")

    def live():
        return (installation.config_map("using", namespace) or {}).get("data", {})

    installation.until(lambda: said() == f"Waiting for values: Terraform {namespace}/network is not there")
    repository, terraform = infrastructure(namespace)
    path = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{namespace}/gitrepositories/shop"
    made = installation.patch(path, repository, "application/apply-patch+yaml", fieldManager="by-hand", force="true")
    assert made.fine, made.body
    installation.apply(terraform)
    installation.until(lambda: live().get("vpc") == "vpc-1")
    assert live()["zones"] == "2"
    shop.push({"network/main.tf": MODULE.format(vpc="vpc-2", key=KEY)})
    installation.until(lambda: live().get("vpc") == "vpc-2")
    assert KEY not in installation.log
    assert KEY not in str(installation.app("using"))
