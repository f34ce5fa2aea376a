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
  /** What it says once it has loaded, or what tells it from others of its name. */
  readonly says?: RegExp;
}

const inView = (view: string, ...ways: readonly (readonly [...path: Name[], name: Name])[]): DialogWay[] =>
  ways.map((way) => ({ view, path: way.slice(0, -1), name: way.at(-1) ?? '' }));

export const dialogsOfGuests: readonly DialogWay[] = inView(
  'profile',
  ['Sign In', 'Sign In'],
  ['Create Account', 'Create Account'],
  ['View Subscription Plans', 'Choose Your Plan'],
  ['Shortcuts', 'Shortcuts'],
  ['Set up', 'Venue mode'],
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
    [/All plans$/, 'Plan'],
    [/quinn/, /^Plan/, 'Plan'],
    [/quinn/, 'End All Sessions', 'End All Sessions'],
    [/quinn/, 'Delete Account', 'Delete Account'],
    ['Invitations', /^Plan/, 'Plan'],
    ['Library', 'Clear cache', 'Clear Cache'],
    ['Channels', "Undo a person's changes", "Undo a person's changes"],
  ),
  ...inView('performance', [/^Quadrant/, 'Quadrant']),
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
  ...inView(
    'video-tagging',
    ['Shortcuts', 'Shortcuts'],
    [/hue /i, 'Details', /hue /i],
    [/hue /i, 'Play', 'Pause', /hue /i],
  ),
];

/** Two tags are called `Aurora` and `Cities`. */
export const dialogsOfCurators: readonly DialogWay[] = [
  ...inView(
    'tag-management',
    ['Create Tag', 'Create Tag'],
    ['Edit Aurora', 'Edit Tag'],
    ['Delete Aurora', 'Delete Aurora'],
    ['More for Aurora', 'Aurora'],
    ['Create Tag', /^Color list/, 'Color list'],
    ['More for Aurora', 'Other names', 'Other names'],
    ['More for Aurora', 'Merge into...', 'Merge Aurora into...'],
    ['More for Aurora', 'Delete permanently', 'Delete permanently'],
    ['Select Aurora', 'Delete Selected', 'Delete Selected'],
  ),
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
  { ...folders, path: ['Settings', 'Choose a Folder'], says: /films/ },
  { ...folders, path: ['Settings', 'First Steps', 'Next', 'Back', 'Choose a Folder'], says: /films/ },
  { ...folders, path: ['Settings', 'Choose a Folder', 'films'], says: /It has no folders in it/ },
  { ...agreement, path: ['Decline', 'OK', 'Read and accept'], says: /What you may upload/ },
  { ...agreement, path: ['Decline', 'OK', 'Read and accept', 'Decline'], says: /OK$/ },
];

const askedBySignOut = (says: RegExp) => ({ view: 'profile', path: ['Sign Out'], name: 'Sign Out', says });

export const savedQuestion = askedBySignOut(/1 saved video .* is removed from this device/);
export const uploadsQuestion = askedBySignOut(/1 video is still being uploaded/);

/** The device keeps a video. */
export const dialogsWithSaved: readonly DialogWay[] = [
  savedQuestion,
  { ...savedQuestion, path: ['Sign Out Everywhere'] },
  ...inView('profile', ['Remove all', 'Remove all']),
];

/** Without a network a change waits for it. */
export const dialogsWithChanges: readonly DialogWay[] = [
  askedBySignOut(/1 change has not been sent yet/),
  ...inView('profile', ['Discard all', 'Discard all']),
];

/** A file is still to be uploaded. */
export const dialogsWithUploads: readonly DialogWay[] = [
  uploadsQuestion,
  ...inView('upload', ['Choose channels', 'Channels of these videos']),
];

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
    .first();

/** Goes the whole way by keys. @returns the dialog, which has the focus */
export async function openDialog(page: Page, { path, name, says = /./ }: DialogWay): Promise<Locator> {
  for (const step of path) {
    await poll(async () => openerIn(await topOf(page), step).count(), { message: `a button ${step}` }).toBe(1);
    const button = openerIn(await topOf(page), step);
    await button.focus();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
  }
  const dialog = page
    .getByRole('dialog', named(name))
    .or(page.getByRole('alertdialog', named(name)))
    .last();
  await expect(dialog).toContainText(says);
  await expect(dialog.locator(':focus')).toHaveCount(1);
  return dialog;
}

/** Closes the dialog by Back: the focus is again at what has opened it. */
export async function closeDialog(page: Page, dialog: Locator, { path }: DialogWay): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
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
