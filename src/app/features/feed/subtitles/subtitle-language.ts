import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { session } from '#app/state/session.ts';

interface LanguageState {
  /** What was chosen on this page, until the account has it. */
  chosen: { userId: string | null; language: string } | null;
  /** What is stored on this device, for anonymous viewers. */
  ofDevice: string | null;
}

export const deviceKey = 'fourfold.subtitles';

export const languageState = proxy<LanguageState>({ chosen: null, ofDevice: readDevice() });

type Viewer = { readonly user: { readonly id: string; readonly settings: Stored } | null };
type Stored = { readonly subtitle_language?: string | null };
type State = { readonly [Key in keyof LanguageState]: Readonly<LanguageState[Key]> };

/**
 * The language of subtitles that this person wants, a tag of BCP 47: empty for none, null as long as nothing was ever
 * chosen. It is the account's where somebody is signed in, else the device's.
 */
export function subtitleLanguage(
  { user }: Viewer = session,
  { chosen, ofDevice }: State = languageState,
): string | null {
  if (chosen !== null && chosen.userId === (user?.id ?? null)) return chosen.language;
  // A profile that an earlier version has stored lacks it.
  return user === null ? ofDevice : (user.settings.subtitle_language ?? null);
}

function readDevice(): string | null {
  try {
    return localStore()?.getItem(deviceKey) ?? null;
  } catch {
    // Storage is blocked.
    return null;
  }
}
