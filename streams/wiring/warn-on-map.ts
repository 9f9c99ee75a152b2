import { kubeEvent, type Reporter } from '../../lib/events/kube-event.ts';
import type { EventRecorder } from '../../lib/io/kube/event-recorder.ts';
import { uuid5 } from '../../lib/io/uuid5.ts';
import { text } from '../../lib/run/fields.ts';
import type { Resource } from '../../lib/run/run.ts';

interface Options {
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly reporter: Reporter;
}

/** Writes a Warning Event on a config map: the same version gets the same Event, whichever replica writes it. */
export function warnOnMap({ recorder, reporter }: Options): (map: Resource, reason: string, message: string) => void {
  return (map, reason, message) => {
    const field = (name: string) => text(map, 'metadata', name);
    const [namespace, name, uid, resourceVersion] = ['namespace', 'name', 'uid', 'resourceVersion'].map(field) as [
      string,
      string,
      string,
      string,
    ];
    void recorder.record(
      kubeEvent({
        id: uuid5(JSON.stringify([uid, resourceVersion, reason, message])),
        type: 'Warning',
        reason,
        message,
        involved: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid, resourceVersion },
        reporter,
        nowMs: Date.now(),
      }),
    );
  };
}
