import { countText } from '#app/ui/texts.ts';
import type { SettingFolder, SiteSetting } from '#contract/entities/site.ts';
import { limits } from '#contract/limits.ts';
import { tierBadges } from '#contract/rules/plans.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import { invitedTiers } from '#contract/rules/tiers.ts';

interface FieldFacts {
  kind: 'text' | 'address' | 'number' | 'secret' | 'choice' | 'markdown';
  /** Tells what an empty field means. */
  hint?: string;
  options?: readonly { value: string; label: string }[];
}

/** A card of the settings, in the order of its fields. */
export interface SettingCardFacts {
  title: string;
  names: readonly SettingName[];
  words?: string;
  /** A button that removes values, where an empty field cannot. */
  removal?: { label: string; names: readonly SettingName[] };
}

/** How each setting is entered. */
export const settingFields: { readonly [Name in SettingName]: FieldFacts } = {
  LIBRARY_DIRS: { kind: 'text' },
  SITE_PASSWORD: { kind: 'secret', hint: 'None is set: the site is open to everybody who can reach it.' },
  REGISTRATION: {
    kind: 'choice',
    options: [
      { value: 'open', label: 'Anybody can make one' },
      { value: 'closed', label: 'By invitation alone' },
    ],
  },
  UPLOADS: {
    kind: 'choice',
    options: [
      { value: 'everyone', label: 'Everybody who is signed in' },
      { value: 'approval', label: 'Everybody, an administrator looks first' },
      { value: 'admins', label: 'Administrators alone' },
    ],
  },
  INVITATION_PLAN: {
    kind: 'choice',
    options: invitedTiers.map((tier) => ({ value: tier, label: tierBadges[tier] })),
  },
  UPLOAD_QUOTA_GB: { kind: 'number', hint: 'Empty: as many as there is room for' },
  UPLOAD_RESERVE_GB: { kind: 'number', hint: 'Uploads end before the disk is full. Empty: a tenth of it, 1 at most' },
  TAG_EDITING: {
    kind: 'choice',
    options: [
      { value: 'everyone', label: 'Everybody who is signed in' },
      { value: 'admins', label: 'Administrators alone' },
    ],
  },
  SWITCH_INTERVAL_SECONDS: {
    kind: 'number',
    hint: `Playing time until the next video: ${limits.switchIntervalMinSeconds} to ${limits.switchIntervalMaxSeconds}`,
  },
  DERIVED_GB: { kind: 'number', hint: 'Empty: a tenth of the free space, 50 at most. 0: nothing is encoded' },
  PUBLIC_URL: { kind: 'address', hint: 'Empty: the address that the browser used' },
  TRUST_PROXY: { kind: 'text', hint: 'Addresses or networks with commas between them, on, or off' },
  BACKUP_DIR: { kind: 'text', hint: 'Empty: no backup is made by itself' },
  BACKUP_HOUR: { kind: 'number', hint: '0 to 23, by the clock of the server' },
  GOOGLE_CLIENT_ID: { kind: 'text' },
  GOOGLE_CLIENT_SECRET: { kind: 'secret' },
  GITHUB_CLIENT_ID: { kind: 'text' },
  GITHUB_CLIENT_SECRET: { kind: 'secret' },
  DISCORD_CLIENT_ID: { kind: 'text' },
  DISCORD_CLIENT_SECRET: { kind: 'secret' },
  OIDC_ISSUER: { kind: 'address', hint: 'It is asked before it is saved' },
  OIDC_CLIENT_ID: { kind: 'text' },
  OIDC_CLIENT_SECRET: { kind: 'secret' },
  OIDC_NAME: { kind: 'text' },
  WHATS_NEW: { kind: 'markdown', hint: 'In Markdown. Empty: the text that comes with Fourfold' },
  AGREEMENT: {
    kind: 'markdown',
    hint: 'In Markdown. Empty: the text that comes with Fourfold',
  },
  AGREEMENT_VERSION: { kind: 'text', hint: 'Whoever has accepted a lower one is asked again before the next upload' },
};

function providerCard(provider: string, prefix: string, names: readonly SettingName[]): SettingCardFacts {
  return {
    title: `Sign-in with ${provider}`,
    words: `Register the public address with /auth/oauth/${prefix}/callback there.`,
    names,
    removal: { label: `Remove ${provider}`, names },
  };
}

/** The cards below that of the folders. */
export const settingCards: readonly SettingCardFacts[] = [
  {
    title: 'Access',
    names: ['REGISTRATION', 'INVITATION_PLAN', 'SITE_PASSWORD'],
    removal: { label: 'Remove Password', names: ['SITE_PASSWORD'] },
  },
  { title: 'Uploads', names: ['UPLOADS', 'UPLOAD_QUOTA_GB', 'UPLOAD_RESERVE_GB'] },
  { title: 'Channels', names: ['TAG_EDITING'] },
  { title: 'Playback', names: ['SWITCH_INTERVAL_SECONDS', 'DERIVED_GB'] },
  { title: 'Address', names: ['PUBLIC_URL', 'TRUST_PROXY'] },
  { title: 'Texts', names: ['WHATS_NEW', 'AGREEMENT', 'AGREEMENT_VERSION'] },
  { title: 'Backup', names: ['BACKUP_DIR', 'BACKUP_HOUR'] },
  providerCard('Google', 'google', ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET']),
  providerCard('GitHub', 'github', ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET']),
  providerCard('Discord', 'discord', ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET']),
  providerCard('OpenID Connect', 'oidc', ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME']),
];

/** Says where a value comes from, and what an empty field means. */
export function noteOf({ name, source, is_set }: Readonly<SiteSetting>): string | undefined {
  const { hint, kind } = settingFields[name];
  if (source === 'environment') return 'Set by the environment';
  if (source === 'file') return 'Set by a file on the server';
  if (kind !== 'secret') return hint;
  return is_set ? 'One is set. It is never shown; leave this empty to keep it.' : (hint ?? 'None is set.');
}

/** Says what was found in a folder of the library. */
export function folderWords({ state, videos }: Pick<SettingFolder, 'state' | 'videos'>): string {
  if (state === 'missing') return 'Not there';
  return state === 'unreadable' ? 'Not readable' : `Found ${countText(videos, 'video')}`;
}

/** Whether something on the machine sets it, which administrators cannot change here. */
export function isSetElsewhere({ source }: Readonly<SiteSetting>): boolean {
  return source === 'environment' || source === 'file';
}
