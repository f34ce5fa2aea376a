import './reflect-metadata.ts';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Permitted } from '../http/addresses/local-names.ts';
import { nameConstraints, nameConstraintsId, readNameConstraints } from './name-constraints.ts';
import type { TlsCertificate } from './tls-certificate.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 3_600_000;
/**
 * AccountServices install an authority by hand on each device, and nothing can replace it from afar: ten years are
 * longer than those devices last.
 */
const authorityLifeMs = 3_652 * dayMs;
/** Browsers refuse 398 days and more. A day of it lies in the past, for devices whose clock is behind. */
const leafLifeMs = 396 * dayMs;
const clockSkewMs = dayMs;
/** Longer common names are not allowed (RFC 5280 appendix A.1: 64). */
const maxHostLetters = 40;

/** A new authority, which may vouch for `permitted` and for nothing else, not even for another authority. */
export async function makeAuthority(hostname: string, permitted: Permitted, now: number): Promise<TlsCertificate> {
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: [
      { CN: [`Fourfold on ${hostname.slice(0, maxHostLetters)} (${new Date(now).toISOString().slice(0, 10)})`] },
      { O: ['Fourfold local authority'] },
    ],
    notBefore: new Date(now - clockSkewMs),
    notAfter: new Date(now + authorityLifeMs),
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      nameConstraints(permitted),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toPem(certificate, keys);
}

/** A certificate with a key of its own. One name that the authority may not vouch for would spoil it whole. */
export async function issueLeaf(
  authority: TlsCertificate,
  names: readonly string[],
  now: number,
): Promise<TlsCertificate> {
  const issuer = new X509Certificate(authority.cert);
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.create({
    publicKey: keys.publicKey,
    signingKey: await readKey(authority.key),
    issuer: issuer.subjectName,
    subject: [{ CN: ['Fourfold in the local network'] }],
    notBefore: new Date(Math.max(now - clockSkewMs, issuer.notBefore.getTime())),
    notAfter: new Date(Math.min(now + leafLifeMs, issuer.notAfter.getTime())),
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return toPem(certificate, keys);
}

export function readPermitted(authority: TlsCertificate): Permitted {
  return readNameConstraints(new X509Certificate(authority.cert).getExtension(nameConstraintsId));
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function readKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), algorithm, false, ['sign']);
}

async function toPem(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<TlsCertificate> {
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n` };
}
