/** Who is speaking, as OTLP says it once a push. */
export type ResourceAttributes = Readonly<Record<string, string>>;

interface Identity {
  /** `service.name`: the profile's `component`. */
  readonly component: string;
  readonly version: string;
  /** Told apart from every other replica and from itself before a restart: a UUID, or the pod's uid. */
  readonly instanceId: string;
  readonly podName?: string | undefined;
  readonly namespace?: string | undefined;
}

/** The resource attributes of this process; those of a pod only where it is one. */
export function resourceAttributes(identity: Identity): ResourceAttributes {
  const { component, version, instanceId, podName, namespace } = identity;
  return {
    'service.name': component,
    'service.version': version,
    'service.instance.id': instanceId,
    ...(podName === undefined ? {} : { 'k8s.pod.name': podName }),
    ...(namespace === undefined ? {} : { 'k8s.namespace.name': namespace }),
  };
}
