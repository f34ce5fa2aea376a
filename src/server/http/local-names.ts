import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { nameShape } from '../env-variables.ts';
import { isLoopback } from './client-address.ts';

export type Interfaces = Record<string, NetworkInterfaceInfo[] | undefined>;

/** The names and ranges that a local authority may certify, as in its own certificate. */
export interface Permitted {
  /** Each name includes all names below it (RFC 5280 section 4.2.1.10). */
  names: string[];
  /** Networks such as `192.168.0.0/16`. */
  ranges: string[];
}

/** Interfaces of containers and virtual machines on this host; no phone is in their networks. */
const inner = /^(docker\d|br-|veth|virbr|cni|flannel|cali|podman|lxc|lxdbr|vmnet|vboxnet)/;

const privateBlocks = ['192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/8'];
const loopbackRanges = ['127.0.0.0/8', '::1/128'];
export const loopbackNames = ['localhost', '127.0.0.1', '::1'];

/** Whether a host is a loopback name or address, which leads every device to itself. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host);
}

/**
 * The names that a host answers to: `nas` as `nas`, and as `nas.local` over multicast DNS. A longer
 * name is kept along with its first label.
 */
export function hostNames(hostname: string): string[] {
  const full = hostname.toLowerCase().replace(/\.$/, '');
  if (isIP(full) !== 0) return [];
  const [first = ''] = full.split('.');
  return unique([full, first, `${first}.local`].filter((name) => nameShape.test(name)));
}

/**
 * The addresses by which other devices in the network reach this host. Public IPv6 addresses are
 * left out, because they change daily and a name or an IPv4 address works as well; so are
 * link-local addresses.
 */
export function lanAddresses(interfaces: Interfaces): string[] {
  const outer = Object.entries(interfaces).flatMap(([name, infos]) => (inner.test(name) ? [] : (infos ?? [])));
  const reachable = outer.filter(
    ({ internal, address }) =>
      !internal && (isIPv4(address) ? !isIn('169.254.0.0/16', address) : isIn('fc00::/7', address)),
  );
  return unique(reachable.map(({ address }) => address));
}

/** All names that a certificate of this host should contain, most useful first. */
export function wantedNames(hostname: string, interfaces: Interfaces, added: readonly string[]): string[] {
  return unique([...added, ...hostNames(hostname), ...lanAddresses(interfaces), ...loopbackNames]);
}

/**
 * The limits of a new authority: the given names, and for each address the private block around it,
 * so that a new DHCP lease or another router does not require a new authority on every device. A
 * public address is permitted alone. A host without any network gets all private blocks.
 */
export function permitFor(names: readonly string[]): Permitted {
  const addresses = names.filter((name) => isIP(name) !== 0 && !loopbackNames.includes(name));
  const ranges = addresses.some((address) => isIPv4(address))
    ? addresses.map(rangeFor)
    : [...privateBlocks, ...addresses.map(rangeFor)];
  return { names: names.filter((name) => isIP(name) === 0), ranges: unique([...ranges, ...loopbackRanges]) };
}

export function isPermitted({ names, ranges }: Permitted, name: string): boolean {
  if (isIP(name) !== 0) return ranges.some((range) => isIn(range, name));
  return names.some((base) => name === base || name.endsWith(`.${base}`));
}

function rangeFor(address: string): string {
  if (isIPv4(address)) return privateBlocks.find((block) => isIn(block, address)) ?? `${address}/32`;
  return isIn('fc00::/7', address) ? siteOf(address) : `${address}/128`;
}

/** The site prefix of a local IPv6 address: its first 48 bits (RFC 4193 section 3.1). */
function siteOf(address: string): string {
  const [left = '', right] = address.split('::');
  const before = left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  const [first, second, third] = [...before, ...zeros, ...after];
  return `${new URL(`http://[${first}:${second}:${third}::]`).hostname.slice(1, -1)}/48`;
}

function isIn(range: string, address: string): boolean {
  const [network = '', bits] = range.split('/');
  if (isIPv6(network) !== isIPv6(address)) return false;
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The addresses that the server listens on, and the names in its certificate. */
interface Listening {
  host: string;
  port: number;
  interfaces: Interfaces;
  /** The names in the certificate; null without TLS. */
  names: readonly string[] | null;
}

/** The addresses by which browsers reach the server, best first. */
export interface ListenAddresses {
  /** Addresses for browsers on this machine. */
  own: string[];
  /** Addresses for other devices in the network. */
  others: string[];
  /** The address for a QR code: the one that most phones can open. */
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
 * The origin by which other devices reach the site: a loopback host is replaced by an address in
 * the network. Null when there is none.
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

/** Whether a server on this host address is reachable by all addresses of the machine. */
export function listensEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Formats an origin: `https://nas.local:4400`, `https://[fd00::2]`. */
export function formatAddress(scheme: 'http' | 'https', name: string, port: number): string {
  const isDefault = port === (scheme === 'https' ? 443 : 80);
  return `${scheme}://${isIPv6(name) ? `[${name}]` : name}${isDefault ? '' : `:${port}`}`;
}

/**
 * Picks the best name for phones: any phone reaches an IPv4 address, but some cannot resolve names
 * of the local network. Null when all of them are loopback.
 */
export function bestForPhones(names: readonly string[]): string | null {
  const others = names.filter((name) => !isLoopbackHost(name));
  return others.find((name) => isIPv4(name)) ?? others[0] ?? null;
}
