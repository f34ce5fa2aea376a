import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyHelmetOptions } from '@fastify/helmet';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';
import { isBelowCallFolder } from '#contract/server-paths.ts';

/**
 * What the app may load and do. `blob:` is where saved videos play from; plain http stays allowed, for TVs in a home
 * network. No script and no style stands inside a page, and no text becomes a script: the one address that the app
 * runs, its worker's, goes through a policy of its own.
 */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    'default-src': ["'self'"],
    'base-uri': ["'none'"],
    'connect-src': ["'self'"],
    'font-src': ["'self'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'img-src': ["'self'", 'blob:', 'data:'],
    'media-src': ["'self'", 'blob:'],
    'object-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'worker-src': ["'self'"],
    'manifest-src': ["'self'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['fourfold-worker'],
  },
};

interface Origin {
  /** Where page views go, when the operator named a place. */
  analyticsEndpoint: string | undefined;
  /** The built app. */
  appFolder: string;
  /** Whether our own TLS uses a certificate that every browser accepts. */
  isPubliclyTrusted: () => boolean;
}

export async function addSecurityHeaders(
  app: FastifyInstance,
  { analyticsEndpoint, appFolder, isPubliclyTrusted }: Origin,
): Promise<void> {
  const { directives } = contentSecurityPolicy;
  const connect =
    analyticsEndpoint === undefined
      ? directives['connect-src']
      : [...directives['connect-src'], new URL(analyticsEndpoint).origin];
  const scripts = [...directives['script-src'], ...(await hashInlineScripts(join(appFolder, 'index.html')))];
  const headers = await askHelmet({
    contentSecurityPolicy: {
      ...contentSecurityPolicy,
      directives: { ...directives, 'connect-src': connect, 'script-src': scripts },
    },
    // `same-origin` would cut the sign-in window off from the page that opened it.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // Meant for browsers older than any that we serve.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xDnsPrefetchControl: false,
    // Only where it is safe, see below.
    strictTransportSecurity: false,
  });
  const privateHeaders = { ...headers, 'cache-control': 'no-store' };
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(isBelowCallFolder(request.url) ? privateHeaders : headers);
    if (isPubliclyTrusted() && !namesPort.test(request.host))
      reply.header('strict-transport-security', 'max-age=31536000');
  });
}

/**
 * It says the same in every answer and composes it anew each time, which costs more than all our hooks: so it is asked
 * once.
 */
async function askHelmet(options: FastifyHelmetOptions): Promise<Record<string, string>> {
  const asked = fastify();
  await asked.register(helmet, options);
  asked.get('/', async (_, reply) => reply.raw.getHeaders());
  const answer = await asked.inject('/');
  await asked.close();
  return answer.json();
}

/**
 * A browser keeps 'https only' for a whole host name, every port of it, and then lets nobody pass a certificate
 * warning. With a local authority that would close the page that hands out its certificate and lock out each device
 * that has not installed it; on a port of its own it would bind the other services of that host. So it is promised only
 * with a public certificate on the usual port. Behind a proxy it is the proxy's to promise.
 */
const namesPort = /:\d+$/;

const inlineScript = /<script>([\s\S]*?)<\/script>/g;

/**
 * The scripts that a page of ours carries in itself, as its Content-Security-Policy names them. None where the app is
 * not built.
 */
export async function hashInlineScripts(page: string): Promise<string[]> {
  const html = await readFile(page, 'utf8').catch(() => '');
  return [...html.matchAll(inlineScript)].map(
    ([, code]) =>
      `'sha256-${createHash('sha256')
        .update(code ?? '')
        .digest('base64')}'`,
  );
}
