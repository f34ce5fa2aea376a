import { LayoutGrid } from 'lucide-react';
import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { isIos } from '#app/platform/capabilities.ts';
import { currentScope } from '#app/platform/input/focus-scopes.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { afterFirstFrames } from '#app/playback/player/player.ts';
import { claimPointer, followPointer } from '#app/start/handover.ts';
import { chooseView, closeMenu, isCovered, navigation, openMenu } from '#app/state/navigation.ts';
import { IconButton } from '#app/ui/button.tsx';
import { Logo } from '#app/ui/glyphs.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { limits } from '#contract/limits.ts';
import { useScreenForm } from '../../ui/store-hooks.ts';
import styles from './menu.module.css';

const loadSideMenu = async () => (await import('./side-menu.tsx')).SideMenu;
const loadBottomBar = async () => (await import('./bottom-bar.tsx')).BottomBar;

const SideMenu = lazyPart(loadSideMenu, MenuNotLoaded);
const BottomBar = lazyPart(loadBottomBar, MenuNotLoaded);

const loadsAtMostAfterMs = 4_000;

/** §2 Forms: a bar on phones, the side menu elsewhere; on a TV, keys open it. */
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

/** On the feed the bar is shown and hidden with the controls. */
function PhoneBar({ isFeed }: { isFeed: boolean }) {
  const { active } = useSnapshot(controls);
  return isFeed && active === null ? null : <BottomBar />;
}

/** Closes the menu when its file could not be loaded. */
function MenuNotLoaded() {
  useEffect(closeMenu, []);
  return null;
}

/** A failed preload is ignored: the file is requested again when the menu opens. */
function ignoreFailure(): void {}

/**
 * Opens the closed side menu: a tab at the left edge of the feed while controls are shown, a strip
 * on every other view.
 */
function MenuOpener({ isFeed }: { isFeed: boolean }) {
  return isFeed ? <EdgeTab /> : <Strip />;
}

/** §2 Side menu: collapsed, only Feed can be used. */
function Strip() {
  const { isMenuOpen } = useSnapshot(navigation);
  return (
    <nav className={styles.strip} aria-label="Menu, collapsed">
      <button
        type="button"
        className={styles.opener}
        aria-label="Menu"
        aria-expanded={isMenuOpen}
        onClick={() => openMenu()}
      >
        <Logo />
      </button>
      <IconButton label="Feed" icon={<LayoutGrid aria-hidden="true" />} onPress={() => chooseView('feed')} />
    </nav>
  );
}

function EdgeTab() {
  const { active } = useSnapshot(controls);
  const { isMenuOpen } = useSnapshot(navigation);
  if (active === null || isMenuOpen) return null;
  return (
    <button type="button" className={styles.tab} aria-label="Menu" aria-expanded={false} onClick={() => openMenu()} />
  );
}

/**
 * §2 Side menu: opens it when the mouse or a touch is near the left edge, closes it when the mouse
 * is far away. A mouse that already rests at the edge, or a touch there while no menu was drawn,
 * opens it at once. Returns a function that stops it.
 */
function watchMenuPointer(): () => void {
  window.addEventListener('pointermove', handlePointerMove);
  window.addEventListener('pointerdown', handleTouch);
  const earlier = claimPointer();
  if (earlier?.pointerType === 'mouse') followMouse(earlier.clientX);
  else if (earlier !== null) handleTouch(earlier);
  return () => {
    window.removeEventListener('pointermove', handlePointerMove);
    window.removeEventListener('pointerdown', handleTouch);
    followPointer();
  };
}

function handlePointerMove({ pointerType, clientX, buttons }: PointerEvent): void {
  if (pointerType === 'mouse' && buttons === 0) followMouse(clientX);
}

function followMouse(x: number): void {
  const isTv = currentForm() === 'tv';
  if (isAtEdge(x) && mayOpenMenu()) openMenu(isTv ? 'press' : 'hover');
  // TVs are excluded: their menu is wider than the limit, and a pointing remote is unsteady.
  else if (x > limits.menuClosesBeyondPx && !isTv && navigation.isMenuOpen) closeMenu();
}

function handleTouch({ pointerType, clientX }: Pick<PointerEvent, 'pointerType' | 'clientX'>): void {
  // iOS and iPadOS have gestures of their own at that edge, which a page cannot tell.
  if (pointerType !== 'mouse' && isAtEdge(clientX) && mayOpenMenu() && !isIos()) openMenu();
}

function isAtEdge(x: number): boolean {
  return x <= limits.menuOpensWithinPx;
}

/**
 * Whether the side menu may open: nothing covers the view, such as a dialog, beneath which the menu
 * would take the focus. Phones have a bottom bar instead.
 */
export function mayOpenMenu(): boolean {
  return currentForm() !== 'phone' && !isCovered() && currentScope() === document.body;
}
