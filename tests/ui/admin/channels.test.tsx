import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChannelsSection } from '#app/features/admin/channels/channels-section.tsx';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import type { FakeAnswer } from './fake-server.ts';
import { fakeServer } from './fake-server.ts';
import { change, days, pageOf } from './tag-changes.ts';

withRemote(watchRemote);

let routes: Record<string, ((body: unknown) => FakeAnswer) | undefined>;
let server: ReturnType<typeof fakeServer>;

beforeEach(() => {
  routes = { 'GET /api/admin/tags/changes': () => pageOf() };
  server = fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

async function drawChannels(words: string): Promise<HTMLElement> {
  const screen = await draw(<ChannelsSection />);
  await appears(words);
  return screen;
}

const rows = (screen: HTMLElement) =>
  [...screen.querySelectorAll('[aria-label="Changes"] > li')].map(({ textContent }) => textContent ?? '');
/** As a person types or chooses: React hears of a value that it has not set itself. */
const fill = (selector: string, value: string) =>
  settle(() => {
    const field = document.querySelector(selector) as HTMLInputElement | HTMLSelectElement;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
  });
const hasButton = (name: string) =>
  [...document.querySelectorAll('button')].some((one) => one.getAttribute('aria-label') === name);

test('each change says what was done, by whom, how much it was, and until when it can be undone', async () => {
  routes['GET /api/admin/tags/changes'] = () =>
    pageOf(
      change('m'),
      change('r', { kind: 'removal', detail: null, made_by: null, links: 1 }),
      change('i', { kind: 'import', subject: 'tags.csv', detail: null, tags: 2 }),
      change('s', { kind: 'sidecars', subject: '', detail: null }),
    );
  const screen = await drawChannels('Merged Alps into Mountains');
  const [merged = '', removed = '', imported = '', read = ''] = rows(screen);
  expect(merged).toMatch(/1 day ago \(.*\) by ada/);
  expect(merged).toMatch(/1 channel, 3,400 assignments\. Can be undone until \S/);
  expect(removed).toMatch(/^Removed Alps.*by a deleted account.*1 channel, 1 assignment\./);
  expect(imported).toMatch(/^Imported tags\.csv.*2 channels/);
  expect(read).toMatch(/^Read tags from sidecar files/);
  expect([...screen.querySelectorAll('[aria-label="Changes"] bdi')].map(({ textContent }) => textContent)).toContain(
    'Mountains',
  );
});

test('what is under way has its badge and no way back yet, what failed has its reason and one', async () => {
  routes['GET /api/admin/tags/changes'] = () =>
    pageOf(
      change('a', { state: 'running' }),
      change('b', { state: 'undoing', subject: 'Fjords' }),
      change('c', { state: 'failed', kind: 'import', subject: 'tags.csv', error: 'The disk is full.' }),
      change('d', { state: 'undone', kind: 'removal', subject: 'Lakes' }),
      change('e', { state: 'done', kind: 'removal', subject: 'Rivers', expires_at: days(-1) }),
    );
  const screen = await drawChannels('Removed Rivers');
  const [running, undoing, failed, undone, expired] = rows(screen);
  expect(running).toMatch(/^Merging Alps into MountainsRunning/);
  expect(undoing).toMatch(/^Merged Fjords into MountainsUndoing/);
  expect(failed).toMatch(/^Importing tags\.csvFailedThe disk is full\./);
  expect(undone).toMatch(/^Removed LakesUndone/);
  expect(hasButton('Undo: Importing tags.csv')).toBe(true);
  expect([...screen.querySelectorAll('li button')]).toHaveLength(1);
  for (const words of [running, undoing, undone, expired]) expect(words).not.toContain('Can be undone');
});

test('a change is undone after a question', async () => {
  routes['GET /api/admin/tags/changes'] = () => pageOf(change('m'));
  const screen = await drawChannels('Merged Alps into Mountains');
  await press('Undo: Merged Alps into Mountains');
  expect(document.querySelector('[role="alertdialog"]')?.textContent).toContain(
    'Are you sure you want to undo this: Merged Alps into Mountains?',
  );
  routes['POST /api/admin/tags/changes/m/undo'] = () => ({
    status: 202,
    json: { change: change('m', { state: 'undoing' }) },
  });
  routes['GET /api/admin/tags/changes'] = () => pageOf(change('m', { state: 'undone' }));
  await press('Undo');
  await vi.waitFor(async () => {
    await settle();
    expect(rows(screen)[0]).toContain('Undone');
  });
  expect(server.calls).toContain('POST /api/admin/tags/changes/m/undo');
});

test('what cannot be undone any more stays, with the words of the server', async () => {
  routes['GET /api/admin/tags/changes'] = () => pageOf(change('m'));
  await drawChannels('Merged Alps into Mountains');
  routes['POST /api/admin/tags/changes/m/undo'] = () => ({
    status: 409,
    json: { error: 'conflict', message: 'Mountains was merged since.' },
  });
  await press('Undo: Merged Alps into Mountains');
  await press('Undo');
  await appears('Mountains was merged since.');
  expect(hasButton('Undo: Merged Alps into Mountains')).toBe(true);
});

test('an administrator undoes all that a person did in the last day, after a question', async () => {
  await drawChannels('Nothing was done yet.');
  await press("Undo a person's changes");
  await press('Continue');
  await appears('Username is required');
  await fill('input[name="username"]', ' vera ');
  await fill('[role="dialog"] select', '24');
  await press('Continue');
  await appears('undo everything that vera did to channels in the last day?');
  routes['POST /api/admin/tags/changes/undo'] = () => ({
    status: 404,
    json: { error: 'not_found', message: 'User not found' },
  });
  await press('Undo Everything');
  await appears('User not found');
  await settle(() => {
    connection.isReachable = false;
  });
  await appears('Needs a connection');
  await settle(() => {
    connection.isReachable = true;
  });
  const bodies: unknown[] = [];
  const started = change('p', { kind: 'person', state: 'running', subject: 'vera', tags: 1, links: 2 });
  routes['POST /api/admin/tags/changes/undo'] = (body) => {
    bodies.push(body);
    return { status: 202, json: { change: started } };
  };
  routes['GET /api/admin/tags/changes'] = () => pageOf(started);
  await press('Undo Everything');
  await appears('The changes are being undone. It is listed below.');
  await appears('Undoing what vera did');
  await appears('1 channel removed, 2 changes undone');
  expect(bodies).toEqual([{ username: 'vera', hours: 24 }]);
  expect(document.querySelector('[role="alertdialog"]')).toBeNull();
});

test('what could not be undone of a person is said, and the whole has no way back', async () => {
  const error = '1 change could not be undone, since others have changed the same channel or its name.';
  routes['GET /api/admin/tags/changes'] = () => pageOf(change('p', { kind: 'person', subject: 'vera', error }));
  await drawChannels('Undid what vera did');
  await appears(error);
  expect(hasButton('Undo: Undid what vera did')).toBe(false);
});

test('many changes come in pages', async () => {
  const page = (number: number, record: TagChangeRecord) => ({
    json: { changes: [record], total: 41, total_pages: 3, page: number, limit: 20 },
  });
  routes['GET /api/admin/tags/changes'] = () => page(1, change('a'));
  await drawChannels('41 changes');
  routes['GET /api/admin/tags/changes'] = () => page(2, change('b', { subject: 'Lakes' }));
  await press('Next');
  await appears('Merged Lakes into Mountains');
  expect(server.calls).toContain('GET /api/admin/tags/changes?page=2&limit=20');
});

test('nothing may have been done yet', async () => {
  await drawChannels('Nothing was done yet.');
});

test('where the changes cannot be read it says why, and tries again', async () => {
  routes['GET /api/admin/tags/changes'] = () => ({
    status: 500,
    json: { error: 'internal', message: 'Out of order.' },
  });
  await drawChannels('Failed to load what was done to channels: Out of order.');
  routes['GET /api/admin/tags/changes'] = () => pageOf(change('m'));
  await press('Retry');
  await appears('Merged Alps into Mountains');
});

test('without a network it waits, and nothing can be pressed', async () => {
  routes['GET /api/admin/tags/changes'] = undefined;
  await drawChannels('Waiting for network');
});

test('offline, nothing that needs the server can be pressed', async () => {
  routes['GET /api/admin/tags/changes'] = () => pageOf(change('m'));
  await drawChannels('Merged Alps');
  await settle(() => {
    connection.isReachable = false;
  });
  for (const name of [
    'Export as CSV',
    'Export as JSON',
    'Read Tags from Sidecar Files',
    'Undo: Merged Alps into Mountains',
  ])
    expect(button(name).disabled).toBe(true);
});

test('tags of sidecar files are read in the background, and the list shows it', async () => {
  await drawChannels('Nothing was done yet.');
  const running = change('s', { kind: 'sidecars', subject: '', detail: null, state: 'running' });
  routes['POST /api/admin/tags/sidecars'] = () => ({ status: 202, json: { change: running } });
  routes['GET /api/admin/tags/changes'] = () => pageOf(running);
  await press('Read Tags from Sidecar Files');
  await appears('The files are being read. It is listed below.');
  await appears('Reading tags from sidecar files');
});

test('reading of sidecar files that is refused says why', async () => {
  await drawChannels('Nothing was done yet.');
  routes['POST /api/admin/tags/sidecars'] = () => ({
    status: 409,
    json: { error: 'conflict', message: 'They are being read already.' },
  });
  await press('Read Tags from Sidecar Files');
  await appears('They are being read already.');
  expect(button('Read Tags from Sidecar Files').disabled).toBe(false);
});

test('with a remote everything is reached by arrows, rows without a button too', async () => {
  document.documentElement.dataset.form = 'tv';
  routes['GET /api/admin/tags/changes'] = () =>
    pageOf(change('m'), change('u', { state: 'undone', kind: 'removal', subject: 'Lakes' }));
  await drawChannels('Removed Lakes');
  await settle(() => button('Read Tags from Sidecar Files').focus());
  const reached: string[] = [];
  for (let steps = 0; steps < 5; steps += 1) {
    await pressKeys('ArrowDown');
    reached.push(focusedName() ?? '');
  }
  for (const name of ['Choose a File', 'Undo: Merged Alps into Mountains']) expect(reached).toContain(name);
  expect(reached.some((name) => name.startsWith('Removed Lakes'))).toBe(true);
});
