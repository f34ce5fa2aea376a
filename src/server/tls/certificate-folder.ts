import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { TlsCertificate } from './tls-certificate.ts';

const onlyOwner = { folder: 0o700, file: 0o600 };

/** Null when there is no such certificate. Its key is made private again where somebody opened it up. */
export async function readStored(folder: string, name: string): Promise<TlsCertificate | null> {
  const cert = await readFile(join(folder, `${name}.crt`), 'utf8').catch(nullWhenMissing);
  if (cert === null) return null;
  const keyFile = join(folder, `${name}.key`);
  const key = await readFile(keyFile, 'utf8').catch(nullWhenMissing);
  if (key !== null) await chmod(keyFile, onlyOwner.file);
  return { cert, key: key ?? '' };
}

/** The certificate goes last: a key without one counts as nothing. */
export async function store(folder: string, name: string, { cert, key }: TlsCertificate): Promise<void> {
  await mkdir(folder, { recursive: true, mode: onlyOwner.folder });
  await chmod(folder, onlyOwner.folder);
  await replaceFile(join(folder, `${name}.key`), key);
  await replaceFile(join(folder, `${name}.crt`), cert);
}

async function replaceFile(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', onlyOwner.file);
  try {
    // A file left over from a crash keeps the mode that it had.
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
