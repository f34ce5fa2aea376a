import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Entry, Extract } from 'tar-stream';
import { extract } from 'tar-stream';
import { ArchiveRefused, archiveLimits, readMemberName } from './archive-format.ts';
import { isSeal, makeSeal, sealLength, startSeal } from './gzip-seal.ts';

export interface Member {
  name: string;
  bytes: Buffer;
}

/** What lies between two members beyond their bytes: headers, and what was read ahead. */
const slackBytes = 1_048_576;

/**
 * Each member in turn, whole in memory. Only its form is checked here: names that a backup has, each once, files
 * alone, none too long.
 * @throws ArchiveRefused, and what reading the file fails with
 */
export async function* readMembers(file: FileHandle): AsyncGenerator<Member> {
  const seal = await readSeal(file);
  const size = (await file.stat()).size - sealLength;
  const tar = extract();
  const budget = new UnpackBudget(size);
  const feeding = unpack(file, { size, seal }, tar, budget);
  const seen = new Set<string>();
  try {
    for await (const entry of tar) {
      budget.beginMember();
      refuseEntry(entry, seen);
      yield { name: entry.header.name, bytes: await readAll(entry) };
    }
  } catch (error) {
    throw toRefusal(error);
  } finally {
    tar.destroy();
    await feeding;
  }
}

/** The last bytes. @throws ArchiveRefused for a file that ends in another way */
async function readSeal(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(sealLength),
    0,
    sealLength,
    Math.max(0, size - sealLength),
  );
  if (!isSeal(buffer.subarray(0, bytesRead)))
    throw new ArchiveRefused('This is no backup of Fourfold, or its end was cut off or changed.');
  return buffer;
}

interface Sealed {
  /** Bytes before the seal. */
  size: number;
  seal: Buffer;
}

/** Never rejects: the reader of the members hears what is wrong. */
async function unpack(file: FileHandle, { size, seal }: Sealed, tar: Extract, budget: UnpackBudget): Promise<void> {
  const hash = startSeal();
  const gunzip = createGunzip();
  try {
    const source = file.createReadStream({ start: 0, end: size - 1, autoClose: false });
    source.on('data', (chunk) => hash.update(chunk));
    await pipeline(source, gunzip, async (chunks) => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        if (tar.destroyed) return;
        budget.spend(chunk.length);
        await write(tar, chunk);
      }
    });
    if (gunzip.bytesWritten !== size) throw new ArchiveRefused('Something follows the end of the archive.');
    if (!makeSeal(hash).equals(seal)) throw new ArchiveRefused('It is damaged: some of it was changed.');
    tar.end();
  } catch (error) {
    tar.destroy(error as Error);
  }
}

/** Resolves when there is room for more, and when nobody reads any more. */
async function write(tar: Extract, chunk: Buffer): Promise<void> {
  if (tar.write(chunk)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  tar.once('drain', end).once('close', end);
  if (!tar.destroyed) await promise;
  tar.off('drain', end).off('close', end);
}

/** How much may be unpacked: a small file must not become an endless one. */
class UnpackBudget {
  private total: number;
  private sinceMember = 0;

  constructor(fileBytes: number) {
    this.total = archiveLimits.freeBytes + fileBytes * archiveLimits.expansion;
  }

  beginMember(): void {
    this.sinceMember = 0;
  }

  /** @throws ArchiveRefused */
  spend(bytes: number): void {
    this.total -= bytes;
    this.sinceMember += bytes;
    if (this.total < 0 || this.sinceMember > archiveLimits.memberBytes + slackBytes)
      throw new ArchiveRefused('It unpacks to far more than a backup holds.');
  }
}

function refuseEntry({ header }: Entry, seen: Set<string>): void {
  const name = JSON.stringify(header.name.slice(0, 80));
  if (header.type !== 'file')
    throw new ArchiveRefused(`It holds a ${header.type}, ${name}: a backup holds files alone.`);
  if (readMemberName(header.name) === null) throw new ArchiveRefused(`It holds ${name}, which no backup has.`);
  if (seen.has(header.name)) throw new ArchiveRefused(`It holds ${name} twice.`);
  if ((header.size ?? 0) > archiveLimits.memberBytes) throw new ArchiveRefused(`${name} is too large for a backup.`);
  seen.add(header.name);
}

async function readAll(entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What the disk says stays as it is; all else speaks of the bytes. */
function toRefusal(error: unknown): unknown {
  if (error instanceof ArchiveRefused) return error;
  if (error instanceof Error && 'syscall' in error) return error;
  return new ArchiveRefused(
    `It is damaged: it was cut off, or some of it was changed (${error instanceof Error ? error.message : String(error)}).`,
  );
}
