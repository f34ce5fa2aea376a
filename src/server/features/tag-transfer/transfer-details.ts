import { checkVideoDescription, checkVideoTitle } from '#contract/rules/video-details.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { DetailsOfChange } from '../tags/changes/video-details-repository.ts';
import { areEqual, videoDetailsRepository } from '../tags/changes/video-details-repository.ts';
import type { PathResolver } from '../videos/video.ts';
import { toEdited } from '../videos/video-details.ts';
import type { DetailsLine, ExportedDetails } from './transfer-formats.ts';

type Texts = Pick<DetailsLine, 'title' | 'description'>;

/** Videos whose texts are compared or stored together. */
const videosTogether = 200;

/** The titles and descriptions that a file gives videos. */
export class DetailsPlan {
  private readonly texts = new Map<number, Texts>();

  /**
   * Only the first texts of a video count.
   * @returns the reason why they are not valid, or null
   */
  add({ title, description }: Texts, videoNumber: number): string | null {
    const problem = checkVideoTitle(title ?? '') ?? checkVideoDescription(description ?? '');
    if (problem !== null) return problem;
    if (!this.texts.has(videoNumber)) this.texts.set(videoNumber, { title, description });
    return null;
  }

  /** Finds the videos whose texts are others by now, in pages. */
  async *listChanged(reader: Executor): AsyncGenerator<DetailsOfChange[]> {
    const numbers = [...this.texts.keys()];
    for (let from = 0; from < numbers.length; from += videosTogether) {
      const some = numbers.slice(from, from + videosTogether);
      const rows = await videoDetailsRepository.findTexts(reader, some);
      yield rows.flatMap((row) => {
        const { title, description } = this.texts.get(row.number) ?? { title: null, description: null };
        const old = { title: row.edited_title, description: row.edited_description };
        const update = { ...(title !== null && { title }), ...(description !== null && { description }) };
        const texts = toEdited(row, update, old);
        return areEqual(texts, old) ? [] : [{ videoNumber: row.number, old, texts }];
      });
    }
  }

  async countChanged(reader: Executor): Promise<number> {
    let count = 0;
    for await (const changed of this.listChanged(reader)) count += changed.length;
    return count;
  }

  /** Stores the texts as part of a change, whose job gives them to the videos. */
  async store({ database }: { database: Database }, changeNumber: number, signal?: AbortSignal): Promise<void> {
    for await (const changed of this.listChanged(database.reader)) {
      signal?.throwIfAborted();
      await database.write(async (transaction) => {
        for (const details of changed) await videoDetailsRepository.insertChange(transaction, changeNumber, details);
      });
    }
  }
}

const exportedTogether = 1_000;

/** The texts that people gave videos, in pages. What files say is read from them again. */
export async function* listExportedDetails({
  database,
  places,
}: {
  database: Database;
  places: PathResolver;
}): AsyncGenerator<ExportedDetails[]> {
  for (let after = 0; ; ) {
    const rows = await videoDetailsRepository.listEdited(database.reader, after, exportedTogether);
    yield rows.map((row) => ({
      path: places.pathOf(row),
      title: row.edited_title,
      description: row.edited_description,
    }));
    if (rows.length < exportedTogether) return;
    after = rows.at(-1)?.number ?? after;
  }
}
