{{/* One kind of run: dict "root" $, "kind", "version". Any field is accepted; the status is a subresource. */}}
{{- define "controller.crd" -}}
{{- $group := include "controller.apiGroup" .root -}}
{{- $plural := printf "%ss" (lower .kind) -}}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {{ $plural }}.{{ $group }}
  labels:
    {{- include "controller.labels" .root | nindent 4 }}
  annotations:
    # Deleting a definition deletes every run.
    helm.sh/resource-policy: keep
spec:
  group: {{ $group }}
  scope: Namespaced
  names:
    kind: {{ .kind }}
    plural: {{ $plural }}
    singular: {{ lower .kind }}
    listKind: {{ .kind }}List
  versions:
    - name: {{ .version }}
      served: true
      storage: true
      subresources:
        status: {}
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-preserve-unknown-fields: true
      additionalPrinterColumns:
        - name: Succeeded
          type: string
          jsonPath: .status.conditions[?(@.type=="Succeeded")].status
        - name: Reason
          type: string
          jsonPath: .status.conditions[?(@.type=="Succeeded")].reason
        - name: StartTime
          type: date
          jsonPath: .status.startTime
        - name: CompletionTime
          type: date
          jsonPath: .status.completionTime
{{- end -}}
