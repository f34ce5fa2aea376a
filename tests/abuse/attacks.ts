import type { Attack } from './attack.ts';
import { deviceCodes } from './attacks/access/device-codes.ts';
import { forgedHosts, proxiedHosts } from './attacks/access/forged-hosts.ts';
import { strayingPaths } from './attacks/access/paths.ts';
import { setupCodes } from './attacks/access/setup-codes.ts';
import { signIns } from './attacks/access/sign-ins.ts';
import { sitePasswords } from './attacks/access/site-passwords.ts';
import { stolenSessions } from './attacks/access/stolen-sessions.ts';
import { uploadKeys } from './attacks/access/upload-keys.ts';
import { oversizedBodies } from './attacks/calls/bodies.ts';
import { callFloods } from './attacks/calls/call-floods.ts';
import { everyRoute } from './attacks/calls/every-route.ts';
import { idempotencyKeys } from './attacks/calls/idempotency.ts';
import { madeUpBrowsers } from './attacks/calls/made-up-browsers.ts';
import { madeUpVenues } from './attacks/calls/made-up-venues.ts';
import { searchStorms } from './attacks/calls/search-storms.ts';
import { slowParsers } from './attacks/calls/slow-parsers.ts';
import { brokenHttp } from './attacks/connections/broken-http.ts';
import { http2Windows } from './attacks/connections/http2-windows.ts';
import { ranges } from './attacks/connections/ranges.ts';
import { silentConnections } from './attacks/connections/silent-connections.ts';
import { unreadAnswers } from './attacks/connections/unread-answers.ts';
import { uploadFloods, uploadWindows } from './attacks/connections/uploads.ts';
import { adminStorms } from './attacks/data/admin-storms.ts';
import { hostileFiles } from './attacks/data/hostile-files.ts';
import { kills } from './attacks/data/kills.ts';
import { postgresRestarts } from './attacks/data/postgres-restarts.ts';
import { sqliteOutsider } from './attacks/data/sqlite-outsider.ts';
import { subtitleStorms } from './attacks/data/subtitle-storms.ts';
import { wrongClocks } from './attacks/data/wrong-clocks.ts';

/**
 * In the order in which a product meets them: whoever guesses the set-up code comes before the first account, and what
 * ends the process comes last.
 */
export const attacks: readonly Attack[] = [
  setupCodes,
  signIns,
  proxiedHosts,
  slowParsers,
  sitePasswords,
  everyRoute,
  oversizedBodies,
  brokenHttp,
  forgedHosts,
  deviceCodes,
  stolenSessions,
  uploadKeys,
  callFloods,
  searchStorms,
  idempotencyKeys,
  madeUpBrowsers,
  madeUpVenues,
  ranges,
  strayingPaths,
  silentConnections,
  unreadAnswers,
  uploadFloods,
  adminStorms,
  hostileFiles,
  subtitleStorms,
  http2Windows,
  uploadWindows,
  sqliteOutsider,
  postgresRestarts,
  wrongClocks,
  kills,
];
