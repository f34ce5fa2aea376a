import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EnvRefused } from '#server/env.ts';
import { permitFor } from '#server/http/local-names.ts';
import { issueLeaf, makeAuthority } from '#server/tls/local-authority.ts';
import type { TlsCertificate } from '#server/tls/tls-certificate.ts';
import { isPubliclyTrusted, openCertificateFiles } from '#server/tls/tls-certificate.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const authority = await makeAuthority('nas', permitFor(['nas']), Date.now());
const certificate = () => issueLeaf(authority, ['nas'], Date.now());

function write({ cert, key }: TlsCertificate, folder = temporaryFolder()) {
  const files = { certFile: join(folder, 'full chain.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
  return { folder, files };
}

async function refusalOf(opening: Promise<unknown>): Promise<readonly string[]> {
  const error = await opening.catch((refused: unknown) => refused);
  return error instanceof EnvRefused ? error.problems : [];
}

test('a key of another certificate is refused', async () => {
  const { files } = write({ ...(await certificate()), key: (await certificate()).key });
  expect(await refusalOf(openCertificateFiles(files))).toEqual([
    `TLS_KEY_FILE ${files.keyFile} belongs to another certificate`,
  ]);
});

test('everything that is wrong is said at once', async () => {
  const { files } = write({ cert: 'no certificate', key: 'no key' });
  expect(await refusalOf(openCertificateFiles(files))).toEqual([
    `TLS_CERT_FILE ${files.certFile} holds no certificate in PEM form`,
    `TLS_KEY_FILE ${files.keyFile} holds no private key in PEM form, or one behind a password`,
  ]);
  rmSync(files.certFile);
  rmSync(files.keyFile);
  expect(await refusalOf(openCertificateFiles(files))).toEqual([
    `TLS_CERT_FILE ${files.certFile} cannot be read (ENOENT)`,
    `TLS_KEY_FILE ${files.keyFile} cannot be read (ENOENT)`,
  ]);
});

test('a renewed certificate is taken, and one that is half written is waited for', async () => {
  const first = await certificate();
  const second = await certificate();
  const { folder, files } = write(first);
  const source = await openCertificateFiles(files);
  expect(await source.refresh()).toBe(false);

  write({ cert: second.cert, key: first.key }, folder);
  await expect(source.refresh()).rejects.toThrow('belongs to another certificate');
  expect(source.current()).toEqual(first);

  write(second, folder);
  expect(await source.refresh()).toBe(true);
  expect(source.current()).toEqual(second);
});

test('a private authority is not taken for a public one', async () => {
  expect(isPubliclyTrusted(await certificate())).toBe(false);
  const { rootCertificates } = await import('node:tls');
  expect(isPubliclyTrusted({ cert: rootCertificates[0]!, key: '' })).toBe(true);
});
