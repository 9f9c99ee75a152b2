import { endLeftovers } from './controller-process.ts';

/** After the last spec: a controller that one of them left running is an error, and must not keep the suite open. */
export const mochaHooks = {
  afterAll() {
    const left = endLeftovers();
    if (left > 0) throw new Error(`expected every controller process to have been stopped, found ${left} running`);
  },
};
