import { describeFailure } from '../backup/describe-failure.ts';
import { print, runCommand, withSite } from '../backup/run-command.ts';
import type { Database } from '../database/connection.ts';
import type { Dialect } from '../database/dialect.ts';
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

/** Lists the servers that run, or that may run on another machine. */
async function listRunning({ reader, dialect }: Database): Promise<KnownNode[]> {
  const nodes = await nodeRepository.list(reader, dialect);
  return nodes.filter(({ process }) => isProcessRunning(process) !== false);
}

async function list(database: Database): Promise<string> {
  const running = await listRunning(database);
  if (running.length === 0) return '  No server of this site runs.';
  return running.map((node) => `  ${describe(node, database.dialect)}`).join('\n');
}

function describe(node: KnownNode, dialect: Dialect): string {
  const { name, role, version, state, away } = node;
  const facts = [
    name.padEnd(32),
    role.padEnd(5),
    version.padEnd(8),
    describeSilence(node, dialect) ?? state,
    ...away.map((folder) => `cannot read ${folder}, or sees nothing there`),
  ];
  return facts.join('  ');
}

/** Null for a server that was seen lately. On SQLite one is not seen, but known to run. */
function describeSilence({ silentMs }: KnownNode, { kind }: Dialect): string | null {
  return kind === 'sqlite' || silentMs <= goneMs ? null : `not seen for ${Math.round(silentMs / 1000)} s`;
}

async function ask(database: Database, name: string): Promise<string> {
  const named = (await listRunning(database)).filter((node) => node.name === name);
  if (named.length === 0) throw new Error(`No server called ${name} runs. npm run nodes lists those that do.`);
  await database.write((transaction) => nodeRepository.askToDrain(transaction, name));
  const silences = named.map((node) => describeSilence(node, database.dialect));
  if (silences.includes(null)) return `  ${name} leaves within a few seconds.`;
  return `  ${name} was ${silences[0]}: it leaves when it is back.`;
}
