import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { poll } from './poll.ts';

type Name = string | RegExp;

/** How somebody comes to a dialog. */
export interface DialogWay {
  readonly view: string;
  /** The names of what is pressed in turn, first in the view, then in what stands over it. */
  readonly path: readonly Name[];
  readonly name: Name;
  /** What the address asks for beside the view. */
  readonly query?: string;
  /** A button that has to be there before the first one is pressed. */
  readonly beside?: Name;
  /** What is typed on the way, by the labels of the fields. */
  readonly texts?: Readonly<Record<string, string>>;
  /** The form of the screen that alone has this dialog; absent: every form. */
  readonly form?: 'phone' | 'tv';
  /** What it says once it has loaded, or what tells it from others of its name. */
  readonly says?: RegExp;
}

const inView = (view: string, ...ways: readonly (readonly [...path: Name[], name: Name])[]): DialogWay[] =>
  ways.map((way) => ({ view, path: way.slice(0, -1), name: way.at(-1) ?? '' }));

const onTv = (...ways: readonly DialogWay[]): DialogWay[] => ways.map((way) => ({ ...way, form: 'tv' }));
const onPhone = (...ways: readonly DialogWay[]): DialogWay[] => ways.map((way) => ({ ...way, form: 'phone' }));

export const dialogsOfGuests: readonly DialogWay[] = inView(
  'profile',
  ['Sign In', 'Sign In'],
  ['Create Account', 'Create Account'],
  ['View Subscription Plans', 'Choose Your Plan'],
  ['Shortcuts', 'Shortcuts'],
  ['Set up', 'Venue mode'],
  ['Forget what I have watched', 'Forget what I have watched'],
);

/** Beside the administrator somebody called `quinn` has an account. */
export const dialogsOfAdministrators: readonly DialogWay[] = [
  ...inView(
    'profile',
    ['Change display name', 'Change Display Name'],
    ['Change email', 'Change Email'],
    ['Change password', 'Change Password'],
    ['Enter Code', 'Sign in a TV'],
    ['Delete Account', 'Delete Account'],
    ['Sign Out Everywhere', 'Sign Out Everywhere'],
    ['View Plans & Upgrade', 'Choose Your Plan'],
  ),
  ...inView(
    'admin',
    [/quinn/, 'End All Sessions', 'End All Sessions'],
    [/quinn/, 'Delete Account', 'Delete Account'],
    ['Library', 'Clear cache', 'Clear Cache'],
    ['Channels', "Undo a person's changes", "Undo a person's changes"],
  ),
  ...onTv(
    ...inView('admin', [/All plans$/, 'Plan'], [/quinn/, /^Plan/, 'Plan'], ['Invitations', /^Plan/, 'Plan']),
    ...inView('performance', [/^Quadrant/, 'Quadrant']),
  ),
  ...inView(
    'channels',
    // A player closes at the end of its video.
    ['Show the newest', /hue /i, 'Pause', /hue /i],
    ['Show the newest', /hue /i, 'Pause', 'Play in...', 'Play in...'],
    ['Show the newest', /hue /i, 'Pause', 'Keep offline', 'Keep offline'],
    ['Show the newest', /hue /i, 'Pause', 'Details', 'Edit', 'Edit details'],
    ['Show the newest', /hue /i, 'Pause', 'Report', 'Report'],
    ['Show the newest', /hue /i, 'Pause', 'Hide video', 'Hide Video'],
  ),
  ...inView('video-tagging', [/hue /i, 'Details', /hue /i]),
  ...onTv(...inView('video-tagging', ['Shortcuts', 'Shortcuts'], [/hue /i, 'Play', 'Pause', /hue /i])),
  ...onPhone(...inView('video-tagging', [/hue /i, 'Tags'])),
];

