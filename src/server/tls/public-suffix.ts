import { parse } from 'tldts';

/**
 * Whether all names below this one belong to others: `tv`, `co.uk`, `duckdns.org`. By the Public Suffix List, its
 * private part included; a single label that is no top-level domain is none. https://publicsuffix.org/list/
 */
export function isPublicSuffix(name: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  return publicSuffix === name && (isIcann === true || isPrivate === true);
}
