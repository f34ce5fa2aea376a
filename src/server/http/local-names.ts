import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { nameShape } from '../env-variables.ts';
import { isLoopback } from './client-address.ts';

/** Names and addresses of this host, and what an authority may vouch for. All of it is plain arithmetic on text. */

export type Interfaces = Record<string, NetworkInterfaceInfo[] | undefined>;

/** What a local authority may vouch for, as it stands in its own certificate. */
export interface Permitted {
  /** Each with all names below it (RFC 5280 section 4.2.1.10). */
  names: string[];
  /** `192.168.0.0/16` */
  ranges: string[];
}

/** Networks that containers and virtual machines make on this host: no phone is in them. */
const inner = /^(docker\d|br-|veth|virbr|cni|flannel|cali|podman|lxc|lxdbr|vmnet|vboxnet)/;

const privateBlocks = ['192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/8'];
const loopbackRanges = ['127.0.0.0/8', '::1/128'];
export const loopbackNames = ['localhost', '127.0.0.1', '::1'];

/** Whether a host leads every device to itself. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host);
}

/**
 * `nas` answers as `nas`, and as `nas.local` to those who ask by multicast; a longer name stays beside its first part.
 */
export function hostNames(hostname: string): string[] {
  const full = hostname.toLowerCase().replace(/\.$/, '');
  if (isIP(full) !== 0) return [];
  const [first = ''] = full.split('.');
  return unique([full, first, `${first}.local`].filter((name) => nameShape.test(name)));
}

/**
 * The addresses by which others in the network reach this host. Public IPv6 addresses are left out: they change by the
 * day, and a name or an IPv4 address leads here as well; so are those that are good on one link only.
 */
export function lanAddresses(interfaces: Interfaces): string[] {
  const outer = Object.entries(interfaces).flatMap(([name, infos]) => (inner.test(name) ? [] : (infos ?? [])));
  const reachable = outer.filter(
    ({ internal, address }) =>
      !internal && (isIPv4(address) ? !isIn('169.254.0.0/16', address) : isIn('fc00::/7', address)),
  );
  return unique(reachable.map(({ address }) => address));
}

/** Everything that a certificate of this host should name, most useful first. */
export function wantedNames(hostname: string, interfaces: Interfaces, added: readonly string[]): string[] {
  return unique([...added, ...hostNames(hostname), ...lanAddresses(interfaces), ...loopbackNames]);
}

/**
 * What a new authority is limited to: the names, and for each address the private block that its network hands out
 * addresses from, so that a new lease or another router does not make every device install a new authority. A public
 * address stands for itself alone. A host without any network yet gets all private blocks.
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

/** RFC 4193 section 3.1: the first 48 bits of a local IPv6 address name the site. */
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

/** Where the server listens, and what its certificate says. */
interface Listening {
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
