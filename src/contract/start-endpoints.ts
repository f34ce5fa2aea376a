import { endpoint } from './endpoint.ts';
import type { AuthReply, Refresh, SignOut } from './entities/account.ts';
import type { Config, FirstPicks, FirstPicksQuery, PickQuery, PickReply, Status } from './entities/feed.ts';
import type { QuadrantParams } from './entities/fields.ts';
import type { Health } from './entities/site.ts';
import type { Profile } from './entities/user.ts';

/*
 * The calls of `endpoints.ts` that the app starts with, in a file of their own because the app's
 * first chunk contains all of it.
 */

export const readConfig = endpoint<{ reply: Config }>('GET', '/api/config', 'anyone', { expiredToken: 'ignored' });
export const readHealth = endpoint<{ reply: Health }>('GET', '/healthz', 'open', {
  needsDatabase: false,
  deadlineSeconds: 5,
});
export const refreshSession = endpoint<{ body: Refresh; reply: AuthReply }>('POST', '/auth/refresh', 'anyone', {
  expiredToken: 'ignored',
  isRepeatable: false,
});
export const signOut = endpoint<{ body: SignOut; reply: null }>('POST', '/auth/logout', 'user');
export const readProfile = endpoint<{ reply: Profile }>('GET', '/users/profile', 'anyone', { expiredToken: 'ignored' });
export const pickVideo = endpoint<{ params: QuadrantParams; query: PickQuery; reply: PickReply }>('GET', '/api/video/{quadrant}', 'anyone', {
  deadlineSeconds: 8,
});
export const pickFirstVideos = endpoint<{ query: FirstPicksQuery; reply: FirstPicks | null }>('GET', '/api/video/first', 'anyone', {
  credential: 'bearer-or-cookie',
  deadlineSeconds: 8,
});
export const readStatus = endpoint<{ reply: Status }>('GET', '/api/status', 'anyone');
