import { describeFailure } from '../backup/describe-failure.ts';
import { print, runCommand, withSite } from '../backup/run-command.ts';
import type { Database } from '../database/connection.ts';
import type { KnownNode } from '../nodes/node-repository.ts';
import { nodeRepository } from '../nodes/node-repository.ts';
import { goneMs } from '../nodes/nodes.ts';
import { isProcessRunning } from '../nodes/own-process.ts';

/*
 * `npm run nodes` lists the servers of the site; `npm run drain -- NAME` asks one to leave, which
 * then stops as on SIGTERM.
 */

await runCommand({
  usage: 'npm run nodes, or npm run drain -- NAME, with a name that npm run nodes lists.',
  parse: ([act, name, ...more]) => {
    if (act === undefined) return { drain: null };
    return act === 'drain' && name !== undefined && more.length === 0 ? { drain: name } : null;
  },
  async run({ drain }, { env }) {
    const said = await withSite(env, async (database) => {
      if (!(await nodeRepository.exists(database.reader))) throw new Error('No server has run here.');
      return drain === null ? list(database) : ask(database, drain);
    });
    print(said);
  },
  describe: async (error, _options, env) => describeFailure(error, env.dataFolder),
  failed: 'It failed',
});

async function list(database: Database): Promise<string> {
  const nodes = await nodeRepository.list(database.reader, database.dialect);
  const live = nodes.filter(({ process }) => isProcessRunning(process) !== false);
  if (live.length === 0) return '  No server of this site runs.';
  return live.map((node) => `  ${describe(node, database.dialect.kind === 'sqlite')}`).join('\n');
}

function describe({ name, role, version, state, silentMs, away }: KnownNode, isAlone: boolean): string {
  const isGone = !isAlone && silentMs > goneMs;
  const facts = [
    name.padEnd(32),
    role.padEnd(5),
    version.padEnd(8),
    isGone ? `not seen for ${Math.round(silentMs / 1000)} s` : state,
    ...away.map((folder) => `cannot read ${folder}, or sees nothing there`),
  ];
  return facts.join('  ');
}

async function ask(database: Database, name: string): Promise<string> {
  const isAsked = await database.write((transaction) => nodeRepository.askToDrain(transaction, name));
  if (!isAsked) throw new Error(`There is no server called ${name}. npm run nodes lists them.`);
  return `  ${name} leaves within a few seconds.`;
}
