import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { setAnalyticsTarget } from '#app/platform/analytics.ts';
import type { GateDetails, RequestAccess } from '#contract/entities/error-reply.ts';
import type { Config } from '#contract/entities/feed.ts';
import { limits } from '#contract/limits.ts';
import { readConfig } from '#contract/start.ts';
import { timeLimit } from '#device/timers.ts';
import { accessRefused, call } from '../platform/http/call.ts';
import { HttpError, reached } from '../platform/http/send.ts';
import { recovered } from '../platform/link.ts';
import { connection } from './connection.ts';
import { navigation, openDialog } from './navigation.ts';
import { applySiteConfig, recallSiteConfig } from './site-config.ts';

interface AccessState {
  /** §4 App start: the loading screen, then the main app or the password page. */
  phase: 'checking' | 'open' | 'refused';
  /** The address for requesting the password, from the closed gate's reply. */
  requestAccess: RequestAccess | null;
}

export const access = proxy<AccessState>({ phase: 'checking', requestAccess: null });

type GateState = 'open' | 'refused' | 'unknown';

let isConfigRead = false;
let pendingCheck: Promise<GateState> | null = null;
let stopWatching = () => {};

/** Checks access at the start, after later refusals, and when the server is reachable again. */
export async function startAccess(): Promise<void> {
  const stops = [
    accessRefused.listen(handleRefusal),
    subscribeKey(connection, 'isReachable', (isReachable) => isReachable && readMissingConfig()),
    recovered.listen(readMissingConfig),
  ];
  stopWatching = () => {
    for (const stop of stops) stop();
  };
  recallSiteConfig();
  access.phase = (await checkConfig()) === 'refused' ? 'refused' : 'open';
}

export function resetAccess(): void {
  stopWatching();
  isConfigRead = false;
  Object.assign(access, { phase: 'checking', requestAccess: null });
}

/** Reads the operator's configuration again. */
export async function readConfigAgain(): Promise<void> {
  if ((await checkConfig()) === 'refused') access.phase = 'refused';
}

/**
 * Handles a 401, which has two meanings: the gate is closed, or the session has ended (or there was
 * none). The config call distinguishes them.
 */
async function handleRefusal({ hadSession }: { hadSession: boolean }): Promise<void> {
  const state = await checkConfig();
  if (state === 'refused') access.phase = 'refused';
  if (state === 'open' && navigation.dialog !== 'session-ended') openDialog(hadSession ? 'session-ended' : 'sign-in');
}

async function readMissingConfig(): Promise<void> {
  if (!isConfigRead) await readConfigAgain();
}

/** Reads the configuration; concurrent calls share one request. */
export function checkConfig(): Promise<GateState> {
  pendingCheck ??= readGateState().finally(() => {
    pendingCheck = null;
  });
  return pendingCheck;
}

/**
 * Reads the configuration. Only a 401 on this call shows the password page; without an answer the
 * last known one applies, or the defaults (§4 App start).
 */
async function readGateState(): Promise<GateState> {
  const limit = timeLimit(limits.configCheckTimeoutSeconds * 1000);
  try {
    applyConfig(await call(readConfig, { signal: limit.signal, quiet: true }));
    isConfigRead = true;
    return 'open';
  } catch (error) {
    if (limit.signal.aborted) reached.emit('silent');
    if (!(error instanceof HttpError) || error.status !== 401) return 'unknown';
    access.requestAccess = requestAccessOf(error.details);
    return 'refused';
  } finally {
    limit.done();
  }
}

function requestAccessOf(details: unknown): RequestAccess | null {
  return (details as Partial<GateDetails> | undefined)?.request_access ?? null;
}

function applyConfig(config: Config): void {
  applySiteConfig({
    switchIntervalSeconds: config.video_settings.switch_interval_seconds,
    isBillingOpen: config.features.billing === 'open',
    isRegistrationOpen: config.features.registration,
    isTagEditingOpen: config.features.tag_editing === 'everyone',
    remembersWatched: config.features.watched,
    // A server of an older version does not tell it.
    measuredOneIn: config.measured?.one_in ?? 1,
  });
  const { analytics } = config;
  setAnalyticsTarget(analytics && { measurementId: analytics.measurement_id, endpoint: analytics.endpoint });
}
