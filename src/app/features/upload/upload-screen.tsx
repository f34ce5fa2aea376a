import type { ReactNode } from 'react';
import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { isAmong, session } from '#app/state/session.ts';
import { EmptyView } from '#app/ui/empty-view.tsx';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { Page } from '#app/ui/page.tsx';
import { openUploadAccess, uploadAccess } from './access-store.ts';
import { AddPanel } from './add/add-panel.tsx';
import { watchOpenedFiles } from './add/opened-files.ts';
import { SharedCards } from './add/shared-cards.tsx';
import { BatchCard } from './batch/batch-card.tsx';
import { HistoryMissing } from './history/history-missing.tsx';
import { UploadList } from './list/upload-list.tsx';
import { useUploads } from './list/use-uploads.ts';
import { UploadBanners } from './upload-banners.tsx';
import { UploadDialogs } from './upload-dialogs.tsx';
import styles from './upload-screen.module.css';
import { openUploads } from './upload-store.ts';
import { useFocusStart } from './use-focus-start.ts';

interface Props {
  title: string;
  /** A notice of the whole app, under the title. */
  notice: ReactNode;
  onBack: () => void;
}

/** For TVs alone. */
const PhonePanel = lazyPart(
  async () => (await import('./add/phone-panel.tsx')).PhonePanel,
  () => <p>Open this site on a phone, sign in, and choose Upload.</p>,
);
/** Below the list; nothing stands or falls with it. */
const HistorySection = lazyPart(
  async () => (await import('./history/history-section.tsx')).HistorySection,
  HistoryMissing,
);

/** §2 Upload Videos. Whoever is not signed in does not get here. */
export function UploadScreen(props: Props) {
  const { title, notice, onBack } = props;
  const { policy, isEulaAccepted } = useSnapshot(uploadAccess);
  const { user } = useSnapshot(session);
  useEffect(openUploadAccess, []);
  useEffect(openUploads, []);
  if (policy === null || isEulaAccepted === null)
    return (
      <EmptyView title={title} notice={notice} heading="Loading..." sentence="Checking your upload permissions..." />
    );
  if (policy === 'admins' && !isAmong(user, 'admin'))
    return (
      <EmptyView
        title={title}
        notice={notice}
        heading="Access Denied"
        sentence="Only administrators can upload here."
        action={{ label: 'Back to the feed', onPress: onBack }}
      />
    );
  return <Uploads {...props} />;
}

function Uploads({ title, notice }: Props) {
  useEffect(watchOpenedFiles, []);
  const main = useFocusStart();
  const isTv = currentForm() === 'tv';
  const isEmpty = useUploads(({ rows }) => rows.length === 0);
  // A TV cannot add any: what holds for them is of use where some are there already.
  const hasBatch = !(isTv && isEmpty);
  return (
    <Page ref={main} title={title} notice={notice}>
      <UploadBanners />
      <SharedCards />
      <div className={styles.columns}>
        <div className={styles.add}>
          <Suspense fallback={null}>{isTv ? <PhonePanel /> : <AddPanel />}</Suspense>
        </div>
        <div className={styles.list}>
          <UploadList />
        </div>
        {hasBatch && (
          <div className={styles.batch}>
            <BatchCard />
          </div>
        )}
      </div>
      <Suspense fallback={null}>
        <HistorySection />
      </Suspense>
      <UploadDialogs />
    </Page>
  );
}
