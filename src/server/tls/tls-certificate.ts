import { createPrivateKey, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** What a TLS server shows and proves, as PEM. */
export interface TlsCertificate {
  /** The server's own certificate first, then those that lead to its authority. */
  cert: string;
  key: string;
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What keeps these two from being used together, as sentences that begin after the name of the file; empty when all is
 * well.
 */
export function checkPair(cert: string, key: string): { cert: string[]; key: string[] } {
  const problems: { cert: string[]; key: string[] } = { cert: [], key: [] };
  const own = read(() => new X509Certificate(cert));
  const privateKey = read(() => createPrivateKey(key));
  if (own === null) problems.cert.push('holds no certificate in PEM form');
  if (privateKey === null) problems.key.push('holds no private key in PEM form, or one behind a password');
  if (own !== null && privateKey !== null && !own.checkPrivateKey(privateKey))
    problems.key.push('belongs to another certificate');
  return problems;
}

/** The names and addresses that a certificate vouches for, in its order. */
export function namesOf({ cert }: TlsCertificate): string[] {
  const names = new X509Certificate(cert).subjectAltName ?? '';
  return names.split(', ').flatMap((entry) => {
    const [kind, name] = split(entry, ':');
    return kind === 'DNS' || kind === 'IP Address' ? [kind === 'DNS' ? name : shortAddress(name)] : [];
  });
}

/** Whether browsers know the authority behind a certificate without anybody's doing. */
export function isPubliclyTrusted({ cert }: TlsCertificate): boolean {
  const last = cert.match(pemBlock)?.at(-1);
  if (last === undefined) return false;
  const top = new X509Certificate(last);
  return rootCertificates.some((pem) => {
    const root = new X509Certificate(pem);
    return top.fingerprint256 === root.fingerprint256 || (top.checkIssued(root) && top.verify(root.publicKey));
  });
}

/** IPv6 in its short form: OpenSSL writes all eight parts out. */
function shortAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function read<Value>(make: () => Value): Value | null {
  try {
    return make();
  } catch {
    return null;
  }
}
