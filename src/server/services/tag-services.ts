import { sidecarsKind } from '../features/tag-transfer/sidecars.ts';
import { changeLinksKind } from '../features/tag-transfer/transfer-plan.ts';
import { TagChangeSweep } from '../features/tags/changes/change-sweep.ts';
import { mergeKind } from '../features/tags/changes/merge-tags.ts';
import { undoKind } from '../features/tags/changes/undo-change.ts';
import { personUndoKind } from '../features/tags/changes/undo-person.ts';
import { TagCatalogue } from '../features/tags/tag-catalogue.ts';
import type { TagRemoval } from '../features/tags/tag-removal.ts';
import { alignmentKind, createTagRemoval } from '../features/tags/tag-removal.ts';
import type { WriteTags } from '../features/tags/write-tags.ts';
import { createWriteTags } from '../features/tags/write-tags.ts';
import type { PathResolver } from '../features/videos/video.ts';
import type { Foundations } from '../foundations.ts';

/** What reads, changes and removes tags. */
export interface TagServices {
  tagCatalogue: TagCatalogue;
  tagRemoval: TagRemoval;
  writeTags: WriteTags;
  tagChangeSweep: TagChangeSweep;
}

/** Also says to the queue how each kind of work on tags is done. */
export function createTagServices(foundations: Foundations, places: PathResolver): TagServices {
  const { database, idSets, jobs, clock } = foundations;
  const tagRemoval = createTagRemoval({ idSets, queue: jobs, clock });
  tagRemoval.open();
  const writeTags = createWriteTags(foundations);
  const tagCatalogue = new TagCatalogue(database);
  const deps = { ...foundations, tagRemoval, writeTags };
  const tagChangeSweep = new TagChangeSweep(deps);
  jobs.register(alignmentKind(idSets));
  for (const changeKind of [mergeKind, changeLinksKind, undoKind, personUndoKind]) jobs.register(changeKind(deps));
  jobs.register(sidecarsKind({ ...deps, tagCatalogue, places }));
  jobs.register(tagChangeSweep.kind());
  return { tagCatalogue, tagRemoval, writeTags, tagChangeSweep };
}
