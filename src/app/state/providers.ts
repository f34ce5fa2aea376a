import { proxy } from 'valtio/vanilla';
import { sessionStore } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { refreshToken, signInChannel, storedSignIn, storeTokens } from '#app/platform/http/token-store.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { broadcastChannel, opensWindows } from '#app/platform/later-capabilities.ts';
import { createLinkTicket, listProviders } from '#contract/endpoints.ts';
import type { AuthProvider, Tokens } from '#contract/entities/account.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { every } from '#device/timers.ts';
import { forgetCodes, navigation, openDialog, openView } from './navigation.ts';
import { clearFilters } from './quadrant-filters.ts';

interface ProvidersState {
  /** The providers that the operator has set up; empty until they are read. */
  list: AuthProvider[];
  /** The name of the provider whose window is open. */
  waitingFor: string | null;
  /** The reason why the last sign-in at a provider failed. */
  failure: string | null;
}

interface Visit {
  /** The provider's account is to be linked to the signed-in user. */
  isLinking?: boolean;
  /** Called when the tokens are stored; by default the page is reloaded. */
  onSuccess?: () => void;
}

type Display = 'popup' | 'page';

/** The result of a sign-in at a provider (§3 Sign-in), as far as the app needs it. */
type ProviderResult = { type: 'OAUTH_SUCCESS'; tokens: Tokens } | { type: 'OAUTH_ERROR'; error: string };

const none = (): ProvidersState => ({ list: [], waitingFor: null, failure: null });

export const providers = proxy<ProvidersState>(none());

let stopVisit = () => {};
let isListMissing = false;

/** Loads the providers; a failure hides the section (§8). */
export async function loadProviders(): Promise<void> {
  const reply = await call(listProviders, { quiet: true }).catch(() => null);
  isListMissing = reply === null;
  providers.list = reply?.providers ?? [];
}

/** Reads the list again if that failed. */
export async function loadMissingProviders(): Promise<void> {
  if (isListMissing) await loadProviders();
}

/**
 * Opens a provider in its own window, or in place of the page when no window can be opened. Must be
 * called inside a user gesture.
 */
export function visitProvider(
  provider: AuthProvider,
  { isLinking = false, onSuccess = reloadSignedIn }: Visit = {},
): void {
  cancelVisit();
  const listeners = { onMessage: (message: ProviderResult) => finishVisit(message, onSuccess), onClosed };
  const startFor = (display: Display) =>
    isLinking ? () => linkAddress(provider, display) : `${provider.login_url}?display=${display}`;
  const stop = opensWindows() && currentForm() !== 'tv' ? openProviderWindow(startFor('popup'), listeners) : null;
  if (stop === null) {
    leaveFor(startFor('page'));
    return;
  }
  stopVisit = stop;
  providers.waitingFor = provider.name;
}

/**
 * The address for linking an account. A window cannot send the token: a ticket, valid once and for
 * a minute, identifies the account instead. Null when there is no ticket.
 */
async function linkAddress({ name, login_url: address }: AuthProvider, display: Display): Promise<string | null> {
  try {
    const { ticket } = await call(createLinkTicket, { params: { provider: name } });
    return `${address}?link=1&ticket=${encodeURIComponent(ticket)}&display=${display}`;
  } catch (error) {
    cancelVisit();
    providers.failure = error instanceof HttpError ? error.message : failures.connection;
    return null;
  }
}

function leaveFor(start: string | (() => Promise<string | null>)): void {
  if (typeof start === 'string') location.assign(start);
  else void start().then((address) => address !== null && location.assign(address));
}

/** Ends the sign-in at a provider, and closes its window. */
export function cancelVisit(): void {
  stopVisit();
  stopVisit = () => {};
  Object.assign(providers, { waitingFor: null, failure: null });
}

/**
 * Handles the stored result of a sign-in without a window: tokens, with which the page is reloaded,
 * or a failure, which is shown where the sign-in began.
 */
export function finishStoredVisit(): void {
  const stored = storedSignIn();
  if (stored === null) return;
  sessionStore()?.removeItem(signInChannel);
  const message = readMessage(stored);
  if (!message) return;
  if (message.type === 'OAUTH_ERROR' && refreshToken() !== null) openView('profile');
  else if (message.type === 'OAUTH_ERROR' && navigation.invitation === null) openDialog('sign-in');
  finishVisit(message, reloadSignedIn);
}

