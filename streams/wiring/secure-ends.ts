import { hostname } from 'node:os';
import type { RunOptions } from '../../config/process/run-options.ts';
import { reviewReader } from '../../lib/io/kube/review-reader.ts';
import type { MetricsServerOptions } from '../../lib/io/servers/metrics-server.ts';
import { createAdmission } from '../../lib/io/servers/secure-admission.ts';
import { serverCertificate } from '../../lib/io/servers/secure-certificate.ts';
import type { SinkOptions } from '../../lib/io/sink/create-sink.ts';
import { readProxies } from '../../lib/io/sink/read-proxies.ts';
import { type SinkFiles, sinkCredentials } from '../../lib/io/sink/sink-credentials.ts';
import type { KubeApi } from '../../lib/kube/api.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';

interface Around {
  readonly options: RunOptions;
  readonly measure: Measure;
  readonly log: Log;
}

/** How the sink is reached, and how it knows us. Throws one sentence about a file or a proxy that is no good. */
export function sinkSecurity({
  options,
  measure,
  log,
}: Omit<Around, 'options'> & { readonly options: SinkFiles }): Pick<SinkOptions, 'credentials' | 'proxyOf' | 'log'> {
  return { credentials: sinkCredentials(options, { measure, log }), proxyOf: readProxies(process.env), log };
}

/** What the metrics are served with: nothing, or with `metrics-secure` TLS and who may read. Throws as above. */
export function metricsSecurity({
  options,
  api,
  measure,
  log,
}: Around & { readonly api: Pick<KubeApi, 'create'> }): Pick<MetricsServerOptions, 'certificate' | 'admission'> {
  if (!options.metricsSecure) return {};
  const { metricsCertFile: certFile, metricsKeyFile: keyFile } = options;
  return {
    certificate: serverCertificate({ certFile, keyFile, hostname: hostname(), measure, log }),
    admission: createAdmission({
      review: (token, signal) => reviewReader(api, { token, path: '/metrics' }, signal),
      measure,
      log,
    }),
  };
}
