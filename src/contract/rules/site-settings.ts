/**
 * The settings that administrators can change while the site runs, with their names for people.
 * Each is called like the environment variable that wins over it; the two texts have a file.
 */
export const settingLabels = {
  LIBRARY_DIRS: 'Library folders',
  SITE_PASSWORD: 'Site password',
  REGISTRATION: 'New accounts',
  INVITATION_PLAN: 'Plan of an invitation',
  UPLOADS: 'Who may upload',
  UPLOAD_QUOTA_GB: 'Gigabytes for each person',
  UPLOAD_RESERVE_GB: 'Gigabytes that stay free',
  TAG_EDITING: 'Who may change channels',
  SWITCH_INTERVAL_SECONDS: 'Switch interval in seconds',
  DERIVED_GB: 'Gigabytes for encodings',
  PUBLIC_URL: 'Public address',
  TRUST_PROXY: 'Trusted proxies',
  BACKUP_DIR: 'Backup folder',
  BACKUP_HOUR: 'Hour of backups',
  GOOGLE_CLIENT_ID: 'Google client ID',
  GOOGLE_CLIENT_SECRET: 'Google client secret',
  GITHUB_CLIENT_ID: 'GitHub client ID',
  GITHUB_CLIENT_SECRET: 'GitHub client secret',
  DISCORD_CLIENT_ID: 'Discord client ID',
  DISCORD_CLIENT_SECRET: 'Discord client secret',
  OIDC_ISSUER: 'OpenID issuer',
  OIDC_CLIENT_ID: 'OpenID client ID',
  OIDC_CLIENT_SECRET: 'OpenID client secret',
  OIDC_NAME: 'Name on the OpenID button',
  WHATS_NEW: "What's New",
  AGREEMENT: 'Agreement',
  AGREEMENT_VERSION: 'Version of the agreement',
} as const;

export type SettingName = keyof typeof settingLabels;

/** Settings whose values are stored sealed and never sent to anybody. */
const secretSettings: readonly SettingName[] = [
  'SITE_PASSWORD',
  'GOOGLE_CLIENT_SECRET',
  'GITHUB_CLIENT_SECRET',
  'DISCORD_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
];

export function isSecretSetting(name: SettingName): boolean {
  return secretSettings.includes(name);
}

/** The settings that are texts in Markdown, and the files in `DATA_DIR` that win over them. */
export const textFiles = { WHATS_NEW: 'whats-new.md', AGREEMENT: 'eula.md' } as const;

export function isTextSetting(name: SettingName): name is keyof typeof textFiles {
  return name in textFiles;
}

/** The settings that each step of the first run asks for. */
const stepSettings = { videos: ['LIBRARY_DIRS'], access: ['SITE_PASSWORD', 'REGISTRATION'] } as const;

export type FirstRunStep = keyof typeof stepSettings | 'ready';

/**
 * The steps that the first administrator goes through, without those whose settings the operator
 * has set already. Empty: there is nothing to ask.
 */
export function firstRunSteps(isGiven: (name: SettingName) => boolean): FirstRunStep[] {
  const open = (['videos', 'access'] as const).filter((step) => !stepSettings[step].some(isGiven));
  return open.length === 0 ? [] : [...open, 'ready'];
}

export function isSettingName(name: string): name is SettingName {
  return Object.keys(settingLabels).includes(name);
}
