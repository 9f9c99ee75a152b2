{{/* Name of every namespaced object. */}}
{{- define "controller.fullname" -}}
{{- default .Chart.Name .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* Name of what is cluster-wide: two releases in two namespaces must not meet. */}}
{{- define "controller.clusterName" -}}
{{- printf "%s-%s" (include "controller.fullname" .) .Release.Namespace | trunc 253 | trimSuffix "-" -}}
{{- end -}}

{{- define "controller.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "controller.labels" -}}
{{ include "controller.selectorLabels" . }}
app.kubernetes.io/component: controller
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "controller.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "controller.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "controller.configNamespace" -}}
{{- default .Release.Namespace .Values.config.namespace -}}
{{- end -}}

{{/* The profile's names; its table is in lib/profile.ts. */}}
{{- define "controller.apiGroup" -}}{{ .Values.profile }}.dev{{- end -}}
{{- define "controller.metricPrefix" -}}{{ .Values.profile }}_pipelines_controller_{{- end -}}
{{- define "controller.eventFormat" -}}{{ .Values.profile }}v1{{- end -}}
{{/* The config map that the controller keeps its last good settings in. */}}
{{- define "controller.lastGoodName" -}}{{ .Values.profile }}-pipelines-controller-last-good{{- end -}}

{{- define "controller.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}
{{- else -}}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "controller.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
# A claim with many files would otherwise be walked at every start.
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "controller.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Mounted Secrets as a list: name of the volume and of its folder, the Secret, the key of each flag. */}}
{{- define "controller.credentials" -}}
{{- with .Values.sink.authorizationSecret }}
- name: sink-authorization
  secret: {{ . | quote }}
  files: { sink-authorization-file: authorization }
{{- end }}
{{- with .Values.sink.caSecret }}
- name: sink-ca
  secret: {{ . | quote }}
  files: { sink-ca-file: ca.crt }
{{- end }}
{{- with .Values.sink.clientCertSecret }}
- name: sink-client
  secret: {{ . | quote }}
  files: { sink-client-cert-file: tls.crt, sink-client-key-file: tls.key }
{{- end }}
{{- with .Values.metrics.tlsSecret }}
- name: metrics-tls
  secret: {{ . | quote }}
  files: { metrics-cert-file: tls.crt, metrics-key-file: tls.key }
{{- end }}
{{- end -}}

{{/* Rules that no schema says in a readable sentence. */}}
{{- define "controller.check" -}}
{{- with .Values -}}
{{- if and (gt (int .replicaCount) 1) (not .leaderElection.enabled) -}}
{{- fail (printf "leaderElection.enabled: expected true with replicaCount %d, got false: every replica would send every event" (int .replicaCount)) -}}
{{- end -}}
{{- if and (not .serviceAccount.create) (not .serviceAccount.name) -}}
{{- fail "serviceAccount.name: expected the name of an existing account as serviceAccount.create is false, got none" -}}
{{- end -}}
{{- if and .metrics.tlsSecret (not .metrics.secure) -}}
{{- fail "metrics.secure: expected true as metrics.tlsSecret is set, got false: metrics would be served without TLS" -}}
{{- end -}}
{{- if and .metrics.secure .podMonitor.enabled -}}
{{- fail "podMonitor.enabled: expected false as metrics.secure is true, got true: only a ServiceMonitor can send a token" -}}
{{- end -}}
{{- if and .serviceMonitor.enabled .podMonitor.enabled -}}
{{- fail "podMonitor.enabled: expected false as serviceMonitor.enabled is true, got true: every sample would be stored twice" -}}
{{- end -}}
{{- end -}}
{{- end -}}
