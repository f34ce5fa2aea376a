import { expect, test, vi } from 'vitest';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { settings } from '#app/state/settings.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { button, press, settle } from '../draw.tsx';
import { focusedName, type } from '../keys.ts';
import { channel } from '../videos/library.ts';
import {
  alerts,
  card,
  chips,
  current,
  drawTagging,
  key,
  pressCard,
  pressed,
  setWidth,
  text,
  toggle,
  wait,
  withTagging,
} from './draw-tagging.tsx';

const held = withTagging();

const bar = () => document.querySelector('[aria-label="Selection"]')?.textContent;
const focusCard = (id: string) => settle(() => card(id)?.focus());
const point = (id: string, name: string, pointerType: 'touch' | 'mouse') =>
  settle(() => card(id)?.dispatchEvent(new PointerEvent(name, { bubbles: true, pointerType })));
const touch = (id: string, name: string) => point(id, name, 'touch');
const writes = () => held.server.calls.filter((one) => !one.startsWith('GET'));

test('Shift with a press selects all from the chosen card on', async () => {
  await drawTagging();
  await pressCard('encore');
  await pressCard('tromso', { shiftKey: true });
  expect([pressed(), bar()]).toEqual([['encore', 'dunes', 'tromso'], '3 videos selectedSelect allClear Selection']);
  await press('Clear Selection');
  expect([pressed(), bar()]).toEqual([['encore'], undefined]);
});

test('a plain press gives the selection up', async () => {
  await drawTagging();
  await pressCard('kelp');
  await pressCard('encore', { shiftKey: true });
  await pressCard('tromso');
  expect(pressed()).toEqual(['tromso']);
});

test('a long press of a finger begins to select, and presses go on with it', async () => {
  vi.useFakeTimers();
  await drawTagging();
  await touch('kelp', 'pointerdown');
  await settle(() => vi.advanceTimersByTime(500));
  expect(pressed()).toEqual(['kelp']);
  await touch('kelp', 'pointerup');
  await settle(() => card('kelp')?.click());
  expect(pressed()).toEqual(['kelp']);
  await pressCard('dunes');
  expect(pressed()).toEqual(['kelp', 'dunes']);
  await pressCard('kelp');
  expect(pressed()).toEqual(['dunes']);
});

/** Some engines fire no click after a long touch. */
const touchLongWithoutClick = async (id: string) => {
  await touch(id, 'pointerdown');
  await settle(() => vi.advanceTimersByTime(500));
  await touch(id, 'pointerup');
};

test('a mouse deselects a card that a finger has selected without a click', async () => {
  vi.useFakeTimers();
  await drawTagging();
  await touchLongWithoutClick('kelp');
  expect(bar()).toContain('1 video selected');
  await point('kelp', 'pointerdown', 'mouse');
  await settle(() => card('kelp')?.click());
  expect(bar()).not.toContain('1 video selected');
});

test('Enter deselects a card that a finger has selected without a click', async () => {
  vi.useFakeTimers();
  await drawTagging();
  await touchLongWithoutClick('kelp');
  expect(bar()).toContain('1 video selected');
  await settle(() => card('kelp')?.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, key: 'Enter' })));
  await settle(() => card('kelp')?.click());
  expect(bar()).not.toContain('1 video selected');
});

test('a finger that moves scrolls, and selects nothing', async () => {
  vi.useFakeTimers();
  await drawTagging();
  await touch('kelp', 'pointerdown');
  await settle(() =>
    card('kelp')?.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerType: 'touch', clientY: 40 })),
  );
  await settle(() => vi.advanceTimersByTime(1000));
  expect([pressed(), bar()]).toEqual([[], undefined]);
});

test('a button begins to select as well', async () => {
  await drawTagging();
  await press('Select');
  expect(bar()).toBe('0 videos selectedSelect allClear Selection');
  await press('Select all');
  expect(bar()).toContain('4 videos selected');
});

test('the panel is about all selected ones: a tag of some says of how many', async () => {
  await drawTagging();
  await pressCard('encore');
  await pressCard('tromso', { shiftKey: true });
  expect([text('aside h2'), text('aside p')[0]]).toEqual([['3 videos'], 'Tagging Videos']);
  expect(text('[aria-label="Current Tags"] li')).toEqual(['Night2 of 3', 'Cities1 of 3', 'Drone1 of 3']);
  expect(text('aside [data-tag] label')).toEqual(['Night2 of 3', 'Cities1 of 3', 'Drone1 of 3']);
});

