import type { ServerUnderTest } from './server-under-test.ts';

/** Gives the controller in this namespace its rights; the kubeconfig file that it runs with. */
type Install = (namespace: string) => Promise<string>;

let install: Install | undefined;

/** Says how controllers come by their rights from now on; undefined: they run as administrator. */
export function installBy(given: Install | undefined): void {
  install = given;
}

/** The same server, where every fresh namespace has what a controller in it needs. */
export function installed(server: ServerUnderTest): ServerUnderTest {
  const how = install;
  if (how === undefined) return server;
  const files = new Map<string, string>();
  return {
    ...server,
    kubeconfigOf: (namespace) => files.get(namespace) ?? server.kubeconfigFile,
    freshNamespace: async () => {
      const namespace = await server.freshNamespace();
      files.set(namespace, await how(namespace));
      return namespace;
    },
  };
}
