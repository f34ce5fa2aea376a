import { folderLinks } from '#server/features/tags/folder-links.ts';
import { tagRepository } from '#server/features/tags/tag-repository.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import type { StoredLibrary } from './folder-library.ts';
import { tagNumberOf, videoNumberOf } from './folder-library.ts';

/*
 * What people do to channels that come from folders, as the calls for tags do it: each in one transaction, with what is
 * recorded of it.
 */

export async function putTag(library: StoredLibrary, name: string, path: string): Promise<void> {
  const [tag, video] = [await tagNumberOf(library, name), await videoNumberOf(library, path)];
  const { idSets } = library;
  await idSets.write(async (transaction, changes) => {
    await transaction
      .insertInto('video_tags')
      .values({ video_number: video, tag_number: tag, by_folder: 0 })
      .onConflict((conflict) => conflict.columns(['video_number', 'tag_number']).doUpdateSet({ by_folder: 0 }))
      .execute();
    changes.add(tag, video);
    await idSets.putUntagged(transaction, changes, [video]);
  });
}

export async function removeLink(library: StoredLibrary, name: string, path: string): Promise<void> {
  const [tag, video] = [await tagNumberOf(library, name), await videoNumberOf(library, path)];
  const { idSets } = library;
  await idSets.write(async (transaction, changes) => {
    await folderLinks.rememberRemoved(transaction, tag, [video]);
    await transaction
      .deleteFrom('video_tags')
      .where('tag_number', '=', tag)
      .where('video_number', '=', video)
      .execute();
    changes.remove(tag, video);
    await idSets.putUntagged(transaction, changes, [video]);
  });
}

export async function removeTag(
  library: StoredLibrary,
  name: string,
  how: 'softly' | 'for good' = 'softly',
): Promise<void> {
  const tag = await tagNumberOf(library, name);
  const { idSets } = library;
  await idSets.write(async (transaction) => {
    await folderLinks.markChannelRemoved(transaction, tag, 1);
    await tagRepository.setActive(transaction, tag, 0);
    await bumpRevision(transaction, 'tags');
  });
  await idSets.alignUntagged(tag);
  if (how === 'softly') return;
  await idSets.removeTagLinks(tag);
  await idSets.write((transaction) => transaction.deleteFrom('tags').where('number', '=', tag).execute());
}

export async function undoRemoval(library: StoredLibrary, name: string): Promise<void> {
  const tag = await tagNumberOf(library, name);
  const { idSets } = library;
  await idSets.write(async (transaction) => {
    await folderLinks.markChannelRemoved(transaction, tag, 0);
    await tagRepository.setActive(transaction, tag, 1);
    await bumpRevision(transaction, 'tags');
  });
  await idSets.alignUntagged(tag);
}

export async function claimName(library: StoredLibrary, name: string): Promise<void> {
  const tag = await tagNumberOf(library, name);
  await library.idSets.write((transaction) => folderLinks.claimName(transaction, tag));
}

/** The links go along as they are; both names lead to the one that stays. */
export async function mergeTags(library: StoredLibrary, from: string, into: string): Promise<void> {
  const [going, staying] = [await tagNumberOf(library, from), await tagNumberOf(library, into)];
  await library.idSets.write(async (transaction, changes) => {
    const moved = await transaction
      .updateTable('video_tags')
      .set({ tag_number: staying })
      .where('tag_number', '=', going)
      .returning('video_number')
      .execute();
    for (const { video_number } of moved) {
      changes.remove(going, video_number);
      changes.add(staying, video_number);
    }
    await transaction
      .updateTable('tags')
      .set({ active: 0, merged_into: staying })
      .where('number', '=', going)
      .execute();
    await bumpRevision(transaction, 'tags');
  });
}
