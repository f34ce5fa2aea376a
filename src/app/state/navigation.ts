import { proxy } from 'valtio/vanilla';
import { consumeSearchParam } from '../platform/address-bar.ts';
import { reportView } from '../platform/analytics.ts';
import type { Layer } from '../platform/focus/back-stack.ts';
import { backStack } from '../platform/focus/back-stack.ts';
import { clearSetupCode, readSetupCode } from './setup-code.ts';

const viewNames = ['feed', 'channels', 'upload', 'admin', 'tag-management', 'video-tagging', 'performance', 'profile'] as const;

export type ViewName = (typeof viewNames)[number];
/** `session-ended` is the sign-in dialog saying why it opens; in `device` the code of a TV is entered; `account` holds a form of Profile. */
export type DialogName = 'sign-in' | 'register' | 'session-ended' | 'device' | 'plans' | 'account' | 'shortcuts';

interface NavigationState {
  view: ViewName;
  dialog: DialogName | null;
  isMenuOpen: boolean;
  /** A menu that came by itself to a near pointer leaves the focus where it is. */
  isMenuHovered: boolean;
  /** The video that a shared address named, until the feed takes it. */
  sharedVideoId: string | null;
  /** The code of a TV that a scanned address named. */
  deviceCode: string | null;
  /** The code for the first account that the terminal's address named. */
  setupCode: string | null;
}

export const navigation = proxy<NavigationState>({
  view: 'feed',
  dialog: null,
  isMenuOpen: false,
  isMenuHovered: false,
  sharedVideoId: null,
  deviceCode: null,
  setupCode: null,
});

let viewLayer: Layer | null = null;
let dialogLayer: Layer | null = null;
let menuLayer: Layer | null = null;

/** Reads where the address points (`/?view=upload`, `/?share=<id>`, `/?device=<code>`, `/?setup=<code>`), once, and removes it there. */
export function startNavigation(): void {
  navigation.sharedVideoId = consumeSearchParam('share');
  navigation.deviceCode = consumeSearchParam('device');
  navigation.setupCode = readSetupCode();
  const requested = consumeSearchParam('view');
  const view = viewNames.find((name) => name === requested) ?? 'feed';
  if (view === 'feed') reportView('feed');
  else openView(view);
  if (navigation.deviceCode !== null) openDialog('device');
  if (navigation.setupCode !== null) openDialog('register');
}

/** Going from the feed adds one history entry, going between other views replaces it: Back from any view is the feed. */
export function openView(view: ViewName): void {
  if (view === navigation.view) return;
  if (view === 'feed') viewLayer?.close();
  else viewLayer ??= backStack().open(() => show('feed'));
  show(view);
}

/** Opens a dialog over the view; Back closes it. */
export function openDialog(dialog: DialogName): void {
  dialogLayer ??= backStack().open(clearDialog);
  navigation.dialog = dialog;
}

export function closeDialog(): void {
  dialogLayer?.close();
  clearDialog();
}

/** Somebody has signed in: what asked for it goes, and a dialog that waited for it goes on. */
export function closeSignIn(): void {
  if (navigation.dialog !== 'device') closeDialog();
}

/** Whether something stands over the view that keys are meant for. */
export function isCovered(): boolean {
  return navigation.dialog !== null || navigation.isMenuOpen;
}

/** Opens the menu over the view; Back closes it. */
export function openMenu(by: 'hover' | 'press' = 'press'): void {
  menuLayer ??= backStack().open(clearMenu);
  Object.assign(navigation, { isMenuOpen: true, isMenuHovered: by === 'hover' });
}

export function closeMenu(): void {
  menuLayer?.close();
  clearMenu();
}

export function resetNavigation(): void {
  closeMenu();
  closeDialog();
  viewLayer?.close();
  viewLayer = null;
  Object.assign(navigation, { view: 'feed', dialog: null, sharedVideoId: null, deviceCode: null, setupCode: null });
}

function show(view: ViewName): void {
  if (view === 'feed') viewLayer = null;
  navigation.view = view;
  reportView(view);
}

function clearDialog(): void {
  dialogLayer = null;
  navigation.dialog = null;
  navigation.setupCode = null;
  clearSetupCode();
}

function clearMenu(): void {
  menuLayer = null;
  navigation.isMenuOpen = false;
}
