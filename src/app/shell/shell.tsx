import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { subscribe } from 'valtio/vanilla';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { reloadApp } from '#app/state/app-update.ts';
import { connection } from '#app/state/connection.ts';
import type { DialogName, ViewName } from '#app/state/navigation.ts';
import { lazyPart } from '#app/ui/loading.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { focusedElement, focusStart } from '../platform/input/focus-scopes.ts';
import { closeDialog, navigation, openDialog, openView } from '../state/navigation.ts';
import { isAmong, onUserChange, session } from '../state/session.ts';
import { Button } from '../ui/button.tsx';
import { EmptyView, lateFailure, Toast } from '../ui/messages.tsx';
import { useDerived } from '../ui/store-hooks.ts';
import type { ScreenProps } from '../views.ts';
import { views } from '../views.ts';
import { Menu } from './menu/menu.tsx';
import {
  OfflineBanner,
  OfflinePill,
  RunningUploads,
  StartFailureBanner,
  StartFailureToast,
  UpdatePrompt,
  WaitingChanges,
} from './notices.tsx';
import styles from './shell.module.css';

const SignInDialog = lazyPart(
  async () => (await import('#app/features/auth/sign-in-dialog.tsx')).default,
  DialogNotLoaded,
);

const DeviceDialog = lazyPart(
  async () => (await import('#app/features/auth/device-dialog.tsx')).default,
  DialogNotLoaded,
);

const AccountDialog = lazyPart(
  async () => (await import('#app/features/profile/account-dialog.tsx')).default,
  DialogNotLoaded,
);

const PlansDialog = lazyPart(
  async () => (await import('#app/features/profile/plans-dialog.tsx')).default,
  DialogNotLoaded,
);

const KeepDialog = lazyPart(
  async () => (await import('#app/features/video-dialogs/keep-dialog.tsx')).default,
  DialogNotLoaded,
);

const VideoActDialog = lazyPart(
  async () => (await import('#app/features/video-dialogs/video-act-dialog.tsx')).default,
  DialogNotLoaded,
);

const DetailsDialog = lazyPart(
  async () => (await import('#app/features/video-dialogs/details-dialog.tsx')).default,
  DialogNotLoaded,
);

const FirstRunDialog = lazyPart(
  async () => (await import('#app/features/admin/first-run-dialog.tsx')).default,
  DialogNotLoaded,
);

const TvOffer = lazyPart(async () => (await import('./rare-notices.tsx')).TvOffer, DialogNotLoaded);

const ShortcutsDialog = lazyPart(
  async () => (await import('#app/features/feed/shortcuts-dialog.tsx')).default,
  DialogNotLoaded,
);

/** Notices about the whole app, shown under the title of a view. */
const notice = (
  <>
    <OfflineBanner />
    <WaitingChanges />
    <StartFailureBanner />
  </>
);

/** The current view with menu, dialogs and notices over it; `Frame` draws the feed itself. */
export function Shell() {
  const { view } = useSnapshot(navigation);
  const { title, audience, Screen } = views[view];
  const isAllowed = useDerived(session, () => isAmong(session.user, audience));
  const Shown = isAllowed ? Screen : RefusedView;
  const isFeed = view === 'feed';
  useEffect(watchPlaying, []);
  useEffect(() => {
    document.title = isFeed ? 'Fourfold' : `${title} – Fourfold`;
  }, [isFeed, title]);
  return (
    <>
      {!isFeed && <SkipLink />}
      {!isFeed && <Menu isFeed={false} />}
      <Suspense fallback={null}>
        {Shown && <Shown title={title} notice={notice} onBack={() => openView('feed')} />}
        <FocusStart key={isAllowed ? view : 'refused'} isFeed={isFeed} />
      </Suspense>
      {isFeed && <OfflinePill />}
      {isFeed && <WaitingChanges />}
      {isFeed && <StartFailureToast />}
      {isFeed && <Menu isFeed />}
      <RunningUploads isUpload={view === 'upload'} />
      <Dialogs />
      <LateFailure />
      <UpdatePrompt />
    </>
  );
}

/** Tells why something failed whose dialog was closed meanwhile, until it is dismissed. */
function LateFailure() {
  const { sentence } = useSnapshot(lateFailure);
  const forget = () => void Object.assign(lateFailure, { sentence: null });
  useEffect(() => onUserChange(() => Object.assign(lateFailure, { sentence: null, person: Symbol() })), []);
  return sentence && <Toast icon={<CircleAlert aria-hidden="true" />} sentence={sentence} onDismiss={forget} />;
}

