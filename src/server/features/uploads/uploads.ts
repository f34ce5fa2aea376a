import { mkdir } from 'node:fs/promises';
import type { Env } from '../../env.ts';
import type { Foundations } from '../../foundations.ts';
import type { Prober } from '../../media/prober.ts';
import { createProber } from '../../media/prober.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { DiskSpace } from '../../storage/disk-space.ts';
import type { FileCalls } from '../../storage/disk-storage.ts';
import { DiskStorage } from '../../storage/disk-storage.ts';
import type { PartedStorage } from '../../storage/storage.ts';
import type { LibraryRoots } from '../library/library-roots.ts';
import type { TagCatalogue } from '../tags/tag-catalogue.ts';
import type { PeopleLog } from '../users/people-log.ts';
import type { Posters } from '../videos/posters.ts';
import type { PathResolver } from '../videos/video.ts';
import { DiskUploads } from './receiving/disk-uploads.ts';
import { lockRepository } from './receiving/lock-repository.ts';
import { StoreUploads } from './receiving/store-uploads.ts';
import type { LockTimes } from './receiving/upload-locks.ts';
import { UploadLocks } from './receiving/upload-locks.ts';
import { UploadReceiver } from './receiving/upload-receiver.ts';
import { DiskReserve } from './receiving/upload-room.ts';
import { closeOwnerless, sweepUploads } from './session-end.ts';
import type { CompletionDeps } from './session-outcome.ts';
import { uploadSessionRepository } from './session-repository.ts';
import { KeyedTurns } from './stored/intake.ts';
import { Reconciler } from './stored/reconciler.ts';
import type { RemovalDeps } from './stored/upload-removal.ts';
import { uploadRemoval } from './stored/upload-removal.ts';
import type { StartDeps } from './upload-session.ts';
import { AddressAccess } from './upload-session.ts';
import type { UploadStorage } from './upload-storage.ts';

/** Replacements of dependencies for tests. */
export interface UploadOverrides {
  files?: FileCalls;
  lockTimes?: Partial<LockTimes>;
  diskSpace?: Pick<DiskSpace, 'read'>;
}

interface UploadDeps extends Foundations, Pick<CompletionDeps, 'sources' | 'derivedFiles'> {
  roots: LibraryRoots;
  places: PathResolver;
  posters: Pick<Posters, 'queueMissing' | 'discard' | 'queueCleanUp'>;
  tagCatalogue: TagCatalogue;
  encodings: UploadEncodings;
  diskSpace: DiskSpace;
  uploadFiles: PartedStorage | null;
  /** Reports changed and deleted accounts. */
  accountChanges: Pick<PeopleLog, 'listen'>;
}

/** The part of the encodings that uploads use. */
type UploadEncodings = CompletionDeps['encodings'] & RemovalDeps['encodings'] & { queueUnplayable(): Promise<void> };

/** The dependencies that the parts of uploads share, and their background work. */
export interface Uploads extends StartDeps, RemovalDeps, CompletionDeps {
  env: Env;
  idSets: CompletionDeps['idSets'];
  encodings: UploadEncodings;
  access: AddressAccess;
  reconciler: Reconciler;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const sweepMs = 3_600_000;

export function createUploads(deps: UploadDeps, overrides: UploadOverrides = {}): Uploads {
  const { database, clock, ids, folders, log, roots, posters, encodings } = deps;
  const locks = new UploadLocks({ database, clock, ids, times: overrides.lockTimes });
  // The prober is separate from the thread that scans, so that uploads do not wait for a scan of
  // the library.
  const prober = createProber();
  const storage = openStorage(deps, prober, overrides);
  const reserve = new DiskReserve(() => storage.space(), deps.env);
  const receiver = new UploadReceiver(clock, locks, storage, reserve);
  let sweeping: Repetition | null = null;
  const shared = { ...deps, storage, rootNumber: () => numberOfUploads(roots) };
  const reconciler = new Reconciler(shared);
  const uploads: Uploads = {
    ...shared,
    reserve,
    locks,
    receiver,
    access: new AddressAccess(deps),
    reconciler,
    turns: new KeyedTurns(),
    async onTaken() {
      if (roots.active().some(({ kind }) => kind === 'demo')) await roots.align();
      const queued = Promise.all([posters.queueMissing(), encodings.queueUnplayable()]);
      void queued.catch((err: unknown) => log.warn({ err }, 'posters and encodings could not be queued'));
    },
    async start() {
      await mkdir(folders.uploads, { recursive: true, mode: 0o700 });
      if (database.dialect.kind === 'sqlite') await database.write(lockRepository.releaseAll);
      await deps.sweeps.seek();
      const sweep = async () => {
        if (!deps.sweeps.isHeld) return;
        await sweepUploads(uploads);
        await uploadRemoval.sweep(uploads);
      };
      sweeping = repeat(sweep, sweepMs, (err) => log.warn({ err }, 'uploads could not be looked after'));
      reconciler.start();
      await sweep();
    },
    async stop() {
      sweeping?.stop();
      await reconciler.stop();
      await prober.close();
    },
  };
  deps.accountChanges.listen(() => {
    // The sweep closes those that could not be ended here.
    void closeOwnerless(uploads).catch((err: unknown) => log.warn({ err }, 'uploads of nobody could not be ended'));
  });
  return uploads;
}

function numberOfUploads(roots: LibraryRoots): number {
  const root = roots.active().find(({ kind }) => kind === 'uploads');
  if (root === undefined) throw new Error('There is no root of uploads.');
  return root.number;
}

/** Uploads lie in the store, if there is one. */
function openStorage(deps: UploadDeps, prober: Prober, overrides: UploadOverrides): UploadStorage {
  const { database, ids, clock, folders, diskSpace, uploadFiles } = deps;
  if (uploadFiles !== null) return new StoreUploads({ storage: uploadFiles, database, ids, clock, prober });
  return new DiskUploads({
    storage: new DiskStorage(folders.uploads, { calls: overrides.files }),
    prober,
    space: () => (overrides.diskSpace ?? diskSpace).read(folders.uploads),
    findReceiving: (found) => uploadSessionRepository.findReceiving(database.reader, found),
  });
}