test('they are tagged together, and one undo takes all of it back, and nothing else', async () => {
  await drawTagging();
  await pressCard('encore');
  await pressCard('tromso', { shiftKey: true });
  await toggle('Night');
  await toggle('Drone');
  await press('Assign 2 Tags');
  await wait();
  expect(writes()).toEqual(['POST /api/videos/dunes.mp4/tags', 'POST /api/videos/tromso.mp4/tags']);
  expect([held.server.tagsOf('dunes'), held.server.tagsOf('tromso')]).toEqual([
    ['Night', 'Drone'],
    ['Night', 'Drone'],
  ]);
  expect(text('[role="status"]').join()).toContain('Night, Drone added to 2 videos.');
  await press('Undo');
  await wait();
  expect(['encore', 'dunes', 'tromso'].map((id) => held.server.tagsOf(id))).toEqual([
    ['Night', 'Cities', 'Drone'],
    [],
    ['Night'],
  ]);
  expect([chips('dunes'), chips('tromso')]).toEqual([[], ['Night']]);
});

test('what fails of several goes back and is said, and the undo is of the others', async () => {
  held.server.refuse('POST /api/videos/dunes.mp4/tags');
  await drawTagging();
  await pressCard('kelp');
  await pressCard('dunes', { shiftKey: true });
  await toggle('Night');
  await press('Assign 1 Tag');
  await wait();
  expect(alerts()).toEqual(['Failed to assign tags: 1 of 2 videos is as it was. Internal']);
  expect([held.server.tagsOf('kelp'), held.server.tagsOf('dunes')]).toEqual([['Night'], []]);
  await key('u');
  expect([held.server.tagsOf('kelp'), writes().slice(-1)]).toEqual([[], ['DELETE /api/videos/kelp.mp4/tags/n']]);
});

test('on narrow screens a button leads from the selection to its tags', async () => {
  setWidth(390);
  await drawTagging();
  await press('Select');
  await pressCard('kelp');
  await pressCard('dunes');
  expect(document.querySelector('[role="dialog"]')).toBeNull();
  await press('Add Tags');
  expect(text('[role="dialog"] h2')).toEqual(['2 videos']);
});

test('arrows lead from card to card, and Shift with them selects', async () => {
  await drawTagging();
  await focusCard('kelp');
  await key('ArrowDown');
  expect(document.activeElement).toBe(card('encore'));
  await key('ArrowDown', { shiftKey: true });
  expect([document.activeElement, pressed()]).toEqual([card('dunes'), ['encore', 'dunes']]);
});

test('X selects the focused card, or no longer', async () => {
  await drawTagging();
  await focusCard('kelp');
  await key('x');
  expect(pressed()).toEqual(['kelp']);
  await key('x');
  expect(bar()).toBeUndefined();
});

test('digits toggle the most used tags on the focused card, in the order of their use', async () => {
  await drawTagging();
  expect(held.server.calls).toContain('GET /api/tags?sort_by=video_count&sort_order=desc&page=1&limit=9');
  await focusCard('kelp');
  await key('1');
  await key('3');
  expect(held.server.tagsOf('kelp')).toEqual(['Night', 'Drone']);
  await key('1');
  expect([held.server.tagsOf('kelp'), chips('kelp')]).toEqual([['Drone'], ['Drone']]);
  await key('&', { code: 'Digit2' });
  await key('9');
  expect(held.server.tagsOf('kelp')).toEqual(['Drone', 'Cities']);
});

test('a digit reaches all selected ones: those that lack the tag, or all that have it', async () => {
  await drawTagging();
  await pressCard('kelp');
  await pressCard('tromso', { shiftKey: true });
  await key('1');
  expect(writes()).toEqual(['POST /api/videos/kelp.mp4/tags', 'POST /api/videos/dunes.mp4/tags']);
  await key('1');
  expect(['kelp', 'encore', 'dunes', 'tromso'].map((id) => held.server.tagsOf(id))).toEqual([
    [],
    ['Cities', 'Drone'],
    [],
    [],
  ]);
});

test('quick digits are sent in order', async () => {
  await drawTagging();
  await focusCard('kelp');
  await settle(() => {
    for (const name of ['1', '2', '1'])
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }),
      );
  });
  expect(chips('kelp')).toEqual(['Cities']);
  await wait();
  await wait();
  expect([held.server.tagsOf('kelp'), chips('kelp')]).toEqual([['Cities'], ['Cities']]);
});

test('U undoes one change after the other', async () => {
  await drawTagging();
  await focusCard('kelp');
  await key('1');
  await key('2');
  await key('u');
  expect(held.server.tagsOf('kelp')).toEqual(['Night']);
  await key('u');
  await key('u');
  expect(held.server.tagsOf('kelp')).toEqual([]);
});

