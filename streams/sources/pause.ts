import { firstValueFrom, fromEvent, takeUntil, timer } from 'rxjs';

/** Resolves after `ms`, or at once when aborted; leaves neither timer nor listener behind. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await firstValueFrom(timer(ms).pipe(takeUntil(fromEvent(signal, 'abort'))), { defaultValue: 0 });
}
