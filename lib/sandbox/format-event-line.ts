import { isJson, jsonAt, textAt } from './api/stored-object.ts';
import type { ReceivedEvent } from './sink.ts';

/**
 * One line for a terminal: time of day, type, where it is from, the condition's reason and the first eight
 * characters of the id: `08:15:42.000 dev.svc.event.taskrun.failed.v1 /apis/... Failed 3f2a9c1e`.
 */
export function formatEventLine({ headers, body }: ReceivedEvent): string {
  const header = (name: string) => String(headers[name] ?? '-');
  const time = /T([\d:.]+)/.exec(header('ce-time'))?.[1] ?? '-';
  const [resource] = isJson(body) ? Object.values(body) : [];
  const conditions = jsonAt(resource, 'status').conditions;
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const succeeded = all.find((condition) => textAt(condition, 'type') === 'Succeeded');
  const reason = textAt(succeeded, 'reason') || '-';
  const line = [time, header('ce-type'), header('ce-source'), reason, header('ce-id').slice(0, 8)].join(' ');
  // What a run's author wrote must not steer the reader's terminal.
  return line.replace(/\p{Cc}/gu, '?');
}
