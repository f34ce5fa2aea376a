import { constants } from 'node:fs';
import { access, opendir, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SettingFolder } from '#contract/entities/site.ts';
import { limits } from '#contract/limits.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import { localDisk } from '../../backup/disk.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env, ProviderClient } from '../../env.ts';
import { splitFolders } from '../../env-variables.ts';
import { Invalid } from '../../http/pipeline/errors.ts';
import { google } from '../auth/providers/configured-providers.ts';
import { providerRepository } from '../auth/providers/provider-repository.ts';
import { userRepository } from '../users/user-repository.ts';

/** Checks of settings that need more than the values: folders, and who could still sign in. */
export const settingChecks = {
  /**
   * Looks at the folders that a change adds. Those that are in use already may be unreadable at
   * the moment.
   * @throws Invalid
   */
  async folders(name: SettingName, given: string, known: readonly string[]): Promise<void> {
    const parts = given.split(':').filter((part) => part.trim() !== '');
    if (!parts.every(isAbsolute)) throw refused(name, 'A folder is a whole path that begins with /');
    const folders = splitFolders(given);
    if (folders.length > limits.libraryFolders)
      throw refused(name, `There can be ${limits.libraryFolders} folders at most`);
    for (const folder of folders.filter((one) => !known.includes(one))) {
      const state = await readFolderState(folder);
      if (state === 'missing') throw refused(name, `There is no folder ${folder}`);
      if (state === 'unreadable') throw refused(name, `The folder ${folder} cannot be read`);
    }
  },

  /**
   * Makes a folder for backups if there is none, and looks whether it can be written to.
   * @throws Invalid
   */
  async backupFolder(folder: string): Promise<void> {
    const name = 'BACKUP_DIR';
    if (!isAbsolute(folder)) throw refused(name, 'A folder is a whole path that begins with /');
    const prepare = async () => {
      await localDisk.makeFolder(folder);
      await access(folder, constants.W_OK | constants.X_OK);
      return true;
    };
    const isReady = await withinPatience(prepare().catch(() => false));
    if (isReady !== true) throw refused(name, `Nothing can be written into ${folder}`);
  },

  /**
   * Requires that an administrator whose plan has no end could still sign in. If none could before,
   * nothing is lost.
   * @throws Invalid
   */
  async lastAdministrator(
    transaction: Executor,
    before: Env,
    after: Env,
    changed: readonly SettingName[],
  ): Promise<void> {
    if (!(await canAdministratorEnter(transaction, before))) return;
    if (await canAdministratorEnter(transaction, after)) return;
    const message = 'The last administrator could not sign in any more. Set a password first.';
    throw new Invalid(changed.map((field) => ({ field, message })));
  },

  /**
   * Asks the issuers of providers that are new or changed. GitHub and Discord have none to ask.
   * @throws Invalid
   */
  async issuers(before: Env['providers'], after: Env['providers']): Promise<void> {
    const isNew = (name: 'google' | 'oidc') =>
      after[name] !== null && JSON.stringify(after[name]) !== JSON.stringify(before[name]);
    if (isNew('google') && after.google !== null) await ask('GOOGLE_CLIENT_ID', google.issuer, after.google);
    if (isNew('oidc') && after.oidc !== null) await ask('OIDC_ISSUER', after.oidc.issuer, after.oidc);
  },
};

/** Whether the videos of a folder can be read. */
export async function readFolderState(folder: string): Promise<SettingFolder['state']> {
  return (await withinPatience(lookAt(folder))) ?? 'unreadable';
}

async function lookAt(folder: string): Promise<SettingFolder['state']> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'missing';
    const opened = await opendir(folder);
    await opened.read();
    await opened.close();
    return 'readable';
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code));
    return isMissing ? 'missing' : 'unreadable';
  }
}

async function ask(field: SettingName, issuer: string, client: ProviderClient): Promise<void> {
  // Its library is loaded only by sites that have providers.
  const { askIssuer } = await import('../auth/providers/oauth-providers.ts');
  const failure = await askIssuer(issuer, client);
  if (failure === 'provider_unavailable') throw refused(field, `${issuer} cannot be reached`);
  if (failure !== null) throw refused(field, `${issuer} is not the issuer of an OpenID provider`);
}

/** Null for work that takes too long: a network share may never answer. */
export function withinPatience<Value>(work: Promise<Value>): Promise<Value | null> {
  return Promise.race([work, setTimeout(limits.settingCheckSeconds * 1_000, null, { ref: false })]);
}

async function canAdministratorEnter(transaction: Executor, { providers }: Env): Promise<boolean> {
  for (const id of await userRepository.holdLastingAdmins(transaction)) {
    if ((await userRepository.readPasswordHash(transaction, id)) !== null) return true;
    for (const { provider, issuer } of await providerRepository.listIdentities(transaction, id)) {
      if (provider === 'oidc' && providers.oidc?.issuer === issuer) return true;
      if (provider !== 'oidc' && provider in providers && providers[provider as keyof Env['providers']] !== null)
        return true;
    }
  }
  return false;
}

function refused(field: SettingName, message: string): Invalid {
  return new Invalid([{ field, message }]);
}
