import type { Endpoint } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { errorStatuses } from '#contract/entities/error-reply.ts';
import { limits } from '#contract/limits.ts';
import { rankOfViewer } from '#contract/rules/tag.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { tagEdits } from '#server/features/tags/edit-tags.ts';
import { uploadRemoval } from '#server/features/uploads/stored/upload-removal.ts';
import { createInvitation } from './invitations.ts';
import { storeStoryboard } from './media/stored-encodings.ts';
import { storeSubtitles } from './media/stored-subtitles.ts';
import { storeTag, storeVideos } from './media/stored-videos.ts';
import { password, personOf, putAccount, putPerson, signIn } from './people.ts';
import type { ServerUnderTest } from './server-under-test.ts';
import { openUpload, storeUpload } from './stored-uploads.ts';

/** What a call is made with, so that nothing but its guard can refuse it. */
export interface ValidCall {
  /** What stands in the place of a `{name}` of the path; absent: what names nothing. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  /**
   * The status that the call itself answers a tier with for which there is nothing valid to send; otherwise it
   * succeeds.
   */
  readonly answers?: Partial<Record<Tier, number>>;
}

/** @param next gives a number that it gave to nobody before */
type Prepare = (server: ServerUnderTest, next: () => number) => ValidCall | Promise<ValidCall>;

