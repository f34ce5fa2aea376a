import { expect } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { quadrants } from '#contract/quadrants.ts';

/** A video as a test knows it. */
export interface KnownVideo {
  readonly id: string;
  readonly path: string;
  /** The tags that it is on. */
  readonly tagIds: readonly string[];
}

/** One request, apart from who makes it. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What a call may say of videos. `one`: it names a video, and of one that is withheld it says what it says of one that
 * is not there; `reads` tells whether the reply about a video that is seen holds it. `all`: its reply holds every video
 * that is seen, with their number at `total`. `some`: it holds some of them. `none`: it has nothing to say of videos.
 */
export type Placed =
  | { says: 'one'; reads: boolean; ask(video: KnownVideo): readonly Asked[] }
  | { says: 'all'; ask: readonly Asked[]; total(reply: Reply): number }
  | { says: 'some'; ask: readonly Asked[] }
  | { says: 'none'; because: string };

/** A reply in JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it needs
export type Reply = any;

const byId = (reads: boolean, more: readonly Omit<Asked, 'params'>[] = [{}]): Placed => ({
  says: 'one',
  reads,
  ask: ({ id }) => more.map((each) => ({ params: { id }, ...each })),
});
const none = (because: string): Placed => ({ says: 'none', because });
const totalOf = ({ total }: Reply): number => total;

const account = none('It is about an account and its sessions.');
const site = none('It is about the site.');
const upload = none('It is about files that the caller sends, under the names that the caller gave them.');

/** What is asked of stills and files besides the plain question. */
const conditional: Omit<Asked, 'params'>[] = [
  {},
  { headers: { 'if-none-match': '*' } },
  { headers: { range: 'bytes=0-0' } },
];

/**
 * Every call that people make who are no administrators. Those for administrators alone need no place: others are
 * refused, whatever the call says.
 */
