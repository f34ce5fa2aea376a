import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { applyUser } from '#app/state/account.ts';
import { may } from '#app/state/may.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { session } from '#app/state/session.ts';
import { announceShuffle, changeSettings, settings } from '#app/state/settings.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { watchedLog } from '#app/state/watched-log.ts';
import type { Outcome } from '#app/ui/card.tsx';
import { forgetWatched as endpoint } from '#contract/endpoints.ts';
import type { Settings as AccountSettings } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { Shuffle } from '#contract/rules/settings.ts';
import type { Features } from '#contract/rules/tiers.ts';
import { NotStored } from '#device/outbox-entry.ts';
import { after } from '#device/timers.ts';

interface SettingsFormState {
  /** A chosen step that is not saved yet, and its user. It is kept when the view changes. */
  draft: { seconds: number; userId: string | null } | null;
  isSaving: boolean;
  notice: Outcome | null;
}

export const settingsForm = proxy<SettingsFormState>({ draft: null, isSaving: false, notice: null });

const waits: Outcome = { kind: 'waits', sentence: notices.changeWaits };

let cancelFading = () => {};

type Viewer = { readonly user: { readonly id: string } | null; readonly features: Readonly<Features> | null };
type Draft = Pick<SettingsFormState, 'draft'>;
type Kept = { readonly seekStepSeconds: number };

export function mayChooseStep(viewer: Viewer = session): boolean {
  return may('customizable_skip_limits', viewer);
}

/**
 * The step of the slider in seconds: the unsaved choice, else the saved step. Without the feature
 * it is the default (§5 Settings).
 */
export function shownStep({ draft }: Draft = settingsForm, viewer: Viewer = session, kept: Kept = settings): number {
  if (!mayChooseStep(viewer)) return limits.skipDurationSeconds;
  const isOwn = draft !== null && draft.userId === (viewer.user?.id ?? null);
  return isOwn ? draft.seconds : kept.seekStepSeconds;
}

export function isUnsaved(form: Draft = settingsForm, viewer: Viewer = session, kept: Kept = settings): boolean {
  return mayChooseStep(viewer) && shownStep(form, viewer, kept) !== kept.seekStepSeconds;
}

/** Chooses the nearest step of the slider. */
export function chooseStep(wanted: number): void {
  const { skipDurationMinSeconds: min, skipDurationMaxSeconds: max, skipDurationStepSeconds: step } = limits;
  if (!mayChooseStep()) return;
  const seconds = Math.min(max, Math.max(min, Math.round(wanted / step) * step));
  settingsForm.draft = { seconds, userId: session.user?.id ?? null };
  show(null);
}

/** Moves the slider by one step, for the minus and plus buttons. */
export function moveStep(direction: -1 | 1): void {
  chooseStep(shownStep() + direction * limits.skipDurationStepSeconds);
}

/**
 * Saves the step to the account, or on this device for anonymous viewers. Success is shown only
 * when it is stored there, not while it waits for the network. Without the feature, a step saved
 * under a higher tier is left unchanged.
 */
export async function saveSettings(): Promise<void> {
  if (settingsForm.isSaving || !mayChooseStep()) return;
  const seekStepSeconds = shownStep();
  const isOwn = watchViewer();
  show(null);
  settingsForm.isSaving = true;
  try {
    const outcome = session.user ? await sendStep(seekStepSeconds) : storeStep(seekStepSeconds);
    if (!isOwn()) return;
    if (shownStep() === seekStepSeconds) settingsForm.draft = null;
    show(outcome);
    if (outcome.kind === 'ok') cancelFading = after(limits.successMessageSeconds * 1000, () => show(null));
  } catch (error) {
    if (isOwn()) show(refusalOf(error));
  } finally {
    settingsForm.isSaving = false;
  }
}

/**
 * Takes effect at once. For signed-in users the change is saved to the account, and taken back when
 * that fails.
 */
