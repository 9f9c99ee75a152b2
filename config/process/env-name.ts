/**
 * The environment variable of an option: `metrics-port` is `CONTROLLER_OPTION_METRICS_PORT`.
 *
 * The prefix is long on purpose. Kubernetes sets `<SERVICE>_PORT=tcp://...` for every Service of a namespace, so
 * `CONTROLLER_METRICS_PORT` would belong to a Service called `controller-metrics`.
 */
export function envName(key: string): string {
  return `${envPrefix}${key.replaceAll('-', '_').toUpperCase()}`;
}

export const envPrefix = 'CONTROLLER_OPTION_';
