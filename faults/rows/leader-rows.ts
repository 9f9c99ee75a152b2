import { refusesShare } from '../behaviours.ts';
import { take } from '../numbered-sink.ts';
import type { Row } from '../row.ts';
import type { Replica, Stage } from '../stage.ts';

/** Longest time without a leader after an orderly end, and after a crash, s. */
const limits = { handover: 2, crash: 17 };

/** Two replicas, and what may become of the one that leads. */
export const leaderRows: readonly Row[] = [
  {
    name: 'leader SIGTERM, five times',
    seconds: 0,
    replicas: 2,
    harm: async (stage) => {
      const times: number[] = [];
      for (let ended = 0; ended < 5; ended += 1) {
        times.push(await takeover(stage, (leader) => leader.stop('SIGTERM')));
        await stage.start();
        await stage.wait(1);
      }
      remark(stage, Math.max(...times), limits.handover);
    },
  },
  {
    name: 'leader killed',
    seconds: 0,
    replicas: 2,
    harm: async (stage) => {
      const seconds = await takeover(stage, (leader) => leader.stop('SIGKILL'));
      remark(stage, seconds, limits.crash);
      await stage.wait(1);
    },
  },
  {
    name: 'leader stopped for 20 s, then continued',
    seconds: 20,
    replicas: 2,
    harm: async (stage) => {
      const stopped = leaderOf(stage);
      const seconds = await takeover(stage, async (leader) => void leader.child.kill('SIGSTOP'));
      remark(stage, seconds, limits.crash);
      await stage.wait(Math.max(0, stage.seconds - seconds));
      await goOn(stage, stopped);
    },
  },
  {
    name: 'leader stopped within a post for 20 s, while the sink refuses 30%',
    seconds: 20,
    replicas: 2,
    harm: async (stage) => {
      const { sink } = stage;
      sink.behaviour = refusesShare(0.3);
      const stopped = leaderOf(stage);
      await new Promise<void>((resolve) => {
        sink.onArrival = () => resolve();
      });
      sink.onArrival = () => {};
      stopped.child.kill('SIGSTOP');
      await stage.wait(stage.seconds);
      await goOn(stage, stopped);
      sink.behaviour = take;
    },
  },
];

/** Lets a stopped leader go on once another leads: it must find that out before it posts anything. */
async function goOn(stage: Stage, { child, lines, logged, path }: Replica): Promise<void> {
  const others = stage.controllers.filter((one) => one.child !== child);
  await Promise.any(others.map((one) => one.logged(({ role }) => role === 'leading')));
  const before = stage.sink.arrivals.length;
  const said = lines.length;
  child.kill('SIGCONT');
  await logged(({ role }) => role === 'standby', said);
  await stage.wait(2);
  const late = stage.sink.arrivals.slice(before).filter((arrival) => arrival.path.endsWith(path)).length;
  stage.remarks.push({ name: 'posts after it was continued', value: String(late), good: late === 0 });
}

/** Ends the leader and gives the seconds until the sink gets something of another. */
async function takeover(stage: Stage, end: (leader: Replica) => Promise<unknown>): Promise<number> {
  const leader = leaderOf(stage);
  const others = stage.controllers.filter((one) => one !== leader);
  await end(leader);
  const endedMs = performance.now();
  if (leader.child.exitCode !== null || leader.child.signalCode !== null) {
    stage.controllers.splice(stage.controllers.indexOf(leader), 1);
  }
  await Promise.any(others.map((one) => one.logged(({ msg }) => msg === 'synced')));
  await new Promise<void>((resolve) => {
    stage.sink.onArrival = () => resolve();
  });
  stage.sink.onArrival = () => {};
  return (performance.now() - endedMs) / 1000;
}

/** The one that was the last to begin leading. */
function leaderOf({ controllers }: Stage): Replica {
  const found = controllers.findLast(
    ({ lines }) => lines.findLast(({ role }) => role !== undefined)?.role === 'leading',
  );
  if (found === undefined) throw new Error('expected a controller that leads, found none');
  return found;
}

function remark(stage: Stage, seconds: number, limit: number): void {
  stage.remarks.push({ name: 'without a leader', value: `${seconds.toFixed(1)} s`, good: seconds < limit });
}
