import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { afterFirstFrames } from '#app/playback/frames/first-frames.ts';
import { closeMenu, navigation } from '#app/state/navigation.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { useScreenForm } from '../screen/screen-form-hook.ts';
import { MenuOpener } from './menu-opener.tsx';
import { watchMenuPointer } from './menu-pointer.ts';

const loadSideMenu = async () => (await import('./side-menu.tsx')).SideMenu;
const loadBottomBar = async () => (await import('./bottom-bar.tsx')).BottomBar;

const SideMenu = lazyPart(loadSideMenu, MenuNotLoaded);
const BottomBar = lazyPart(loadBottomBar, MenuNotLoaded);

const loadsAtMostAfterMs = 4_000;

/** §2 Forms: a bar on phones, the side menu elsewhere; on a TV keys open it. */
export function Menu({ isFeed }: { isFeed: boolean }) {
  const form = useScreenForm();
  const { isMenuOpen } = useSnapshot(navigation);
  const isPhone = form === 'phone';
  useEffect(watchMenuPointer, []);
  useEffect(
    () =>
      afterFirstFrames(
        loadsAtMostAfterMs,
        () => void (isPhone ? loadBottomBar() : loadSideMenu()).catch(ignoreFailure),
      ),
    [isPhone],
  );
  return (
    <>
      {!isPhone && form !== 'tv' && <MenuOpener isFeed={isFeed} />}
      <Suspense fallback={null}>
        {isPhone && <PhoneBar isFeed={isFeed} />}
        {!isPhone && isMenuOpen && <SideMenu />}
      </Suspense>
    </>
  );
}

/** On the feed it is shown and hidden with the controls. */
function PhoneBar({ isFeed }: { isFeed: boolean }) {
  const { active } = useSnapshot(controls);
  return isFeed && active === null ? null : <BottomBar />;
}

/** The menu's file could not be loaded: the open state is reset. */
function MenuNotLoaded() {
  useEffect(closeMenu, []);
  return null;
}

/** A failed preload is ignored: the file is requested again when the menu opens. */
function ignoreFailure(): void {}
