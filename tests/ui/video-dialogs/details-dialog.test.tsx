import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import DetailsDialog from '#app/features/video-dialogs/details-dialog.tsx';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { resetSession, session } from '#app/state/session.ts';
import { detailsRequest, titleChanged } from '#app/state/view-requests.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import type { VideoDetails, VideoDetailsUpdate } from '#contract/entities/video.ts';
import { person } from '#tests/unit/app/state/people.ts';
import type { FakeAnswer } from '../admin/fake-server.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { type } from '../keys.ts';

const known: VideoDetails = {
  id: 'v',
  title: 'Low tide',
  filename: 'low_tide.mp4',
  description: 'One line\nand another',
  tags: [{ id: 'a', name: 'Coast', color: '#112233' }],
  recorded_at: '2019-08-03T14:15:16.000Z',
  created_at: '2026-11-21T12:00:00.000Z',
  duration: 171,
  width: 1920,
  height: 1080,
  size: 1_000_000,
  container: 'mp4',
  video_codec: 'avc',
  audio_codec: 'aac',
  encodings: [{ name: 'grid', bytes: 500_000, width: 960, height: 540 }],
  played_seconds: 2_052,
  place: null,
};

let routes: Record<string, (body: unknown) => FakeAnswer>;
const address = '/api/videos/v/details';
const onClose = vi.fn();
const text = () => document.querySelector('[role="dialog"]')?.textContent ?? '';
const shows = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(text()).toContain(words);
  });
const hasEdit = () => [...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Edit');

beforeEach(() => {
  detailsRequest.videoId = 'v';
  routes = { [`GET ${address}`]: () => ({ json: { details: known } }) };
  fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    resetSession();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

function signIn(): void {
  const user = person();
  Object.assign(session, { phase: 'known', user, features: user.features });
}

test('anybody reads what is known, and cannot edit it', async () => {
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('One line\nand another');
  for (const words of ['Low tide', 'Coast', '1920 × 1080', 'H.264, AAC, MP4', 'low_tide.mp4', 'Grid 960 × 540'])
    expect(text()).toContain(words);
  expect(text()).toContain('Played34 minutes 12 seconds in all, about 12 times');
  expect(text()).not.toContain('Place on the server');
  expect(hasEdit()).toBe(false);
});

test('an administrator reads where the file is, and what a file does not say is left out', async () => {
  const bare = { recorded_at: null, duration: null, width: null, video_codec: null, audio_codec: null };
  const unknown = { ...known, ...bare, container: null, tags: [], encodings: [], played_seconds: 0 };
  const details = { ...unknown, place: '/films/low_tide.mp4' };
  routes[`GET ${address}`] = () => ({ json: { details } });
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('/films/low_tide.mp4');
  expect(text()).toContain('ChannelsNone');
  expect(text()).toContain('PictureNot known');
  expect(text()).toContain('PlayedNot yet');
  for (const label of ['Recorded', 'Length', 'Encodings']) expect(text()).not.toContain(label);
});

test('without a network the dialog waits, and loads by itself when it is back', async () => {
  delete routes[`GET ${address}`];
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Waiting for network');
  routes[`GET ${address}`] = () => ({ json: { details: known } });
  await settle(() => recovered.emit());
  await shows('Coast');
});

test('a failure is told with its reason, and Retry loads again', async () => {
  routes[`GET ${address}`] = () => ({ status: 404, json: { error: 'not_found', message: 'There is no such video.' } });
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Failed to load details: There is no such video.');
  routes[`GET ${address}`] = () => ({ json: { details: known } });
  await press('Retry');
  await shows('Coast');
});

test('whoever edits channels changes title and description, and others are told the title', async () => {
  signIn();
  const told = vi.fn();
  onTestFinished(titleChanged.listen(({ id, title }) => told(id, title)));
  const sent = vi.fn();
  routes[`PUT ${address}`] = (body) => {
    sent(body);
    return { json: { details: { ...known, ...(body as VideoDetailsUpdate) } } };
  };
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Coast');
  await press('Edit');
  const input = document.querySelector('input') as HTMLInputElement;
  expect(document.querySelector('textarea')?.value).toBe('One line\nand another');
  expect(input.value).toBe('Low tide');
  await settle(() => {
    input.focus();
    input.select();
  });
  await type('Ebb');
  await press('Save');
  await shows('Ebb');
  expect(document.querySelector('textarea')).toBeNull();
  expect(told.mock.calls).toEqual([['v', 'Ebb']]);
  // The description stays as somebody else may have left it meanwhile.
  expect(sent.mock.calls).toEqual([[{ title: 'Ebb' }]]);
});

test('a change that is saved after its form was closed is shown', async () => {
  signIn();
  routes[`PUT ${address}`] = (body) => ({ json: { details: { ...known, ...(body as VideoDetailsUpdate) } } });
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Coast');
  await press('Edit');
  const input = document.querySelector('input') as HTMLInputElement;
  await settle(() => {
    input.focus();
    input.select();
  });
  await type('Ebb');
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', (given: string, init: RequestInit) => held.then(() => fetch(given, init)));
  await press('Save');
  await press('Cancel');
  expect(text()).toContain('Low tide');
  release();
  await shows('Ebb');
});

test('a form goes with whoever opened it', async () => {
  signIn();
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Coast');
  await press('Edit');
  expect(document.querySelector('textarea')).not.toBeNull();
  await settle(() => Object.assign(session, { user: null }));
  await shows('Coast');
  expect([document.querySelector('textarea'), hasEdit()]).toEqual([null, false]);
});

test('a title that is too long, and a refusal, stay in the form', async () => {
  signIn();
  routes[`PUT ${address}`] = () => ({ status: 403, json: { error: 'forbidden', message: 'Only administrators may.' } });
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Coast');
  await press('Edit');
  await settle(() => document.querySelector('input')?.focus());
  await type('x'.repeat(201));
  await press('Save');
  expect(text()).toContain('Title must be at most 200 characters');
  await press('Cancel');
  await press('Edit');
  await press('Save');
  await shows('Only administrators may.');
  await settle(() => {
    connection.isReachable = false;
  });
  expect(text()).toContain('Needs a connection');
  expect(button('Save').disabled).toBe(true);
});

test('a change that is refused after its form was closed is told', async () => {
  signIn();
  routes[`PUT ${address}`] = () => ({ status: 403, json: { error: 'forbidden', message: 'Only administrators may.' } });
  await draw(<DetailsDialog onClose={onClose} />);
  await shows('Coast');
  await press('Edit');
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', (given: string, init: RequestInit) => held.then(() => fetch(given, init)));
  await press('Save');
  await press('Cancel');
  release();
  const told = 'Failed to change the details: Only administrators may.';
  await vi.waitFor(() => expect(lateFailure.sentence).toBe(told));
  lateFailure.sentence = null;
});
