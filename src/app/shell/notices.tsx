import { WifiOff } from 'lucide-react';
import { Suspense } from 'react';
import { useSnapshot } from 'valtio';
import { appUpdate } from '#app/state/app-update.ts';
import { connection } from '#app/state/connection.ts';
import { reelChoice } from '#app/state/link-choice.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { session } from '#app/state/session.ts';
import { outboxNotice } from '#app/state/unsent.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { lazyPart } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { offlineNotice } from '../state/connection.ts';
import styles from './notices.module.css';

/** Offline notice under the title of every view except the feed, which has the pill. */
export function OfflineBanner() {
  const { isReachable } = useSnapshot(connection);
  return isReachable ? null : <Banner icon={<WifiOff aria-hidden="true" />} sentence="You are offline." />;
}

/** Offline notice over the feed, top centre: first a sentence, then the icon alone. */
export function OfflinePill() {
  const { face } = useSnapshot(offlineNotice);
  const { playable } = useSnapshot(savedNotice);
  const { isOn: isReelOn } = useSnapshot(reelChoice);
  return (
    <div role="status">
      {face !== 'hidden' && (
        <div className={styles.pill}>
          <WifiOff aria-hidden="true" />
          <span className={face === 'tile' ? 'visually-hidden' : styles.words}>
            {playable ? savedWords(playable) : isReelOn ? reelWords : 'You are offline'}
          </span>
        </div>
      )}
    </div>
  );
}

const reelWords = 'You are offline. Videos you watch while online are kept here.';

function savedWords(count: number): string {
  return count === 1 ? 'You are offline. Playing 1 saved video' : `You are offline. Playing ${count} saved videos`;
}

/**
 * Loaded separately because it is rarely needed. It is loaded with the outbox, while there is a
 * network.
 */
const OutboxIndicator = lazyPart(
  async () => (await import('./rare-notices.tsx')).OutboxIndicator,
  () => null,
);

/**
 * The notice that changes wait for the network or were refused: over the feed, or under the title
 * of another view.
 */
export function WaitingChanges() {
  const { isLoaded } = useSnapshot(outboxNotice);
  return <Suspense>{isLoaded && <OutboxIndicator />}</Suspense>;
}

/** Loaded separately because they are rarely needed. */
const FailureBanner = lazyPart(
  async () => (await import('./rare-notices.tsx')).FailureBanner,
  () => null,
);
const FailureToast = lazyPart(
  async () => (await import('./rare-notices.tsx')).FailureToast,
  () => null,
);

/**
 * §8: the failed start as a banner under the title of a view. While offline, the offline banner is
 * enough.
 */
export function StartFailureBanner() {
  return <Suspense fallback={null}>{useHasFailed() && <FailureBanner />}</Suspense>;
}

/** The failed start as a toast over the feed, which has no title. */
export function StartFailureToast() {
  return <Suspense fallback={null}>{useHasFailed() && <FailureToast />}</Suspense>;
}

function useHasFailed(): boolean {
  const { phase } = useSnapshot(session);
  const { isReachable } = useSnapshot(connection);
  return phase === 'failed' && isReachable;
}

/**
 * Loaded separately because it is rarely needed. Without it the menu's entry offers the new
 * version.
 */
const UpdateOffer = lazyPart(
  async () => (await import('./rare-notices.tsx')).UpdateOffer,
  () => null,
);

/** Offers a new version in a toast for a limited time; afterwards the menu has an entry for it. */
export function UpdatePrompt() {
  const { isReady, isDeferred, isSaving } = useSnapshot(appUpdate);
  return <Suspense fallback={null}>{isReady && !isDeferred && !isSaving && <UpdateOffer />}</Suspense>;
}

/** Loaded separately because it is rarely needed. Without it uploads continue all the same. */
const UploadIndicator = lazyPart(
  async () => (await import('./upload-indicator.tsx')).UploadIndicator,
  () => null,
);

/**
 * The indicator of uploads. It is loaded with the uploads, or in the view where files from outside
 * the app may arrive.
 */
export function RunningUploads({ isUpload }: { isUpload: boolean }) {
  const { isLoaded } = useSnapshot(uploads);
  return <Suspense>{(isLoaded || isUpload) && <UploadIndicator />}</Suspense>;
}
