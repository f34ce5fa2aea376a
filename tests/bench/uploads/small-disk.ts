import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printAmounts } from '../table.ts';
import type { Destination } from './upload-site.ts';
import { UploadSite } from './upload-site.ts';

const fileBytes = 24 * 1024 * 1024;
const diskBytes = 64 * 1024 * 1024;
const inodes = 200;

/** What was not as promised. */
type Problem = string;

/**
 * A disk of 64 MiB with few inodes, of which another program takes what is left while a file comes. 507, nothing that
 * came is lost, the database is written to, and the upload goes on once there is room.
 */
export async function measureSmallDisk(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) {
    console.log('\nThe small disk was not tried: only root mounts one.');
    process.exitCode = 1;
    return;
  }
  const problems: Problem[] = [];
  for (const fill of [fillBytes, fillInodes]) problems.push(...(await withDisk(folder, (disk) => tryFull(disk, fill))));
  for (const problem of problems) console.log(`  ${problem}`);
  printAmounts('Uploads to a disk of 64 MiB that runs out of bytes, then of inodes', [
    { what: 'promises that did not hold', value: problems.length, unit: '', goal: 0, floor: 0 },
  ]);
}

async function withDisk(folder: string, work: (disk: string) => Promise<Problem[]>): Promise<Problem[]> {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes},nr_inodes=${inodes}`, 'tmpfs', disk]);
  try {
    return await work(disk);
  } finally {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  }
}

async function tryFull(disk: string, fill: (disk: string) => () => void): Promise<Problem[]> {
  const site = await UploadSite.start(disk);
  const content = randomBytes(fileBytes);
  const problems: Problem[] = [];
  const expect = (what: string, holds: boolean) => void (holds || problems.push(`${fill.name}: ${what}`));
  try {
    const [begun, fresh] = await site.open(fileBytes, 1_000_000);
    if (begun === undefined || fresh === undefined) throw new Error('no address');
    expect('the first half is taken', (await patch(begun, 0, content.subarray(0, fileBytes / 2))) === 204);
    const free = fill(disk);
    const during = [
      await patch(begun, fileBytes / 2, content.subarray(fileBytes / 2)),
      await patch(fresh, 0, Buffer.alloc(1_000_000)),
    ];
    expect(
      `507 while it is full, not ${during}`,
      during.includes(507) && during.every((status) => [204, 507].includes(status)),
    );
    expect('the database is written to', await site.canWrite());
    expect('nothing that came is lost', (await offsetOf(begun)) >= fileBytes / 2);
    free();
    const offset = await offsetOf(begun);
    if (offset < fileBytes) expect('it goes on', (await patch(begun, offset, content.subarray(offset))) === 204);
    expect('the other one comes', [204, 409].includes(await patch(fresh, 0, Buffer.alloc(1_000_000))));
    expect('it is whole', statSync(site.partOf(begun)).size === fileBytes);
  } finally {
    await site.stop();
  }
  return problems;
}

const headersOf = ({ key }: Destination) => ({ AccessKey: key, 'Tus-Resumable': '1.0.0' });

async function patch(to: Destination, offset: number, body: Buffer): Promise<number> {
  const headers = {
    ...headersOf(to),
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(offset),
  };
  return (await fetch(to.url, { method: 'PATCH', headers, body: new Uint8Array(body) })).status;
}

async function offsetOf(of: Destination): Promise<number> {
  const { headers } = await fetch(of.url, { method: 'HEAD', headers: headersOf(of) });
  return Number(headers.get('upload-offset'));
}

/** All but what a program may not take from others. @returns what removes it again */
function fillBytes(disk: string): () => void {
  const file = join(disk, 'filler');
  const [size, used] = [diskBytes, execFileSync('du', ['-sB1', disk], { encoding: 'utf8' }).split('\t')[0]];
  writeFileSync(file, Buffer.alloc(Math.max(0, size - Number(used) - 4 * 1024 * 1024)));
  return () => rmSync(file);
}

function fillInodes(disk: string): () => void {
  const folder = join(disk, 'filler');
  mkdirSync(folder);
  try {
    for (let count = 0; count < inodes; count += 1) writeFileSync(join(folder, String(count)), '');
  } catch {
    // None is left.
  }
  return () => existsSync(folder) && rmSync(folder, { recursive: true });
}
