import './reflect-metadata.ts';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  GeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Permitted } from '../http/local-names.ts';
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

/**
 * RFC 5280 section 4.2.1.10, which the X.509 library has no class for: `SEQUENCE { [0] SEQUENCE OF SEQUENCE { base }
 * }`, permitted names only.
 */

const nameConstraintsId = '2.5.29.30';

const tag = { sequence: 0x30, permitted: 0xa0 };

/** Critical: who does not understand it has to refuse the authority. */
function nameConstraints({ names, ranges }: Permitted): Extension {
  const bases = [
    ...names.map((name) => new GeneralName('dns', name)),
    ...ranges.map((range) => new GeneralName('ip', range)),
  ];
  const subtrees = bases.map((base) => element(tag.sequence, Buffer.from(base.rawData)));
  return new Extension(nameConstraintsId, true, element(tag.sequence, element(tag.permitted, Buffer.concat(subtrees))));
}

/** What `nameConstraints` wrote. Others' names come out as nothing permitted. */
function readNameConstraints(extension: Extension | null): Permitted {
  const permitted: Permitted = { names: [], ranges: [] };
  if (extension === null) return permitted;
  const [outer] = elements(Buffer.from(extension.value));
  for (const part of elements(outer?.content ?? Buffer.alloc(0)).filter((found) => found.tag === tag.permitted)) {
    for (const subtree of elements(part.content)) {
      const base = new GeneralName(subtree.content);
      if (base.type === 'dns') permitted.names.push(base.value);
      if (base.type === 'ip') permitted.ranges.push(base.value);
    }
  }
  return permitted;
}

interface Element {
  tag: number;
  content: Buffer;
}

/** X.690 section 8.1.3: lengths below 128 in one byte, others behind the number of their bytes. */
function element(kind: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([kind, ...size]), content]);
}

function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 1 < bytes.length; ) {
    const first = bytes.readUInt8(at + 1);
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    const length = sizeBytes === 0 ? first : bytes.readUIntBE(at + 2, sizeBytes);
    const start = at + 2 + sizeBytes;
    found.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