/** Two tags are called `Aurora` and `Cities`. */
export const dialogsOfCurators: readonly DialogWay[] = [
  ...inView(
    'tag-management',
    ['Create Tag', 'Create Tag'],
    ['Edit Aurora', 'Edit Tag'],
    ['More for Aurora', 'Aurora'],
    ['More for Aurora', 'Other names', 'Other names'],
    ['More for Aurora', 'Merge into...', 'Merge Aurora into...'],
    ['More for Aurora', 'Delete permanently', 'Delete permanently'],
    ['Select Aurora', 'Delete Selected', 'Delete Selected'],
  ),
  ...onTv(...inView('tag-management', ['Delete Aurora', 'Delete Aurora'], ['Create Tag', /^Color list/, 'Color list'])),
  ...onPhone(...inView('tag-management', ['More for Aurora', 'Delete', 'Delete Aurora'])),
];

/** A channel is blocked, and another one was removed. */
export const dialogsOfCuratorsWithPast: readonly DialogWay[] = [
  ...inView('profile', ['Unblock all', 'Unblock all']),
  ...inView('admin', ['Channels', /^Undo: Removed/, 'Undo']),
  {
    view: 'admin',
    path: ['Channels', "Undo a person's changes", 'Continue'],
    texts: { Username: 'first' },
    name: 'Undo Everything',
  },
];

const folders = { view: 'admin', name: 'Choose a Folder' };
/** It stands over the view when somebody comes who has not accepted it. */
const agreement = { view: 'upload', name: 'End-User License Agreement' };

/**
 * A product as after `npm start`, whose administrator may look into a folder that has one called `films` in it, has
 * chosen a folder already, and has not accepted the agreement.
 */
export const dialogsOfOperators: readonly DialogWay[] = [
  ...inView('admin', ['Settings', /^Remove /, 'Remove Folder'], ['Settings', 'First Steps', 'Your videos']),
  // Back leads to the step before.
  ...onPhone(
    ...inView(
      'admin',
      ['Settings', 'First Steps', 'Next', 'Who may come in'],
      ['Settings', 'First Steps', 'Next', 'Skip', 'Ready'],
    ),
  ),
  { ...folders, path: ['Settings', 'Choose a Folder'], says: /films/ },
  { ...folders, path: ['Settings', 'First Steps', 'Next', 'Back', 'Choose a Folder'], says: /films/ },
  { ...folders, path: ['Settings', 'Choose a Folder', 'films'], says: /It has no folders in it/ },
  { ...agreement, path: ['Decline', 'OK', 'Read and accept'], says: /What you may upload/ },
  { ...agreement, path: ['Decline', 'OK', 'Read and accept', 'Decline'], says: /OK$/ },
];

/**
 * At the same product an invitation is open, posters wait, somebody's upload was removed and another one is equal to a
 * video, a venue has reported, and so has a quadrant whose video stalled.
 */
export const dialogsOfBusyOperators: readonly DialogWay[] = [
  ...inView(
    'admin',
    ['Jobs', 'Cancel waiting: Posters', 'Cancel Waiting Jobs'],
    ['Invitations', /^Revoke/, 'Revoke Invitation'],
    ['Library', /^Delete now/, 'Delete Now'],
    ['Duplicates', /^Remove /, 'Remove Video'],
  ),
  ...inView('performance', [/^Forget /, 'Forget venue'], [/^Play /, 'Pause', /^(Hue|Copy)/]),
  {
    view: 'channels',
    path: ['Show the newest', /hue /i, 'Pause', 'Report', 'Wrong channel', 'Send'],
    name: 'Report',
    says: /Thank you/,
  },
  { view: 'profile', query: 'invitation=used-by-nobody', path: [], name: 'Invitation' },
];

/** The settings do not come when the first run asks for them. */
export const dialogsOfFirstRun: readonly DialogWay[] = [
  { view: 'profile', path: [], name: 'Welcome to Fourfold', says: /Retry/ },
];

const askedBySignOut = (says: RegExp) => ({ view: 'profile', path: ['Sign Out'], name: 'Sign Out', says });

// The reel may have kept a second one, which was watched.
const savedQuestion = askedBySignOut(/saved videos? .* removed from this device/);
const uploadsQuestion = askedBySignOut(/1 video is still being uploaded/);

