import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeFailure } from '../backup/describe-failure.ts';
import { print, runCommand, withSite } from '../backup/run-command.ts';
import { systemClock } from '../clock.ts';
import type { Env } from '../env.ts';
import { isUploadedPath, typeOfUpload, videosFolder } from '../features/uploads/upload-file.ts';
import type { Folders } from '../folders.ts';
import { productFolders } from '../folders.ts';
import { loadSecrets } from '../secrets.ts';
import type { CopyOutcome, CopyPlan } from '../storage/copy-files.ts';
import { copyFiles, planCopy } from '../storage/copy-files.ts';
import { typeOfDerived } from '../storage/derived-files.ts';
import { DiskSpace } from '../storage/disk-space.ts';
import { DiskStorage } from '../storage/disk-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { Store } from '../storage/stores/store.ts';
import { derivedPlaces, uploadedPrefix } from './storage-services.ts';

/*
 * `npm run files:copy -- --to store` copies what lies in the data folder into the store of
 * `STORAGE_URL`, and `--to disk` back. It deletes nothing, and can be run again after it was stopped.
 */

type Target = 'store' | 'disk';

/** Bits a second by which the time is told before a copy begins. */
const toldBitsPerSecond = 500e6;
const toldEvery = 100;
const failuresTold = 10;

await runCommand<{ to: Target }>({
  usage: 'npm run files:copy -- --to store, or --to disk. STORAGE_URL and STORAGE_SECRET name the store.',
  parse(args) {
    const { to } = parseArgs({ args, options: { to: { type: 'string' } } }).values;
    return to === 'store' || to === 'disk' ? { to } : null;
  },
  async run({ to }, { env, signal }) {
    if (env.store === null) throw new Error('STORAGE_URL and STORAGE_SECRET are not set.');
    const folders = productFolders(env);
    const store = new Store(env.store, { cacheFolder: folders.cache, env, diskSpace: new DiskSpace() });
    if (to === 'store') await claim(store, env);
    else await store.check();
    let left = 0;
    for (const pair of pairsOf(store, folders, to)) left += await copyPair(pair, signal);
    if (left > 0) throw new Error(`${left} files are left. Run it again.`);
    print(`\n  Everything lies in ${to === 'store' ? store.place : env.dataFolder}.`);
  },
  describe: async (error, _options, env: Env) => describeFailure(error, env.dataFolder),
  failed: 'Not all files were copied',
});

/** A place of another site takes nothing of this one. @throws EnvRefused */
async function claim(store: Store, env: Env): Promise<void> {
  const { site } = await withSite(env, (database) => loadSecrets(database, systemClock));
  await store.claim({ site, clock: systemClock, log: { warn: print } });
}

interface Pair {
  name: string;
  from: Storage;
  to: Storage;
  /** The media type of a file; null for one that stays where it is. */
  typeOf(file: string): string | null;
}

function pairsOf(store: Store, folders: Folders, to: Target): Pair[] {
  const derived = Object.entries(derivedPlaces).map(([name, { prefix, folderOf }]) => {
    return { name, prefix, folder: folderOf(folders), typeOf: typeOfDerived };
  });
  const uploads = { name: 'uploads', prefix: uploadedPrefix, folder: join(folders.uploads, videosFolder) };
  return [...derived, { ...uploads, typeOf: typeOfUploaded }].map(({ name, prefix, folder, typeOf }) => {
    const [disk, remote] = [new DiskStorage(folder), store.storage(prefix)];
    return to === 'store' ? { name, from: disk, to: remote, typeOf } : { name, from: remote, to: disk, typeOf };
  });
}

/** The media type of an uploaded video; null for a name that none has. */
function typeOfUploaded(path: string): string | null {
  return isUploadedPath(path) ? typeOfUpload(path) : null;
}

/** @returns how many files are not there in the end */
async function copyPair({ name, from, to, typeOf: findType }: Pair, signal: AbortSignal): Promise<number> {
  const isWanted = (file: string) => findType(file) !== null;
  const plan = await planCopy(from, to, isWanted);
  print(`  ${name}: ${describePlan(plan)}`);
  let copied = 0;
  const onCopied = () => {
    copied += 1;
    if (copied % toldEvery === 0) print(`    ${copied} of ${plan.files.length}`);
  };
  const typeOf = (file: string) => findType(file) ?? 'application/octet-stream';
  const outcome = await copyFiles(plan, { from, to, typeOf, onCopied }, signal);
  for (const { name: file, reason } of outcome.failed.slice(0, failuresTold))
    print(`    ${file}: ${reason instanceof Error ? reason.message : String(reason)}`);
  return signal.aborted ? countLeft(plan, outcome) : (await planCopy(from, to, isWanted)).files.length;
}

function describePlan({ files, bytes }: CopyPlan): string {
  if (files.length === 0) return 'nothing is to be copied.';
  const minutes = Math.ceil((bytes * 8) / toldBitsPerSecond / 60);
  const size = bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
  return `${files.length} files, ${size}, are to be copied: ${minutes} min at 500 Mbit/s.`;
}

function countLeft({ files }: CopyPlan, { copied }: CopyOutcome): number {
  return files.length - copied;
}
