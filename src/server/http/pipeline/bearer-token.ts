/** The token of an `Authorization` header (RFC 6750 section 2.1); null without one. */
export function readBearerToken(authorization: string | undefined): string | null {
  return /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
