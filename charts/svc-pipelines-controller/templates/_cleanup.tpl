{{/* Labels and annotations of what runs after uninstalling; "weight" orders it. */}}
{{- define "controller.cleanupMeta" -}}
labels:
  {{- include "controller.helperLabels" (dict "root" .root "component" "cleanup") | nindent 2 }}
annotations:
  helm.sh/hook: post-delete
  helm.sh/hook-weight: {{ .weight | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* Labels of a pod that no Service and no policy of the controller selects. */}}
{{- define "controller.helperLabels" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/name: {{ .root.Chart.Name }}-{{ .component }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}
