import { parse } from 'tldts';

/**
 * Whether a name is a public suffix such as `tv`, `co.uk` or `duckdns.org`, below which names
 * belong to different owners. Includes the private part of the Public Suffix List
 * (https://publicsuffix.org/list/). A single label counts only if it is a top-level domain.
 */
export function isPublicSuffix(name: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  return publicSuffix === name && (isIcann === true || isPrivate === true);
}
