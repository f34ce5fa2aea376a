import { useEffect, useState } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Badge } from '#app/ui/badge.tsx';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { countText, sizeText, spanText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import type { LibraryRoot, LibraryScan } from '#contract/entities/library.ts';
import shared from '../section.module.css';
import { DiskSpaceBar, Moment, Since } from '../section-parts.tsx';
import { FolderChannelsCard } from './folder-channels-card.tsx';
import styles from './library-section.module.css';
import { clearCache, library, libraryActions, rescan, resetLibraryActions } from './library-store.ts';
import { RemovedUploadsCard } from './removed-uploads.tsx';
import { ReportsCard } from './reports-card.tsx';
import { HiddenCard, UnplayableCard } from './video-lists.tsx';

/** The video folders, the scan, and the generated files. */
export function LibrarySection() {
  const state = useSnapshot(library.state);
  useEffect(() => library.open(), []);
  useEffect(() => resetLibraryActions, []);
  return (
    <div className={shared.section}>
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void library.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value && (
          <div className={shared.section}>
            <RootCards roots={state.value.roots} />
            <div className={shared.grid}>
              <ScanCard scan={state.value.scan} />
              <CacheCard bytes={state.value.cache_bytes} />
              <FolderChannelsCard />
            </div>
          </div>
        )}
      </ListBody>
      <ReportsCard />
      <UnplayableCard />
      <HiddenCard />
      <RemovedUploadsCard />
    </div>
  );
}

/** A card for each folder, or instructions for adding one. */
function RootCards({ roots }: { roots: readonly Snapshot<LibraryRoot>[] }) {
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

const howToName = 'Name your folders of videos under Settings.';

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
        <DiskSpaceBar freeBytes={free_bytes} totalBytes={total_bytes} />
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

/** The scan in progress, or the last one. */
function ScanCard({ scan }: { scan: LibraryScan }) {
  const { isStartingScan, scanNotice } = useSnapshot(libraryActions);
  const { isReachable } = useSnapshot(connection);
  const isBusy = isStartingScan || scan.is_running;
  return (
    <Card title="Scan">
      <div className={shared.lines}>
        {scan.is_running ? <Progress scan={scan} /> : <LastScan scan={scan} />}
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            label={isBusy ? 'Scanning...' : 'Rescan'}
            isDisabled={isBusy || !isReachable}
            onPress={() => void rescan()}
          />
        </div>
        <Notice notice={scanNotice} />
      </div>
    </Card>
  );
}

function Progress({ scan: { progress, found } }: { scan: LibraryScan }) {
  const words = [
    progress === null ? 'Looking through the folders' : `${Math.round(progress)} %`,
    ...(found === null ? [] : [`${countText(found, 'file')} found`]),
  ];
  return (
    <>
      <Bar share={progress === null ? null : progress / 100} label="Scan" />
      <p>{words.join(', ')}</p>
    </>
  );
}

function LastScan({ scan: { finished_at, duration_seconds } }: { scan: LibraryScan }) {
  if (finished_at === null) return <p className={shared.quiet}>No scan has come to its end yet.</p>;
  return (
    <p>
      The last one ended <Moment time={finished_at} />
      {duration_seconds !== null && ` and took ${spanText(duration_seconds)}`}.
    </p>
  );
}

/** The size of the generated files, which can be deleted and made again. */
function CacheCard({ bytes }: { bytes: number }) {
  const [isAsked, setAsked] = useState(false);
  const { isClearing, cacheNotice } = useSnapshot(libraryActions);
  const { isReachable } = useSnapshot(connection);
  const confirm = () => {
    setAsked(false);
    void clearCache();
  };
  return (
    <Card title="Cache">
      <div className={shared.lines}>
        <p>{`${sizeText(bytes)} of posters and previews`}</p>
        <div className={shared.buttons}>
          <Button
            kind="line"
            label={isClearing ? 'Clearing...' : 'Clear cache'}
            isDisabled={isClearing || !isReachable}
            onPress={() => setAsked(true)}
          />
        </div>
        <Notice notice={cacheNotice} />
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Clear Cache"
          sentence={confirmations.clearCache}
          action="Clear cache"
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        />
      )}
    </Card>
  );
}
