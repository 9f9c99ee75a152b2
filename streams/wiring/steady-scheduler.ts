import { asyncScheduler, type SchedulerLike } from 'rxjs';

/**
 * Timers by a clock that nobody turns.
 *
 * A wall clock put back by an hour would let everything that waits for its time wait an hour longer. The time it
 * tells began at the start of the process as the time of day, and goes on evenly from there.
 */
export const steadyScheduler: SchedulerLike = {
  now: () => performance.timeOrigin + performance.now(),
  schedule: asyncScheduler.schedule.bind(asyncScheduler),
};
