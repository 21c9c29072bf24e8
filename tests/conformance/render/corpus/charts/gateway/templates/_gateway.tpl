{{- define "gateway.name" -}}{{ .Release.Name | lower | replace "_" "-" }}{{- end }}
{{- define "gateway.annotations" -}}
{{- range $name, $text := .Values.annotations }}
{{ $name }}: {{ tpl $text $ | quote }}
{{- end }}
{{- end }}
