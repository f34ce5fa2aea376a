import { X509Certificate } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { EnvRefused } from '../env.ts';
import type { Interfaces } from '../http/local-names.ts';
import { isPermitted, permitFor, wantedNames } from '../http/local-names.ts';
import type { CertificateSource, TlsCertificate } from './tls-certificate.ts';
import { certificateNames, checkPair, readStored, store } from './tls-certificate.ts';

export interface LocalHost {
  hostname: string;
  interfaces: Interfaces;
}

interface LocalCertificateDeps {
  /** The folder of the authority and the certificate. */
  folder: string;
  clock: Clock;
  /** Reads the current names and addresses, which may change at any time. */
  readHost(): LocalHost;
  /** Further names and addresses of this host, from the operator. */
  addedNames: readonly string[];
}

export interface LocalCertificate extends CertificateSource {
  /** The certificate that devices install. */
  readonly authority: X509Certificate;
  /** Names and addresses of this host that the authority may not certify. */
  beyond(): readonly string[];
  /**
   * Public suffixes that the authority may certify, but should not: an authority of an earlier
   * version may be valid for all names below `tv`.
   */
  readonly publicSuffixes: readonly string[];
}

const dayMs = 24 * 3_600_000;
/** A server that runs once a month still renews in time. */
const renewBeforeMs = 60 * dayMs;
/** A clock before this was never set: an authority made by it would expire before its first use. */
const firstSensibleTime = Date.UTC(2026, 0, 1);

/**
 * Opens the certificate of `TLS=local`. The host has its own authority, which is made once and
 * kept. The certificate is reissued well before it expires and when the host gets a name or address
 * that it lacks, without the names that the authority may not certify.
 * @throws EnvRefused if the stored authority cannot be used
 */
export async function openLocalCertificate(deps: LocalCertificateDeps): Promise<LocalCertificate> {
  const readNames = await createNameReader(deps);
  const stored = await readAuthority(deps.folder);
  const authority = stored ?? (await makeStoredAuthority(deps, readNames().own));
  const limits = rememberLimits(authority);
  const top = new X509Certificate(authority.cert);
  let leaf = await readLeaf(deps.folder, top);
  let beyond: readonly string[] = [];

  const renew = async (): Promise<boolean> => {
    const { own: wanted } = readNames();
    const now = deps.clock.now();
    if (leaf !== null && isGood(leaf, now, top) && carries(leaf, wanted, beyond)) return false;
    const { permits, issue } = await limits();
    beyond = wanted.filter((name) => !permits(name));
    const names = wanted.filter(permits);
    if (leaf !== null && isGood(leaf, now, top) && carries(leaf, names, [])) return false;
    leaf = await issue(names, now);
    await store(deps.folder, 'server', leaf);
    return true;
  };
  await renew();
  const { suffixes } = readNames();
  // The X.509 library is slow to load, so the limits are read only if the host has such a name.
  const permits = suffixes.length === 0 || stored === null ? null : (await limits()).permits;

  return {
    authority: top,
    current() {
      if (leaf === null) throw new Error('No certificate was issued.');
      return leaf;
    },
    refresh: renew,
    beyond: () => beyond,
    publicSuffixes: suffixes.filter((name) => permits?.(name)),
  };
}

/**
 * Reads the names of this host and separates the public suffixes among them, because an authority
 * that may certify `tv` may certify every name below it.
 * @throws EnvRefused if the operator has added a public suffix
 */
async function createNameReader({ readHost, addedNames }: LocalCertificateDeps) {
  const isPublicSuffix = await loadSuffixList();
  const refused = addedNames.filter(isPublicSuffix);
  if (refused.length > 0)
    throw new EnvRefused(
      refused.map((name) => `TLS_NAMES: all names below ${name} belong to others; use a longer one, as ${name}.local`),
    );
  return () => {
    const { hostname, interfaces } = readHost();
    const names = wantedNames(hostname, interfaces, addedNames);
    return { own: names.filter((name) => !isPublicSuffix(name)), suffixes: names.filter(isPublicSuffix) };
  };
}

/**
 * Loads the Public Suffix List (https://publicsuffix.org/list/) with its private part. The returned
 * function tells whether a name is a public suffix such as `tv`, `co.uk` or `duckdns.org`, below
 * which names belong to different owners. A single label counts only if it is a top-level domain.
 */
async function loadSuffixList(): Promise<(name: string) => boolean> {
  const { parse } = await import('tldts');
  return (name) => {
    const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
    return publicSuffix === name && (isIcann === true || isPrivate === true);
  };
}

/**
 * Loads the authority's limits on first use. The X.509 library takes longer to load than the rest
 * of the server, and most starts do not need it.
 */
function rememberLimits(authority: TlsCertificate) {
  let known:
    | Promise<{ permits: (name: string) => boolean; issue: (names: string[], now: number) => Promise<TlsCertificate> }>
    | undefined;
  const load = async () => {
    const { issueLeaf, readPermitted } = await import('./local-authority.ts');
    const permitted = readPermitted(authority);
    return {
      permits: (name: string) => isPermitted(permitted, name),
      issue: (names: string[], now: number) => issueLeaf(authority, names, now),
    };
  };
  return () => {
    known ??= load();
    return known;
  };
}

async function readAuthority(folder: string): Promise<TlsCertificate | null> {
  const stored = await readStored(folder, 'authority');
  if (stored === null) return null;
  const { cert, key } = checkPair(stored.cert, stored.key);
  const problems = [
    ...cert.map((problem) => `authority.crt ${problem}`),
    ...key.map((problem) => `authority.key ${problem}`),
  ];
  if (problems.length === 0) return stored;
  throw new EnvRefused(
    problems.map(
      (problem) => `TLS=local: ${folder}/${problem}. Restore it, or move the folder away to make a new authority.`,
    ),
  );
}

async function makeStoredAuthority(
  { folder, clock, readHost }: LocalCertificateDeps,
  names: readonly string[],
): Promise<TlsCertificate> {
  if (clock.now() < firstSensibleTime)
    throw new EnvRefused(["TLS=local: this machine's clock is not set, and certificates carry dates"]);
  const { makeAuthority } = await import('./local-authority.ts');
  const authority = await makeAuthority(readHost().hostname, permitFor(names), clock.now());
  await store(folder, 'authority', authority);
  return authority;
}

async function readLeaf(folder: string, authority: X509Certificate): Promise<TlsCertificate | null> {
  const stored = await readStored(folder, 'server');
  if (stored === null) return null;
  const { cert, key } = checkPair(stored.cert, stored.key);
  if (cert.length + key.length > 0) return null;
  const own = new X509Certificate(stored.cert);
  return own.checkIssued(authority) && own.verify(authority.publicKey) ? stored : null;
}

/**
 * A certificate that expires together with its authority is not renewed early, since a new one
 * could not last longer.
 */
function isGood({ cert }: TlsCertificate, now: number, authority: X509Certificate): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const renewAt =
    validToDate.getTime() === authority.validToDate.getTime()
      ? validToDate.getTime()
      : validToDate.getTime() - renewBeforeMs;
  return validFromDate.getTime() <= now && now < renewAt;
}

function carries(leaf: TlsCertificate, wanted: readonly string[], except: readonly string[]): boolean {
  const carried = new Set(certificateNames(leaf));
  return wanted.every((name) => carried.has(name) || except.includes(name));
}
