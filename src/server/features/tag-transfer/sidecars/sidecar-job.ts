import { setImmediate as letOthersRun } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { JobKind, JobRun } from '../../../jobs/job.ts';
import { changeKind, toChangeJob } from '../../tags/changes/change-jobs.ts';
import { listUnfinished } from '../../tags/changes/change-repository.ts';
import { tagNameKey } from '../../tags/tag-repository.ts';
import { applyTransfer } from '../apply-transfer.ts';
import type { TransferDeps } from '../import-tags.ts';
import { beginChange, tagFinder } from '../import-tags.ts';
import { TransferPlan } from '../transfer-plan.ts';
import { readSidecars } from './read-sidecars.ts';

const name = 'tag-sidecars';
const videosTogether = 200;

/** One name with the videos that it stands beside. */
interface FoundName {
  name: string;
  videos: number[];
}

/** @returns number of the change @throws Refusal 409 while they are being read */
export async function beginSidecars(deps: TransferDeps, actorId: string): Promise<number> {
  const number = await deps.writeTags(async (transaction) => {
    await refuseTwice(transaction);
    const change = await beginChange(transaction, deps, { kind: 'sidecars', subject: 'Sidecar files', actorId });
    await deps.jobs.addWithin(transaction, [toChangeJob(name, change)]);
    return change;
  });
  deps.jobs.wake();
  return number;
}

async function refuseTwice(transaction: Executor): Promise<void> {
  if ((await listUnfinished(transaction)).some(({ kind }) => kind === 'sidecars'))
    throw new Refusal('conflict', { message: 'Sidecar files are being read already.' });
}

/** Reads what stands beside the videos, then goes on as an import does. */
export function sidecarsKind(deps: TransferDeps): JobKind {
  return changeKind(deps, name, async ({ number, state }, run) => {
    if (state !== 'running') return;
    const found = await readAll(deps, run);
    const plan = new TransferPlan(await tagFinder(deps.tagCatalogue));
    for (const { name: tag, videos } of mostUsed(found)) for (const video of videos) plan.add(tag, video);
    await applyTransfer(deps, number, plan, run.signal);
  });
}

async function readAll({ database, places, idSets }: TransferDeps, { signal, report }: JobRun) {
  const found = new Map<string, FoundName>();
  const total = idSets.count({ tags: [], mode: 'OR', blocked: [] });
  let [after, done, links] = [0, 0, 0];
  for (;;) {
    const videos = await listVideos(database.reader, after);
    for (const video of videos) {
      signal.throwIfAborted();
      const file = places.fileOf(video);
      for (const tag of file === null ? [] : await readSidecars(file)) {
        if (links === limits.sidecarLinks) return found;
        addFound(found, tag, video.number);
        links += 1;
      }
    }
    if (videos.length < videosTogether) return found;
    after = videos.at(-1)?.number ?? after;
    done += videos.length;
    report((100 * done) / Math.max(1, total));
    await letOthersRun();
  }
}

/** What is there to be watched, by number. */
function listVideos(executor: Executor, afterNumber: number) {
  return executor
    .selectFrom('videos')
    .select(['number', 'root_number as rootNumber', 'path'])
    .where('number', '>', afterNumber)
    .where('missing_since', 'is', null)
    .orderBy('number')
    .limit(videosTogether)
    .execute();
}

function addFound(found: Map<string, FoundName>, tag: string, video: number): void {
  const key = tagNameKey(tag);
  const known = found.get(key);
  if (known === undefined) found.set(key, { name: tag, videos: [video] });
  else known.videos.push(video);
}

/** Downloaders write thousands of names that are on a single video: a list of channels is for people. */
function mostUsed(found: ReadonlyMap<string, FoundName>): FoundName[] {
  return [...found.values()].sort((a, b) => b.videos.length - a.videos.length).slice(0, limits.sidecarTags);
}
