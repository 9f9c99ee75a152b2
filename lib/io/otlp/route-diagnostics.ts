import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import type { Log } from '../../log.ts';

/**
 * Sends what OpenTelemetry says to our log instead of nowhere; process-wide, to be called once at start.
 *
 * Failed exports are told by `reportExports` with what can be done about them, so that everything here is debug, but
 * for a receiver that took only part of a push: nobody else would say so.
 */
export function routeDiagnostics(log: Log): void {
  let partial = '';
  const say = (message: string, ...more: unknown[]) => {
    const said = [message, ...more].map(textOf).join(' ').slice(0, 500);
    if (!message.startsWith('Received Partial Success') || said === partial) {
      log.debug({ said }, 'OpenTelemetry says');
      return;
    }
    partial = said;
    log.warn({ said }, 'the receiver took only part of an export');
  };
  diag.setLogger(
    { error: say, warn: say, info() {}, debug() {}, verbose() {} },
    {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
  setGlobalErrorHandler((error) => say(textOf(error)));
}

function textOf(said: unknown): string {
  if (said instanceof Error) return said.message;
  return typeof said === 'string' ? said : JSON.stringify(said);
}