/**
 * Reads a provider's message; null for any other data.
 * @param data the message, or its JSON
 */
function readMessage(data: unknown): ProviderResult | null {
  try {
    const { type, tokens, error } = Object(typeof data === 'string' ? JSON.parse(data) : data);
    if (type === 'OAUTH_ERROR' && typeof error === 'string') return { type, error };
    const { access_token, refresh_token } = Object(tokens);
    const areTokens = typeof access_token === 'string' && typeof refresh_token === 'string';
    return type === 'OAUTH_SUCCESS' && areTokens ? { type, tokens } : null;
  } catch {
    return null;
  }
}

export function resetProviders(): void {
  cancelVisit();
  isListMissing = false;
  Object.assign(providers, none());
}

function finishVisit(message: ProviderResult, onSuccess: () => void): void {
  providers.waitingFor = null;
  if (message.type === 'OAUTH_ERROR') {
    providers.failure = providerRefusal(message.error);
    return;
  }
  storeTokens(message.tokens);
  onSuccess();
}

/**
 * §4 Auth: the new session starts without the former viewer's filters. The dialog closes with the
 * page: closing it here would go back in the history, which cancels the reload. The code of a
 * waiting TV is kept in the address.
 */
function reloadSignedIn(): void {
  clearFilters();
  forgetCodes();
  const { dialog, deviceCode } = navigation;
  if (dialog === 'device' && deviceCode !== null) location.assign(`/?device=${encodeURIComponent(deviceCode)}`);
  else location.reload();
}

function onClosed(): void {
  providers.waitingFor = null;
}

const sentences: Record<string, string> = {
  access_denied: failures.providerDenied,
  provider_unavailable: failures.providerUnavailable,
  account_exists: failures.providerAccountExists,
  already_linked: failures.providerAlreadyLinked,
  email_unverified: failures.providerEmailUnverified,
  registration_closed: failures.providerRegistrationClosed,
  invitation_invalid: failures.providerInvitationInvalid,
  setup_required: failures.providerSetupRequired,
  rate_limited: failures.providerTooOften,
};

/** The sentence for the code of an `OAUTH_ERROR` (§3 Sign-in). */
function providerRefusal(code: string): string {
  return sentences[code] ?? failures.providerSignIn;
}

interface Listeners {
  /** Called once, after the window was closed. */
  onMessage: (message: ProviderResult) => void;
  /**
   * Called when the window is closed, or reported as closed because the provider has severed it; a
   * message can still come in that case.
   */
  onClosed: () => void;
}

/**
 * Opens a provider's page in a window of its own (§4 Auth). Accepts messages of our own origin from
 * this window, and those on the channel. Returns a function that stops listening and closes the
 * window; null when no window can be opened.
 * @param start a URL, or a function that requests it: the window must open inside the user's
 * gesture, and gets its URL later
 */
export function openProviderWindow(
  start: string | (() => Promise<string | null>),
  { onMessage, onClosed }: Listeners,
): (() => void) | null {
  const popup = window.open(typeof start === 'string' ? start : 'about:blank', 'fourfold-sign-in', features());
  if (!popup) return null;
  if (typeof start !== 'string')
    void start().then((address) => address !== null && !popup.closed && popup.location.replace(address));
  const channel = broadcastChannel(signInChannel);
  const cancelCheck = every(limits.popupClosedCheckSeconds * 1000, () => {
    if (!popup.closed) return;
    cancelCheck();
    onClosed();
  });
  const stop = () => {
    cancelCheck();
    window.removeEventListener('message', onWindowMessage);
    channel?.close();
    popup.close();
  };
  const receive = (data: unknown) => {
    const message = readMessage(data);
    if (!message) return;
    stop();
    onMessage(message);
  };
  const onWindowMessage = ({ origin, source, data }: MessageEvent) =>
    origin === location.origin && source === popup && receive(data);
  window.addEventListener('message', onWindowMessage);
  channel?.addEventListener('message', ({ data }) => receive(data));
  return stop;
}

/** The window's size, and its position centred on the app's own window. */
function features(): string {
  const { popupWidthPx: width, popupHeightPx: height } = limits;
  const left = Math.max(0, Math.round(window.screenX + (window.outerWidth - width) / 2));
  const top = Math.max(0, Math.round(window.screenY + (window.outerHeight - height) / 2));
  return `popup,width=${width},height=${height},left=${left},top=${top}`;
}
