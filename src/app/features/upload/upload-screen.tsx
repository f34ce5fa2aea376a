import { Info, ScrollText, TriangleAlert } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Suspense, useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { isIos } from '#app/platform/capabilities.ts';
import { currentScope, focusedElement, focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentForm, currentInput } from '#app/platform/input/screen-form.ts';
import { connection } from '#app/state/connection.ts';
import { isLinkKnown, linkChoice, setWifiOnly } from '#app/state/link-choice.ts';
import { mayEditTags } from '#app/state/may.ts';
import { isAmong, session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { isAtRisk, uploads } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { Banner, EmptyView } from '#app/ui/messages.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { EmptyPart, Page } from '#app/ui/page.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import { notices } from '#contract/notices.ts';
import { closeEula, openEula, openUploadAccess, uploadAccess } from './access-store.ts';
import { AddPanel, SharedCards } from './add-panel.tsx';
import { watchOpenedFiles } from './add-store.ts';
import listStyles from './upload-rows.module.css';
import styles from './upload-screen.module.css';
import {
  batchTags,
  closeBatchTags,
  dismissAlert,
  dismissStartFailure,
  openBatchTags,
  openUploads,
  tagNamesOf,
  uploadAlerts,
} from './upload-store.ts';
import { useUploads } from './upload-summary.ts';

interface Props {
  title: string;
  /** A notice of the app, below the title. */
  notice: ReactNode;
  onBack: () => void;
}

/** Shown on TVs only. */
const PhonePanel = lazyPart(
  async () => (await import('./phone-panel.tsx')).PhonePanel,
  () => <p>Open this site on a phone, sign in, and choose Upload.</p>,
);
/** Shown below the list, which works without it. */
const HistorySection = lazyPart(async () => (await import('./history-section.tsx')).HistorySection, HistoryMissing);

/** The screen for uploads (§2 Upload Videos), which is shown only to signed-in users. */
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
  // A TV cannot add files: the settings of the batch are shown only when there are some already.
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

/** The notices about all uploads, the most urgent first. */
function UploadBanners() {
  const { policy, isEulaAccepted } = useSnapshot(uploadAccess);
  const { user } = useSnapshot(session);
  const { isLasting } = useSnapshot(uploads);
  const isAnyAtRisk = useUploads(({ rows }) => rows.some(isAtRisk));
  return (
    <div className={styles.banners}>
      {isAnyAtRisk && <Banner icon={<TriangleAlert aria-hidden="true" />} sentence={notices.uploadsInProgress} />}
      {isEulaAccepted === false && (
        <Banner
          kind="info"
          icon={<ScrollText aria-hidden="true" />}
          sentence="Please read and accept the End-User License Agreement before you upload."
          action={{ label: 'Read and accept', onPress: openEula }}
        />
      )}
      {!isLasting && <Banner icon={<TriangleAlert aria-hidden="true" />} sentence={notices.uploadsEndWithPage} />}
      {policy === 'approval' && !isAmong(user, 'admin') && (
        <Banner kind="info" icon={<Info aria-hidden="true" />} sentence={notices.uploadsNeedApproval} />
      )}
    </div>
  );
}

const loadRows = async () => (await import('./upload-rows.tsx')).UploadRows;
const UploadRows = lazyPart(loadRows, () => <EmptyPart sentence="The list could not be loaded." />);

/** The files that wait, are being sent, or were sent. */
function UploadList() {
  const { isLoaded } = useSnapshot(uploads);
  const isEmpty = useUploads(({ rows }) => rows.length === 0);
  useEffect(() => void loadRows().catch(ignoreFailure), []);
  return (
    <section className={listStyles.card} aria-label="Files">
      {isEmpty ? (
        <EmptyPart
          heading={isLoaded ? 'No files selected' : 'Loading...'}
          {...(isLoaded && { sentence: 'Videos that you add are listed here until they are uploaded.' })}
        />
      ) : (
        <Suspense fallback={<EmptyPart heading="Loading..." />}>
          <UploadRows />
        </Suspense>
      )}
    </section>
  );
}

/** A failed preload is tried again when there is a row. */
function ignoreFailure(): void {}

const TagsDialog = lazyPart(
  async () => (await import('./tags-dialog.tsx')).TagsDialog,
  () => <AlertDialog title="Channels" sentence="They could not be loaded." onClose={closeBatchTags} />,
);

/** The settings of all videos that are sent now. */
function BatchCard() {
  const { tagIds } = useSnapshot(uploads);
  const { isOpen, known } = useSnapshot(batchTags);
  const isEditor = mayEditTags(useSnapshot(session), useSnapshot(siteConfig));
  return (
    <Card title="These videos">
      {isEditor && (
        <div className={styles.channels}>
          <p className={styles.words}>
            {tagIds.length === 0 ? 'In no channel yet.' : <bdi>{`Channels: ${tagNamesOf(tagIds, known)}`}</bdi>}
          </p>
          <Button kind="tonal" label="Choose channels" onPress={openBatchTags} />
        </div>
      )}
      {isLinkKnown() && <WifiOnly />}
      <p className={styles.hint}>{notices.uploadsTellPlaces}</p>
      {isIos() && <p className={styles.hint}>{notices.uploadsNeedScreen}</p>}
      <Suspense fallback={null}>{isOpen && <TagsDialog />}</Suspense>
    </Card>
  );
}

function WifiOnly() {
  const { uploads: isWifiOnly } = useSnapshot(linkChoice);
  return (
    <div className={styles.choice}>
      <CheckRow
        label="Wi-Fi only"
        hint="On this device, for all uploads."
        isOn={isWifiOnly}
        onChange={(isOn) => setWifiOnly('uploads', isOn)}
      />
    </div>
  );
}

const EulaDialog = lazyPart(async () => (await import('./eula-dialog.tsx')).EulaDialog, EulaMissing);

function EulaMissing() {
  const { isReachable } = useSnapshot(connection);
  const sentence = isReachable ? 'It could not be loaded.' : 'Needs a connection';
  return <AlertDialog title="End-User License Agreement" sentence={sentence} onClose={closeEula} />;
}

/** The agreement and the alerts, one at a time. */
function UploadDialogs() {
  const { isEulaOpen } = useSnapshot(uploadAccess);
  const { startFailure } = useSnapshot(uploads);
  const { waiting } = useSnapshot(uploadAlerts);
  const [alert] = waiting;
  if (startFailure !== null)
    return <AlertDialog title="Upload Videos" sentence={startFailure} onClose={dismissStartFailure} />;
  if (alert) return <AlertDialog key={waiting.length} {...alert} onClose={dismissAlert} />;
  return <Suspense fallback={null}>{isEulaOpen && <EulaDialog />}</Suspense>;
}

interface AlertProps {
  title: string;
  /** Line breaks are kept. */
  sentence: string;
  onClose: () => void;
}

/** An alert that has to be confirmed (§5): one sentence, or one line for each file. */
function AlertDialog({ title, sentence, onClose }: AlertProps) {
  useBackLayer(onClose);
  return (
    <Modal
      kind="alertdialog"
      title={title}
      sentence={<span className={styles.lines}>{sentence}</span>}
      onClose={onClose}
      foot={
        <div className={styles.buttons}>
          <Button label="OK" isFirst onPress={onClose} />
        </div>
      }
    />
  );
}

/** Shown in place of the past uploads when their code cannot be loaded. */
function HistoryMissing() {
  const { isReachable } = useSnapshot(connection);
  return (
    <section aria-labelledby="past-uploads">
      <h2 id="past-uploads">Past uploads</h2>
      <p role="status">{isReachable ? 'They could not be loaded.' : 'Waiting for network'}</p>
    </section>
  );
}

/** Sets the focus in the content once it is shown, unless the user has moved it meanwhile. */
function useFocusStart(): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const isFree = currentScope() === document.body && !focusedElement();
    if (main.current && isFree && currentInput() !== 'touch') focusStart(main.current);
  }, []);
  return main;
}