export async function switchShortcuts(areShortcutsOn: boolean): Promise<void> {
  if (!session.user) {
    changeSettings({ areShortcutsOn });
    return;
  }
  settings.areShortcutsOn = areShortcutsOn;
  await sendChoice({ shortcut_keys: areShortcutsOn }, show, (account) => {
    settings.areShortcutsOn = account.shortcut_keys;
  });
}

/**
 * Takes effect at once, for the account or for this browser, and is taken back when that fails.
 */
export async function chooseShuffle(shuffle: Shuffle): Promise<void> {
  if (!session.user) {
    changeSettings({ shuffle });
    announceShuffle(shuffle);
    return;
  }
  settings.shuffle = shuffle;
  const tell = (notice: Outcome | null) => {
    watchedForm.notice = notice;
  };
  await sendChoice({ shuffle }, tell, (account) => {
    settings.shuffle = account.shuffle;
  });
}

/**
 * Sends a choice to the account. What comes of it concerns nobody who has signed in meanwhile.
 * @param takeBack is called with the settings of the account when the choice is refused
 */
async function sendChoice(
  choice: Partial<AccountSettings>,
  tell: (notice: Outcome | null) => void,
  takeBack: (account: AccountSettings) => void,
): Promise<void> {
  const isOwn = watchViewer();
  tell(null);
  try {
    const sent = await sendOrStore('updateProfile', { body: { settings: choice } });
    if (!sent.isStored) applyUser(sent.reply);
    else if (isOwn()) tell(waits);
  } catch (error) {
    if (!isOwn()) return;
    if (session.user) takeBack(session.user.settings);
    tell(refusalOf(error));
  }
}

interface WatchedFormState {
  /** The question is open. */
  isAsking: boolean;
  isForgetting: boolean;
  notice: Outcome | null;
}

/** The state of the choice of shuffle, and of the log that it needs. */
export const watchedForm = proxy<WatchedFormState>({ isAsking: false, isForgetting: false, notice: null });

export function askToForget(isAsking: boolean): void {
  Object.assign(watchedForm, { isAsking, notice: null });
}

/** All videos count as new for the viewer, on all of their devices. */
export async function forgetWatched(): Promise<void> {
  const isOwn = watchViewer();
  let notice: Outcome = { kind: 'ok', sentence: notices.watchedForgotten };
  watchedForm.isForgetting = true;
  try {
    await watchedLog.forget(() => call(endpoint));
  } catch (error) {
    notice = { kind: 'danger', sentence: failures.forgetWatched(error) };
  }
  Object.assign(watchedForm, { isAsking: false, isForgetting: false, ...(isOwn() && { notice }) });
}

/** Drops the notices of waiting changes once none waits: they were sent, discarded or refused. */
export function forgetWaiting(): void {
  for (const form of [settingsForm, watchedForm]) if (form.notice?.kind === 'waits') form.notice = null;
}

export function resetSettingsForm(): void {
  Object.assign(settingsForm, { draft: null, isSaving: false });
  Object.assign(watchedForm, { isAsking: false, isForgetting: false, notice: null });
  show(null);
}

/** @throws when the account neither stores the step nor will later */
async function sendStep(seconds: number): Promise<Outcome> {
  const sent = await sendOrStore('updateProfile', { body: { settings: { skip_duration_seconds: seconds } } });
  if (sent.isStored) return waits;
  applyUser(sent.reply);
  return outcomeOf(sent.reply.user.settings.skip_duration_seconds === seconds);
}

function storeStep(seekStepSeconds: number): Outcome {
  return outcomeOf(changeSettings({ seekStepSeconds }));
}

function outcomeOf(isSaved: boolean): Outcome {
  if (!isSaved) throw new Error(failures.saveSettings);
  return { kind: 'ok', sentence: notices.settingsSaved };
}

function refusalOf(error: unknown): Outcome {
  return { kind: 'danger', sentence: error instanceof NotStored ? error.message : failures.saveSettings };
}

function show(notice: SettingsFormState['notice']): void {
  cancelFading();
  settingsForm.notice = notice;
}
