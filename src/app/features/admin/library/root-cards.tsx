import type { Snapshot } from 'valtio';
import { Badge } from '#app/ui/card/badge.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { countText } from '#app/ui/count-text.ts';
import type { LibraryRoot } from '#contract/entities/library.ts';
import { DiskSpace } from '../disk-space.tsx';
import { Moment, Since } from '../moment.tsx';
import shared from '../section.module.css';
import styles from './library-section.module.css';

/** A card for each folder, or how to name one. */
export function RootCards({ roots }: { roots: readonly Snapshot<LibraryRoot>[] }) {
  const isDemoAlone = roots.length > 0 && roots.every(({ kind }) => kind === 'demo');
  return (
    <>
      {roots.length === 0 && <p className={shared.empty}>No folders yet. {howToName}</p>}
      {isDemoAlone && <p className={shared.quiet}>Only the demo clips are here. {howToName}</p>}
      {roots.length > 0 && (
        <div className={shared.grid}>
          {roots.map((root) => (
            <RootCard key={root.folder} root={root} />
          ))}
        </div>
      )}
    </>
  );
}

const howToName = 'Name your folders of videos in LIBRARY_DIRS and start the site again.';

function RootCard({ root }: { root: Snapshot<LibraryRoot> }) {
  const { name, folder, kind, videos, available, missing_since, scanned_at, free_bytes, total_bytes } = root;
  return (
    <Card title={name} end={kind === 'demo' && <Badge words="Demo clips" />}>
      <div className={shared.lines}>
        <p className={shared.path}>
          <bdi>{folder}</bdi>
        </p>
        <p>{`${countText(videos, 'video')}, ${available.toLocaleString()} available`}</p>
        {missing_since !== null && (
          <p className={styles.missing}>
            Its folder cannot be read <Since time={missing_since} />.
          </p>
        )}
        <DiskSpace freeBytes={free_bytes} totalBytes={total_bytes} />
        {kind !== 'uploads' && (
          <p className={shared.quiet}>
            {scanned_at === null ? (
              'Not looked through yet'
            ) : (
              <>
                Looked through <Moment time={scanned_at} />
              </>
            )}
          </p>
        )}
      </div>
    </Card>
  );
}
