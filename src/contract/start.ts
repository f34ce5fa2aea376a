import { endpoint } from './endpoint.ts';
import type { AuthReply, Refresh, SignOut } from './entities/account.ts';
import type { Config, FirstPicks, FirstPicksQuery, PickQuery, PickReply, Status } from './entities/feed.ts';
import type { QuadrantParams } from './entities/fields.ts';
import type { Health } from './entities/site.ts';
import type { Profile } from './entities/user.ts';

/*
 * The calls of `endpoints.ts` and the sentences of `failures.ts` that the app starts with, apart
 * from the others because the app's first chunk contains all of this file.
 */

export const readConfig = endpoint<{ reply: Config }>('GET', '/api/config', 'anyone', { expiredToken: 'ignored' });
export const readHealth = endpoint<{ reply: Health }>('GET', '/healthz', 'open', {
  needsDatabase: false,
  deadlineSeconds: 5,
  refused: 'never',
});
export const refreshSession = endpoint<{ body: Refresh; reply: AuthReply }>('POST', '/auth/refresh', 'anyone', {
  expiredToken: 'ignored',
  isRepeatable: false,
  refused: 'never',
});
export const signOut = endpoint<{ body: SignOut; reply: null }>('POST', '/auth/logout', 'user');
export const readProfile = endpoint<{ reply: Profile }>('GET', '/users/profile', 'anyone', { expiredToken: 'ignored' });
export const pickVideo = endpoint<{ params: QuadrantParams; query: PickQuery; reply: PickReply }>('GET', '/api/video/{quadrant}', 'anyone', {
  deadlineSeconds: 8,
  refused: 'never',
});
export const pickFirstVideos = endpoint<{ query: FirstPicksQuery; reply: FirstPicks | null }>('GET', '/api/video/first', 'anyone', {
  credential: 'bearer-or-cookie',
  deadlineSeconds: 8,
});
export const readStatus = endpoint<{ reply: Status }>('GET', '/api/status', 'anyone');

/** The sentences about failures (§8) that the app starts with. */
export const startFailures = {
  httpStatus: (status: number) => `HTTP error! status: ${status}`,
  applyFilters: 'Failed to apply filters',
  noVideoData: 'No video data received',
  loadVideo: 'Failed to load video',
  videoError: 'Video error - loading next...',
  tapToPlay: 'Tap to play',
  lowPower: 'Low Power Mode: tap to play',
};
