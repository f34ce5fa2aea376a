import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { EnvRefused } from '../env.ts';

/** A TLS server's certificate chain and private key, in PEM form. */
export interface TlsCertificate {
  /** The server's own certificate, followed by the intermediate ones. */
  cert: string;
  key: string;
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Problems that prevent using the two together, as sentence parts that follow the file's name. Both
 * lists are empty if there are none.
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

/** The names and addresses of a certificate, in its order. */
export function certificateNames({ cert }: TlsCertificate): string[] {
  const names = new X509Certificate(cert).subjectAltName ?? '';
  return names.split(', ').flatMap((entry) => {
    const [kind, name] = split(entry, ':');
    return kind === 'DNS' || kind === 'IP Address' ? [kind === 'DNS' ? name : shortAddress(name)] : [];
  });
}

/** Whether a certificate's chain leads to an authority that browsers trust by default. */
export function isPubliclyTrusted({ cert }: TlsCertificate): boolean {
  const last = cert.match(pemBlock)?.at(-1);
  if (last === undefined) return false;
  const top = new X509Certificate(last);
  return rootCertificates.some((pem) => {
    const root = new X509Certificate(pem);
    return top.fingerprint256 === root.fingerprint256 || (top.checkIssued(root) && top.verify(root.publicKey));
  });
}

/** Shortens an IPv6 address, which OpenSSL writes with all eight parts. */
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

/** A source whose certificate can change. */
export interface CertificateSource {
  current(): TlsCertificate;
  /** Checks for a new certificate. True if `current` has changed. */
  refresh(): Promise<boolean>;
}

interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/**
 * Opens the operator's own certificate. The files are read repeatedly, not watched, because renewal
 * tools replace links, folders and mounts, and a watch would lose them.
 * @throws EnvRefused with all problems of the files
 */
export async function openCertificateFiles(files: CertificateFiles): Promise<CertificateSource> {
  let present = await readCertificate(files);
  return {
    current: () => present,
    /**
     * @throws EnvRefused while the new files do not fit together, as tools write one after the
     * other; the old certificate stays in use
     */
    async refresh() {
      const found = await readCertificate(files);
      if (found.cert === present.cert && found.key === present.key) return false;
      present = found;
      return true;
    },
  };
}

async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<TlsCertificate> {
  const [cert, key] = await Promise.allSettled([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  const problems = [...unreadable('TLS_CERT_FILE', certFile, cert), ...unreadable('TLS_KEY_FILE', keyFile, key)];
  if (cert.status === 'fulfilled' && key.status === 'fulfilled') {
    const found = checkPair(cert.value, key.value);
    problems.push(
      ...found.cert.map((problem) => `TLS_CERT_FILE ${certFile} ${problem}`),
      ...found.key.map((problem) => `TLS_KEY_FILE ${keyFile} ${problem}`),
    );
    if (problems.length === 0) return { cert: cert.value, key: key.value };
  }
  throw new EnvRefused(problems);
}

function unreadable(variable: string, file: string, outcome: PromiseSettledResult<string>): string[] {
  if (outcome.status === 'fulfilled') return [];
  const { code = '' } = outcome.reason as NodeJS.ErrnoException;
  return [`${variable} ${file} cannot be read${code === '' ? '' : ` (${code})`}`];
}

const onlyOwner = { folder: 0o700, file: 0o600 };

/** Reads a stored certificate, or null if there is none. Restores the key file's private mode. */
export async function readStored(folder: string, name: string): Promise<TlsCertificate | null> {
  const cert = await readFile(join(folder, `${name}.crt`), 'utf8').catch(nullWhenMissing);
  if (cert === null) return null;
  const keyFile = join(folder, `${name}.key`);
  const key = await readFile(keyFile, 'utf8').catch(nullWhenMissing);
  if (key !== null) await chmod(keyFile, onlyOwner.file);
  return { cert, key: key ?? '' };
}

/** Writes the certificate last, because a key without a certificate is ignored. */
export async function store(folder: string, name: string, { cert, key }: TlsCertificate): Promise<void> {
  await mkdir(folder, { recursive: true, mode: onlyOwner.folder });
  await chmod(folder, onlyOwner.folder);
  await replaceFile(join(folder, `${name}.key`), key);
  await replaceFile(join(folder, `${name}.crt`), cert);
}

async function replaceFile(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', onlyOwner.file);
  try {
    // A file left over from a crash keeps its old mode.
    await handle.chmod(onlyOwner.file);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
