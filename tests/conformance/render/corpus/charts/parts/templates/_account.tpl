{{- define "parts.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
  annotations: {{ .Values.accountAnnotations | default dict | toJson }}
{{- end }}
