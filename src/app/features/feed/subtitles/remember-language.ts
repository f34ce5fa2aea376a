import { localStore } from '#app/platform/capabilities.ts';
import { applyUser } from '#app/state/account.ts';
import { sendOrStore } from '#app/state/outbox/send-or-store.ts';
import { session } from '#app/state/session.ts';
import { deviceKey, languageState } from './subtitle-language.ts';

/** Takes effect at once; the account or this device remembers it. */
export async function rememberLanguage(language: string): Promise<void> {
  const chosen = { userId: session.user?.id ?? null, language };
  languageState.chosen = chosen;
  if (chosen.userId === null) {
    storeOnDevice(language);
    return;
  }
  try {
    const sent = await sendOrStore('updateProfile', { body: { settings: { subtitle_language: language } } });
    if (sent.isStored) return;
    applyUser(sent.reply);
    if (languageState.chosen?.language === language) languageState.chosen = null;
  } catch {
    // Refused, and no room to store it: it lasts as long as the page.
  }
}

function storeOnDevice(language: string): void {
  languageState.ofDevice = language;
  try {
    localStore()?.setItem(deviceKey, language);
  } catch {
    // Storage is full or blocked: it lasts as long as the page.
  }
}