test.each(['Show untagged only', 'Untagged first'])(
  "with '%s', going on passes over no video that moved up in the place of tagged ones",
  async (list) => {
    held.server.more = 40;
    await drawTagging();
    await toggle(list);
    await focusCard('kelp');
    await key('1');
    const pageAfterNext = async () => {
      await press('Next page');
      await wait();
      const [last = ''] = held.server.calls.slice(-1);
      return /page=\d+/.exec(last)?.[0];
    };
    expect([await pageAfterNext(), await pageAfterNext()]).toEqual(['page=1', 'page=2']);
  },
);

test('an undo of a video on another page reads the counts again', async () => {
  held.server.more = 20;
  await drawTagging();
  await focusCard('kelp');
  await key('1');
  const route = 'GET /api/videos/tagging';
  const answer = held.server.routes[route];
  held.server.routes[route] = (body) => {
    const list = answer?.(body).json as { videos: { video: { id: string } }[] };
    return { json: { ...list, videos: list.videos.filter(({ video }) => video.id === 'tromso') } };
  };
  await press('Next page');
  await wait();
  expect([card('kelp'), text('dl div')[0]]).toEqual([null, 'untagged21']);
  await key('u');
  await wait();
  expect([held.server.tagsOf('kelp'), text('dl div')[0]]).toEqual([[], 'untagged22']);
});

test('an undo whose tag was deleted meanwhile is said once, and leaves the way to earlier changes', async () => {
  await drawTagging();
  await pressCard('kelp');
  await toggle('Drone');
  await press('Assign 1 Tag');
  await wait();
  await pressCard('tromso');
  await press('Remove Night');
  await wait();
  held.server.routes['POST /api/videos/tromso.mp4/tags'] = () => ({
    status: 404,
    json: { error: 'not_found', message: 'This tag does not exist.' },
  });
  await focusCard('dunes');
  await key('u');
  expect(alerts()).toEqual(['Failed to assign tags: This tag does not exist.']);
  await key('u');
  expect([alerts(), held.server.tagsOf('kelp')]).toEqual([[], []]);
});

test('an undo that fails is said, and can be tried again', async () => {
  await drawTagging();
  await focusCard('kelp');
  await key('1');
  const remove = held.server.routes['DELETE /api/videos/kelp.mp4/tags/n'];
  held.server.refuse('DELETE /api/videos/kelp.mp4/tags/n');
  await key('u');
  expect([alerts(), held.server.tagsOf('kelp'), chips('kelp')]).toEqual([
    ['Failed to assign tags: Internal'],
    ['Night'],
    ['Night'],
  ]);
  held.server.routes['DELETE /api/videos/kelp.mp4/tags/n'] = remove;
  await key('u');
  expect([alerts(), held.server.tagsOf('kelp')]).toEqual([[], []]);
});

test('N leads to the next untagged video, around the page, and shows it', async () => {
  await drawTagging();
  await key('n');
  expect([document.activeElement, pressed()]).toEqual([card('kelp'), ['kelp']]);
  await key('n');
  expect([document.activeElement, text('aside h2')]).toEqual([card('dunes'), ['dunes.mp4']]);
  await key('n');
  expect(document.activeElement).toBe(card('kelp'));
});

test('without one on the page, N has the untagged ones come first', async () => {
  for (const item of held.server.videos) item.tags = held.server.tags.slice(0, 1);
  held.server.more = 40;
  await drawTagging();
  (held.server.videos[2] as { tags: unknown[] }).tags = [];
  await key('n');
  expect(held.server.calls.filter((one) => one.includes('untagged_first'))).toEqual([
    'GET /api/videos/tagging?page=1&limit=12&untagged_first=true',
  ]);
  expect(document.activeElement).toBe(card('dunes'));
});

test('with none at all, N says so', async () => {
  for (const item of held.server.videos) item.tags = held.server.tags.slice(0, 1);
  await drawTagging();
  await key('n');
  expect(text('[role="status"]').join()).toContain('All videos have tags.');
});

test('no key is heard while a field has the focus or a dialog is open, nor with a modifier', async () => {
  await drawTagging();
  await pressCard('kelp');
  await key('1', { ctrlKey: true });
  await settle(() => document.querySelector<HTMLInputElement>('[role="search"] input')?.focus());
  await key('1');
  await key('?');
  expect([writes(), document.querySelector('[role="dialog"]')]).toEqual([[], null]);
  await focusCard('kelp');
  await key('?');
  await key('1');
  expect(writes()).toEqual([]);
});

