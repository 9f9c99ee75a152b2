import { type Helper, startHelper } from './helper.ts';
import type { Asked, Told } from './world-words.ts';

export type World = Helper<Asked, Told> & { readonly url: string };

/** Starts the API server and the sink that a subject talks to. */
export async function startWorld(): Promise<World> {
  const helper = await startHelper<Asked, Told>('support/world.ts');
  return { ...helper, url: helper.first.url ?? '' };
}

/** Does something with a world of its own and ends it. */
export async function inWorld<T>(use: (world: World) => Promise<T>): Promise<T> {
  const world = await startWorld();
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}
