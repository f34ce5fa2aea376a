import type { SettingName } from '#contract/rules/site-settings.ts';
import { firstRunSteps, isSecretSetting, isSettingName } from '#contract/rules/site-settings.ts';
import { rebaseList } from '#contract/rules/text.ts';
import type { Database } from './database/connection.ts';
import type { Env } from './env.ts';
import { completeEnv, EnvRefused } from './env.ts';
import { splitFolders } from './env-variables.ts';
import { readRevision } from './http/pipeline/revision.ts';
import { openText, sealText } from './http/signing.ts';
import { WorkQueue } from './limits/work-queue.ts';
import type { Log } from './log.ts';
import type { Repetition } from './repeat.ts';
import { repeat } from './repeat.ts';
import type { StoredSettings } from './settings-repository.ts';
import { settingRepository } from './settings-repository.ts';

/** The values of settings by name, as text. */
export type SettingValues = Partial<Record<SettingName, string>>;

/** New values by name; null removes what is stored. */
export type SettingUpdate = Partial<Record<SettingName, string | null>>;

interface LiveSettingsDeps {
  /** The settings of the environment alone. */
  env: Env;
  database: Pick<Database, 'reader'>;
  /** Seals secrets. */
  key: Buffer;
  log: Log;
}

/**
 * A stored row: JSON of the value, or of the sealed value. The switch interval is a number, as
 * earlier versions read it.
 */
type Sealed = { value: string } | { sealed: string } | number;

/** At most this many changes wait for others. */
const maxWaitingChanges = 100;
/** Other nodes follow a change within twice this time. */
const lookEveryMs = 1_000;

/**
 * Settings that belong together, in the order in which they are tried when the environment no
 * longer goes with what is stored.
 */
const groups: readonly RegExp[] = [
  /^(LIBRARY_DIRS|PUBLIC_URL)$/,
  /^BACKUP_/,
  /^GOOGLE_/,
  /^GITHUB_/,
  /^DISCORD_/,
  /^OIDC_/,
  /^TRUST_PROXY$/,
  /^(SITE_PASSWORD|REGISTRATION|INVITATION_PLAN|AGREEMENT_VERSION)$/,
  /^(UPLOADS|UPLOAD_QUOTA_GB|UPLOAD_RESERVE_GB|TAG_EDITING|SWITCH_INTERVAL_SECONDS|DERIVED_GB)$/,
];

/**
 * The settings as they hold at the moment: the environment wins, then what administrators have
 * stored, then the defaults. Each node reads them again when the counter `config` has changed.
 */
export class LiveSettings {
  /** The object stays the same; its fields are replaced when a setting changes. */
  readonly env: Env;
  /** Changes are stored one after the other, because they wait for the same rows. */
  readonly changes = new WorkQueue({ atOnce: 1, maxWaiting: maxWaitingChanges });
  private readonly deps: LiveSettingsDeps;
  private readonly listeners = new Set<() => unknown>();
  private values: SettingValues = {};
  private revision = -1;
  private reading: Promise<void> = Promise.resolve();
  private timer: Repetition | null = null;

  constructor(deps: LiveSettingsDeps) {
    this.deps = deps;
    this.env = { ...deps.env };
  }

  /** Looks for changes of other nodes from now on. */
  start(): void {
    const onFault = (err: unknown) => this.deps.log.warn({ err }, 'the settings could not be read again');
    this.timer ??= repeat(() => this.catchUp(), lookEveryMs, onFault);
  }

  stop(): void {
    this.timer?.stop();
  }

  /** Calls `listener` after each change. */
  onChange(listener: () => unknown): void {
    this.listeners.add(listener);
  }

  /** Reads the settings if they have changed since they were last read. */
  catchUp(): Promise<void> {
    const next = this.reading.then(() => this.read());
    this.reading = next.catch(() => {});
    return next;
  }

  /** Whether the environment sets it, and administrators cannot change it. */
  isGiven(name: SettingName): boolean {
    return this.deps.env.given[name] !== undefined;
  }

