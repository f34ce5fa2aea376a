import { isIPv4, isIPv6 } from 'node:net';
import type { Interfaces } from './local-names.ts';
import { lanAddresses, loopbackNames } from './local-names.ts';

/** Where the server listens, and what its certificate says. */
export interface Listening {
  host: string;
  port: number;
  interfaces: Interfaces;
  /** What the certificate vouches for; null without TLS. */
  names: readonly string[] | null;
}

/** The addresses by which browsers reach the server, best first. */
export interface Reach {
  /** From this machine itself. */
  own: string[];
  /** From others in the network. */
  others: string[];
  /** For a QR code: the one that most phones can open. */
  phone: string | null;
}

export function reachOf({ host, port, interfaces, names }: Listening): Reach {
  const all = names?.filter((name) => !name.includes('*')) ?? ['localhost', ...lanAddresses(interfaces).filter((found) => isIPv4(found))];
  const isEverywhere = listensEverywhere(host) || (names !== null && !all.includes(host));
  const hosts = isEverywhere ? all : [host];
  const write = (name: string) => formatAddress(names === null ? 'http' : 'https', name, port);
  const others = hosts.filter((name) => !loopbackNames.includes(name));
  return {
    own: hosts
      .filter((name) => loopbackNames.includes(name))
      .slice(0, 1)
      .map(write),
    others: others.map(write),
    phone: others.length === 0 ? null : write(bestForPhones(others)),
  };
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

/** Every phone reaches an IPv4 address; not every one resolves a name of the local network. */
export function bestForPhones(names: readonly string[]): string {
  return names.find((name) => isIPv4(name) && !loopbackNames.includes(name)) ?? names[0] ?? 'localhost';
}
