import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import type { Outcome } from '#app/ui/card.tsx';
import { createForm, readRefusal } from '#app/ui/form/form.ts';
import { Resource } from '#app/ui/resource.ts';
import { listFolders, readSettings, updateSettings } from '#contract/endpoints.ts';
import type { FolderList, SiteSetting, SiteSettings } from '#contract/entities/site.ts';
import { failures } from '#contract/failures.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';

type Values = Partial<Record<SettingName, string | null>>;

/** The settings of the site. */
export const siteSettings = new Resource<SiteSettings>({
  load: (signal) => call(readSettings, { signal }),
  toSentence: failures.loadSettings,
  refreshMs: ({ folders }) => (folders.some(isBeingCounted) ? refreshMs : null),
});

/**
 * Settings are read again this often while a folder is new, because its videos are being counted.
 */
const refreshMs = 3_000;

function isBeingCounted({ state, videos }: SiteSettings['folders'][number]): boolean {
  return state === 'readable' && videos === 0;
}

/** The folder of the server's disk that `folderSearch` shows. Empty: where a search begins. */
let searchedFolder = '';

/** The folders of the server's disk, one folder at a time. */
export const folderSearch = new Resource<FolderList>({
  load: (signal) => call(listFolders, { query: { path: searchedFolder }, signal }),
  toSentence: failures.loadFolders,
});

/** Begins a search. Returns a function that ends it. */
export function openFolderSearch(): () => void {
  searchedFolder = '';
  return folderSearch.open();
}

export function lookIntoFolder(path: string): void {
  searchedFolder = path;
  void folderSearch.reload();
}

interface SettingActions {
  /** The card whose last change has this outcome. */
  notice: (Outcome & { card: string }) | null;
  isBusy: boolean;
}

const atRest: SettingActions = { notice: null, isBusy: false };

export const settingActions = proxy<SettingActions>({ ...atRest });

type Settings = { readonly settings: readonly SiteSetting[] };

export function findSetting({ settings }: Settings, name: SettingName): SiteSetting | undefined {
  return settings.find((setting) => setting.name === name);
}

/** Makes the form of a card. Secrets start empty, and an empty one stays as it is. */
export function createSettingForm(card: string, names: readonly SettingName[]) {
  const empty = Object.fromEntries(names.map((name) => [name, ''])) as Record<SettingName, string>;
  const fill = () => form.reset(shownValues(siteSettings.state.value, names));
  const follow = (settings: Settings) => form.follow(shownValues(settings, names));
  const form = createForm<SettingName>({
    empty,
    check: () => ({}),
    send: async (_, signal, changed) => {
      settingActions.notice = null;
      await saveSettings(emptyToNull(changed));
      if (signal.aborted) return;
      fill();
      tellSaved(card);
    },
  });
  return { form, fill, follow };
}

/** Makes the form that adds a folder to the library. */
export function createFolderForm(card: string) {
  const form = createForm<'LIBRARY_DIRS'>({
    empty: { LIBRARY_DIRS: '' },
    check: ({ LIBRARY_DIRS: folder }) => ({ LIBRARY_DIRS: checkFolder(folder) }),
    send: async ({ LIBRARY_DIRS: folder }, signal) => {
      settingActions.notice = null;
      await saveFolders(adding(folder.trim()));
      if (signal.aborted) return;
      form.reset();
      tellSaved(card);
    },
  });
  return form;
}

function checkFolder(folder: string): string | null {
  if (folder.trim() === '') return 'Name a folder';
  return folder.includes(':') ? 'The name of a folder cannot have a colon here' : null;
}

/** Adds a folder to the library, and says on the card how it went. */
export async function addFolder(card: string, folder: string): Promise<void> {
  const problem = checkFolder(folder);
  if (problem === null) await act(card, () => saveFolders(adding(folder)));
  else settingActions.notice = { card, kind: 'danger', sentence: problem };
}

/** Takes a folder out of the library, and says on the card how it went. */
export function removeFolder(card: string, folder: string): Promise<void> {
  return act(card, () => saveFolders((folders) => folders.filter((one) => one !== folder)));
}

function adding(folder: string): (folders: string[]) => string[] {
  return (folders) => [...new Set([...folders, folder])];
}

/** Changes the folders that the server has now, and sends these too: others may change them. */
async function saveFolders(change: (folders: string[]) => string[]): Promise<void> {
  const folders = (await call(readSettings)).folders.map(({ folder }) => folder);
  const values = { LIBRARY_DIRS: change(folders).join(':') || null };
  const body = { values, known_folders: folders.join(':') };
  siteSettings.replace(await call(updateSettings, { body }));
}

function shownValues(settings: Settings | null, names: readonly SettingName[]): Record<SettingName, string> {
  const shown = names.map((name) => [name, (settings && findSetting(settings, name)?.value) ?? '']);
  return Object.fromEntries(shown) as Record<SettingName, string>;
}

function emptyToNull(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value || null]));
}

/** Stores values without a form, and says on the card how it went. */
export function changeSettings(card: string, values: Values): Promise<void> {
  return act(card, () => saveSettings(values));
}

async function act(card: string, send: () => Promise<void>): Promise<void> {
  if (settingActions.isBusy) return;
  Object.assign(settingActions, { isBusy: true, notice: null });
  try {
    await send();
    tellSaved(card);
  } catch (error) {
    settingActions.notice = { card, kind: 'danger', sentence: readRefusal(error) };
  } finally {
    settingActions.isBusy = false;
  }
}

export function resetSettingActions(): void {
  Object.assign(settingActions, atRest);
}

/** Stores values. @throws HttpError that names the refused ones */
export async function saveSettings(values: Values): Promise<void> {
  siteSettings.replace(await call(updateSettings, { body: { values } }));
}

function tellSaved(card: string): void {
  settingActions.notice = { card, kind: 'ok', sentence: 'Saved. It holds now.' };
}
