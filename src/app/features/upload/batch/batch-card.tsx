import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { isIos } from '#app/platform/capabilities.ts';
import { mayEditTags } from '#app/state/may.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { isLinkKnown, setWifiOnly, uploadChoice } from '#app/state/uploads/upload-link.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { uploadsNeedScreen, uploadsTellPlaces } from '#contract/notices.ts';
import { AlertDialog } from '../alert-dialog.tsx';
import styles from './batch-card.module.css';
import { batchTags, closeBatchTags, namesOf, openBatchTags } from './batch-store.ts';

const TagsDialog = lazyPart(
  async () => (await import('./tags-dialog.tsx')).TagsDialog,
  () => <AlertDialog title="Channels" sentence="They could not be loaded." onClose={closeBatchTags} />,
);

/** What holds for all videos that are sent now. */
export function BatchCard() {
  const { tagIds } = useSnapshot(uploads);
  const { isOpen, known } = useSnapshot(batchTags);
  const isEditor = mayEditTags(useSnapshot(session), useSnapshot(siteConfig));
  return (
    <Card title="These videos">
      {isEditor && (
        <div className={styles.channels}>
          <p className={styles.words}>
            {tagIds.length === 0 ? 'In no channel yet.' : <bdi>{`Channels: ${namesOf(tagIds, known)}`}</bdi>}
          </p>
          <Button kind="tonal" label="Choose channels" onPress={openBatchTags} />
        </div>
      )}
      {isLinkKnown() && <WifiOnly />}
      <p className={styles.hint}>{uploadsTellPlaces}</p>
      {isIos() && <p className={styles.hint}>{uploadsNeedScreen}</p>}
      <Suspense fallback={null}>{isOpen && <TagsDialog />}</Suspense>
    </Card>
  );
}

function WifiOnly() {
  const { isWifiOnly } = useSnapshot(uploadChoice);
  return (
    <div className={styles.choice}>
      <CheckRow label="Wi-Fi only" hint="On this device, for all uploads." isOn={isWifiOnly} onChange={setWifiOnly} />
    </div>
  );
}
