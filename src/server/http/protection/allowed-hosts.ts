import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readHealth, readReadiness } from '#contract/endpoints.ts';
import { nameShape } from '../../env-variables.ts';
import { loopbackNames } from '../local-names.ts';
import { Refusal } from '../pipeline/errors.ts';

/** Monitors call these by address. */
const anyHost: ReadonlySet<string> = new Set([readHealth.path, readReadiness.path]);

/**
 * Names below these suffixes do not exist in the public DNS (RFC 6762, 8375, 9476; ICANN has
 * reserved `internal`), nor do names without a dot: the owner of another site cannot point one of
 * them here.
 */
const homeSuffixes = ['.local', '.lan', '.home.arpa', '.internal'];
const singleLabel = /^[a-z0-9_-]{1,63}$/;
/** A host with an optional port; a name has at most 253 characters and a final dot. */
const hostShape = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,254}))(?::\d{1,5})?$/i;
const maxLogged = 20;

interface OwnHosts {
  /**
   * The only host names that are answered, lower case, without ports; empty: those of a site on a
   * home network.
   */
  allowed: readonly string[];
  /** Read on each request: administrators can change it. */
  readonly publicOrigin: string | undefined;
  /**
   * Names of this host and of its certificate; read on each request, as a renewed certificate may
   * have other names. `*.example.org` matches one label.
   */
  hostNames: () => readonly string[];
}

/**
 * Answers only to the site's own names, so that another site cannot point its name here and read
 * the answers from its page (DNS rebinding). Behind a trusted proxy, both the name sent to the
 * proxy and the name sent by it have to be own names.
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

/** @returns a check whether a name, lower case and without a port, is the site's own */
export function createOwnHostCheck(hosts: OwnHosts): (name: string) => boolean {
  const { allowed, hostNames } = hosts;
  const fixed = new Set([...allowed, ...loopbackNames]);
  const isPublic = (name: string) =>
    hosts.publicOrigin !== undefined && hostNameOf(new URL(hosts.publicOrigin).host) === name;
  if (allowed.length > 0) return (name) => fixed.has(name) || isPublic(name);
  const isKnown = (name: string) => isHomeName(name) || hostNames().some((known) => matches(known, name));
  return (name) => fixed.has(name) || isKnown(name) || isPublic(name);
}

/**
 * The name in a `Host` header: without port, brackets and the final dot, lower case. Empty if it is
 * no valid host (`nas.local:x@evil.example`).
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

/** The host that this server itself was asked for, whatever a proxy forwards. */
function directHost({ headers }: FastifyRequest): string {
  return headers.host ?? String(headers[':authority'] ?? '');
}

/** Sends a page to people, and the usual refusal to programs. */
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

const style = `
html { background: #0c0e10; color: #f4f1ea; font: 100%/1.5 "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; max-width: 40em; padding: 1.5em 1.25em 4em; }
h1 { font-size: 1.75em; line-height: 1.2; margin: 0 0 .5em; }
code { font-family: Consolas, Menlo, monospace; word-break: break-all; word-wrap: break-word; }
pre { background: #1b1f24; overflow: auto; padding: .75em 1em; white-space: pre-wrap; }
`;

/** Allows this style sheet and nothing else. */
const refusedHostPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param name a name that DNS can carry; null for any other text, which is not repeated */
function describeRefusedHost(name: string | null): string {
  if (name === null) return 'This site does not go by that name.';
  return `This site does not go by the name ${name}. Whoever runs it can add the line ${lineFor(name)} to its .env.`;
}

function renderRefusedHost(name: string | null): string {
  const text =
    name === null
      ? 'This site does not go by the name in the address.'
      : `This site does not go by the name <code>${escapeText(name)}</code>.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fourfold: another name</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>This is not the site’s name</h1>
<p>${text}</p>
${name === null ? '' : sayLines(escapeText(name))}
</main>
</body>
</html>
`;
}

function sayLines(name: string): string {
  return `<p>If you run this site, add this line to its <code>.env</code> and start it again:</p>
<pre>${lineFor(name)}</pre>
<p>It then answers to the names in that line alone, besides this machine’s own: add every other name and address by which it is opened, separated by commas. To keep all addresses of your network as well, name the site’s public address instead:</p>
<pre>PUBLIC_URL=https://${name}</pre>`;
}

function lineFor(name: string): string {
  return `ALLOWED_HOSTS=${name}`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/**
 * Methods that change nothing are allowed from anywhere: without a CORS header, no page of another
 * site can read the answer.
 */
const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes that a browser sends for a page of another site, whatever cookies they carry.
 * Programs other than browsers do not tell where a call comes from, and are let through.
 * @param env the configured origin counts too, for proxies that change the host's name
 */
export function refuseCrossSite(app: FastifyInstance, env: Pick<OwnHosts, 'publicOrigin'>): void {
  app.addHook('onRequest', async (request) => {
    if (!harmless.has(request.method) && isCrossSite(request, env.publicOrigin))
      throw new Refusal('forbidden', { message: 'This was sent by another site.' });
  });
}

/** Decides by Fetch Metadata if the browser sends it, else by `Origin`. */
export function isCrossSite(
  request: Pick<FastifyRequest, 'headers' | 'host'>,
  publicOrigin: string | undefined,
): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (origin === undefined) return false;
  return origin !== publicOrigin && hostOf(origin) !== request.host.toLowerCase();
}

/**
 * The host of an origin with its port, as in `Host`: both omit the default port of the scheme. Null
 * for the origin `null`.
 */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

/**
 * Warns once if a proxy that `TRUST_PROXY` does not name sends `X-Forwarded` headers: behind it,
 * all visitors count as one address, and https is taken for http.
 */
export function warnOfUnnamedProxy(app: FastifyInstance, isProxy: (address: string | undefined) => boolean): void {
  let isSaid = false;
  app.addHook('onRequest', async ({ headers, socket, log }) => {
    if (isSaid || headers['x-forwarded-for'] === undefined || isProxy(socket.remoteAddress)) return;
    isSaid = true;
    const { remoteAddress: address } = socket;
    log.warn(
      { address },
      `X-Forwarded headers come from ${address}, which TRUST_PROXY does not name: they are not believed. If it is your proxy, name it there.`,
    );
  });
}
