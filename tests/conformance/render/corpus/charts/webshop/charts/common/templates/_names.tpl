{{- define "common.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- end }}
{{- define "common.image" -}}
{{- $registry := default "" .root.Values.global.registry -}}
{{ ternary (printf "%s/" $registry) "" (ne $registry "") }}{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- define "common.workload" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "common.fullname" . }}
  labels: &labels
    app.kubernetes.io/name: {{ .Chart.Name }}
    app.kubernetes.io/instance: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas | default 1 }}
  selector: {matchLabels: *labels}
  template:
    metadata: {labels: *labels}
    spec:
      containers:
        - name: {{ .Chart.Name }}
          image: {{ include "common.image" (dict "root" . "image" .Values.image) | quote }}
          imagePullPolicy: {{ .Values.global.pullPolicy }}
          {{- with .Values.env }}
          env:
            {{- range $name, $value := . }}
            - {name: {{ $name }}, value: {{ tpl (toString $value) $ | quote }}}
            {{- end }}
          {{- end }}
{{- end }}
