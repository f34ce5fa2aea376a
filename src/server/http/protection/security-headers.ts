import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyHelmetOptions } from '@fastify/helmet';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';
import { isBelowCallFolder } from '#contract/server-paths.ts';

/**
 * The sources that the app may load and run. `blob:` is for playing saved videos; plain http stays
 * allowed, for TVs in a home network. Pages contain no inline script or style, and no text becomes
 * a script: the only script URL that the app sets, its worker's, goes through a Trusted Types
 * policy.
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
  /** The address that page views are sent to, if the operator set one. */
  analyticsEndpoint: string | undefined;
  /** The origin that bytes of videos come from besides this one; null for none. */
  mediaOrigin: string | null;
  /** The built app. */
  appFolder: string;
  /** Whether the server's own TLS uses a certificate that every browser accepts. */
  isPubliclyTrusted: () => boolean;
}

export async function addSecurityHeaders(
  app: FastifyInstance,
  { analyticsEndpoint, mediaOrigin, appFolder, isPubliclyTrusted }: Origin,
): Promise<void> {
  const { directives } = contentSecurityPolicy;
  const analytics = analyticsEndpoint === undefined ? [] : [new URL(analyticsEndpoint).origin];
  const delivery = mediaOrigin === null ? [] : [mediaOrigin];
  // The app fetches the first bytes of a video, and those of one that it keeps.
  const connect = [...directives['connect-src'], ...analytics, ...delivery];
  const media = [...directives['media-src'], ...delivery];
  const scripts = [...directives['script-src'], ...(await hashInlineScripts(join(appFolder, 'index.html')))];
  const headers = await askHelmet({
    contentSecurityPolicy: {
      ...contentSecurityPolicy,
      directives: { ...directives, 'connect-src': connect, 'media-src': media, 'script-src': scripts },
    },
    // `same-origin` would cut the sign-in window off from the page that opened it.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // These headers are for browsers older than the supported ones.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xDnsPrefetchControl: false,
    // The hook below sets this header only where it is safe.
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
 * Gets the headers from helmet once: it composes the same ones for every answer, which costs more
 * than all other hooks together.
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
 * `Strict-Transport-Security` is sent only with a publicly trusted certificate on the default port.
 * A browser applies it to every port of a host, and then allows nobody to bypass a certificate
 * warning. With a local authority it would block the page that offers the authority's certificate,
 * and lock out each device that has not installed it; on another port it would bind the other
 * services of that host. Behind a proxy, sending it is up to the proxy.
 */
const namesPort = /:\d+$/;

const inlineScript = /<script>([\s\S]*?)<\/script>/g;

/** The hashes of a page's inline scripts for its CSP; none if the app is not built. */
export async function hashInlineScripts(page: string): Promise<string[]> {
  const html = await readFile(page, 'utf8').catch(() => '');
  return [...html.matchAll(inlineScript)].map(
    ([, code]) =>
      `'sha256-${createHash('sha256')
        .update(code ?? '')
        .digest('base64')}'`,
  );
}
