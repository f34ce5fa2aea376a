import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { bestForPhones, formatAddress, listensEverywhere } from '../http/addresses/listen-addresses.ts';
import { loopbackNames } from '../http/addresses/local-names.ts';
import type { CertificatePage } from './certificate-page.ts';
import { certificatePagePolicy, renderCertificatePage } from './certificate-page.ts';
import type { LocalCertificate } from './local-certificate.ts';
import type { SecureOrigin } from './secure-origin.ts';

export interface CertificateSite {
  /** As phones reach it; null when none can. */
  address: string | null;
  port: number;
  close(): Promise<void>;
}

export interface CertificateSiteDeps {
  origin: SecureOrigin;
  local: LocalCertificate;
  host: string;
  /** 0: chosen by the system. */
  port: number;
  /** Where the origin itself listens. */
  securePort: number;
}

const limits = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 5_000, maxHeaderSize: 8 * 1024 };
const maxConnections = 100;

/**
 * Opens the plain-http page where devices get the local authority's certificate. It serves these two addresses and
 * nothing else.
 */
export async function openCertificateSite({
  origin,
  local,
  host,
  port,
  securePort,
}: CertificateSiteDeps): Promise<CertificateSite> {
  const server = createServer(limits, (request, response) => send(request, response, choose(request)));
  server.maxConnections = maxConnections;
  const forPhones = () => {
    const name = bestForPhones(listensEverywhere(host) ? outerNames(origin, '') : [host]);
    return name === null ? null : formatAddress('http', name, portOf(server));
  };

  const choose = (request: IncomingMessage): Answer => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, headers: { allow: 'GET, HEAD' } };
    const [path] = (request.url ?? '/').split('?');
    if (path === '/')
      return { status: 200, type: 'text/html; charset=utf-8', body: renderCertificatePage(pageFor(request)) };
    // No Content-Disposition: an iPhone saves an attachment, but offers to install a certificate.
    if (path === '/fourfold-authority.crt')
      return { status: 200, type: 'application/x-x509-ca-cert', body: local.authority.raw };
    return { status: 404 };
  };

  const pageFor = (request: IncomingMessage): CertificatePage => {
    const names = outerNames(origin, hostOf(request.headers.host));
    return {
      fingerprint: local.authority.fingerprint256,
      validUntil: local.authority.validToDate,
      addresses: names.map((name) => formatAddress('https', name, securePort)),
      stepsAddress: forPhones(),
      beyond: local.beyond(),
    };
  };

  await listen(server, host, port);
  // A connection that could not be accepted.
  server.on('error', () => {});
  return {
    address: forPhones(),
    port: portOf(server),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `the port ${port} for the page with the certificate is already in use. Choose another with HTTP_PORT.`,
      { cause: error },
    );
  }
}

/**
 * Where others reach this server, the name that this caller used first. Loopback is named only to those who came by it,
 * or when there is nothing else.
 */
function outerNames(origin: SecureOrigin, asked: string): string[] {
  const all = origin.names();
  const outer = all.filter((name) => !loopbackNames.includes(name));
  const first = all.includes(asked) ? [asked] : [];
  return [...new Set([...first, ...(outer.length === 0 ? all : outer)])];
}

function hostOf(header: string | undefined): string {
  try {
    return new URL(`http://${header ?? ''}`).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return '';
  }
}

function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  type?: string;
  body?: string | Buffer;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers = {}, type = 'text/plain; charset=utf-8', body = 'There is nothing here.\n' }: Answer,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': certificatePagePolicy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
