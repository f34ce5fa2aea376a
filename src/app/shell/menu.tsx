import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { controls } from '../features/feed/controls/controls-store.ts';
import { afterFirstFrames } from '../playback/frames/first-frames.ts';
import { closeMenu, navigation } from '../state/navigation.ts';
import { lazyPart } from '../ui/loading/lazy-part.tsx';
import { MenuDoor } from './menu-door.tsx';
import { watchMenuPointer } from './menu-pointer.ts';
import { useScreenForm } from './screen-form-hook.ts';

const loadSideMenu = async () => (await import('./side-menu.tsx')).SideMenu;
const loadBottomBar = async () => (await import('./bottom-bar.tsx')).BottomBar;

const SideMenu = lazyPart(loadSideMenu, MenuNotLoaded);
const BottomBar = lazyPart(loadBottomBar, MenuNotLoaded);

const loadsAtMostAfterMs = 4_000;

/** §2 Forms: a bar on phones, the side menu elsewhere; a TV's has no door, keys open it. */
export function Menu({ isFeed }: { isFeed: boolean }) {
  const form = useScreenForm();
  const { isMenuOpen } = useSnapshot(navigation);
  const isPhone = form === 'phone';
  useEffect(watchMenuPointer, []);
  useEffect(() => afterFirstFrames(loadsAtMostAfterMs, () => void (isPhone ? loadBottomBar() : loadSideMenu()).catch(leaveToLater)), [isPhone]);
  return (
    <>
      {!isPhone && form !== 'tv' && <MenuDoor isFeed={isFeed} />}
      <Suspense fallback={null}>
        {isPhone && <PhoneBar isFeed={isFeed} />}
        {!isPhone && isMenuOpen && <SideMenu />}
      </Suspense>
    </>
  );
}

/** On the feed it comes and goes with the controls. */
function PhoneBar({ isFeed }: { isFeed: boolean }) {
  const { awake } = useSnapshot(controls);
  return isFeed && awake === null ? null : <BottomBar />;
}

/** Its file could not be had: there is nothing that could stay open. */
function MenuNotLoaded() {
  useEffect(closeMenu, []);
  return null;
}

/** It is asked for again when it is needed. */
function leaveToLater(): void {}
