import type { FastifyRequest } from 'fastify';
import { clientAddress, isLoopback } from '../../http/addresses/client-address.ts';
import { viewerOf } from '../../http/pipeline/viewer-cookie.ts';
import { auditSourceOf } from '../../http/protection/audit.ts';
import type { Visitor } from './auth-deps.ts';
import { deviceName } from './device-name.ts';

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Where a call comes from. `viewer` is given when the browser has just got its name. */
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

/** Not what a proxy on this machine passes on: neither its headers nor another host's name are there. */
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
