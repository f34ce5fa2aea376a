import { z } from 'zod';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Ids } from '../../ids.ts';
import type { JobKind, NewJob } from '../../jobs/job.ts';

const kind = 'tag-alignment';
const attemptsMax = 3;
const payloadSchema = z.object({ tag: z.number() });

/** Brings the untagged videos in line after a tag became active or inactive, which may be on half a million. */
export function toAlignmentJob(ids: Pick<Ids, 'short'>, tagNumber: number): NewJob {
  // One that runs already may have been where the tag was before this change.
  return { kind, subject: `${tagNumber} ${ids.short()}`, payload: { tag: tagNumber } };
}

export function alignmentKind(idSets: Pick<IdSets, 'alignUntagged'>): JobKind {
  return {
    kind,
    lane: 'light',
    attemptsMax,
    run: ({ job, signal }) => idSets.alignUntagged(payloadSchema.parse(job.payload).tag, signal),
  };
}
