import type { Database } from '../database/connection.ts';
import type { Revisions } from '../http/pipeline/revision.ts';
import type { IdSets } from './id-sets.ts';
import { sourceRepository } from './source-repository.ts';

interface RestrictedTagsDeps {
  database: Pick<Database, 'reader'>;
  revisions: Pick<Revisions, 'current'>;
  idSets: Pick<IdSets, 'restricted'>;
}

/**
 * Tells which tags viewers see, by rank (`rankOfViewer`). It follows the revision of the tags, so
 * that a change counts at once on this node and within a second on others.
 */
export class RestrictedTags {
  private readonly deps: RestrictedTagsDeps;
  private knownRevision: string | null = null;
  private loading: Promise<void> | null = null;

  constructor(deps: RestrictedTagsDeps) {
    this.deps = deps;
  }

  /**
   * Returns the value of `TagSelection.restrictedFrom` for a viewer.
   * @throws what the database throws when tags have changed and cannot be read
   */
  async from(viewerRank: number): Promise<number | undefined> {
    await this.refresh();
    return this.deps.idSets.restricted.from(viewerRank);
  }

  /** The revision of the tags whose ranks are known; null: none. */
  get revision(): string | null {
    return this.knownRevision;
  }

  /** Whether the ranks have been read since the start. */
  get isKnown(): boolean {
    return this.knownRevision !== null;
  }

  /** The same as `from`, as last known. */
  lastFrom(viewerRank: number): number | undefined {
    return this.deps.idSets.restricted.from(viewerRank);
  }

  /** Whether a video is only in tags that a viewer does not see. @throws as `from` does */
  async isWithheld(viewerRank: number, videoNumber: number): Promise<boolean> {
    await this.refresh();
    return this.deps.idSets.restricted.isWithheld(viewerRank, videoNumber);
  }

  /** Returns those videos that are not withheld from a viewer. @throws as `from` does */
  async listShown(viewerRank: number, videoNumbers: readonly number[]): Promise<ReadonlySet<number>> {
    await this.refresh();
    const { restricted } = this.deps.idSets;
    return new Set(videoNumbers.filter((number) => !restricted.isWithheld(viewerRank, number)));
  }

  private async refresh(): Promise<void> {
    for (;;) {
      const revision = (await this.deps.revisions.current())?.split('.')[1] ?? null;
      if (revision !== null && revision === this.knownRevision) return;
      this.loading ??= this.load(revision).finally(() => {
        this.loading = null;
      });
      await this.loading;
      if (revision === null) return;
    }
  }

  private async load(revision: string | null): Promise<void> {
    const ranks = await sourceRepository.readTagRanks(this.deps.database.reader);
    this.deps.idSets.restricted.setRanks(ranks);
    this.knownRevision = revision;
  }
}
