import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { navigation, openView } from '../state/navigation.ts';
import { isAmong, session } from '../state/session.ts';
import { lazyScreen, views } from '../views.ts';
import { Dialogs } from './dialogs/dialogs.tsx';
import { Menu } from './menu/menu.tsx';
import { OfflineBanner } from './offline/offline-banner.tsx';
import { OfflinePill } from './offline/offline-pill.tsx';
import { WaitingChanges } from './outbox/waiting-changes.tsx';
import { watchPlaying } from './screen/screen-wake.ts';
import { SkipLink } from './skip-link.tsx';
import { FocusStart } from './start/focus-start.tsx';
import { StartFailureBanner, StartFailureToast } from './start/start-failure.tsx';
import { UpdatePrompt } from './update/update-prompt.tsx';
import { RunningUploads } from './uploads/running-uploads.tsx';

/** Rarely needed, so its file is not in the first bytes. */
const RefusedView = lazyScreen(async () => (await import('./refused-view.tsx')).RefusedView);

/** Notices about the whole app, which views show under their titles. */
const notice = (
  <>
    <OfflineBanner />
    <WaitingChanges />
    <StartFailureBanner />
  </>
);

/** The current view, with menu, dialogs and notices over it. */
export function Shell() {
  const { view } = useSnapshot(navigation);
  const { user } = useSnapshot(session);
  const { title, audience, Screen } = views[view];
  const isAllowed = isAmong(user, audience);
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
        <Shown title={title} notice={notice} onBack={() => openView('feed')} />
        <FocusStart key={isAllowed ? view : 'refused'} isFeed={isFeed} />
      </Suspense>
      {isFeed && <OfflinePill />}
      {isFeed && <WaitingChanges />}
      {isFeed && <StartFailureToast />}
      {isFeed && <Menu isFeed />}
      <RunningUploads isUpload={view === 'upload'} />
      <Dialogs />
      <UpdatePrompt />
    </>
  );
}
