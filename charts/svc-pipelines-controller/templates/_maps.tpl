{{/*
One of the four config maps: dict "root" $, "name" of the map, "values" for its data.

A key of the values is written when it is new or has changed since the chart last wrote it (the annotation remembers
what that was); else the live map decides, also where somebody deleted the key. Keys that the values do not name never
appear in the manifest, so that Helm's three-way merge leaves them alone. Without a cluster to look at (helm template)
the values are the data.
*/}}
{{- define "controller.map" -}}
{{- $namespace := include "controller.configNamespace" .root -}}
{{- $group := include "controller.apiGroup" .root -}}
{{- $want := dict -}}
{{- range $key, $value := .values -}}
{{- $_ := set $want $key (include "controller.text" $value) -}}
{{- end -}}
{{- $data := deepCopy $want -}}
{{- $live := lookup "v1" "ConfigMap" $namespace .name -}}
{{- if $live -}}
{{- $annotations := default dict $live.metadata.annotations -}}
{{- $written := get $annotations (printf "%s/chart-values" $group) | default "{}" | fromJson -}}
{{- $current := default dict $live.data -}}
{{- range $key, $value := $want -}}
{{- if and (hasKey $written $key) (eq (get $written $key) $value) -}}
{{- if hasKey $current $key -}}
{{- $_ := set $data $key (get $current $key) -}}
{{- else -}}
{{- $_ := unset $data $key -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
  namespace: {{ $namespace }}
  labels:
    {{- include "controller.labels" .root | nindent 4 }}
  annotations:
    {{ $group }}/chart-values: {{ toJson $want | quote }}
data:
  _example: |
    {{- tpl (.root.Files.Get (printf "files/example-%s.yaml" .name)) .root | trim | nindent 4 }}
  {{- range $key, $value := $data }}
  {{ $key }}: {{ $value | quote }}
  {{- end }}
{{- end -}}

{{/* A value as the text that a config map holds; 1000000 stays 1000000. */}}
{{- define "controller.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{ printf "%.0f" . }}
{{- else -}}{{ toString . }}
{{- end -}}
{{- end -}}