test('letters and digits can be turned off; arrows stay', async () => {
  settings.areShortcutsOn = false;
  await drawTagging();
  await focusCard('kelp');
  await key('1');
  await key('n');
  await key('?');
  expect([writes(), document.activeElement, document.querySelector('[role="dialog"]')]).toEqual([
    [],
    card('kelp'),
    null,
  ]);
  await key('ArrowDown', { shiftKey: true });
  expect(pressed()).toEqual(['kelp', 'encore']);
  await press('Shortcuts');
  expect(document.querySelector('[role="dialog"]')?.textContent).toContain(
    'Letters and digits are turned off in Profile.',
  );
});

test('who may not change tags changes none by keys', async () => {
  siteConfig.isTagEditingOpen = false;
  await drawTagging();
  await focusCard('kelp');
  await key('1');
  await key('x');
  await key('ArrowDown', { shiftKey: true });
  expect([writes(), bar()]).toEqual([[], undefined]);
});

test('a sheet shows the keys, with the tags of the digits', async () => {
  await drawTagging();
  await focusCard('kelp');
  await key('?');
  expect(text('[role="dialog"] h2')).toEqual(['Shortcuts']);
  expect(text('[role="dialog"] dl:last-of-type dd')).toEqual(['Night', 'Cities', 'Drone']);
  await press('Close');
  expect(document.activeElement).toBe(card('kelp'));
});

test("a remote's Play key plays the focused video, and its arrows lead into the panel", async () => {
  document.documentElement.dataset.form = 'tv';
  await drawTagging();
  await focusCard('tromso');
  await key('MediaPlay');
  expect(text('[role="dialog"] h2')).toEqual(['tromso.mp4']);
  await press('Close');
  await pressCard('tromso');
  await settle(() => button('Remove Night').focus());
  await key('ArrowDown');
  expect(focusedName()).toBe('Search tags');
  await key('ArrowDown');
  expect(focusedName()).toBe('Cities');
  expect(current()).toEqual(['Night']);
});

test('the focus starts among the buttons, not in the search, and goes to the first card when there is one', async () => {
  const list = held.server.routes['GET /api/videos/tagging'];
  delete held.server.routes['GET /api/videos/tagging'];
  await drawTagging();
  await settle(() => void focusStart(document.querySelector('main') as HTMLElement));
  expect(focusedName()).toBe('Select');
  held.server.routes['GET /api/videos/tagging'] = list;
  await settle(() => recovered.emit());
  await wait();
  expect(document.activeElement).toBe(card('kelp'));
});

const searchFor = async (name: string) => {
  await settle(() => document.querySelector<HTMLInputElement>('aside [role="search"] input')?.focus());
  await type(name);
  await key('Enter');
  await settle(() => document.querySelector<HTMLFormElement>('aside [role="search"]')?.requestSubmit());
  await wait();
};

test('a tag that is created while typing is ticked, and goes onto all selected videos', async () => {
  const { server } = held;
  server.routes['POST /api/tags'] = (body) => {
    server.tags.push(channel('l', (body as { name: string }).name));
    return { status: 201, json: { tag: server.tags.slice(-1)[0] } };
  };
  await drawTagging();
  await pressCard('kelp');
  await pressCard('dunes', { shiftKey: true });
  await searchFor('Lighthouses');
  await press('Create "Lighthouses"');
  await wait();
  await press('Assign 1 Tag');
  await wait();
  expect([chips('kelp'), chips('dunes')]).toEqual([['Lighthouses'], ['Lighthouses']]);
  expect([server.tagsOf('kelp'), server.tagsOf('dunes')]).toEqual([['Lighthouses'], ['Lighthouses']]);
});

test('without a network a new tag waits, and so do the videos that it is for', async () => {
  await drawTagging();
  await pressCard('kelp');
  await settle(() => {
    connection.isReachable = false;
  });
  await searchFor('Lighthouses');
  await press('Create "Lighthouses"');
  await wait();
  expect(text('aside p[role="status"]')).toEqual(['Stored on this device. It will be sent when the network is back.']);
  await press('Assign 1 Tag');
  await wait();
  expect([chips('kelp'), writes()]).toEqual([['Lighthouses'], []]);
  expect(await outboxStore.list('user-1')).toMatchObject([
    { call: 'createTag', body: { name: 'Lighthouses' } },
    { call: 'assignTags', subject: 'kelp.mp4', body: { tag_ids: [expect.stringMatching(/^new-/)] } },
  ]);
});
