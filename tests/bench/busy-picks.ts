import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '#server/database/connection.ts';
import { databaseAddress } from '#server/database/database-address.ts';
import { readSecrets } from '#server/secrets.ts';
import type { Client } from '#tests/abuse/client.ts';
import { createClient } from '#tests/abuse/client.ts';
import type { Picks } from '#tests/abuse/picks.ts';
import { startPicks } from '#tests/abuse/picks.ts';
import { alternate } from './alternate.ts';
import { withBenchServer } from './bench-server.ts';
import { words } from './channel-library.ts';
import { amount } from './form.ts';
import { median, quantile } from './samples.ts';
import { printAmounts, printDuels } from './table.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
const idleMs = amount(3_000, 500);
const busyMs = amount(5_000, 500);
/** Each has a budget of its own, and so many searches under way. */
const searchers = 64;
const searchesOfEach = 1;

/** Between two changes of settings. */
const changePauseMs = 100;

/**
 * Picks over HTTP beside strangers who search without end, from many addresses.
 * @param env where the server has its library
 */
export async function measureBusyPicks(name: string, env: Record<string, string>): Promise<void> {
  await withBenchServer(env, async ({ address }) => {
    const picks = startPicks(address, {});
    const clients = Array.from({ length: searchers }, (_, index) =>
      createClient({ address, from: `127.0.1.${index + 1}`, headers: {}, inspect: () => {} }),
    );
    let searched = 0;
    const [beside, idle] = await alternate(
      rounds,
      async () => {
        picks.take();
        searched += await searchUntil(clients, wait(busyMs));
        return p99Of(picks);
      },
      async () => {
        picks.take();
        await wait(idleMs);
        return p99Of(picks);
      },
    );
    for (const client of clients) client.close();
    await picks.stop();
    const perSecond = Math.round((searched * 1_000) / (busyMs * (rounds + 1)));
    printDuels(`Picks beside ${perSecond} searches a second, against an idle server, ${name}`, [
      { what: 'p99', product: beside, peer: idle, goal: 5, floor: 25 },
    ]);
    printAmounts('The same', [{ what: 'p99 of a pick', value: median(beside), unit: 'ms', goal: 25, floor: 100 }]);
  });
}

/** Milliseconds. */
function p99Of(picks: Picks): number {
  const seen = picks.take();
  if (seen.some(({ status }) => status !== 200)) throw new Error('A pick was not answered.');
  return quantile(
    seen.map(({ ms }) => ms),
    0.99,
  );
}

/** Words of the library by one, two and three letters, whole, and together. @returns how many were answered */
async function searchUntil(clients: readonly Client[], end: Promise<unknown>): Promise<number> {
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  let answered = 0;
  const search = async (client: Client, seed: number) => {
    for (let turn = seed; !isOver; turn += 7) {
      const [one = '', two = ''] = [words[turn % words.length], words[(turn * 31) % words.length]];
      const text = [one, two.slice(0, 3), two.slice(0, 2), `${one} ${two.slice(0, 4)}`, 'mp4'][turn % 5] ?? '';
      const query = new URLSearchParams({ search: text, ...(turn % 3 === 0 ? { sort_by: 'name' } : {}) });
      const { status } = await client.get(`/api/videos/by-tags?${query}`);
      if (status === 200) answered += 1;
      else if (status !== 429 && status !== 503) throw new Error(`A search was answered with ${status}.`);
    }
  };
  const searching = clients.flatMap((client, index) =>
    Array.from({ length: searchesOfEach }, (_, place) => search(client, index * searchesOfEach + place)),
  );
  await Promise.all([end, ...searching]);
  return answered;
}

/** Kinds of settings, each of which is changed and changed back. */
const changes: readonly Record<string, string | null>[] = [
  { REGISTRATION: 'closed' },
  { UPLOADS: 'admins', UPLOAD_QUOTA_GB: '5', UPLOAD_RESERVE_GB: '2' },
  { TAG_EDITING: 'admins' },
  { DERIVED_GB: '1', SWITCH_INTERVAL_SECONDS: '60' },
  { TRUST_PROXY: '10.0.0.0/8' },
  { BACKUP_HOUR: '5' },
  { WHATS_NEW: 'Rain.', AGREEMENT: 'Be kind.', AGREEMENT_VERSION: '2' },
];

/**
 * Picks over HTTP beside an administrator who changes one kind of setting after the other.
 * @param env where the server has its library
 */
export async function measureChangedSettings(name: string, env: Record<string, string>): Promise<void> {
  await withBenchServer({ ...env, LOG_LEVEL: 'silent' }, async ({ address }) => {
    const keeper = await registerKeeper(address, env);
    const picks = startPicks(address, {});
    let changed = 0;
    const [beside, idle] = await alternate(
      rounds,
      async () => {
        picks.take();
        changed += await changeUntil(keeper, wait(busyMs));
        return p99Of(picks);
      },
      async () => {
        picks.take();
        await wait(busyMs);
        return p99Of(picks);
      },
    );
    keeper.close();
    await picks.stop();
    printDuels(`Picks beside ${changed} changes of settings, against an idle server, ${name}`, [
      { what: 'p99', product: beside, peer: idle, goal: 1.5, floor: 2 },
    ]);
  });
}

/** Makes the first account with the code that the terminal of the server would show. */
async function registerKeeper(address: string, env: Record<string, string>): Promise<Client> {
  const { DATA_DIR: dataFolder = '', DATABASE_URL: databaseUrl } = env;
  const database = openDatabase(databaseAddress({ dataFolder, databaseUrl }));
  const [code] = await readSecrets(database.reader, 'setup_code');
  await database.close();
  const stranger = createClient({ address, from: '127.0.2.1', headers: {}, inspect: () => {} });
  const register = async () => {
    const answer = await stranger.post('/auth/register', {
      username: 'keeper',
      email: 'keeper@example.com',
      password: 'north pier at dawn',
      setup_code: code?.value,
    });
    if (answer.status !== 503) return answer;
    await wait(changePauseMs);
    return register();
  };
  const { status, body } = await register();
  stranger.close();
  if (status !== 201) throw new Error(`The first account was answered with ${status}: ${body}`);
  const headers = { authorization: `Bearer ${JSON.parse(body).access_token}` };
  return createClient({ address, from: '127.0.2.1', headers, inspect: () => {} });
}

/** @returns how many changes were stored */
async function changeUntil(keeper: Client, end: Promise<unknown>): Promise<number> {
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  let stored = 0;
  for (let turn = 0; !isOver; turn += 1) {
    const change = changes[(turn >> 1) % changes.length] ?? {};
    const values = turn % 2 === 0 ? change : Object.fromEntries(Object.keys(change).map((field) => [field, null]));
    const { status, body } = await keeper.ask('PUT', '/api/admin/settings', { body: { values } });
    if (status === 200) stored += 1;
    else if (status !== 429 && status !== 503) throw new Error(`A change was answered with ${status}: ${body}`);
    await wait(changePauseMs);
  }
  return stored;
}
