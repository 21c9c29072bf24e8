{{ define "legacy.name" }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
