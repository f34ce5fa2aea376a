import type { SettingName } from '#contract/rules/site-settings.ts';
import { isSettingName, settingLabels } from '#contract/rules/site-settings.ts';
import { describeFailure } from '../../backup/describe-failure.ts';
import { print, runCommand, withSite } from '../../backup/run-command.ts';
import { systemClock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Env } from '../../env.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import { settingRepository } from '../../settings-repository.ts';
import { recordActivity } from '../activity/activity-log.ts';

/*
 * `npm run settings` lists where each setting comes from; `npm run settings -- reset NAME` removes
 * what was stored in the browser. Both work whether the server is running or not.
 */

const names = Object.keys(settingLabels) as SettingName[];

await runCommand({
  usage: `npm run settings, or npm run settings -- reset NAME. The names are ${names.join(', ')}.`,
  parse: ([act, name = '', ...more]) => {
    if (act === undefined) return { reset: null };
    return act === 'reset' && more.length === 0 && isSettingName(name) ? { reset: name } : null;
  },
  async run({ reset }, { env }) {
    print(await withSite(env, (site) => (reset === null ? describe(site, env) : remove(site, env, reset))));
  },
  describe: async (error, _options, env) => describeFailure(error, env.dataFolder),
  failed: 'No setting was changed',
});

async function describe(database: Database, env: Env): Promise<string> {
  const stored = await settingRepository.list(database.reader);
  return names
    .map((name) => {
      const source = stored[name] === undefined ? 'default' : 'set in the browser';
      return `  ${name.padEnd(24)}${env.given[name] === undefined ? source : 'set by the environment'}`;
    })
    .join('\n');
}

async function remove(database: Database, env: Env, name: SettingName): Promise<string> {
  const isStored = await database.write(async (transaction) => {
    if ((await settingRepository.list(transaction))[name] === undefined) return false;
    const now = systemClock.now();
    await settingRepository.put(transaction, name, null, now);
    const line = {
      actorId: null,
      kind: 'settings_changed',
      subject: settingLabels[name],
      detail: 'its default',
    } as const;
    await recordActivity(transaction, line, now);
    await bumpRevision(transaction, 'config');
    return true;
  });
  const given = env.given[name] === undefined ? '' : ' The environment sets it, which nothing here changes.';
  if (!isStored) return `  ${name} was not set in the browser.${given}`;
  return `  ${name} has its default again; servers that run follow within two seconds.${given}`;
}
