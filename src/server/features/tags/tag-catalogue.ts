import type { Database } from '../../database/connection.ts';
import { readRevision } from '../../http/pipeline/revision.ts';
import type { Tag } from './tag.ts';
import { listTags, tagNameKey } from './tag-repository.ts';

/** A tag with what it is found by. */
export interface FindableTag extends Tag {
  descriptionKey: string;
}

/** All active tags in memory, by name; read again when a tag has changed anywhere. */
export class TagCatalogue {
  private readonly database: Database;
  private stored: { revision: number; tags: Promise<readonly FindableTag[]> } | null = null;

  constructor(database: Database) {
    this.database = database;
  }

  async read(): Promise<readonly FindableTag[]> {
    // Before the tags: one that changes in between is read again the next time.
    const revision = await readRevision(this.database.reader, 'tags');
    if (this.stored?.revision !== revision) this.stored = { revision, tags: this.load() };
    return this.stored.tags;
  }

  /** Tags that were deleted and can be brought back, by name. */
  async readInactive(): Promise<readonly FindableTag[]> {
    return byName(await listTags(this.database.reader, 0));
  }

  private async load(): Promise<readonly FindableTag[]> {
    try {
      return byName(await listTags(this.database.reader, 1));
    } catch (error) {
      this.stored = null;
      throw error;
    }
  }
}

/** By code unit, so that both databases agree. */
function byName(tags: Tag[]): FindableTag[] {
  return tags
    .map((tag) => ({ ...tag, descriptionKey: tagNameKey(tag.description) }))
    .sort((a, b) => (a.nameKey < b.nameKey ? -1 : Number(a.nameKey > b.nameKey)));
}
