"""In which form requests come and replies go."""

from tests.apiserver.scripts.samples import CM, MERGE, PARTIAL, PARTIALS, TABLE, cm, made
from tests.apiserver.scripts.steps import Script, Step

SCRIPTS: dict[str, Script] = {
    "media types": [
        Step("POST", CM, b"metadata: {name: yaml}\ndata: {a: b}\n", type="application/yaml"),
        Step("POST", CM, b"<x/>", type="text/xml"),
        Step("GET", f"{CM}/yaml", accept="application/yaml"),
        Step("GET", f"{CM}/yaml", accept="text/html"),
        Step("GET", f"{CM}/yaml", accept="*/*"),
        Step("GET", f"{CM}/yaml", accept=PARTIAL),
        Step("GET", CM, accept=PARTIALS),
        Step("GET", CM, accept=TABLE),
        Step("GET", f"{CM}/yaml", accept=TABLE),
        Step("GET", CM, accept=TABLE, query={"includeObject": "None"}),
        Step("GET", CM, accept=TABLE, query={"includeObject": "Odd"}),
        Step("GET", CM, accept="application/json;as=Table;v=v9;g=meta.k8s.io"),
    ],
    "accept": [
        made(),
        *(Step("GET", f"{CM}/a", accept=accept) for accept in (
            "", "application/*", "application/json;q=0.1,application/yaml;q=0.9", "text/plain", "text/*, */*;q=0.1",
            "application/json;as=Table;g=meta.k8s.io;v=v1", "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
            "application/json;as=Table;v=v1;g=other", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
            f"{TABLE},application/json", "application/json;as=Odd;v=v1;g=meta.k8s.io, application/json", "application/json;charset=utf-8",
            "application/json;stream=watch", "application/yaml;as=Table;v=v1;g=meta.k8s.io", "nonsense", "application/json;;", "APPLICATION/JSON",
        )),
        *(Step("GET", CM, accept=accept) for accept in (
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io",
            "application/yaml",
        )),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1"}, accept="application/yaml"),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1"}, accept="text/html"),
        Step("GET", CM, query={"watch": "1", "timeoutSeconds": "1"}, accept="application/json;stream=watch"),
    ],
    "writes that answer in other forms": [
        Step("POST", CM, cm(), accept=TABLE),
        Step("POST", CM, cm("b"), accept=PARTIAL),
        Step("POST", CM, cm("c"), accept="application/yaml"),
        Step("POST", CM, cm("d"), accept="text/html"),
        Step("GET", f"{CM}/d"),
        Step("PUT", f"{CM}/a", cm(data={}), accept=TABLE),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y"}}, type=MERGE, accept=PARTIAL),
        Step("POST", CM, cm("e"), {"includeObject": "Object"}, accept=TABLE),
        Step("POST", CM, cm(), accept=TABLE),
        Step("POST", CM, cm(), accept="application/yaml"),
        Step("DELETE", f"{CM}/a", accept=TABLE),
        Step("DELETE", f"{CM}/b", accept="application/yaml"),
        Step("DELETE", f"{CM}/none", accept=TABLE),
    ],
    "indented": [
        made(),
        Step("GET", f"{CM}/a", query={"pretty": "true"}),
        Step("GET", f"{CM}/a", query={"pretty": "0"}),
        Step("GET", f"{CM}/none", query={"pretty": "1"}),
        Step("GET", f"{CM}/a", headers={"User-Agent": "curl/8"}),
    ],
}  # fmt: skip
