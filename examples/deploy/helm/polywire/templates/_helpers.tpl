{{- define "polywire.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "polywire.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "polywire.labels" -}}
{{ include "polywire.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* The configuration, with the names that callers use. */ -}}
{{- define "polywire.config" -}}
{{- $name := include "polywire.name" . }}
{{- $hosts := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) }}
{{- range .Values.ingress.hosts }}{{ $hosts = append $hosts . }}{{ end }}
{{- range .Values.config.hosts }}{{ $hosts = append $hosts . }}{{ end }}
{{- mergeOverwrite (deepCopy .Values.config) (dict "hosts" (uniq $hosts)) | toPrettyJson }}
{{- end }}
