import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { DuplicateList } from '#contract/entities/duplicate.ts';
import type { PickReply } from '#contract/entities/feed.ts';
import type { JobKindList } from '#contract/entities/library.ts';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import type { FolderList } from '#contract/entities/site.ts';
import type { TagList } from '#contract/entities/tag.ts';
import type { UploadCompleted, UploadSession } from '#contract/entities/upload.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import type { Site } from '#tests/support/product.ts';
import { acceptAgreement, registerAt, send, signInAt } from './accounts.ts';
import { answerFirst } from './answer-first.ts';
import type { DialogWay } from './dialogs.ts';
import {
  dialogsOfAdministrators,
  dialogsOfBusyOperators,
  dialogsOfCurators,
  dialogsOfCuratorsWithPast,
  dialogsOfFirstRun,
  dialogsOfGuests,
  dialogsOfOperators,
  dialogsWhileSending,
  dialogsWithChanges,
  dialogsWithSaved,
  dialogsWithUploads,
} from './dialogs.ts';
import type { Journey } from './journey.ts';
import { openEmptyProduct } from './new-site.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';
import { makeTags } from './tagged-library.ts';
import { Uploads } from './uploads.ts';

/** Where somebody meets dialogs. */
export interface DialogSite {
  readonly who: string;
  /** Leads the page there, signed in. */
  open(journey: Journey): Promise<Site>;
  /** One after the other: what has to be there for some dialogs, and how somebody comes to them. */
  readonly stages: readonly {
    readonly begin?: (journey: Journey, site: Site) => Promise<void>;
    readonly ways: readonly DialogWay[];
  }[];
}

/** Between them they meet every dialog of the app's views. */
export const dialogSites: readonly DialogSite[] = [
  { who: 'a guest', open: ({ askFor }) => askFor('product'), stages: [{ ways: dialogsOfGuests }] },
  { who: 'an administrator', open: openClub, stages: [{ ways: dialogsOfAdministrators }] },
  {
    who: 'somebody who looks after channels',
    open: openDesk,
    stages: [{ ways: dialogsOfCurators }, { begin: leavePast, ways: dialogsOfCuratorsWithPast }],
  },
  {
    who: 'whoever sets up a product, the agreement among them,',
    open: openNewProduct,
    stages: [{ begin: failToListSettings, ways: dialogsOfFirstRun }, { ways: dialogsOfOperators }],
  },
  {
    who: 'whoever runs a product at which things wait',
    open: openBusyProduct,
    stages: [{ ways: dialogsOfBusyOperators }],
  },
  {
    who: 'whoever has things on their device',
    open: openInbox,
    stages: [
      { begin: keepVideo, ways: dialogsWithSaved },
      { begin: leaveChange, ways: dialogsWithChanges },
      { begin: addUpload, ways: dialogsWithUploads },
      { begin: sendSlowly, ways: dialogsWhileSending },
    ],
  },
];

/** The name of an account that no other journey of the run makes. */
function unusedName(word: string): string {
  return `${word}-${process.pid}-${Date.now().toString(36)}`;
}

async function openClub({ page, askFor }: Journey): Promise<Site> {
  const club = await askFor('club');
  await registerAt(club, unusedName('quinn'));
  await new SignIn(page).enterAs(club, 'first');
  return club;
}

async function openDesk({ page, askFor }: Journey): Promise<Site> {
  const desk = await askFor('desk');
  await makeTags(desk, 'Aurora', 'Cities');
  await new SignIn(page).enterAs(desk, 'first');
  return desk;
}

async function leavePast(_journey: Journey, desk: Site): Promise<void> {
  const { access_token: token } = await signInAt(desk, 'first');
  const { tags } = await send<TagList>(desk, 'GET', '/api/tags', token);
  const [blocked, removed] = ['Aurora', 'Cities'].map((wanted) => tags.find(({ name }) => name === wanted)?.id);
  await send(desk, 'PUT', '/users/blocklist', token, { blocked_tag_ids: [blocked] });
  await send(desk, 'DELETE', `/api/tags/${removed}`, token);
}

/** The first run stands over the first view. */
async function openNewProduct({ page, openProduct, endings }: Journey): Promise<Site> {
  const product = await openEmptyProduct(openProduct, endings);
  const { access_token: token } = await registerAt(product, 'first', { endsFirstRun: false });
  await chooseFolder(product, token);
  await new SignIn(page).enterAs(product, 'first');
  return product;
}

async function chooseFolder(product: Site, token: string): Promise<void> {
  const { folders } = await send<FolderList>(product, 'GET', '/api/admin/folders', token);
  await send(product, 'PUT', '/api/admin/settings', token, { values: { LIBRARY_DIRS: folders[0]?.path } });
}

