import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, apiErrors } from './api-error.ts';
import { listBody, listObjects } from './list-objects.ts';
import { mergePatch, patchTypes } from './patch-object.ts';
import { readBody } from './read-body.ts';
import type { Registry } from './registry.ts';
import type { RequestTarget } from './request-target.ts';
import { isJson, type Json, type StoredObject } from './stored-object.ts';
import { tableOf } from './table.ts';
import type { VersionedStore } from './versioned-store.ts';

export interface RequestContext {
  readonly store: VersionedStore;
  readonly registry: Registry;
  readonly nowMs: () => number;
}

/** One request for a resource, and what it takes to answer it. */
export interface ResourceRequest extends RequestTarget {
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** kubectl asks for rows to print. */
  readonly asTable: boolean;
}

type Handler = (context: RequestContext, request: ResourceRequest) => Promise<void>;

const jsonTypes = ['application/json'];

/** What a method does to one object, and to a collection. */
const handlers: Readonly<Record<string, { readonly verb: string; readonly one?: Handler; readonly many?: Handler }>> = {
  GET: { verb: 'get', one: async (...args) => get(...args), many: async (...args) => list(...args) },
  POST: { verb: 'create', many: create },
  PUT: { verb: 'update', one: update },
  PATCH: { verb: 'patch', one: patch },
  DELETE: { verb: 'delete', one: remove, many: removeCollection },
};

/**
 * Answers one request for a resource, watches aside. Throws an ApiError for every refusal, 405 for what the
 * resource cannot do.
 */
export async function handleRequest(context: RequestContext, request: ResourceRequest): Promise<void> {
  const { type, name, request: incoming } = request;
  const row = handlers[incoming.method ?? ''];
  const verb = row?.verb ?? (incoming.method ?? '').toLowerCase();
  // The endpoint of custom resources does not look at how far the path of a POST goes, and misses the name of others.
  if (type.custom && name === '' && row !== undefined && row.many === undefined)
    throw apiErrors.badRequest('name must be provided');
  const handler = name === '' || (type.custom && verb === 'create') ? row?.many : row?.one;
  if (handler === undefined || !type.verbs.includes(verb)) throw apiErrors.methodNotAllowed(verb, type);
  await handler(context, request);
}

/** Sends a JSON answer and ends it. */
export function sendJson(
  response: ServerResponse,
  code: number,
  body: Json,
  headers: Record<string, string> = {},
): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function sendObject({ nowMs }: RequestContext, request: ResourceRequest, code: number, object: StoredObject): void {
  const { type, asTable, response } = request;
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  sendJson(response, code, asTable ? tableOf(type.kind, [object], metadata, nowMs()) : object);
}

function get(context: RequestContext, request: ResourceRequest): void {
  sendObject(context, request, 200, context.registry.get(request));
}

function list({ store, nowMs }: RequestContext, { type, namespace, query, asTable, response }: ResourceRequest): void {
  const found = listObjects(store, type, namespace, query);
  sendJson(response, 200, asTable ? tableOf(type.kind, found.items, found.metadata, nowMs()) : listBody(type, found));
}

async function create(context: RequestContext, request: ResourceRequest): Promise<void> {
  const { type, namespace } = request;
  if (type.namespaced && namespace === '') throw apiErrors.methodNotAllowed('create', type);
  const { body } = await readBody(request.request, jsonTypes);
  sendObject(context, request, 201, context.registry.create(type, namespace, body));
}

async function update(context: RequestContext, request: ResourceRequest): Promise<void> {
  const { body } = await readBody(request.request, jsonTypes);
  const existed = context.store.get(request.type.plural, request.namespace, request.name) !== undefined;
  sendObject(context, request, existed ? 200 : 201, context.registry.update(request, body));
}

async function patch(context: RequestContext, request: ResourceRequest): Promise<void> {
  const strategic = request.type.custom ? [] : ['application/strategic-merge-patch+json'];
  const { body, contentType } = await readBody(request.request, [...Object.keys(patchTypes), ...strategic]);
  // A strategic merge differs in lists with merge keys; what is served here has none worth it.
  const apply = patchTypes[contentType] ?? mergePatch;
  sendObject(
    context,
    request,
    200,
    context.registry.patch(request, (present) => apply(present, body)),
  );
}

async function remove(context: RequestContext, request: ResourceRequest): Promise<void> {
  const { type, name, request: incoming, response } = request;
  if (request.subresource !== '') throw apiErrors.methodNotAllowed('delete', type);
  const { body } = await readBody(incoming, jsonTypes);
  const { object, gone } = context.registry.remove(request, body);
  if (!gone) return sendObject(context, request, 200, object);
  const group = type.group === '' ? {} : { group: type.group };
  const details = { name, ...group, kind: type.plural, uid: object.metadata.uid };
  sendJson(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
}

async function removeCollection(context: RequestContext, request: ResourceRequest): Promise<void> {
  const { type, namespace, query, response } = request;
  if (!type.verbs.includes('deletecollection')) throw apiErrors.methodNotAllowed('deletecollection', type);
  if (type.namespaced && namespace === '') throw apiErrors.methodNotAllowed('deletecollection', type);
  const { body } = await readBody(request.request, jsonTypes);
  const found = listObjects(context.store, type, namespace, query);
  for (const { metadata } of found.items) {
    context.registry.remove({ type, namespace, name: metadata.name, subresource: '' }, isJson(body) ? body : {});
  }
  sendJson(response, 200, listBody(type, found));
}

/** Answers an ApiError as its Status; anything else is a bug here and is answered 500. */
export function sendError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof ApiError
      ? error
      : new ApiError({ code: 500, reason: 'InternalError', message: 'Internal error occurred', details: {} });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const wait = known.body.details?.retryAfterSeconds;
  sendJson(response, known.code, { ...known.body }, wait === undefined ? {} : { 'retry-after': String(wait) });
}
