import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Headers } from 'tar-stream';
import { extract, pack } from 'tar-stream';
import { makeSeal, startSeal } from '#server/backup/archive-format.ts';

/** A member as anybody could write it. */
export interface PlainMember {
  header: Partial<Headers> & { name: string };
  bytes: Buffer;
}

export async function unpackMembers(archive: Buffer): Promise<PlainMember[]> {
  const tar = extract();
  tar.end(gunzipSync(archive));
  const members: PlainMember[] = [];
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    members.push({ header: { name: entry.header.name }, bytes: Buffer.concat(chunks) });
  }
  return members;
}

/** An archive of these members, in the form that a backup has. */
export async function packMembers(members: readonly PlainMember[]): Promise<Buffer> {
  const tar = pack();
  for (const { header, bytes } of members) {
    if (header.type === undefined || header.type === 'file') tar.entry({ ...header }, bytes);
    else tar.entry({ ...header });
  }
  tar.finalize();
  return zip(await buffer(tar));
}

/** In gzip and with the seal of a backup. */
export function zip(bytes: Buffer): Buffer {
  return seal(gzipSync(bytes));
}

export function seal(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, makeSeal(startSeal().update(bytes))]);
}

/** The same archive with other members, and a manifest that vouches for them. */
export async function forge(
  archive: Buffer,
  change: (members: PlainMember[]) => PlainMember[],
  changeManifest: (manifest: { members: object[]; rows: object }) => object = (manifest) => manifest,
): Promise<Buffer> {
  const members = await unpackMembers(archive);
  const manifest = JSON.parse(String(members.pop()?.bytes)) as { members: object[]; rows: object };
  const changed = change(members);
  manifest.members = changed.map(({ header, bytes }) => ({
    name: header.name,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }));
  const last = { header: { name: 'manifest.json' }, bytes: Buffer.from(JSON.stringify(changeManifest(manifest))) };
  return packMembers([...changed, last]);
}

export function changeHead(archive: Buffer, change: object): Promise<Buffer> {
  return forge(archive, ([head, ...others]) => {
    if (head === undefined) return others;
    const bytes = Buffer.from(JSON.stringify({ ...JSON.parse(String(head.bytes)), ...change }));
    return [{ ...head, bytes }, ...others];
  });
}
