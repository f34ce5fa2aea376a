import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress, isLoopback } from '../../http/client-address.ts';
import { ownCookie, viewerOf } from '../../http/pipeline/cookies.ts';
import { auditSourceOf } from '../../http/protection/audit.ts';
import type { Visitor } from './auth-deps.ts';

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** The sender of a call. `viewer` is passed when the browser has just been given its id. */
export function visitorOf(request: FastifyRequest, viewer = viewerOf(request)): Visitor {
  const device = deviceName(request.headers['user-agent']);
  return {
    address: clientAddress(request),
    source: auditSourceOf(request),
    isLocal: isOnThisMachine(request),
    viewer,
    device,
  };
}

/**
 * The most specific first, because nearly every browser also claims to be Chrome, and every Chrome
 * to be Safari.
 */
const browsers: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/Web0S|webOS/i, 'an LG TV'],
  [/Tizen/, 'a Samsung TV'],
  [/VIDAA/, 'a Hisense TV'],
  [/AFT\w+|Fire TV/, 'Fire TV'],
  [/Xbox/, 'Xbox'],
  [/iPad/, 'iPad'],
  [/iPhone/, 'iPhone'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/**
 * The device in words for its owner: 'Firefox on Linux'. No other part of the user agent is stored
 * or shown.
 */
export function deviceName(userAgent: string | undefined): string {
  const agent = (userAgent ?? '').slice(0, 1_000);
  const browser = nameIn(browsers, agent);
  const system = nameIn(systems, agent);
  if (browser !== null && system !== null) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
}

/**
 * Whether the call comes from this machine itself. A proxy on this machine adds headers or passes
 * on another host name.
 */
function isOnThisMachine(request: FastifyRequest): boolean {
  const isProxied = proxyHeaders.some((name) => request.headers[name] !== undefined);
  return (
    !isProxied &&
    isLoopback(request.socket.remoteAddress ?? '') &&
    isLoopbackName(hostOf(request.headers.host)) &&
    isOwnPage(request.headers.origin)
  );
}

function isOwnPage(origin: string | undefined): boolean {
  return origin === undefined || (URL.canParse(origin) && isLoopbackName(new URL(origin).hostname));
}

function hostOf(host = ''): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''));
}

function nameIn(names: readonly [RegExp, string][], agent: string): string | null {
  return names.find(([sign]) => sign.test(agent))?.[1] ?? null;
}

const cookieName = 'invitation';

/** The path of the provider visits, the only requests that need the cookie. */
const cookiePath = '/auth/oauth';

const cookieSeconds = 3_600;

export const invitationCookie = {
  /** Carries the invitation token to the visit of a provider without putting it into a URL. */
  set(request: FastifyRequest, reply: FastifyReply, token: string): void {
    ownCookie.set(request, reply, cookieName, token, cookieSeconds, cookiePath);
  },

  read(request: FastifyRequest): string | undefined {
    return ownCookie.read(request, cookieName, cookiePath);
  },

  clear(request: FastifyRequest, reply: FastifyReply): void {
    ownCookie.clear(request, reply, cookieName, cookiePath);
  },
};