async function failToListSettings({ page }: Journey): Promise<void> {
  const fault = { status: 500, json: { error: 'internal_error', message: 'No' } };
  await answerFirst(page, '**/api/admin/settings', fault);
}

const fixtureOf = (name: string) => fileURLToPath(new URL(`../fixtures/videos/${name}.mp4`, import.meta.url));

async function openBusyProduct({ page, openProduct, endings }: Journey): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-ffmpeg-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const idle = { FFMPEG_PATH: fakeTool(folder, 'exec sleep 600'), JOB_PLACES: 'media:1' };
  const product = await openEmptyProduct(openProduct, endings, idle);
  const { access_token: token } = await registerAt(product, 'first');
  await send(product, 'POST', '/users/admin/invitations', token, {});

  const mia = await registerAt(product, 'mia');
  await acceptAgreement(product, mia);
  await sendFile(product, mia.access_token, fixtureOf('hue-000'), 'copy.mp4');
  const removed = await sendFile(product, mia.access_token, fixtureOf('brief-000'), 'removed.mp4');
  await send(product, 'DELETE', `/api/upload/file/${removed.files[0]?.id}`, mia.access_token);
  // An upload of what the library has already would be that video.
  await chooseFolder(product, token);
  await poll(
    async () => {
      await send(product, 'POST', '/api/admin/duplicates/search', token);
      return (await send<DuplicateList>(product, 'GET', '/api/admin/duplicates', token)).total;
    },
    { message: 'the copy is found' },
  ).toBe(1);
  await poll(
    async () => {
      const { kinds } = await send<JobKindList>(product, 'GET', '/api/admin/jobs/kinds', token);
      return kinds.find(({ kind }) => kind === 'poster')?.queued ?? 0;
    },
    { message: 'posters wait' },
  ).toBeGreaterThan(0);

  const { id } = await send<PickReply>(product, 'GET', '/api/video/top-left', null);
  const stalled = {
    timestamp: new Date().toISOString(),
    dropped_frames: 0,
    total_frames: 30,
    buffer_level_seconds: 0,
    stall_events: 3,
    quality_adjustments: 0,
    video_id: id ?? '',
  };
  const venue = { id: 'bar', name: 'Bar', playing: 4, version: '' };
  const report: PerformanceReport = { form: 'tv', venue, samples: [stalled] };
  await send(product, 'POST', '/api/optimization/performance/top-left', null, report);
  await new SignIn(page).enterAs(product, 'first');
  return product;
}

/** Sends a file as a program does. */
async function sendFile(site: Site, token: string, path: string, filename: string): Promise<UploadCompleted> {
  const bytes = await readFile(path);
  const files = [{ filename, file_size: bytes.length }];
  const session = await send<UploadSession>(site, 'POST', '/api/upload/initiate', token, { files });
  const answer = await fetch(`${site.address}${session.files[0]?.address}`, {
    method: 'PUT',
    headers: { AccessKey: session.bunny_access_key },
    body: bytes,
  });
  expect(answer.ok).toBe(true);
  const { session_id } = session;
  return send(site, 'POST', `/api/upload/complete/${session_id}`, token, { session_id, files: [] });
}

async function openInbox({ page, askFor }: Journey): Promise<Site> {
  const inbox = await askFor('inbox');
  const name = unusedName('vera');
  const vera = await registerAt(inbox, name);
  await acceptAgreement(inbox, vera);
  await sendFile(inbox, vera.access_token, fixtureOf('brief-000'), 'earlier.mp4');
  await new SignIn(page).enterAs(inbox, name);
  return inbox;
}

async function keepVideo({ feed }: Journey, inbox: Site): Promise<void> {
  await feed.play(inbox.address);
  await feed.keepOffline('top-left');
  await feed.waitForWorker();
}

const waiting = (page: Page) => page.getByText('1 change waits for the network.');

async function leaveChange({ page, context }: Journey): Promise<void> {
  await context.setOffline(true);
  await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).click();
  await expect(waiting(page)).toBeVisible();
}

async function addUpload({ page, context, endings }: Journey, inbox: Site): Promise<void> {
  await context.setOffline(false);
  await expect(waiting(page)).toBeHidden();
  const uploads = new Uploads(page);
  await uploads.open(inbox.address);
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-large-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const film = join(folder, 'film.mp4');
  await writeLargeVideo(film, largeBytes);
  await uploads.addStaged(film);
}

/** At the pace below they take an hour. */
const largeBytes = 8 * 1024 * 1024;
const slowBytesPerSecond = 2_000;

async function sendSlowly({ page, context }: Journey, inbox: Site): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: slowBytesPerSecond };
  await devtools.send('Network.emulateNetworkConditions', slow);
  const uploads = new Uploads(page);
  await uploads.open(inbox.address);
  await uploads.start();
  await expect(page.getByRole('button', { name: 'Pause all' })).toBeVisible();
}
