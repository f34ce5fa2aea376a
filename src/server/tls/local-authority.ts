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
 * People install an authority by hand on each device, and it cannot be replaced remotely. Ten years
 * are longer than those devices last.
 */
const authorityLifeMs = 3_652 * dayMs;
/** Browsers refuse 398 days and more. One day lies in the past, for devices whose clock is slow. */
const leafLifeMs = 396 * dayMs;
const clockSkewMs = dayMs;
/** Keeps the common name within 64 characters (RFC 5280 appendix A.1). */
const maxHostLetters = 40;

/** Makes an authority that may certify the `permitted` names only, and no further authorities. */
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

/**
 * Issues a server certificate with its own key. Devices refuse the whole certificate if it has a
 * name that the authority may not certify.
 */
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
 * Name constraints (RFC 5280 section 4.2.1.10), which the X.509 library has no class for: `SEQUENCE
 * { [0] SEQUENCE OF SEQUENCE { base } }`, permitted names only.
 */
const nameConstraintsId = '2.5.29.30';

const tag = { sequence: 0x30, permitted: 0xa0 };

/** The extension is critical: clients that do not understand it have to refuse the authority. */
function nameConstraints({ names, ranges }: Permitted): Extension {
  const bases = [
    ...names.map((name) => new GeneralName('dns', name)),
    ...ranges.map((range) => new GeneralName('ip', range)),
  ];
  const subtrees = bases.map((base) => element(tag.sequence, Buffer.from(base.rawData)));
  return new Extension(nameConstraintsId, true, element(tag.sequence, element(tag.permitted, Buffer.concat(subtrees))));
}

/**
 * Reads what `nameConstraints` has written. In the constraints of other authorities it finds no
 * permitted names.
 */
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

/**
 * A DER element (X.690 section 8.1.3): one byte holds a length below 128; other lengths follow the
 * number of their bytes.
 */
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