/** Calls that need more than `{}`, and what they need. What they name exists when they are made. */
const prepared = new Map<Endpoint, Prepare>([
  [endpoints.register, (_, next) => newcomer(`new-${next()}`)],
  [endpoints.signIn, () => ({ body: { identifier: 'a-basic', password } })],
  [
    endpoints.refreshSession,
    async (server, next) => ({ body: { refresh_token: (await putPerson(server, `guest-${next()}`)).refreshToken } }),
  ],
  [endpoints.changePassword, () => ({ body: { current_password: password, new_password: 'south pier at dusk' } })],
  [endpoints.deleteAccount, () => ({ body: { password } })],
  [endpoints.pollDeviceSignIn, async (server) => ({ body: { device_code: await approvedDevice(server) } })],
  [endpoints.findWaitingDevice, async (server) => ({ body: { user_code: (await startDevice(server)).user_code } })],
  [endpoints.approveDevice, async (server) => ({ body: { user_code: (await startDevice(server)).user_code } })],
  [endpoints.updateProfile, () => ({ body: { display_name: 'Ada' } })],
  [endpoints.updateBlocklist, () => ({ body: { blocked_tag_ids: [] } })],
  [endpoints.upgradePlan, upgradeToTop],
  [endpoints.readUser, async (server, next) => ({ params: await target(server, next) })],
  [
    endpoints.updateUser,
    async (server, next) => ({ params: await target(server, next), body: { display_name: 'Ada' } }),
  ],
  [endpoints.deleteUser, async (server, next) => ({ params: await target(server, next) })],
  [
    endpoints.updateSubscription,
    async (server, next) => ({ params: await target(server, next), body: { tier: 'pro' } }),
  ],
  [endpoints.endUserSessions, async (server, next) => ({ params: await target(server, next) })],
  [endpoints.openInvitation, async (server) => ({ body: { invitation: (await invite(server)).token } })],
  [endpoints.createInvitation, () => ({ body: { tier: 'pro' } })],
  [endpoints.revokeInvitation, async (server) => ({ params: { id: (await invite(server)).id } })],
  [
    endpoints.updateConfig,
    () => ({ body: { video_settings: { switch_interval_seconds: limits.switchIntervalMinSeconds } } }),
  ],
  [endpoints.updateSettings, () => ({ body: { values: { REGISTRATION: 'open' } } })],
  [endpoints.enterSite, () => ({ body: { password: 'open sesame' } })],
  [endpoints.pickVideo, () => ({ params: { quadrant: 'top-left' } })],
  [endpoints.readPerformance, () => ({ params: { quadrant: 'all' }, query: '?duration=24h' })],
  [endpoints.recordPerformance, () => ({ params: { quadrant: 'top-left' }, body: { samples: [] } })],
  [endpoints.startUpload, startUpload],
  [endpoints.completeUpload, completeNothing],
  [
    endpoints.renewUploadKey,
    async (server) => ofBasic({ sessionId: (await openUpload(server, await basicId(server))).sessionId }),
  ],
  [
    endpoints.deleteUploadedFile,
    async (server) => ofBasic({ id: (await storeUpload(server, await basicId(server))).id }, { admin: undefined }),
  ],
  [endpoints.restoreUpload, removedUpload],
  [endpoints.purgeUpload, removedUpload],
  [endpoints.streamVideo, () => ({ query: '?path=none.mp4' })],
  [endpoints.listSubtitles, async (server, next) => ({ params: await storedVideo(server, `spoken-${next()}`) })],
  [endpoints.readSubtitles, storedSubtitles],
  [endpoints.chooseQuality, () => ({ body: { quadrant: 'top-left', width: 960, height: 540 } })],
  [
    endpoints.resolveVideoUrl,
    async (server, next) => ({
      body: { path: (await storedVideo(server, `addressed-${next()}`)).id, quadrant: 'top-left' },
    }),
  ],
  [
    endpoints.readStoryboard,
    async (server, next) => {
      const params = await storedVideo(server, `drawn-${next()}`);
      await storeStoryboard(server, params.id ?? '', Buffer.from('a sheet'));
      return { params };
    },
  ],
  [
    endpoints.checkVideos,
    async (server, next) => {
      const { id = '' } = await storedVideo(server, `kept-${next()}`);
      return { body: { videos: [{ id, rendition: 'source' }] } };
    },
  ],
  [endpoints.readVideoDetails, async (server, next) => ({ params: await storedVideo(server, `told-${next()}`) })],
  [
    endpoints.updateVideoDetails,
    async (server, next) => ({
      params: await storedVideo(server, `titled-${next()}`),
      body: { title: 'By the sea', description: 'At low tide.' },
    }),
  ],
  [endpoints.hideVideo, async (server, next) => ({ params: await storedVideo(server, `shown-${next()}`) })],
  [
    endpoints.reportVideo,
    async (server, next) => ({
      params: await storedVideo(server, `reported-${next()}`),
      body: { reason: 'other' },
    }),
  ],
  [endpoints.recordWatched, () => ({ body: { ids: ['never-seen'] } })],
  [endpoints.addFavourite, async (server, next) => ({ params: await storedVideo(server, `liked-${next()}`) })],
  [endpoints.removeFavourite, async (server, next) => ({ params: await storedVideo(server, `was-liked-${next()}`) })],
  [endpoints.keepDuplicates, storedDuplicate],
  [endpoints.relistDuplicates, storedDuplicate],
  [endpoints.dismissReports, async (server, next) => ({ params: await storedVideo(server, `judged-${next()}`) })],
  [endpoints.showVideo, async (server, next) => ({ params: await storedVideo(server, `hidden-${next()}`) })],
  [endpoints.updateFolderChannels, () => ({ body: { enabled: true } })],
  [endpoints.retryFailedJobs, () => ({ body: { kind: 'poster' } })],
  [endpoints.createTag, (_, next) => ({ body: { name: `new-${next()}` } })],
  [endpoints.readTag, storedTag],
  [endpoints.updateTag, async (server, next) => ({ ...(await storedTag(server, next)), body: { color: '#000000' } })],
  [endpoints.deleteTag, storedTag],
  [endpoints.deleteTagPermanently, storedTag],
  [
    endpoints.updateTagAliases,
    async (server, next) => ({ ...(await storedTag(server, next)), body: { aliases: [`alias-${next()}`] } }),
  ],
  [
    endpoints.mergeTag,
    async (server, next) => {
      const into = await storedTag(server, next);
      return { ...(await storedTag(server, next)), body: { into: into.params?.id } };
    },
  ],
  [endpoints.importTags, () => ({ body: { filename: 'tags.csv', format: 'csv', text: 'tag,path', dry_run: true } })],
  [endpoints.undoTagChange, removedTag],
  [
    endpoints.undoPersonTagChanges,
    async (server, next) => {
      const username = `tagger-${next()}`;
      await putAccount(server, username);
      return { body: { username, hours: 24 } };
    },
  ],
  [endpoints.readVideoTags, async (server, next) => ({ params: await taggedVideo(server, next) })],
  [
    endpoints.assignTags,
    async (server, next) => {
      const { path, tagId } = await taggedVideo(server, next);
      return { params: { path }, body: { tag_ids: [tagId] } };
    },
  ],
  [endpoints.removeTag, async (server, next) => ({ params: await taggedVideo(server, next) })],
  [endpoints.cancelWaitingJobs, () => ({ body: { kind: 'poster' } })],
]);

/** Queries that ask for more than their call alone: for administrators. */
export const adminQueries: readonly (readonly [Endpoint, string])[] = [
  [endpoints.readBandwidth, '?scope=site'],
  [endpoints.readUploadStats, '?scope=site'],
];

export async function prepareCall(endpoint: Endpoint, server: ServerUnderTest, next: () => number): Promise<ValidCall> {
  return (await prepared.get(endpoint)?.(server, next)) ?? {};
}

function newcomer(username: string): ValidCall {
  return { body: { username, email: `${username}@example.com`, password } };
}

