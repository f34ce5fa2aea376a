import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readHealth, readReadiness } from '#contract/endpoints.ts';
import { nameShape } from '../../env-variables.ts';
import { loopbackNames } from '../addresses/local-names.ts';
import { Refusal } from '../pipeline/errors.ts';
import { describeRefusedHost, refusedHostPolicy, renderRefusedHost } from './refused-host-page.ts';

/** Monitors ask by address. */
const anyHost: ReadonlySet<string> = new Set([readHealth.path, readReadiness.path]);

/**
 * Names below these lead nowhere in the public DNS (RFC 6762, 8375, 9476; ICANN has reserved `internal`), nor do names
 * without a dot: another site's owner cannot make one of them lead here.
 */
const homeSuffixes = ['.local', '.lan', '.home.arpa', '.internal'];
const singleLabel = /^[a-z0-9_-]{1,63}$/;
/** With a port, as browsers write it; at most the 253 characters of a name and its final dot. */
const hostShape = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,254}))(?::\d{1,5})?$/i;
const maxLogged = 20;

export interface OwnHosts {
  /** The only ones, lower case, without ports; empty: those of a site at home. */
  allowed: readonly string[];
  publicOrigin: string | undefined;
  /**
   * Names of this host and of its certificate; asked each time, as a certificate may be renewed with others.
   * `*.example.org` stands for one label.
   */
  hostNames: () => readonly string[];
}

/**
 * Answers to no other name than the site's own, so that another site cannot have its name lead here and read what its
 * page asks for (DNS rebinding). Behind a proxy that is believed, both what it was asked and what it asked for have to
 * be own names.
 */
export function answerOwnHosts(app: FastifyInstance, hosts: OwnHosts): void {
  const isOwn = createOwnHostCheck(hosts);
  const logged = new Set<string>();
  app.addHook('onRequest', async (request, reply) => {
    const refused = [request.host, directHost(request)].map(hostNameOf).find((name) => !isOwn(name));
    if (refused === undefined || anyHost.has(request.url)) return;
    const name = nameShape.test(refused) ? refused : null;
    if (name !== null && !logged.has(name) && logged.size < maxLogged) {
      logged.add(name);
      request.log.warn({ host: name }, `a call by the name ${name} was refused: ${describeRefusedHost(name)}`);
    }
    return refuse(request, reply, name);
  });
}

/** @returns whether a name, lower case and without a port, is the site's own */
export function createOwnHostCheck({ allowed, publicOrigin, hostNames }: OwnHosts): (name: string) => boolean {
  const publicName = publicOrigin === undefined ? [] : [hostNameOf(new URL(publicOrigin).host)];
  const own = new Set([...allowed, ...loopbackNames, ...publicName]);
  if (allowed.length > 0) return (name) => own.has(name);
  return (name) => own.has(name) || isHomeName(name) || hostNames().some((known) => matches(known, name));
}

/**
 * The name in a `Host` header: without port, brackets and the final dot, lower case; empty for what is no host at all
 * (`nas.local:x@evil.example`).
 */
export function hostNameOf(host: string): string {
  const [, address, name = ''] = hostShape.exec(host) ?? [];
  return (address ?? name).toLowerCase().replace(/\.$/, '');
}

function isHomeName(name: string): boolean {
  if (isIP(name) !== 0 || singleLabel.test(name)) return true;
  return homeSuffixes.some((suffix) => name.endsWith(suffix));
}

function matches(known: string, name: string): boolean {
  return known.startsWith('*.')
    ? name.slice(name.indexOf('.')) === known.slice(1).toLowerCase()
    : known.toLowerCase() === name;
}

/** What this server itself was asked, whatever a proxy says. */
function directHost({ headers }: FastifyRequest): string {
  return headers.host ?? String(headers[':authority'] ?? '');
}

/** A page for people, the usual form of a refusal for calls. */
function refuse(request: FastifyRequest, reply: FastifyReply, name: string | null): FastifyReply {
  const { accept = '', 'sec-fetch-mode': mode } = request.headers;
  const isNavigation =
    request.method === 'GET' && (mode === undefined ? accept.includes('text/html') : mode === 'navigate');
  if (!isNavigation) throw new Refusal('bad_host', { message: describeRefusedHost(name) });
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': refusedHostPolicy,
    'cache-control': 'no-store',
  };
  return reply.code(421).headers(headers).send(renderRefusedHost(name));
}
