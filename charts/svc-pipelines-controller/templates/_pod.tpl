{{/* Metadata and spec of the pod, the same in the Deployment and in the StatefulSet. */}}
{{- define "controller.pod" -}}
metadata:
  labels:
    {{- include "controller.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: controller
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "controller.serviceAccountName" . }}
  automountServiceAccountToken: true
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  # The service's variables of a crowded namespace are megabytes of environment that nobody reads.
  enableServiceLinks: false
  securityContext:
    {{- include "controller.podSecurityContext" . | nindent 4 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if gt (int .Values.replicaCount) 1 }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "controller.selectorLabels" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  containers:
    - name: controller
      image: {{ include "controller.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - {{ printf "--profile=%v" .Values.profile | quote }}
        - {{ printf "--config-namespace=%v" (include "controller.configNamespace" .) | quote }}
        {{- with .Values.watchNamespaces }}
        - {{ printf "--watch-namespace=%v" (join "," .) | quote }}
        {{- end }}
        - {{ printf "--leader-elect=%v" .Values.leaderElection.enabled | quote }}
        - {{ printf "--lease-name=%v" (include "controller.fullname" .) | quote }}
        - {{ printf "--lease-namespace=%v" (.Release.Namespace) | quote }}
        {{- with .Values.bindAddress }}
        - {{ printf "--bind-address=%v" . | quote }}
        {{- end }}
        - --metrics-port=9090
        - --health-port=8080
        - --profiling-port=8008
        {{- if .Values.metrics.secure }}
        - --metrics-secure=true
        {{- end }}
        {{- range include "controller.credentials" . | fromYamlArray }}
        {{- $credential := . }}
        {{- range $flag, $key := .files }}
        - --{{ $flag }}=/etc/controller/{{ $credential.name }}/{{ $key }}
        {{- end }}
        {{- end }}
        {{- if .Values.persistence.enabled }}
        - --data-dir=/data
        {{- end }}
        - {{ printf "--log-level=%v" .Values.logLevel | quote }}
        {{- range .Values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      env:
        # Who holds the Lease, and who is named in Events and resource attributes.
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: POD_NAMESPACE
          valueFrom:
            fieldRef:
              fieldPath: metadata.namespace
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: http-metrics
          containerPort: 9090
        - name: http-health
          containerPort: 8080
        - name: http-profiling
          containerPort: 8008
      # Says only that the loop turns: an API server that is away must not restart the controller.
      livenessProbe:
        httpGet:
          path: /healthz
          port: http-health
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet:
          path: /readyz
          port: http-health
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "controller.containerSecurityContext" . | nindent 8 }}
      {{- $credentials := include "controller.credentials" . | fromYamlArray }}
      {{- if or .Values.persistence.enabled .Values.extraVolumeMounts $credentials }}
      volumeMounts:
        {{- range $credentials }}
        - name: {{ .name }}
          mountPath: /etc/controller/{{ .name }}
          readOnly: true
        {{- end }}
        {{- if .Values.persistence.enabled }}
        - name: data
          mountPath: /data
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
  {{- if or .Values.extraVolumes $credentials }}
  volumes:
    {{- range $credentials }}
    - name: {{ .name }}
      secret:
        secretName: {{ .secret | quote }}
        # 0440: only root and the group of the container may read it.
        defaultMode: 288
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end -}}
