import { readFile } from 'node:fs/promises';
import { EnvRefused } from '../env.ts';
import type { TlsCertificate } from './tls-certificate.ts';
import { checkPair } from './tls-certificate.ts';

/** A certificate that may be another one tomorrow. */
export interface CertificateSource {
  current(): TlsCertificate;
  /** Looks again. True when `current` is a new one. */
  refresh(): Promise<boolean>;
}

interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/**
 * The operator's own certificate. Its files are read again and again, not watched: renewal tools replace links, folders
 * and mounts, which a watch loses.
 * @throws EnvRefused with everything that is wrong with them
 */
export async function openCertificateFiles(files: CertificateFiles): Promise<CertificateSource> {
  let present = await readCertificate(files);
  return {
    current: () => present,
    /**
     * @throws EnvRefused while the new files do not fit together (tools write one after the other); the old certificate
     * stays
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
