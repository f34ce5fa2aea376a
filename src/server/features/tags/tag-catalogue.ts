import type { Database } from '../../database/connection.ts';
import { readRevision } from '../../http/pipeline/revision.ts';
import type { Tag } from './tag.ts';
import { listTags, tagNameKey } from './tag-repository.ts';

/** A tag with what it is found by. */
export interface FindableTag extends Tag {
  descriptionKey: string;
  /** Its place by name. */
  rank: number;
}

/** Many tags at one moment. */
export interface TagsByName {
  list: readonly FindableTag[];
  byNumber: ReadonlyMap<number, FindableTag>;
  byId: ReadonlyMap<string, FindableTag>;
}

/** All active tags in memory; read again when a tag has changed anywhere. */
export class TagCatalogue {
  private readonly database: Database;
  private stored: { revision: number; tags: Promise<TagsByName> } | null = null;

  constructor(database: Database) {
    this.database = database;
  }

  async read(): Promise<TagsByName> {
    // Before the tags: one that changes in between is read again the next time.
    const revision = await readRevision(this.database.reader, 'tags');
    if (this.stored?.revision !== revision) this.stored = { revision, tags: this.load() };
    return this.stored.tags;
  }

  /** Tags that were deleted and can be brought back. */
  async readInactive(): Promise<TagsByName> {
    return byName(await listTags(this.database.reader, 0));
  }

  private async load(): Promise<TagsByName> {
    try {
      return byName(await listTags(this.database.reader, 1));
    } catch (error) {
      this.stored = null;
      throw error;
    }
  }
}

/** By code unit, so that both databases agree. */
function byName(tags: Tag[]): TagsByName {
  const list = tags
    .sort((a, b) => (a.nameKey < b.nameKey ? -1 : Number(a.nameKey > b.nameKey)))
    .map((tag, rank) => ({ ...tag, descriptionKey: tagNameKey(tag.description), rank }));
  return {
    list,
    byNumber: new Map(list.map((tag) => [tag.number, tag])),
    byId: new Map(list.map((tag) => [tag.id, tag])),
  };
}
