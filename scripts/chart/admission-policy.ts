import { describeKeys } from '../../config/describe-keys.ts';
import { parseMap } from '../../config/parse-map.ts';
import { type MapName, mapNames } from '../../config/settings.ts';
import { profiles } from '../../lib/profile.ts';
import { needsOf } from './needs.ts';
import { literal, missingEntry, wrongEntry } from './policy-expressions.ts';

const profile = profiles.svc;

/** Variables of the policy: for each map the keys with a wrong value, and the sentences about missing ones. */
function variables(): readonly { name: string; expression: string }[] {
  return [
    { name: 'data', expression: 'has(object.data) ? object.data : {}' },
    { name: 'wrong', expression: byMap(wrongKeys) },
    { name: 'missing', expression: byMap(missingKeys) },
    { name: 'problems', expression: `variables.wrong.map(w, ${sentence}) + variables.missing` },
  ];
}

function byMap(expressionOf: (map: MapName) => string): string {
  const branches = mapNames.map((map) => `object.metadata.name == ${literal(map)} ?\n${expressionOf(map)} :\n`);
  return `${branches.join('')}[]`;
}

function wrongKeys(map: MapName): string {
  const keys = describeKeys(profile).filter((key) => key.map === map);
  return keys.map((key) => `  ${wrongEntry(key, isUnsetBy(map, key.key))}`).join(' +\n');
}

function missingKeys(map: MapName): string {
  const keys = describeKeys(profile).filter((key) => key.map === map);
  return `  ${['[]', ...needsOf(map, keys, profile).map(missingEntry)].join(' +\n  ')}`;
}

/** Whether the empty text is a value that the parser takes. */
function isUnsetBy(map: MapName, key: string): boolean {
  return parseMap(map, { [key]: '' }, profile).ok;
}

// A text that may be a URL or carry credentials is described by its length: see config/formats/quoted.ts.
const value = 'variables.data[w[0]]';
const described = `'a text of ' + string(size(${value})) + ' characters that may hold credentials'`;
const quoted = `strings.quote(size(${value}) > 80 ? ${value}.substring(0, 80) + '…' : ${value})`;
const shown = `(w[2] != '' ? w[2] : ${value}.matches('://|@') ? ${described} : ${quoted})`;
const sentence = `w[0] + ': expected ' + w[1] + ', got ' + ${shown}`;

function block(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => `${indent}${line}`)
    .join('\n');
}

/** The chart's template of the ValidatingAdmissionPolicy: what the controller would refuse, in its own words. */
export function admissionPolicy(): string {
  const names = mapNames.map((name) => literal(name)).join(', ');
  const text = `{{- /* Written by scripts/chart/generate.ts from config/maps; do not edit. */}}
{{- if .Values.admissionPolicy.enabled }}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ include "controller.clusterName" . }}-config
  labels:
    {{- include "controller.labels" . | nindent 4 }}
spec:
  # The controller checks again: what this cannot judge may pass.
  failurePolicy: Ignore
  matchConstraints:
    namespaceSelector:
      matchLabels:
        kubernetes.io/metadata.name: {{ include "controller.configNamespace" . }}
    resourceRules:
      - apiGroups: [""]
        apiVersions: [v1]
        resources: [configmaps]
        operations: [CREATE, UPDATE]
  matchConditions:
    - name: is-one-of-the-four
      expression: "object.metadata.name in [${names}]"
    # A label may be put on a map that is already wrong.
    - name: has-other-data-than-before
      expression: "oldObject == null || !has(oldObject.data) || !has(object.data) || oldObject.data != object.data"
  variables:
${variables()
  .map(({ name, expression }) => `    - name: ${name}\n      expression: |-\n${block(expression, '        ')}`)
  .join('\n')}
  validations:
    - expression: size(variables.problems) == 0
      messageExpression: variables.problems.join('; ')
      reason: Invalid
{{- end }}
`;
  return text.replaceAll(profile.eventFormat, '{{ include "controller.eventFormat" . }}');
}