/** The device keeps a video. */
export const dialogsWithSaved: readonly DialogWay[] = [
  savedQuestion,
  { ...savedQuestion, path: ['Sign Out Everywhere'] },
  ...inView('profile', ['Remove all', 'Remove all']),
];

/** Without a network a change waits for it. */
export const dialogsWithChanges: readonly DialogWay[] = [
  askedBySignOut(/1 change has not been sent yet/),
  ...inView('profile', ['Discard all', 'Discard all'], ['View Plans & Upgrade', 'Not loaded']),
];

/** A file is still to be uploaded, another one was, and the device keeps a video. */
export const dialogsWithUploads: readonly DialogWay[] = [
  uploadsQuestion,
  { ...savedQuestion, path: ['Sign Out', 'Sign Out'] },
  ...inView('upload', ['Choose channels', 'Channels of these videos'], [/^Delete /, 'Delete']),
];

/** A file is on its way. */
export const dialogsWhileSending: readonly DialogWay[] = [
  { view: 'upload', path: ['Clear All'], name: 'Clear All', beside: 'Pause all' },
];

/** Over the feed, whose controls are shown. */
export const dialogsOfQuadrants: readonly DialogWay[] = inView(
  'feed',
  ['More', 'Top right'],
  ['More', 'Subtitles', 'Subtitles, top right'],
  [/^Filter/, 'Filter Content'],
);

/** What is on top: a dialog, else the view. */
async function topOf(page: Page): Promise<Locator> {
  const dialogs = page.locator('[aria-modal="true"]');
  return (await dialogs.count()) > 0 ? dialogs.last() : page.getByRole('main');
}

const named = (name: Name) => ({ name, exact: typeof name === 'string' });

const openerIn = (within: Locator, name: Name) =>
  within
    .getByRole('button', named(name))
    .or(within.getByRole('checkbox', named(name)))
    .or(within.getByRole('radio', named(name)))
    .first();

/**
 * Goes the whole way.
 * @param press how a button is pressed; absent: by keys
 * @returns the dialog, which has the focus of keys
 */
export async function openDialog(page: Page, way: DialogWay, press = pressOk): Promise<Locator> {
  const { path, name, beside, texts = {}, says = /./ } = way;
  if (beside !== undefined) await expect(page.getByRole('button', named(beside))).toBeVisible();
  for (const [at, step] of path.entries()) {
    // The same name once more is in the dialog that the first one has opened.
    if (step === path[at - 1]) await expect(page.locator('[aria-modal="true"]')).not.toHaveCount(0);
    await poll(async () => openerIn(await topOf(page), step).count(), { message: `a button ${step}` }).toBe(1);
    const top = await topOf(page);
    for (const [label, text] of Object.entries(texts))
      for (const field of await top.getByLabel(label, { exact: true }).all()) await field.fill(text);
    await press(openerIn(top, step));
  }
  const dialog = page
    .getByRole('dialog', named(name))
    .or(page.getByRole('alertdialog', named(name)))
    .last();
  await expect(dialog).toContainText(says);
  // A finger needs no focus.
  if (press === pressOk) await expect(dialog.locator(':focus')).toHaveCount(1);
  return dialog;
}

async function pressOk(button: Locator): Promise<void> {
  await button.focus();
  await expect(button).toBeFocused();
  await button.page().keyboard.press('Enter');
}

/** Closes the dialog by Back: the focus is again at what has opened it. */
export async function closeDialog(page: Page, dialog: Locator, { path }: DialogWay): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  if (path.length === 0) return;
  // A dialog that has taken the place of another one leads to what opened that one.
  await poll(
    async () => {
      const top = await topOf(page);
      const left = await Promise.all(path.map((step) => openerIn(top, step).isVisible()));
      const opener = path[left.lastIndexOf(true)];
      return opener !== undefined && (await openerIn(top, opener).and(page.locator(':focus')).count());
    },
    { message: `what is left of ${path.join(', ')} has the focus` },
  ).toBe(1);
}
