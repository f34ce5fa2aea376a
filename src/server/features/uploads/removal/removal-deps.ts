import type { Revisions } from '../../../http/pipeline/revision.ts';
import type { DerivedFile } from '../../../storage/derived-files.ts';
import type { Posters } from '../../videos/posters.ts';
import type { IntakeDeps } from '../intake/intake-deps.ts';
import type { EndingDeps } from '../session/end-session.ts';

/** What removes videos and brings them back works with. */
export interface RemovalDeps extends EndingDeps, Pick<IntakeDeps, 'idSets' | 'prober' | 'sweepTime'> {
  revisions: Pick<Revisions, 'forget'>;
  posters: Pick<Posters, 'discard'>;
  encodings: { discard(files: readonly DerivedFile[]): Promise<void> };
  /** Called when there are new videos. */
  onTaken(): Promise<void>;
}
