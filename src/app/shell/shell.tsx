import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { navigation, openView } from '../state/navigation.ts';
import { views } from '../views.ts';
import { Dialogs } from './dialogs.tsx';
import { FocusStart } from './focus-start.tsx';
import { Menu } from './menu.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { OfflinePill } from './offline-pill.tsx';
import { followPlaying } from './screen-wake.ts';
import { SkipLink } from './skip-link.tsx';
import { UpdatePrompt } from './update-prompt.tsx';

/** The current view, and what stands over every view. */
export function Shell() {
  const { view } = useSnapshot(navigation);
  const { title, Screen } = views[view];
  const isFeed = view === 'feed';
  useEffect(followPlaying, []);
  useEffect(() => {
    document.title = isFeed ? 'Fourfold' : `${title} – Fourfold`;
  }, [isFeed, title]);
  return (
    <>
      {!isFeed && <SkipLink />}
      {!isFeed && <Menu isFeed={false} />}
      <Suspense fallback={null}>
        <Screen title={title} notice={<OfflineBanner />} onBack={() => openView('feed')} />
        <FocusStart key={view} isFeed={isFeed} />
      </Suspense>
      {isFeed && <OfflinePill />}
      {isFeed && <Menu isFeed />}
      <Dialogs />
      <UpdatePrompt />
    </>
  );
}
