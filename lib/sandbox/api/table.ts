import { isJson, type Json, jsonAt, type StoredObject, textAt } from './stored-object.ts';

/** One column that `kubectl get` shows. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: StoredObject, nowMs: number) => unknown;
}

const column = (name: string, cell: Column['cell'], priority = 0): Column => ({ name, type: 'string', priority, cell });

const nameColumn = column('Name', (object) => object.metadata.name);
const ageColumn = column('Age', (object, nowMs) => age(object.metadata.creationTimestamp, nowMs));

const condition = (field: string) => (object: StoredObject) => {
  const conditions = jsonAt(object, 'status').conditions;
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return textAt(
    all.find((one) => textAt(one, 'type') === 'Succeeded'),
    field,
  );
};
const since = (field: string) => (object: StoredObject, nowMs: number) => age(textAt(object.status, field), nowMs);

const runColumns: readonly Column[] = [
  nameColumn,
  column('Succeeded', condition('status')),
  column('Reason', condition('reason')),
  column('StartTime', since('startTime')),
  column('CompletionTime', since('completionTime')),
];

const columnsOf: Readonly<Record<string, readonly Column[]>> = {
  TaskRun: runColumns,
  PipelineRun: runColumns,
  CustomRun: runColumns,
  ConfigMap: [nameColumn, column('Data', (object) => Object.keys(jsonAt(object, 'data')).length), ageColumn],
  Event: [
    column('Last Seen', (object, nowMs) => age(textAt(object, 'lastTimestamp') || textAt(object, 'eventTime'), nowMs)),
    column('Type', (object) => object.type),
    column('Reason', (object) => object.reason),
    column('Object', (object) => {
      const involved = jsonAt(object, 'involvedObject');
      return `${textAt(involved, 'kind').toLowerCase()}/${textAt(involved, 'name')}`;
    }),
    column('Message', (object) => textAt(object, 'message').trim()),
    column('Name', (object) => object.metadata.name, 1),
  ],
  Lease: [nameColumn, column('Holder', (object) => textAt(object.spec, 'holderIdentity')), ageColumn],
};

/** `metadata` and `items` of a list as the Table that kubectl prints, or one object as a Table of one row. */
export function tableOf(kind: string, objects: readonly StoredObject[], metadata: Json, nowMs: number): Json {
  const columns = columnsOf[kind] ?? [nameColumn, ageColumn];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({ name, type, priority }) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: name,
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowMs)),
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
    })),
  };
}

/** A watch line with its object as a Table; ERROR lines stay what they are. */
export function tableLine(kind: string, line: Json, nowMs: number): Json {
  const { type, object } = line;
  if (!isJson(object) || type === 'ERROR') return line;
  const isObject = (value: Json): value is StoredObject => isJson(value.metadata);
  const rows = type !== 'BOOKMARK' && isObject(object) ? [object] : [];
  const metadata = { resourceVersion: textAt(object.metadata, 'resourceVersion') };
  return { type, object: tableOf(kind, rows, metadata, nowMs) };
}

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** How long ago, in the two or one greatest units kubectl would use; '' for no time. */
function age(timestamp: string, nowMs: number): string {
  if (timestamp === '') return '';
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(timestamp)) / 1000));
  const [size, unit] = units.find(([unitSeconds]) => seconds >= 2 * unitSeconds) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}