/** The first element in the tab order, which skips the menu. */
function SkipLink() {
  return (
    <button type="button" className={styles.link} onClick={skip}>
      Skip to content
    </button>
  );
}

function skip(): void {
  const main = document.querySelector('main');
  if (main) focusStart(main);
}

interface Words {
  heading: string;
  sentence: string;
}

const adminsOnly: Words = { heading: 'Access Denied', sentence: 'Only administrators can open this.' };

/** §2: the text of each view for users without permission. */
const refusals: Partial<Record<ViewName, Words>> = {
  upload: {
    heading: 'Please log in to upload videos',
    sentence: 'You need to be authenticated to access the upload feature.',
  },
  'tag-management': { heading: 'Access Denied', sentence: 'Please log in to access tag management' },
  'video-tagging': { heading: 'Access Denied', sentence: 'Please log in to access video tagging' },
};

/** The text of a view while the session is loading. */
const checks: Partial<Record<ViewName, Words>> = {
  upload: { heading: 'Loading...', sentence: 'Checking your upload permissions...' },
};

/** Shown instead of a view that the user may not open (§6). */
function RefusedView({ title, notice, onBack }: ScreenProps) {
  const { view } = useSnapshot(navigation);
  const { phase, user } = useSnapshot(session);
  if (phase === 'loading')
    return <EmptyView title={title} notice={notice} {...(checks[view] ?? { sentence: 'Loading...' })} />;
  const action =
    user === null
      ? { label: 'Sign In', onPress: () => openDialog('sign-in') }
      : { label: 'Back to the feed', onPress: onBack };
  return <EmptyView title={title} notice={notice} {...(refusals[view] ?? adminsOnly)} action={action} />;
}

/**
 * Renders nothing. When a view opens without a focused element, it focuses the view's first useful
 * one.
 */
export function FocusStart({ isFeed }: { isFeed: boolean }) {
  useEffect(() => {
    const main = document.querySelector('main');
    if (main && !focusedElement() && isWanted(isFeed)) focusStart(main);
  }, [isFeed]);
  return null;
}

/**
 * The focus is not moved for touch, and on the feed not for a mouse: it would show the controls.
 */
function isWanted(isFeed: boolean): boolean {
  const input = currentInput();
  return input !== 'touch' && !(isFeed && input === 'pointer');
}

/** Keeps the screen on while a video plays. Returns a function that stops it. */
export function watchPlaying(): () => void {
  updateWakeLock();
  const stop = subscribe(playerFacts, updateWakeLock);
  return () => {
    stop();
    keepScreenOn('playing', false);
  };
}

function updateWakeLock(): void {
  keepScreenOn(
    'playing',
    Object.values(playerFacts).some(({ hasFrame, isPaused }) => hasFrame && !isPaused),
  );
}

/** The dialog open over the view, if any. */
export function Dialogs() {
  const { dialog } = useSnapshot(navigation);
  return dialog && <Suspense fallback={null}>{draw(dialog)}</Suspense>;
}

function draw(dialog: DialogName): ReactNode {
  if (dialog === 'plans') return <PlansDialog onClose={closeDialog} />;
  if (dialog === 'account') return <AccountDialog onClose={closeDialog} />;
  if (dialog === 'shortcuts') return <ShortcutsDialog onClose={closeDialog} />;
  if (dialog === 'keep') return <KeepDialog onClose={closeDialog} />;
  if (dialog === 'video-act') return <VideoActDialog onClose={closeDialog} />;
  if (dialog === 'details') return <DetailsDialog onClose={closeDialog} />;
  if (dialog === 'first-run') return <FirstRunDialog onClose={closeDialog} />;
  if (dialog === 'tv-layout') return <TvOffer onClose={closeDialog} />;
  if (dialog === 'device') return <DeviceDialog onClose={closeDialog} />;
  return <SignInDialog mode={dialog} onClose={closeDialog} />;
}

/**
 * Shown when the file of a dialog could not be loaded: offline and not cached, or removed with an
 * older version.
 */
function DialogNotLoaded({ onClose }: { onClose: () => void }) {
  const { isReachable } = useSnapshot(connection);
  const sentence = isReachable ? 'This could not be loaded.' : 'Needs a connection';
  return (
    <Modal kind="alertdialog" title="Not loaded" sentence={sentence} onClose={onClose}>
      {isReachable ? (
        <Button label="Reload" onPress={() => void reloadApp()} />
      ) : (
        <Button label="Close" onPress={onClose} />
      )}
    </Modal>
  );
}
