import { apiVersionOf, type ServedType } from './served-types.ts';
import type { Json } from './stored-object.ts';

/**
 * The discovery documents, by path: `/api`, `/apis`, every group, every version, and the openapi of each that
 * tells kubectl which parameters a write takes.
 */
export function discoveryDocuments(types: readonly ServedType[]): ReadonlyMap<string, Json> {
  const versions = [...new Set(types.map(apiVersionOf))];
  const groups = [...new Set(types.map(({ group }) => group))].filter((group) => group !== '');
  const documents: readonly (readonly [string, Json])[] = [
    ['/api', { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }],
    ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => groupOf(name, versions)) }],
    ['/openapi/v3', { paths: Object.fromEntries(versions.map((v) => [rootOf(v).slice(1), openapiRoot(v)])) }],
    ...groups.map(
      (name) => [`/apis/${name}`, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(name, versions) }] as const,
    ),
    ...versions.map((version) => [rootOf(version), resourceList(version, types)] as const),
    ...versions.map((version) => [`/openapi/v3${rootOf(version)}`, openapi(version, types)] as const),
  ];
  return new Map(documents);
}

const rootOf = (apiVersion: string) => (apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`);
const openapiRoot = (apiVersion: string) => ({ serverRelativeURL: `/openapi/v3${rootOf(apiVersion)}` });

function groupOf(name: string, versions: readonly string[]): Json {
  const own = versions
    .filter((version) => version.startsWith(`${name}/`))
    .map((groupVersion) => ({ groupVersion, version: groupVersion.slice(name.length + 1) }))
    .sort((a, b) => a.version.length - b.version.length);
  return { name, versions: own, preferredVersion: own[0] };
}

function resourceList(apiVersion: string, types: readonly ServedType[]): Json {
  const own = types.filter((type) => apiVersionOf(type) === apiVersion);
  const resources = own.flatMap((type) => [resourceOf(type), ...(type.custom ? [statusOf(type)] : [])]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources };
}

function resourceOf({ plural, singular, namespaced, kind, verbs, shortNames, custom }: ServedType): Json {
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(custom ? { categories: ['all'] } : {}),
  };
}

function statusOf({ plural, namespaced, kind }: ServedType): Json {
  return { name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
}

/** Bare, but enough for kubectl to learn that writes validate their fields, so that `kubectl apply` works. */
function openapi(apiVersion: string, types: readonly ServedType[]): Json {
  const own = types.filter((type) => apiVersionOf(type) === apiVersion);
  const paths = own.map((type) => {
    const { group, version, kind, plural, namespaced } = type;
    const path = `${rootOf(apiVersion)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`;
    const patch = {
      'x-kubernetes-group-version-kind': { group, version, kind },
      parameters: [
        { name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } },
        { name: 'dryRun', in: 'query', schema: { type: 'string', uniqueItems: true } },
      ],
      responses: {},
    };
    return [path, { patch }];
  });
  const info = { title: 'Kubernetes', version: 'sandbox' };
  return { openapi: '3.0.0', info, paths: Object.fromEntries(paths), components: { schemas: {} } };
}