async function target(server: ServerUnderTest, next: () => number): Promise<Record<string, string>> {
  return { id: await putAccount(server, `target-${next()}`) };
}

async function storedVideo({ services }: ServerUnderTest, id: string): Promise<Record<string, string>> {
  await services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 1, { id, path: id }));
  return { id };
}

async function storedDuplicate(server: ServerUnderTest, next: () => number): Promise<ValidCall> {
  const params = await storedVideo(server, `alike-${next()}`);
  await server.services.database.write(async (transaction) => {
    const { number } = await transaction
      .selectFrom('videos')
      .select('number')
      .where('id', '=', params.id ?? '')
      .executeTakeFirstOrThrow();
    const row = { video_number: number, group_number: number, search: 'last' };
    await transaction.insertInto('duplicates').values(row).execute();
  });
  return { params };
}

async function storedSubtitles(server: ServerUnderTest, next: () => number): Promise<ValidCall> {
  const { services } = server;
  const { id = '' } = await storedVideo(server, `subtitled-${next()}`);
  await storeSubtitles(services, id, [{ language: 'en', label: 'English', text: 'Hello' }]);
  return { params: { id, track: '0' } };
}

async function storedTag({ services }: ServerUnderTest, next: () => number): Promise<ValidCall> {
  const id = await services.idSets.write((transaction, changes) => storeTag(transaction, changes, `stored-${next()}`));
  return { params: { id } };
}

async function removedTag(server: ServerUnderTest, next: () => number): Promise<ValidCall> {
  const { services } = server;
  const actorId = await putAccount(server, `remover-${next()}`);
  const { params } = await storedTag(server, next);
  await tagEdits.delete(services, params?.id ?? '', { userId: actorId, rank: rankOfViewer('admin') });
  const { id } = await services.database.reader
    .selectFrom('tag_changes')
    .select('id')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return { params: { id } };
}

async function taggedVideo(
  { services }: ServerUnderTest,
  next: () => number,
): Promise<{ path: string; tagId: string }> {
  const path = `tagged-${next()}`;
  const tagId = await services.idSets.write(async (transaction, changes) => {
    await storeVideos(transaction, changes, 1, { id: path, path });
    return storeTag(transaction, changes, `on-${path}`, [path]);
  });
  return { path, tagId };
}

/** There is nothing above the highest plan. */
function upgradeToTop(): ValidCall {
  const refused = errorStatuses.downgrade_not_available;
  return { body: { to_tier: 'lifetime' }, answers: { lifetime: refused, admin: refused } };
}

async function startDevice(server: ServerUnderTest): Promise<{ device_code: string; user_code: string }> {
  return (await server.call('POST', '/auth/device')).json();
}

async function invite(server: ServerUnderTest): Promise<{ id: string; token: string }> {
  const { headers } = personOf(await signIn(server, 'a-admin'));
  return createInvitation(server, headers);
}

/** Everybody has accepted the agreement. */
async function startUpload({ services }: ServerUnderTest): Promise<ValidCall> {
  const { database } = services;
  await database.write((transaction) =>
    transaction.updateTable('users').set({ eula_version: limits.eulaVersion }).execute(),
  );
  return { body: { files: [{ filename: 'a film.mp4', file_size: 1_000 }] } };
}

/** A session is its owner's alone. */
function completeNothing(): ValidCall {
  const { not_found } = errorStatuses;
  return {
    body: { session_id: 'none', files: [] },
    answers: { basic: not_found, pro: not_found, lifetime: not_found, admin: not_found },
  };
}

function basicId({ services }: ServerUnderTest): Promise<string> {
  const { reader } = services.database;
  return reader
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'a-basic')
    .executeTakeFirstOrThrow()
    .then(({ id }) => id);
}

/** Of one person: for others it does not exist. */
function ofBasic(params: Record<string, string>, more: ValidCall['answers'] = {}): ValidCall {
  const { not_found } = errorStatuses;
  return { params, body: {}, answers: { pro: not_found, lifetime: not_found, admin: not_found, ...more } };
}

async function removedUpload(server: ServerUnderTest): Promise<ValidCall> {
  const { id } = await storeUpload(server, await basicId(server));
  await uploadRemoval.delete(server.services.uploads, id, { userId: await basicId(server), isAdmin: false });
  return { params: { id }, body: {} };
}

async function approvedDevice(server: ServerUnderTest): Promise<string> {
  const { device_code, user_code } = await startDevice(server);
  const { headers } = personOf(await signIn(server, 'a-basic'));
  await server.call('POST', '/auth/device/approve', { headers, payload: { user_code } });
  return device_code;
}
