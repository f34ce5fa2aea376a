import type { SettingFolder, SiteSetting, SiteSettings } from '#contract/entities/site.ts';
import { limits } from '#contract/limits.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import {
  isSecretSetting,
  isSettingName,
  isTextSetting,
  settingLabels,
  textFiles,
} from '#contract/rules/site-settings.ts';
import { listNightlyBackups } from '../../backup/disk.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Env } from '../../env.ts';
import { EnvRefused } from '../../env.ts';
import { envSchema } from '../../env-variables.ts';
import { Invalid, NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { LiveSettings, SettingUpdate, SettingValues } from '../../live-settings.ts';
import { mergeSettings, rebaseFolders } from '../../live-settings.ts';
import type { SharedTexts } from '../../nodes/shared-texts.ts';
import type { SettingChange } from '../../settings-repository.ts';
import { settingRepository } from '../../settings-repository.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { rootRepository } from '../library/root-repository.ts';
import { userRepository } from '../users/user-repository.ts';
import type { RootCounts } from './library-report.ts';
import { readFolderState, settingChecks, withinPatience } from './setting-checks.ts';

export interface SettingDeps {
  database: Database;
  clock: Clock;
  settings: LiveSettings;
  revisions: Revisions;
  rootCounts: RootCounts;
  texts: Pick<SharedTexts, 'read'>;
}

/** The person who changes settings. */
export interface SettingEditor {
  userId: string;
  /** Whether this person's page would still be answered under other settings. */
  wouldReach(next: Env): boolean;
}

const names = Object.keys(settingLabels) as SettingName[];
const undoableMs = limits.settingChangeDays * 86_400_000;

/** The settings as administrators see them. No secret is among the values. */
export async function readSettings(deps: SettingDeps): Promise<SiteSettings> {
  const { database, settings, rootCounts } = deps;
  const { libraryFolders, backupFolder } = settings.env;
  const listed = backupFolder === undefined ? [] : listNightlyBackups(backupFolder).catch(() => []);
  const backups = await withinPatience(Promise.resolve(listed));
  const roots = await rootRepository.list(database.reader);
  const counts = await rootCounts.read();
  const toFolder = async (folder: string): Promise<SettingFolder> => {
    const root = roots.find((one) => one.folder === folder);
    const videos = root === undefined ? 0 : (counts.get(root.number)?.videos ?? 0);
    return { folder, state: await readFolderState(folder), videos };
  };
  return {
    settings: await Promise.all(names.map((name) => toSetting(deps, name))),
    folders: await Promise.all(libraryFolders.map(toFolder)),
    backups: backups ?? [],
  };
}

async function toSetting(deps: SettingDeps, name: SettingName): Promise<SiteSetting> {
  const set = deps.settings.textOf(name);
  const given = await findGiven(deps, name);
  const source = given ?? (set === undefined ? 'default' : 'database');
  const usual = isTextSetting(name) ? undefined : envSchema.shape[name].safeParse(undefined).data;
  const value = set ?? (usual === undefined || usual === '' ? null : String(usual));
  return { name, value: isSecretSetting(name) ? null : value, is_set: set !== undefined, source };
}

/** The source that wins over administrators, on this server or another one; null if there is none. */
async function findGiven(
  { settings, texts }: Pick<SettingDeps, 'settings' | 'texts'>,
  name: SettingName,
): Promise<'environment' | 'file' | null> {
  if (settings.isGiven(name)) return 'environment';
  if (!isTextSetting(name)) return null;
  // A file that cannot be read is there.
  const isThere = await texts.read(textFiles[name]).then(
    (text) => text !== null,
    () => true,
  );
  return isThere ? 'file' : null;
}

/**
 * Checks new values, stores them together, and applies them on this node; other nodes follow.
 * @param knownFolders what `LIBRARY_DIRS` was made from; absent: it replaces all folders
 * @throws Invalid that names the refused settings, Refusal 409
 */
export async function changeSettings(
  deps: SettingDeps,
  update: SettingUpdate,
  editor: SettingEditor,
  knownFolders?: string,
): Promise<void> {
  const cleaned = clean(update);
  await apply(deps, (stored) => rebaseFolders(cleaned, stored, knownFolders), editor, null);
}

/**
 * Gives the settings of a change the values that they had before it.
 * @param id of its line in the activity log
 * @throws NotFound, Invalid, Refusal 409 if it was undone or changed again, or is too long ago
 */
export async function undoSettingChange(deps: SettingDeps, id: string, editor: SettingEditor): Promise<void> {
  const number = /^\d{1,9}$/.test(id) ? Number(id) : 0;
  const change = await settingRepository.findChange(deps.database.reader, number);
  if (change === null) throw new NotFound('change');
  if (change.isUndone) throw conflict('This was undone already.');
  if (deps.clock.now() >= change.changedAt + undoableMs)
    throw conflict(`This can be undone for ${limits.settingChangeDays} days, which are over.`);
  const update: SettingUpdate = {};
  for (const [name, row] of Object.entries(change.before) as [SettingName, string | null][])
    update[name] = row === null ? null : (deps.settings.open({ [name]: row })[name] ?? null);
  await apply(deps, () => update, editor, change);
}

async function apply(
  deps: SettingDeps,
  updateOf: (stored: SettingValues) => SettingUpdate,
  editor: SettingEditor,
  undoes: SettingChange | null,
): Promise<void> {
  const { settings, revisions } = deps;
  const update = updateOf(settings.stored());
  for (const field of names.filter((name) => name in update)) {
    const given = await findGiven(deps, field);
    if (given !== null)
      throw new Invalid([{ field, message: `Set by ${given === 'file' ? 'a file' : 'the environment'}` }]);
  }
  await check(deps, update, editor);
  await settings.changes.run(() =>
    deps.database.write((transaction) => store(transaction, deps, updateOf, { editor, undoes })),
  );
  revisions.forget();
  await settings.catchUp();
}

/** Trims values; an empty one removes the setting. @throws Invalid for an empty secret */
function clean(update: SettingUpdate): SettingUpdate {
  const cleaned: SettingUpdate = {};
  for (const [name, value] of Object.entries(update) as [SettingName, string | null][]) {
    if (value?.trim() === '' && isSecretSetting(name))
      throw new Invalid([{ field: name, message: `${settingLabels[name]} cannot be blank` }]);
    if (value !== null && value.length > limits.settingCharacters && !isTextSetting(name))
      throw new Invalid([{ field: name, message: `At most ${limits.settingCharacters} characters` }]);
    cleaned[name] = isSecretSetting(name) ? value : value?.trim() || null;
  }
  return cleaned;
}

/** Looks at folders and asks an issuer, before anything is stored. @throws Invalid */
async function check({ settings }: SettingDeps, update: SettingUpdate, editor: SettingEditor): Promise<void> {
  const { env } = settings;
  const next = preview(settings, mergeSettings(settings.stored(), update));
  if (!editor.wouldReach(next))
    throw new Invalid(
      names
        .filter((name) => name in update)
        .map((field) => ({ field, message: 'This page could not be reached any more by the name that you use' })),
    );
  if (update.LIBRARY_DIRS) await settingChecks.folders('LIBRARY_DIRS', update.LIBRARY_DIRS, env.libraryFolders);
  if (update.BACKUP_DIR) await settingChecks.backupFolder(update.BACKUP_DIR);
  await settingChecks.issuers(env.providers, next.providers);
}

async function store(
  transaction: Parameters<Parameters<Database['write']>[0]>[0],
  { settings, clock }: SettingDeps,
  updateOf: (stored: SettingValues) => SettingUpdate,
  { editor, undoes }: { editor: SettingEditor; undoes: SettingChange | null },
): Promise<void> {
  const now = clock.now();
  // Changes of all nodes wait for each other here, so that each one reads what the last one stored.
  await userRepository.holdLastingAdmins(transaction);
  const rows = await settingRepository.list(transaction);
  const stored = settings.open(rows);
  const update = updateOf(stored);
  const changed = names.filter((name) => name in update && (update[name] ?? undefined) !== stored[name]);
  if (undoes !== null && names.some((name) => name in undoes.after && undoes.after[name] !== (rows[name] ?? null)))
    throw conflict('It was changed again since then.');
  if (changed.length === 0) return;
  // The check may have seen other values than those that are stored now.
  const next = preview(settings, mergeSettings(stored, update));
  await settingChecks.lastAdministrator(transaction, settings.env, next, changed);
  const change: Pick<SettingChange, 'before' | 'after'> = { before: {}, after: {} };
  for (const name of changed) {
    const value = update[name] ?? null;
    const row = value === null ? null : settings.seal(name, value);
    await settingRepository.put(transaction, name, row, now);
    change.before[name] = rows[name] ?? null;
    change.after[name] = row;
  }
  if (undoes !== null && !(await settingRepository.markUndone(transaction, undoes.activityNumber, now)))
    throw conflict('This was undone already.');
  const activityNumber = await recordActivity(
    transaction,
    {
      actorId: editor.userId,
      kind: undoes === null ? 'settings_changed' : 'settings_undone',
      ...describe(changed, update),
    },
    now,
  );
  await settingRepository.insertChange(transaction, { activityNumber, ...change, changedAt: now });
  await bumpRevision(transaction, 'config');
}

/** The words of the activity log: never a secret. */
function describe(changed: readonly SettingName[], update: SettingUpdate): { subject: string; detail: string | null } {
  const [first, ...more] = changed;
  const subject = changed.map((name) => settingLabels[name]).join(', ');
  const isTold = first !== undefined && more.length === 0 && !isSecretSetting(first) && !isTextSetting(first);
  return { subject, detail: isTold ? (update[first] ?? 'its default') : null };
}

/** @throws Invalid that names the settings as people know them */
function preview(settings: LiveSettings, values: SettingValues): Env {
  try {
    return settings.preview(values);
  } catch (error) {
    if (!(error instanceof EnvRefused)) throw error;
    throw new Invalid(
      error.problems.map((problem) => ({
        field: /^[A-Z_]*/.exec(problem)?.[0] ?? '',
        message: problem.replaceAll(/[A-Z]+(_[A-Z]+)*/g, (word) => (isSettingName(word) ? settingLabels[word] : word)),
      })),
    );
  }
}

function conflict(message: string): Refusal {
  return new Refusal('conflict', { message });
}
