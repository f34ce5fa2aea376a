import { act } from 'react';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { controls, drawControls } from '#app/features/feed/controls/controls-store.ts';
import { Frame } from '#app/shell/frame.tsx';
import { connection, offlineNotice, resetConnection } from '#app/state/connection.ts';
import type { ViewName } from '#app/state/navigation.ts';
import { navigation, openDialog, openView, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import { person } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { layOut } from '../laid-out.ts';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => <main>Four videos</main> }));

const reset = () => {
  resetNavigation();
  resetSession();
  resetConnection();
  controls.areDue = false;
};

beforeEach(reset);
afterEach(() => settle(reset));
afterEach(() => void vi.unstubAllGlobals());

/** Waits for a screen that is loaded when it is opened. */
const arrive = () => act(() => vi.dynamicImportSettled());

test('the feed is the first view, and the menu comes with its controls', async () => {
  const screen = await draw(<Frame />);
  expect(screen.textContent).toBe('Four videos');
  await settle(drawControls);
  await arrive();
  await settle(() => void Object.assign(controls, { active: 'top-left' }));
  onTestFinished(() => void Object.assign(controls, { active: null }));
  expect(screen.querySelector('[aria-label="Menu"]')).not.toBeNull();
  expect(document.title).toBe('Fourfold');
});

test('a dialog that opens before the menu is there comes at once', async () => {
  const screen = await draw(<Frame />);
  await settle(() => openDialog('shortcuts'));
  await arrive();
  await vi.waitFor(() => expect(screen.querySelector('[role="dialog"]')).not.toBeNull());
});

test('who starts without a network is told so before anything plays', async () => {
  const screen = await draw(<Frame />);
  await settle(() => {
    connection.isReachable = false;
    offlineNotice.face = 'sentence';
  });
  await arrive();
  await vi.waitFor(() => expect(screen.querySelector('[role="status"]')?.textContent).toContain('You are offline.'));
});

test('a view that comes later opens and leads back to the feed', async () => {
  Object.assign(session, { phase: 'known', user: person('admin') });
  const screen = await draw(<Frame />);
  await settle(() => openView('performance'));
  await arrive();
  expect(screen.querySelector('h1')?.textContent).toBe('Performance Dashboard');
  expect(screen.querySelector('[role="radiogroup"]')).not.toBeNull();
  expect(document.title).toBe('Performance Dashboard – Fourfold');
  await settle(() => openView('feed'));
  expect(screen.textContent).toContain('Four videos');
});

const open = async (view: ViewName) => {
  const screen = await draw(<Frame />);
  await settle(drawControls);
  await settle(() => openView(view));
  await arrive();
  return screen;
};

test.each<[ViewName, string, string, string]>([
  [
    'upload',
    'Please log in to upload videos',
    'You need to be authenticated to access the upload feature.',
    'Checking your upload permissions...',
  ],
  ['tag-management', 'Access Denied', 'Please log in to access tag management', 'Create Tag'],
  ['video-tagging', 'Access Denied', 'Please log in to access video tagging', 'Show untagged only'],
  ['performance', 'Access Denied', 'Only administrators can open this.', 'All quadrants'],
  ['admin', 'Access Denied', 'Only administrators can open this.', 'PeopleInvitations'],
])(
  'somebody without an account who opens %s is told why it is refused, and how to come in',
  async (view, heading, sentence, content) => {
    // No reply comes: the first words of each view stay.
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    Object.assign(session, { phase: 'known', user: null });
    const screen = await open(view);
    expect([screen.querySelector('h2')?.textContent, screen.querySelector('p')?.textContent]).toEqual([
      heading,
      sentence,
    ]);
    expect(screen.textContent).not.toContain(content);
    await press('Sign In');
    expect(navigation.dialog).toBe('sign-in');
    await settle(() => void Object.assign(session, { user: person('admin') }));
    await arrive();
    expect(screen.textContent).toContain(content);
  },
);

test('by remote the focus is in the view, also when who is here is known late', async () => {
  layOut();
  document.documentElement.dataset.input = 'remote';
  onTestFinished(() => {
    delete document.documentElement.dataset.input;
    vi.restoreAllMocks();
  });
  const screen = await open('admin');
  await settle(() => void Object.assign(session, { phase: 'known', user: person('admin') }));
  await arrive();
  await arrive();
  expect(document.activeElement?.textContent).toBe('People');
  expect(screen.contains(document.activeElement)).toBe(true);
});

test('somebody signed in who is no administrator is refused at theirs, and led back', async () => {
  Object.assign(session, { phase: 'known', user: person('lifetime') });
  const screen = await open('performance');
  expect(screen.querySelector('h2')?.textContent).toBe('Access Denied');
  await press('Back to the feed');
  expect(navigation.view).toBe('feed');
});

test('while nobody knows who is here, Upload says what is being checked', async () => {
  const screen = await open('upload');
  expect([screen.querySelector('h2')?.textContent, screen.querySelector('p')?.textContent]).toEqual([
    'Loading...',
    'Checking your upload permissions...',
  ]);
});

test.each<ViewName>(['feed', 'channels'])(
  'a start that failed is told where the viewer is, here at %s, with a way to try again',
  async (view) => {
    Object.assign(session, { phase: 'failed', user: null });
    const screen = await open(view);
    expect(screen.textContent).toContain('Failed to initialize authentication');
    expect(button('Retry')).toBeDefined();
    await settle(() => void Object.assign(connection, { isReachable: false }));
    expect(screen.textContent).not.toContain('Failed to initialize authentication');
  },
);

test('a failure whose dialog was closed stands over the view until it is dismissed, or somebody else is here', async () => {
  const screen = await open('profile');
  const toast = () => [...screen.querySelectorAll('[role="status"]')].map(({ textContent }) => textContent);
  await settle(() => void Object.assign(lateFailure, { sentence: 'Failed to hide the video: Not allowed' }));
  expect(toast()).toContain('Failed to hide the video: Not allowed');
  await press('Dismiss');
  expect(toast()).not.toContain('Failed to hide the video: Not allowed');
  await settle(() => void Object.assign(session, { phase: 'known', user: person() }));
  const { person: former } = lateFailure;
  await settle(() => void Object.assign(lateFailure, { sentence: 'Failed to hide the video: Not allowed' }));
  await settle(() => void Object.assign(session, { user: null }));
  expect(toast()).not.toContain('Failed to hide the video: Not allowed');
  expect(lateFailure.person).not.toBe(former);
});