  /** Whether a person made the first account, and has not been through the first run yet. */
  async isFirstRunOf(userId: string): Promise<boolean> {
    if (firstRunSteps((name) => this.isGiven(name)).length === 0) return false;
    return (await settingRepository.findFirstRun(this.deps.database.reader)) === userId;
  }

  /** The text that the environment, or else an administrator, has set; undefined if none has. */
  textOf(name: SettingName): string | undefined {
    return this.deps.env.given[name] ?? this.values[name];
  }

  /** The stored values by name. */
  stored(): SettingValues {
    return { ...this.values };
  }

  /**
   * The settings as they would be with these stored values.
   * @throws EnvRefused
   */
  preview(values: SettingValues): Env {
    return completeEnv(this.deps.env, values);
  }

  /** Makes the row that is stored for a value. */
  seal(name: SettingName, value: string): string {
    if (name === 'SWITCH_INTERVAL_SECONDS') return JSON.stringify(Number(value));
    const row: Sealed = isSecretSetting(name) ? { sealed: sealText(this.deps.key, value) } : { value };
    return JSON.stringify(row);
  }

  /** Reads stored rows; one that another key has sealed is left out. */
  open(rows: StoredSettings): SettingValues {
    const values: SettingValues = {};
    for (const [name, row] of Object.entries(rows)) {
      const value = this.openRow(name, row);
      if (value !== null && isSettingName(name)) values[name] = name === 'PUBLIC_URL' ? originOf(value) : value;
    }
    return values;
  }

  private openRow(name: string, row: string): string | null {
    try {
      const stored = JSON.parse(row) as Sealed;
      if (typeof stored === 'number') return String(stored);
      return 'value' in stored ? stored.value : openText(this.deps.key, stored.sealed);
    } catch {
      this.deps.log.warn({ setting: name }, `the stored setting ${name} cannot be read, and does not count`);
      return null;
    }
  }

  private async read(): Promise<void> {
    const { reader } = this.deps.database;
    // The counter is read first: a change in between is noticed by the next look.
    const revision = await readRevision(reader, 'config');
    if (revision === this.revision) return;
    this.values = this.open(await settingRepository.list(reader));
    Object.assign(this.env, this.complete(this.values));
    const isFirst = this.revision === -1;
    this.revision = revision;
    if (!isFirst) for (const listener of this.listeners) void this.tell(listener);
  }

  private async tell(listener: () => unknown): Promise<void> {
    try {
      await listener();
    } catch (err) {
      this.deps.log.warn({ err }, 'a changed setting could not be followed at once');
    }
  }

  /** Leaves out stored values that do not go with the environment, which may have changed. */
  private complete(values: SettingValues): Env {
    try {
      return this.preview(values);
    } catch (error) {
      if (!(error instanceof EnvRefused)) throw error;
    }
    let kept: SettingValues = {};
    for (const group of groups) {
      const part = Object.entries(values).filter(([name]) => group.test(name));
      const more = { ...kept, ...Object.fromEntries(part) };
      if (this.isUsable(more)) kept = more;
      else
        this.deps.log.warn(
          { settings: part.map(([name]) => name) },
          'stored settings do not go with the environment, and do not count',
        );
    }
    return this.preview(kept);
  }

  private isUsable(values: SettingValues): boolean {
    try {
      this.preview(values);
      return true;
    } catch (error) {
      if (error instanceof EnvRefused) return false;
      throw error;
    }
  }
}

/** Earlier versions stored an address with its path, and used its origin. */
function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}

export function mergeSettings(stored: SettingValues, update: SettingUpdate): SettingValues {
  const merged: SettingValues = { ...stored };
  for (const [name, value] of Object.entries(update) as [SettingName, string | null][]) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** The update with the folders that others have added or removed since they were as `known`. */
export function rebaseFolders(
  update: SettingUpdate,
  { LIBRARY_DIRS: current = '' }: SettingValues,
  known?: string,
): SettingUpdate {
  if (update.LIBRARY_DIRS === undefined || known === undefined) return update;
  const wanted = splitFolders(update.LIBRARY_DIRS ?? '');
  const folders = rebaseList(splitFolders(current), wanted, splitFolders(known));
  return { ...update, LIBRARY_DIRS: folders.join(':') || null };
}
