{{/* What is done in every watched namespace: runs are read, and Events about them written. */}}
{{- define "controller.runRules" -}}
- apiGroups: [{{ include "controller.apiGroup" . }}]
  resources: [taskruns, pipelineruns, customruns]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end -}}

{{- define "controller.subjects" -}}
- kind: ServiceAccount
  name: {{ include "controller.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
