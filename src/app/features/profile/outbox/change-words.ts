import { countText } from '#app/ui/count-text.ts';
import { languageName } from '#app/ui/language-name.ts';
import { durationText } from '#contract/rules/duration.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';

type Change = Pick<OutboxEntry, 'call' | 'params' | 'body' | 'subject'>;

/** What a waiting change does, for its owner (§2 Profile). */
export function wordsOf({ call, params, body, subject }: Change): string {
  const facts = (body ?? {}) as { name?: string; blocked_tag_ids?: string[]; settings?: SettingsChange };
  switch (call) {
    case 'createTag':
      return `New channel: ${facts.name}`;
    case 'updateTag':
      return named('Channel changed', subject ?? facts.name);
    case 'deleteTag':
      return named('Channel deleted', subject);
    case 'assignTags':
      return named('Channels of a video', subject ?? params?.path);
    case 'removeTag':
      return named('Channel taken off a video', subject ?? params?.path);
    case 'updateBlocklist':
      return `Blocklist: ${countText(facts.blocked_tag_ids?.length ?? 0, 'channel')}`;
    case 'updateProfile':
      return settingWords(facts.settings ?? {});
  }
}

interface SettingsChange {
  skip_duration_seconds?: number;
  shortcut_keys?: boolean;
  subtitle_language?: string | null;
}

function settingWords(change: SettingsChange): string {
  const { skip_duration_seconds: seconds, shortcut_keys: areShortcutsOn, subtitle_language: language } = change;
  if (seconds !== undefined) return `Skip duration: ${durationText(seconds)}`;
  if (language) return `Subtitles: ${languageName(language)}`;
  if (language !== undefined) return 'Subtitles off';
  return `Keyboard shortcuts ${areShortcutsOn ? 'on' : 'off'}`;
}

function named(act: string, name: string | null | undefined): string {
  return name ? `${act}: ${name}` : act;
}
