import { isIPv4, isIPv6 } from 'node:net';
import type { Interfaces } from './local-names.ts';
import { isLoopbackHost, lanAddresses } from './local-names.ts';

/** Where the server listens, and what its certificate says. */
export interface Listening {
  host: string;
  port: number;
  interfaces: Interfaces;
  /** What the certificate vouches for; null without TLS. */
  names: readonly string[] | null;
}

/** The addresses by which browsers reach the server, best first. */
export interface ListenAddresses {
  /** From this machine itself. */
  own: string[];
  /** From others in the network. */
  others: string[];
  /** For a QR code: the one that most phones can open. */
  phone: string | null;
}

export function findListenAddresses(listening: Listening): ListenAddresses {
  const { port, names } = listening;
  const hosts = hostsOf(listening);
  const write = (name: string) => formatAddress(names === null ? 'http' : 'https', name, port);
  const others = hosts.filter((name) => !isLoopbackHost(name));
  const phone = bestForPhones(others);
  return {
    own: hosts.filter(isLoopbackHost).slice(0, 1).map(write),
    others: others.map(write),
    phone: phone === null ? null : write(phone),
  };
}

/**
 * An origin as other devices reach it: loopback, by which somebody on this machine came, gives way to an address in the
 * network. Null when there is none.
 */
export function originForOthers(origin: string, listening: Omit<Listening, 'port'>): string | null {
  const url = new URL(origin);
  if (!isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''))) return url.origin;
  const name = bestForPhones(hostsOf(listening));
  if (name === null) return null;
  url.hostname = isIPv6(name) ? `[${name}]` : name;
  return url.origin;
}

function hostsOf({ host, interfaces, names }: Omit<Listening, 'port'>): string[] {
  const all = names?.filter((name) => !name.includes('*')) ?? [
    'localhost',
    ...lanAddresses(interfaces).filter((found) => isIPv4(found)),
  ];
  const isEverywhere = listensEverywhere(host) || (names !== null && !all.includes(host));
  return isEverywhere ? all : [host];
}

/** Whether a server on this host address is reached by all addresses of the machine. */
export function listensEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** `https://nas.local:4400`, `https://[fd00::2]` */
export function formatAddress(scheme: 'http' | 'https', name: string, port: number): string {
  const isDefault = port === (scheme === 'https' ? 443 : 80);
  return `${scheme}://${isIPv6(name) ? `[${name}]` : name}${isDefault ? '' : `:${port}`}`;
}

/**
 * Every phone reaches an IPv4 address; not every one resolves a name of the local network. Null when all lead a phone
 * to itself.
 */
export function bestForPhones(names: readonly string[]): string | null {
  const others = names.filter((name) => !isLoopbackHost(name));
  return others.find((name) => isIPv4(name)) ?? others[0] ?? null;
}
