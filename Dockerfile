# The image that `plumb install` names: plumb, and the programs that it runs. Build it, and push it to a registry of yours:
#
#   docker build --tag registry.example.org/plumbline:0.1.0 .
#
# Build arguments: the versions below, and EXTRAS, the optional parts of plumbline that are to be in it.
ARG PYTHON=3.11-slim-bookworm
ARG NODE=24-bookworm-slim
ARG GO=1.26-bookworm

FROM node:${NODE} AS pages
WORKDIR /build/ui
COPY ui/package.json ui/package-lock.json ./
RUN npm install --no-save --silent
COPY ui ./
RUN npm run --silent build

FROM golang:${GO} AS tools
ARG HELM=v3.22.0
ARG KUSTOMIZE=v5.8.1
ARG TOFU=v1.12.6
ENV CGO_ENABLED=0 GOBIN=/tools GOFLAGS=-trimpath
RUN go install -ldflags "-s -w -X helm.sh/helm/v3/internal/version.version=${HELM}" helm.sh/helm/v3/cmd/helm@${HELM}
RUN go install -ldflags "-s -w -X sigs.k8s.io/kustomize/api/provenance.version=${KUSTOMIZE}" \
      sigs.k8s.io/kustomize/kustomize/v5@${KUSTOMIZE}
# Its module replaces others, which `go install` refuses: it is built from inside.
RUN cp -R "$(go mod download -json github.com/opentofu/opentofu@${TOFU} | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" /opentofu \
    && cd /opentofu && go build -ldflags "-s -w -X github.com/opentofu/opentofu/version.dev=no" -o /tools/tofu ./cmd/tofu

FROM python:${PYTHON} AS program
ARG EXTRAS=aws,functions,postgres
WORKDIR /build
RUN python -m venv /opt/plumbline
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements/core.lock requirements/full.lock requirements/
RUN /opt/plumbline/bin/pip install --require-hashes -r requirements/core.lock
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY tools/built_ui.py tools/
COPY examples examples
COPY src src
COPY --from=pages /build/src/plumbline/web/static src/plumbline/web/static
# What the extras bring is held to the same versions as everywhere else.
RUN sed -n 's/^\([A-Za-z0-9._-]*==[^ ;\\]*\).*/\1/p' requirements/full.lock > requirements/versions.txt \
    && /opt/plumbline/bin/pip wheel --no-deps --wheel-dir dist . \
    && /opt/plumbline/bin/pip install --constraint requirements/versions.txt "$(echo dist/*.whl)[${EXTRAS}]" \
    && /opt/plumbline/bin/pip uninstall --yes pip setuptools

FROM python:${PYTHON}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git gnupg openssh-client \
    && rm -rf /var/lib/apt/lists/*
COPY --from=tools /tools/ /usr/local/bin/
COPY --from=program /opt/plumbline /opt/plumbline
ENV PATH=/opt/plumbline/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
ENTRYPOINT ["plumb"]
