import { proxy } from 'valtio/vanilla';
import { reportView } from '../platform/analytics.ts';
import { sessionStore } from '../platform/capabilities.ts';
import { consumeSearchParam } from '../platform/http/address.ts';
import type { BackLayer } from '../platform/input/back-stack.ts';
import { backStack } from '../platform/input/back-stack.ts';

const viewNames = [
  'feed',
  'channels',
  'upload',
  'admin',
  'tag-management',
  'video-tagging',
  'performance',
  'profile',
] as const;

export type ViewName = (typeof viewNames)[number];
/**
 * `session-ended`: the sign-in dialog with its reason; `device`: entry of a TV's code; `account`: a
 * form of Profile.
 */
export type DialogName =
  | 'sign-in'
  | 'register'
  | 'session-ended'
  | 'device'
  | 'plans'
  | 'account'
  | 'shortcuts'
  | 'keep'
  | 'video-act'
  | 'details'
  | 'tv-layout'
  | 'first-run';

interface NavigationState {
  view: ViewName;
  dialog: DialogName | null;
  isMenuOpen: boolean;
  /** True when a pointer near the edge opened the menu: the focus is then not moved. */
  isMenuHovered: boolean;
  /** The video of a shared link, until Videos claims it. */
  sharedVideoId: string | null;
  /** The code of a TV, from a scanned link. */
  deviceCode: string | null;
  /** The code for the first account, from the link that the terminal prints. */
  setupCode: string | null;
  /** The token of an invitation, from its link. */
  invitation: string | null;
}

export const navigation = proxy<NavigationState>({
  view: 'feed',
  dialog: null,
  isMenuOpen: false,
  isMenuHovered: false,
  sharedVideoId: null,
  deviceCode: null,
  setupCode: null,
  invitation: null,
});

let viewLayer: BackLayer | null = null;
let dialogLayer: BackLayer | null = null;
let menuLayer: BackLayer | null = null;

/**
 * Reads the parameters of the page's URL (`/?view=upload`, `/?video=<id>`, `/?device=<code>`,
 * `/?setup=<code>`, `/?invitation=<token>`, `/?share=<id>`) once, and removes them there.
 */
export function startNavigation(): void {
  navigation.sharedVideoId = consumeSearchParam('video');
  navigation.deviceCode = consumeSearchParam('device');
  navigation.setupCode = readAddressCode('setup');
  navigation.invitation = readAddressCode('invitation');
  const named = consumeSearchParam('view');
  const requested = readAddressCode('share') === null ? named : 'upload';
  const asked = viewNames.find((name) => name === requested) ?? 'feed';
  const view = navigation.sharedVideoId === null ? asked : 'channels';
  if (view === 'feed') reportView('feed');
  else openView(view);
  if (navigation.deviceCode !== null) openDialog('device');
  if (navigation.setupCode ?? navigation.invitation) openDialog('register');
}

/**
 * Opens a view. Leaving the feed adds one history entry, changing between other views replaces it:
 * Back from any view returns to the feed.
 */
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

/** After a sign-in: closes the dialog, unless it was waiting for somebody to sign in. */
export function closeSignIn(): void {
  if (navigation.dialog !== 'device') closeDialog();
}

/** Whether a dialog or the menu covers the view and receives the keys. */
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
  Object.assign(navigation, { view: 'feed', dialog: null, sharedVideoId: null, deviceCode: null });
  forgetCodes();
}

/** Forgets the codes of the address, which have been used, refused or dismissed. */
export function forgetCodes(): void {
  Object.assign(navigation, { setupCode: null, invitation: null });
  clearAddressCodes('setup', 'invitation');
}

function show(view: ViewName): void {
  if (view === 'feed') viewLayer = null;
  navigation.view = view;
  reportView(view);
}

function clearDialog(): void {
  dialogLayer = null;
  navigation.dialog = null;
  forgetCodes();
}

function clearMenu(): void {
  menuLayer = null;
  navigation.isMenuOpen = false;
}

type CodeName = 'setup' | 'invitation' | 'share';

const keyOf = (name: CodeName) => `fourfold.${name}`;

/**
 * Reads a code from the page's URL, and removes it there: the one for the first account, which the
 * terminal prints (`/?setup=<code>`), an invitation, or the id of files that were shared into the
 * app. It is stored for this tab until it is cleared, because the password page reloads the window,
 * and a provider may replace the page.
 */
export function readAddressCode(name: CodeName): string | null {
  const code = consumeSearchParam(name);
  try {
    if (code !== null) sessionStore()?.setItem(keyOf(name), code);
    return code ?? sessionStore()?.getItem(keyOf(name)) ?? null;
  } catch {
    // Storage is full or blocked: the code lasts as long as the page.
    return code;
  }
}

export function clearAddressCodes(...names: CodeName[]): void {
  for (const name of names) sessionStore()?.removeItem(keyOf(name));
}

/** The two pages of Tagging, in the order of §2 Side menu. */
export const taggingPages = [
  { name: 'tag-management', title: 'Tag Management' },
  { name: 'video-tagging', title: 'Video Tagging' },
] as const;

/** Closes the menu and opens the view in one step, so that the history keeps its length. */
export function chooseView(view: ViewName): void {
  closeMenu();
  openView(view);
}
