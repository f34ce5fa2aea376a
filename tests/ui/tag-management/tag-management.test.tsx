import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import styles from '#app/features/tag-management/tag-list.module.css';
import { TagManagementScreen } from '#app/features/tag-management/tag-management-screen.tsx';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { stopOutbox } from '#app/state/outbox/outbox-session.ts';
import { readOutbox, resetOutbox } from '#app/state/outbox/outbox-state.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { notices } from '#contract/notices.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../keys.ts';
import { wear } from '../laid-out.ts';
import { withRemote } from '../with-remote.ts';
import { TagServer, tag } from './tag-library.ts';

let server: TagServer;

withRemote(watchRemote);

const signIn = (tier: Tier) => Object.assign(session, { phase: 'known', user: person(tier) });

beforeEach(() => {
  server = new TagServer(
    tag('Aurora', { description: 'Northern lights', aliases: ['Polar lights', 'Borealis'], video_count: 1038 }),
    tag('Cities', { color: '#E0B04A', video_count: 1 }),
    tag('Clouds'),
  );
  signIn('basic');
});

afterEach(async () => {
  stopOutbox();
  await outboxStore.discardAll('user-1');
  await settle(() => {
    resetOutbox();
    resetSession();
    resetSiteConfig();
    resetNavigation();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const drawTags = async () => {
  const screen = await draw(<TagManagementScreen title="Tag Management" notice={null} />);
  await settle();
  return screen;
};
const text = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
const names = () => [...document.querySelectorAll('tbody tr')].map((row) => row.querySelector('th bdi')?.textContent);
const box = (name: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`);
const toggle = (name: string) => settle(() => box(name)?.click());
const dialog = () => document.querySelector('[role="dialog"], [role="alertdialog"]');
const alerts = () => text('[role="alert"]');
const fill = async (label: string, value: string) => {
  const labels = [...document.querySelectorAll<HTMLLabelElement>('label')];
  const field = labels.find(({ textContent }) => textContent?.startsWith(label))?.htmlFor ?? '';
  await settle(() => document.getElementById(field)?.focus());
  await type(value);
};
const choose = (value: string) =>
  settle(() => {
    const select = dialog()?.querySelector('select');
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set?.call(select, value);
    select?.dispatchEvent(new Event('change', { bubbles: true }));
  });
/** Holds the answers to writes until they are given. */
const holdAnswers = () => {
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    if (init.method !== 'GET') await held;
    return fetch(address, init);
  });
  const give = async () => {
    release();
    for (let turn = 0; turn < 3; turn += 1) await settle();
  };
  return { give };
};
const confirm = async (name: string) => {
  const buttons = [...(dialog()?.querySelectorAll('button') ?? [])];
  await settle(() => buttons.find(({ textContent }) => textContent === name)?.click());
  await settle();
  await settle();
};

test('the tags are a table with their facts and actions', async () => {
  await drawTags();
  expect(text('thead th')).toEqual(['Select all', 'Name', 'Description', 'Color', 'Videos', 'Created', 'Actions']);
  expect(text('tbody tr:nth-child(1) td').slice(1, 5)).toEqual([
    'Northern lights',
    '#35D39A',
    '1,0381,038 videos, Northern lights',
    'Nov 2, 2026',
  ]);
  expect(text('tbody tr:nth-child(2) td').slice(1, 4)).toEqual([
    'No description',
    '#E0B04A',
    '11 video, No description',
  ]);
  expect(text('tbody tr:nth-child(1) th')).toEqual(['AuroraAlso Polar lights, Borealis']);
  expect([button('Edit Aurora'), button('Delete Aurora')]).toHaveLength(2);
  expect(server.calls).toEqual(['GET /api/tags?sort_by=name&sort_order=asc&page=1&limit=20']);
});

test('beside a long description a name keeps a share of the table', async () => {
  await drawTags();
  await wear('features/tag-management/tag-list.module.css', styles);
  expect(getComputedStyle(document.querySelector('tbody th > span') as HTMLElement).minWidth).toBe('112px');
});

test('they are searched by name or description, and sorted by name, date or usage, both ways', async () => {
  await drawTags();
  const options = [...document.querySelectorAll('select option')].map(({ textContent }) => textContent);
  expect(options).toEqual(['Name', 'Date', 'Usage']);
  await settle(() => {
    const select = document.querySelector('select') as HTMLSelectElement;
    select.value = 'video_count';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await press('Ascending. Sort descending');
  expect(server.calls.slice(-1)).toEqual(['GET /api/tags?sort_by=video_count&sort_order=desc&page=1&limit=20']);
  expect(button('Descending. Sort ascending')).toBeTruthy();
  await settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
  await type('northern');
  await pressKey('Enter');
  expect(server.calls.slice(-1)[0]).toContain('search=northern');
});

test('pages are led through, with how many are shown, when there is more than one', async () => {
  const screen = await drawTags();
  expect(screen.textContent).not.toContain('Page 1 of');
  server.more = 38;
  await settle(() => changedOnServer.tags.emit());
  expect(screen.textContent).toContain('Page 1 of 3');
  expect(screen.textContent).toContain('Showing 3 of 41 tags');
  await press('Next');
  expect(server.calls.slice(-1)[0]).toContain('page=2');
});

test('an empty list says how to fill it, and an empty search how to leave it', async () => {
  server.tags = [];
  const screen = await drawTags();
  expect(text('h2')).toEqual(['No Tags Found']);
  expect(screen.textContent).toContain('Create your first tag to get started');
  await settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
  await type('xyz');
  await pressKey('Enter');
  expect(screen.textContent).toContain('Clear the search to see all of them.');
});

test('a tag is created with a name, a description and the usual color, and shown at once', async () => {
  await drawTags();
  await press('Create Tag');
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Create Tag');
  expect(focusedName()).toBe('Name');
  expect(document.querySelector<HTMLInputElement>('input[type="color"]')?.value).toBe('#3b82f6');
  await fill('Name', '  Harbours ');
  await fill('Description', 'Ports, ferries');
  expect(dialog()?.textContent).toContain('Shown as a small swatch beside the name:Harbours');
  await confirm('Create Tag');
  expect(server.bodies).toEqual([{ name: 'Harbours', description: 'Ports, ferries', color: '#3B82F6' }]);
  expect([names(), dialog()]).toEqual([['Aurora', 'Cities', 'Clouds', 'Harbours'], null]);
});

test('a blank name sends nothing, and a color that is none is said', async () => {
  await drawTags();
  await press('Create Tag');
  await fill('Name', '   ');
  await fill('Color', 'blue');
  await confirm('Create Tag');
  expect(alerts()).toEqual(['Tag name is required', 'Color must be written like #3B82F6']);
  expect(server.bodies).toEqual([]);
});

test('a refused creation stays in its dialog with the sentence, which can be dismissed, and the row goes again', async () => {
  server.refuse('POST /api/tags');
  await drawTags();
  await press('Create Tag');
  await fill('Name', 'Harbours');
  await confirm('Create Tag');
  expect(alerts()).toEqual(['Failed to create tag: Internal']);
  expect(names()).toEqual(['Aurora', 'Cities', 'Clouds']);
  await press('Dismiss');
  expect([alerts(), dialog() !== null]).toEqual([[], true]);
});

test('while it is sent, the new row is there already, without its actions', async () => {
  let answer = (_: Response) => {};
  await drawTags();
  await press('Create Tag');
  await fill('Name', 'Harbours');
  vi.stubGlobal('fetch', () => new Promise((resolve) => (answer = resolve)));
  await confirm('Create Tag');
  expect([names()[0], button('Edit Harbours').disabled]).toEqual(['Harbours', true]);
  expect(button('Creating...').disabled).toBe(true);
  await settle(() => answer(new Response('{"error":"conflict","message":"This name is in use"}', { status: 409 })));
  await settle();
  expect([names()[0], alerts()]).toEqual(['Aurora', ['Failed to create tag: This name is in use']]);
});

test('a dialog that was closed while it was sending has its failure said on the page', async () => {
  let answer = (_: Response) => {};
  await drawTags();
  await press('Create Tag');
  await fill('Name', 'Harbours');
  vi.stubGlobal('fetch', () => new Promise((resolve) => (answer = resolve)));
  await confirm('Create Tag');
  await press('Close');
  await settle(() => answer(new Response('{"error":"internal","message":"Internal"}', { status: 500 })));
  await settle();
  expect([dialog(), alerts()]).toEqual([null, ['Failed to create tag: Internal']]);
  await press('Dismiss');
  expect(alerts()).toEqual([]);
});

test('a tag is edited; its color is chosen by the picker, and the text beside it is to be read', async () => {
  await drawTags();
  await press('Edit Cities');
  expect(dialog()?.querySelector('h2')?.textContent).toBe('Edit Tag');
  expect(document.querySelector<HTMLInputElement>('[role="dialog"] input[readonly]')?.value).toBe('#E0B04A');
  await settle(() => document.querySelector<HTMLInputElement>('input[type="color"]')?.focus());
  await type('#ff0000');
  await fill('Name', 'Towns');
  await confirm('Update Tag');
  expect(server.bodies).toEqual([{ name: 'Towns', color: '#FF0000' }]);
  expect(names()).toEqual(['Aurora', 'Towns', 'Clouds']);
});

test('an administrator chooses for whom a tag is, which its badge then says; others are not asked', async () => {
  signIn('admin');
  await drawTags();
  await press('Edit Cities');
  const list = dialog()?.querySelector('select');
  expect([list?.labels[0]?.textContent, list?.value]).toEqual(['For', 'anyone']);
  expect([...(list?.options ?? [])].map(({ text: label }) => label)).toEqual([
    'Everybody',
    'Signed in',
    'Pro and above',
    'Lifetime',
    'Administrators',
  ]);
  await choose('pro');
  expect(dialog()?.textContent).toContain('Others do not see it');
  await confirm('Update Tag');
  expect(server.bodies).toEqual([{ audience: 'pro' }]);
  expect(text('tbody th')[1]).toContain('Pro and above');
  await press('Delete Cities');
  expect(dialog()?.textContent).toContain(notices.tagOpens);
  await press('Cancel');
  await toggle('Select all');
  await press('Delete Selected');
  expect(dialog()?.textContent).toContain(notices.tagOpens);
  await press('Cancel');
  await press('More for Cities');
  await press('Merge into...');
  expect(dialog()?.textContent).toContain(notices.tagMergeOpens);
  await press('Cancel');
  await press('Edit Cities');
  await choose('anyone');
  await confirm('Update Tag');
  expect(text('tbody th')[1]).not.toContain('Pro and above');
  await settle(() => signIn('basic'));
  await press('Edit Cities');
  expect(dialog()?.querySelector('select')).toBeNull();
});

test('what somebody else has changed while the dialog stood open stays as they left it', async () => {
  signIn('admin');
  await drawTags();
  await press('Edit Cities');
  server.tags = server.tags.map((one) =>
    one.name === 'Cities' ? { ...one, name: 'Towns', audience: 'admin' as const } : one,
  );
  await fill('Description', 'Streets at night');
  await confirm('Update Tag');
  expect(server.tags[1]).toMatchObject({ name: 'Towns', description: 'Streets at night', audience: 'admin' });
  expect(text('tbody th')[1]).toContain('Administrators');
});

test('an edit needs a name, and one that is refused is said and taken back', async () => {
  server.refuse('PUT /api/tags/id-cities');
  await drawTags();
  await press('Edit Cities');
  await fill('Name', '');
  await confirm('Update Tag');
  expect(alerts()).toEqual(['Tag name is required']);
  await fill('Name', 'Towns');
  await confirm('Update Tag');
  expect([alerts(), names()]).toEqual([['Failed to update tag: Internal'], ['Aurora', 'Cities', 'Clouds']]);
});

test('a tag is deleted after a question; what is gone already counts as done', async () => {
  await drawTags();
  await press('Delete Cities');
  expect(dialog()?.querySelector('p')?.textContent).toBe('Are you sure you want to delete this tag?');
  expect(focusedName()).toBe('Cancel');
  server.routes['DELETE /api/tags/id-cities'] = () => {
    server.tags = server.tags.filter(({ id }) => id !== 'id-cities');
    return { status: 404, json: { error: 'not_found', message: 'Not found' } };
  };
  await confirm('Delete');
  expect([names(), alerts()]).toEqual([['Aurora', 'Clouds'], []]);
});

test('after deleting one or several, the page says that an administrator can bring them back', async () => {
  const screen = await drawTags();
  await press('Delete Cities');
  await confirm('Delete');
  expect(screen.textContent).toContain('1 tag was deleted. An administrator can bring it back for 30 days.');
  await toggle('Select all');
  await press('Delete Selected');
  await confirm('Delete');
  expect(screen.textContent).toContain('2 tags were deleted. An administrator can bring them back for 30 days.');
});

test('a refused deletion comes back with a banner that can be dismissed', async () => {
  server.refuse('DELETE /api/tags/id-cities');
  await drawTags();
  await press('Delete Cities');
  await confirm('Delete');
  expect([names(), alerts()]).toEqual([['Aurora', 'Cities', 'Clouds'], ['Failed to delete tag: Internal']]);
  await press('Dismiss');
  expect(alerts()).toEqual([]);
});

test('the page is selected as a whole, counted, and the selection cleared', async () => {
  await drawTags();
  await toggle('Select Cities');
  expect(document.querySelector('[aria-label="Selection"]')?.textContent).toContain('1 tag selected');
  expect(box('Select all')?.indeterminate).toBe(true);
  await toggle('Select all');
  expect(document.querySelector('[aria-label="Selection"]')?.textContent).toContain('3 tags selected');
  await press('Clear Selection');
  expect([box('Select Cities')?.checked, document.querySelector('[aria-label="Selection"]')]).toEqual([false, null]);
});

test('several are deleted by one call each, and a summary says which are still there', async () => {
  server.refuse('DELETE /api/tags/id-clouds');
  await drawTags();
  await toggle('Select all');
  await press('Delete Selected');
  expect(dialog()?.querySelector('p')?.textContent).toBe(
    'Are you sure you want to delete 3 tags? This action cannot be undone.',
  );
  await confirm('Delete');
  expect(server.calls.filter((one) => one.startsWith('DELETE'))).toEqual([
    'DELETE /api/tags/id-aurora',
    'DELETE /api/tags/id-cities',
    'DELETE /api/tags/id-clouds',
  ]);
  expect([names(), alerts()]).toEqual([
    ['Clouds'],
    ['Failed to delete tags: 1 of 3 is still there (Clouds). Internal'],
  ]);
});

test('a failed load is said, above what is still there, and can be tried again or dismissed', async () => {
  await drawTags();
  server.refuse('GET /api/tags');
  await settle(() => changedOnServer.tags.emit());
  expect(alerts()[0]).toContain('Failed to load tags: Internal');
  expect(names()).toHaveLength(3);
  await press('Retry');
  await press('Dismiss');
  expect([alerts(), names().length]).toEqual([[], 3]);
});

test('without a network it waits and comes by itself; what is changed then waits, and stays in the list', async () => {
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  const screen = await drawTags();
  expect(screen.textContent).toContain('Waiting for network');
  vi.stubGlobal('fetch', fetch);
  await settle(() => recovered.emit());
  await settle();
  await settle(() => {
    connection.isReachable = false;
  });
  expect(names()).toHaveLength(3);
  await press('Create Tag');
  await fill('Name', 'Tides');
  await confirm('Create Tag');
  await press('Delete Cities');
  await confirm('Delete');
  expect(names()).toEqual(['Tides', 'Aurora', 'Clouds']);
  expect(screen.textContent).toContain('Stored on this device. It will be sent when the network is back.');
  expect((await outboxStore.list('user-1')).map(({ call, subject }) => [call, subject])).toEqual([
    ['createTag', 'Tides'],
    ['deleteTag', 'Cities'],
  ]);
  await settle(async () => {
    await outboxStore.discardAll('user-1');
    await readOutbox();
  });
  expect(screen.textContent).not.toContain('Stored on this device.');
});

test('people who may not change tags read the list, and are told why', async () => {
  siteConfig.isTagEditingOpen = false;
  const screen = await drawTags();
  expect(screen.textContent).toContain('Only administrators can change tags here.');
  expect(text('thead th')).toEqual(['Name', 'Description', 'Color', 'Videos', 'Created']);
  expect(() => button('Create Tag')).toThrow();
});

test('only administrators see what is theirs', async () => {
  await drawTags();
  expect(() => button('More for Cities')).toThrow();
});

test('an administrator deletes for good after a question', async () => {
  signIn('admin');
  siteConfig.isTagEditingOpen = false;
  await drawTags();
  await press('More for Cities');
  await press('Delete permanently');
  expect(dialog()?.querySelector('p')?.textContent).toBe(
    'Are you sure you want to delete Cities permanently? This action cannot be undone.',
  );
  await confirm('Delete');
  expect(server.calls).toContain('DELETE /api/tags/id-cities/hard-delete');
  expect(names()).toEqual(['Aurora', 'Clouds']);
});

test('an administrator edits the other names of a tag', async () => {
  signIn('admin');
  await drawTags();
  await press('More for Aurora');
  await press('Other names');
  expect(text('[role="dialog"] li bdi')).toEqual(['Polar lights', 'Borealis']);
  await press('Remove Borealis');
  await fill('Another name', 'aurora');
  await pressKey('Enter');
  expect(alerts()).toEqual(['It has this name already']);
  await fill('Another name', ' Nordlichter ');
  await pressKey('Enter');
  await confirm('Save');
  const known = ['Polar lights', 'Borealis'];
  expect(server.bodies).toEqual([{ aliases: ['Polar lights', 'Nordlichter'], known }]);
  expect([dialog(), text('tbody tr:nth-child(1) th')]).toEqual([null, ['AuroraAlso Polar lights, Nordlichter']]);
});

test('other names that somebody else has added or removed meanwhile stay added or removed', async () => {
  signIn('admin');
  await drawTags();
  await press('More for Aurora');
  await press('Other names');
  server.tags = server.tags.map((one) =>
    one.name === 'Aurora' ? { ...one, aliases: ['Borealis', 'Northern lights'] } : one,
  );
  await fill('Another name', 'Nordlichter');
  await pressKey('Enter');
  await confirm('Save');
  expect(text('tbody tr:nth-child(1) th')).toEqual(['AuroraAlso Borealis, Nordlichter, Northern lights']);
});

test('other names that are refused stay in their dialog with the reason', async () => {
  signIn('admin');
  server.refuse('PUT /api/tags/id-cities/aliases');
  await drawTags();
  await press('More for Cities');
  await press('Other names');
  expect(dialog()?.textContent).toContain('It has no other names.');
  await fill('Another name', 'Towns');
  await press('Add');
  await confirm('Save');
  expect(alerts()).toEqual(['Failed to update tag: Internal']);
});

test('an administrator merges a tag into another one, chosen from a list with a search', async () => {
  signIn('admin');
  const screen = await drawTags();
  await press('More for Cities');
  await press('Merge into...');
  await settle();
  expect(text('[role="dialog"] li bdi')).toEqual(['Aurora', 'Clouds']);
  expect(button('Merge').disabled).toBe(true);
  await settle(() => document.querySelector<HTMLInputElement>('[role="dialog"] input')?.focus());
  await type('clo');
  await pressKey('Enter');
  expect(server.calls.slice(-1)[0]).toContain('search=clo');
  await press('Clouds');
  await confirm('Merge');
  expect(server.bodies).toEqual([{ into: 'id-clouds' }]);
  expect(screen.textContent).toContain('Cities is being merged into Clouds.');
  expect([dialog(), names()]).toEqual([null, ['Aurora', 'Clouds']]);
});

test('a refused merge stays in its dialog with the reason', async () => {
  signIn('admin');
  server.refuse('POST /api/tags/id-cities/merge');
  await drawTags();
  await press('More for Cities');
  await press('Merge into...');
  await settle();
  await press('Clouds');
  await confirm('Merge');
  expect([alerts(), names().length]).toEqual([['Failed to merge tags: Internal'], 3]);
});

test('a merge that ends after its dialog was closed leaves the next dialog open, and says how it ended', async () => {
  signIn('admin');
  const screen = await drawTags();
  const answers = holdAnswers();
  await press('More for Cities');
  await press('Merge into...');
  await settle();
  await press('Clouds');
  await press('Merge');
  await press('Cancel');
  await press('Create Tag');
  await fill('Name', 'Harbours');
  await answers.give();
  expect(screen.textContent).toContain('Cities is being merged into Clouds.');
  expect(dialog()?.querySelector('input')?.value).toBe('Harbours');
});

test('other names refused after their dialog was closed are told on the screen', async () => {
  signIn('admin');
  server.refuse('PUT /api/tags/id-cities/aliases');
  await drawTags();
  const answers = holdAnswers();
  await press('More for Cities');
  await press('Other names');
  await press('Save');
  await press('Cancel');
  await press('More for Aurora');
  await press('Other names');
  await answers.give();
  expect(dialog()?.querySelector('[role="alert"]') ?? null).toBeNull();
  expect(button('Save').disabled).toBe(false);
  expect(alerts()).toEqual(['Failed to update tag: Internal']);
});

test('on a phone tabs lead to the other page of Tagging', async () => {
  document.documentElement.dataset.form = 'phone';
  await drawTags();
  expect(text('nav button')).toEqual(['Tag Management', 'Video Tagging']);
  await press('Video Tagging');
  expect(navigation.view).toBe('video-tagging');
});

test('with a remote a tag is created: its color comes from a list', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawTags();
  await settle(() => button('Create Tag').focus());
  await pressKey('Enter');
  await fill('Name', 'Harbours');
  await settle(() => button('Blue').focus());
  await pressKey('Enter');
  await settle(() => button('Red').focus());
  await pressKeys('Enter');
  await confirm('Create Tag');
  expect(server.bodies).toEqual([{ name: 'Harbours', description: '', color: '#EF4444' }]);
});