export const placed = new Map<Endpoint, Placed>([
  // Picks and lists
  [
    endpoints.pickVideo,
    {
      says: 'some',
      ask: quadrants.map((quadrant) => ({ params: { quadrant } })),
    },
  ],
  [endpoints.pickFirstVideos, { says: 'some', ask: [{}] }],
  [
    endpoints.listVideosByTags,
    {
      says: 'all',
      ask: ['', '&search=mp4', '&sort_by=name', '&sort_by=longest', '&sort_by=largest', '&sort_by=played'].map(
        (query) => ({ query: `?limit=50${query}` }),
      ),
      total: totalOf,
    },
  ],
  [
    endpoints.listTaggingVideos,
    {
      says: 'all',
      ask: ['', '&search=mp4', '&untagged_first=true'].map((query) => ({ query: `?limit=50${query}` })),
      total: ({ total, counts }) =>
        [counts.total, counts.tagged + counts.untagged].every((count) => count === total) ? total : Number.NaN,
    },
  ],
  [endpoints.listAllTaggingVideos, { says: 'all', ask: [{}, { query: '?search=mp4' }], total: totalOf }],
  [endpoints.listWatched, { says: 'all', ask: [{ query: '?limit=50' }], total: totalOf }],
  [endpoints.listFavourites, { says: 'some', ask: [{}] }],
  [endpoints.listTags, { says: 'some', ask: [{}, { query: '?limit=100' }] }],
  [endpoints.readStatus, { says: 'some', ask: [{}] }],

  // One video
  [endpoints.readVideo, byId(true)],
  [endpoints.readVideoDetails, byId(true)],
  [endpoints.readPoster, byId(true, conditional)],
  [endpoints.readStoryboard, byId(true, conditional)],
  [endpoints.listSubtitles, byId(false)],
  [endpoints.readSubtitles, { says: 'one', reads: true, ask: ({ id }) => [{ params: { id, track: '0' } }] }],
  [endpoints.readVideoTags, { says: 'one', reads: false, ask: ({ path }) => [{ params: { path } }] }],
  [
    endpoints.streamVideo,
    {
      says: 'one',
      reads: true,
      ask: ({ path }) => [
        ...conditional.map((each) => ({ query: `?path=${path}`, ...each })),
        { query: `?path=${path}&rendition=source` },
        { query: `?path=${path}&rendition=grid` },
        { query: `?path=${path}&rendition=hd` },
      ],
    },
  ],
  [
    endpoints.resolveVideoUrl,
    {
      says: 'one',
      reads: true,
      ask: ({ path }) =>
        [{}, { keeps: true }, { audio_track: 0 }, { quality: 'grid' }].map((more) => ({
          body: { path, quadrant: 'top-left', ...more },
        })),
    },
  ],
  [endpoints.reportVideo, byId(false, [{ body: { reason: 'other' } }])],
  [endpoints.updateVideoDetails, byId(false, [{ body: { title: 'Open' } }])],
  [endpoints.addFavourite, byId(false)],
  [endpoints.removeFavourite, byId(false)],
  [
    endpoints.assignTags,
    {
      says: 'one',
      reads: false,
      ask: ({ path, tagIds }) => [{ params: { path }, body: { tag_ids: tagIds.slice(0, 1) } }],
    },
  ],
  [
    endpoints.removeTag,
    { says: 'one', reads: false, ask: ({ path, tagIds }) => tagIds.map((tagId) => ({ params: { path, tagId } })) },
  ],
  [
    endpoints.checkVideos,
    { says: 'one', reads: true, ask: ({ id }) => [{ body: { videos: [{ id, rendition: 'source' }] } }] },
  ],
  [endpoints.findHiddenVideos, { says: 'one', reads: false, ask: ({ id }) => [{ query: `?ids=${id}` }] }],
  [endpoints.recordWatched, { says: 'one', reads: false, ask: ({ id }) => [{ body: { ids: [id] } }] }],

  // Own uploads, which may be withheld from who sent them
  [endpoints.listUploadHistory, { says: 'some', ask: [{}] }],
  [endpoints.readUploadStats, none('It counts what the caller has sent.')],
  [endpoints.completeUpload, none('The test asks about its own upload.')],
  [endpoints.startUpload, upload],
  [endpoints.readUploadProgress, upload],
  [endpoints.cancelUpload, upload],
  [endpoints.renewUploadKey, upload],
  [endpoints.deleteUploadedFile, upload],

  // One channel, which the test asks about by itself
  [endpoints.readTag, none('It names a channel.')],
  [endpoints.updateTag, none('It names a channel.')],
  [endpoints.deleteTag, none('It names a channel.')],
  [endpoints.createTag, none('It refuses names that are taken.')],
  [endpoints.readBlocklist, none('It holds the ids of channels that the caller has blocked.')],
  [endpoints.updateBlocklist, none('It holds the ids of channels that the caller has blocked.')],

  // What knows no video
  [endpoints.forgetWatched, none('It deletes.')],
  [endpoints.chooseQuality, none('It is about a quadrant.')],
  [endpoints.recordPerformance, none('It answers how many samples it took.')],
  [endpoints.readBandwidth, none('It counts bytes.')],
  ...[endpoints.readConfig, endpoints.readHealth, endpoints.readReadiness, endpoints.readMetrics].map(
    (each): [Endpoint, Placed] => [each, site],
  ),
  ...[endpoints.enterSite, endpoints.readWhatsNew, endpoints.readEula, endpoints.acceptEula, endpoints.listPlans].map(
    (each): [Endpoint, Placed] => [each, site],
  ),
  ...[
    endpoints.register,
    endpoints.openInvitation,
    endpoints.signIn,
    endpoints.signOut,
    endpoints.signOutEverywhere,
    endpoints.refreshSession,
    endpoints.readMe,
    endpoints.changePassword,
    endpoints.listSessions,
    endpoints.endSession,
    endpoints.listProviders,
    endpoints.createLinkTicket,
    endpoints.startProviderSignIn,
    endpoints.finishProviderSignIn,
    endpoints.listIdentities,
    endpoints.unlinkIdentity,
    endpoints.startDeviceSignIn,
    endpoints.pollDeviceSignIn,
    endpoints.findWaitingDevice,
    endpoints.approveDevice,
    endpoints.readProfile,
    endpoints.updateProfile,
    endpoints.deleteAccount,
    endpoints.readUploaderProfile,
    endpoints.readAvatar,
    endpoints.upgradePlan,
  ].map((each): [Endpoint, Placed] => [each, account]),
]);

/** Addresses of the server that are no calls of the contract; a new one needs a place in the test. */
export const otherAddresses = new Map<string, string>([
  ['/', 'The page with its first videos, which the test reads.'],
  ['/share', 'It redirects to the page.'],
  ['/api/upload/address/:address', 'It takes bytes, by a secret address.'],
]);

export const allCalls: readonly Endpoint[] = Object.values(endpoints);

/** Whether a caller who is no administrator may make a call, as far as its guard says. */
export function isFor({ caller }: Endpoint, isSignedIn: boolean): boolean {
  return caller === 'user' || caller === 'user-or-key' ? isSignedIn : caller === 'open' || caller === 'anyone';
}

export function urlOf({ path }: Endpoint, { params = {}, query = '' }: Asked): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? 'none') + query;
}

/** Every call has a place, or is for administrators alone. */
export function expectPlaces(served: Iterable<string>): void {
  const unplaced = allCalls.filter((each) => each.caller !== 'admin' && !placed.has(each));
  expect(unplaced.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  const known = new Set(allCalls.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1')));
  expect([...served].filter((path) => !known.has(path) && !otherAddresses.has(path))).toEqual([]);
}
