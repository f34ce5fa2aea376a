import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { readConfig } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { accessRefused, call } from '../platform/call.ts';
import { HttpError } from '../platform/http-error.ts';
import { timeLimit } from '../platform/timers.ts';
import { connection } from './connection.ts';
import { openDialog } from './navigation.ts';
import { applyConfig } from './site-config.ts';

interface AccessState {
  /** §4 App start: the loading screen, then the main app or the password page. */
  phase: 'checking' | 'open' | 'refused';
}

export const access = proxy<AccessState>({ phase: 'checking' });

type Answer = 'open' | 'refused' | 'unknown';

let isConfigRead = false;
let asking: Promise<Answer> | null = null;
let stopWatching = () => {};

/** The start-up check, and what follows from later refusals and from a server that comes back. */
export async function startAccess(): Promise<void> {
  const stops = [accessRefused.listen(tellRefusalsApart), subscribeKey(connection, 'isReachable', readConfigWhenBack)];
  stopWatching = () => {
    for (const stop of stops) stop();
  };
  access.phase = (await askConfig()) === 'refused' ? 'refused' : 'open';
}

export function resetAccess(): void {
  stopWatching();
  isConfigRead = false;
  access.phase = 'checking';
}

/** A 401 has two meanings: the gate is closed, or the session has ended. The config call tells which. */
async function tellRefusalsApart(): Promise<void> {
  const answer = await askConfig();
  if (answer === 'refused') access.phase = 'refused';
  if (answer === 'open') openDialog('sign-in');
}

async function readConfigWhenBack(isReachable: boolean): Promise<void> {
  if (!isReachable || isConfigRead) return;
  if ((await askConfig()) === 'refused') access.phase = 'refused';
}

/** Several calls refused at once ask once. */
function askConfig(): Promise<Answer> {
  asking ??= readAnswer().finally(() => {
    asking = null;
  });
  return asking;
}

/** §4 App start: only a 401 on the config call shows the password page; without an answer the defaults apply. */
async function readAnswer(): Promise<Answer> {
  const limit = timeLimit(limits.configCheckTimeoutSeconds * 1000);
  try {
    applyConfig(await call(readConfig, { signal: limit.signal, quiet: true }));
    isConfigRead = true;
    return 'open';
  } catch (error) {
    return error instanceof HttpError && error.status === 401 ? 'refused' : 'unknown';
  } finally {
    limit.done();
  }
}
