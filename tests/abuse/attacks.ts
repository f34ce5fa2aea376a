import type { Attack } from './attack.ts';
import { adminStorms } from './attacks/admin-storms.ts';
import { oversizedBodies } from './attacks/bodies.ts';
import { brokenHttp } from './attacks/broken-http.ts';
import { callFloods } from './attacks/call-floods.ts';
import { deviceCodes } from './attacks/device-codes.ts';
import { everyRoute } from './attacks/every-route.ts';
import { forgedHosts, proxiedHosts } from './attacks/forged-hosts.ts';
import { hostileFiles } from './attacks/hostile-files.ts';
import { http2Windows } from './attacks/http2-windows.ts';
import { idempotencyKeys } from './attacks/idempotency.ts';
import { kills } from './attacks/kills.ts';
import { strayingPaths } from './attacks/paths.ts';
import { postgresRestarts } from './attacks/postgres-restarts.ts';
import { ranges } from './attacks/ranges.ts';
import { setupCodes } from './attacks/setup-codes.ts';
import { signIns } from './attacks/sign-ins.ts';
import { silentConnections } from './attacks/silent-connections.ts';
import { sitePasswords } from './attacks/site-passwords.ts';
import { slowParsers } from './attacks/slow-parsers.ts';
import { sqliteOutsider } from './attacks/sqlite-outsider.ts';
import { unreadAnswers } from './attacks/unread-answers.ts';

/** In the order in which a product meets them: whoever guesses the set-up code comes before the first account, and what ends the process comes last. */
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
  callFloods,
  idempotencyKeys,
  ranges,
  strayingPaths,
  silentConnections,
  unreadAnswers,
  adminStorms,
  hostileFiles,
  http2Windows,
  sqliteOutsider,
  postgresRestarts,
  kills,
];
