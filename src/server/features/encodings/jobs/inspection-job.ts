import type { Executor } from '../../../database/tables.ts';
import type { Job, JobKind, JobRun, NewJob } from '../../../jobs/job.ts';
import { openScannedFile } from '../../videos/open-scanned-file.ts';
import type { Video } from '../../videos/video.ts';
import { findEncodable } from '../encodable-repository.ts';
import { readPayload, toFileJob } from './encode-order.ts';
import { toJobEnd } from './encoding-failure.ts';
import type { EncodingJobDeps } from './encoding-job.ts';
import { isOfJob, requireRoom } from './encoding-job.ts';
import { estimateBytes } from './estimate-bytes.ts';
import { storeEncoded } from './store-encoded.ts';

const inspectKind = 'inspect';
/** Before posters that nobody asked for. */
const inspectPriority = 20;
const attemptsMax = 3;

type InspectionDeps = Omit<EncodingJobDeps, 'onEnd' | 'running'>;

/** The job that reads what is inside a file: subtitles, notes, a sheet of stills. */
export function toInspectJob(video: Pick<Video, 'number' | 'id' | 'size' | 'modifiedUs'>): NewJob {
  return { ...toFileJob(video, 'waiting'), kind: inspectKind, priority: inspectPriority };
}

/** It takes a moment, and waits for no encoding. */
export function inspectionKind(deps: InspectionDeps): JobKind {
  return {
    kind: inspectKind,
    lane: 'media',
    attemptsMax,
    run: (run) => inspect(deps, run),
    gaveUp: (job) => noteNothing(deps, job),
  };
}

async function inspect(deps: InspectionDeps, { job, signal, report }: JobRun): Promise<void> {
  const { reader } = deps.database;
  const video = await findEncodable(reader, job.videoNumber ?? 0);
  if (video === null || !isOfJob(video, job) || (await isInspected(reader, video))) return;
  const maxBytes = estimateBytes(video, [], 'popular');
  await requireRoom(deps, maxBytes, 'waiting');
  const file = await openScannedFile(deps.places, video);
  if (file === null) return;
  const order = { file, renditions: [], copy: 'none', durationMs: video.durationMs, maxBytes, signal, report } as const;
  try {
    await deps.encoder.encode(order, (encoded) => storeEncoded(deps, video, encoded, signal));
  } catch (error) {
    signal.throwIfAborted();
    throw toJobEnd(error, deps.fullDisk);
  } finally {
    await file.close();
  }
}

/** Somebody has looked inside its present file. */
export async function isInspected(
  executor: Executor,
  { number, size, modifiedUs }: Pick<Video, 'number' | 'size' | 'modifiedUs'>,
): Promise<boolean> {
  const row = await executor
    .selectFrom('media_findings')
    .select('video_number')
    .where('video_number', '=', number)
    .where('size', '=', size)
    .where('modified_us', '=', modifiedUs)
    .executeTakeFirst();
  return row !== undefined;
}

/** That it could not be read says nothing about encodings of it; nobody looks again. */
async function noteNothing({ database, clock }: InspectionDeps, { videoNumber, payload }: Job): Promise<void> {
  const file = readPayload(payload);
  if (file === null || videoNumber === null) return;
  const { size, modified_us } = file;
  const facts = { size, modified_us, failure: null, notes: '[]', found_at: clock.now() };
  await database.write((transaction) =>
    transaction
      .insertInto('media_findings')
      .values({ video_number: videoNumber, ...facts })
      .onConflict((conflict) => conflict.column('video_number').doNothing())
      .execute(),
  );
}
