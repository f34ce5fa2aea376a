import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeviceDatabase } from '#device/device-database.ts';
import type { OutboxDraft } from '#device/outbox-entry.ts';
import { newTemporaryId } from '#device/outbox-entry.ts';
import type { ReplayDeps, ReplayEnd } from '#device/outbox-replay.ts';
import { replay } from '#device/outbox-replay.ts';
import { OutboxStore } from '#device/outbox-store.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';
import { assignment, assignments, creation, removal } from './drafts.ts';
import type { Fate } from './fake-outbox-server.ts';
import { FakeOutboxServer, fates } from './fake-outbox-server.ts';

const dayMs = 86_400_000;
const alone: TabTurn = { run: (work) => work(async () => true) };

/** Without IndexedDB, as in a private window: the changes are in memory. */
beforeEach(() => vi.stubGlobal('indexedDB', undefined));

afterEach(() => vi.unstubAllGlobals());

const newStore = () => new OutboxStore(new DeviceDatabase());

function depsOf(store: ReplayDeps['store'], server: FakeOutboxServer): ReplayDeps {
  return { store, network: server, turn: alone, now: () => server.time, onProgress: () => {} };
}

async function addAll(store: OutboxStore, drafts: readonly OutboxDraft[]): Promise<void> {
  for (const draft of drafts) await store.add(draft);
}

/** As the schedule does, without its waits. */
async function replayToEnd(store: OutboxStore, server: FakeOutboxServer, most = 10_000): Promise<ReplayEnd> {
  for (let time = 0; time < most; time += 1) {
    const end = await replay('ana', depsOf(store, server));
    if (end.kind !== 'later') return end;
  }
  throw new Error('It never ends');
}

const withTag = (server: FakeOutboxServer) => {
  server.addTag('Night');
  return server;
};

test('five hundred changes over a network that loses requests and answers are all done, once each and in order', async () => {
  let turn = 0;
  // What a server fails at lets others go first.
  const losses = fates.filter((fate) => fate !== 'fails');
  const server = withTag(new FakeOutboxServer(() => losses[(turn++ * 7 + (turn >> 3)) % losses.length] as Fate));
  const store = newStore();
  await addAll(store, assignments(500));
  expect(await replayToEnd(store, server)).toEqual({ kind: 'drained' });
  expect(server.done).toEqual(assignments(500).map(({ params }) => `assignTags ${params?.path} tag-1`));
  expect([await store.list('ana'), server.mostUnderWay]).toEqual([[], 1]);
  expect(server.seen.length).toBeGreaterThan(500);
});

test('whatever the network does, nothing is lost or doubled, and what depends on another is done after it', async () => {
  const steps = fc.array(fc.constantFrom('tag', 'assign', 'remove'), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.constantFrom(...fates), { maxLength: 40 }), async (kinds, fateList) => {
      const rest = [...fateList];
      const server = withTag(new FakeOutboxServer(() => rest.shift() ?? 'arrives'));
      const store = newStore();
      const drafts = draftsOf(kinds);
      await addAll(store, drafts);
      await replayToEnd(store, server);
      expect(server.done).toHaveLength(drafts.length);
      const callsOf = (names: readonly string[]) => names.map((line) => line.split(' ')[0] ?? '').sort();
      expect(callsOf(server.done)).toEqual(callsOf(drafts.map(({ call }) => call)));
      // The server refuses what names a tag that is not there yet: each was created before what refers to it.
      expect(new Set(server.done).size).toBe(drafts.length);
      expect(await store.list('ana')).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

/** Each creation is followed by changes that refer to it. */
function draftsOf(kinds: readonly string[]): OutboxDraft[] {
  let tagId = 'tag-1';
  return kinds.map((kind, at) => {
    if (kind === 'assign') return assignment(`video-${at}`, [tagId]);
    if (kind === 'remove')
      return {
        ...removal(tagId),
        call: 'removeTag',
        params: { path: `video-${at}`, tagId },
        idempotencyKey: `remove ${at}`,
      };
    tagId = newTemporaryId();
    return creation(`Channel ${at}`, tagId);
  });
}

describe('a page that ends at any step of the replay', () => {
  const drafts = () => {
    const id = newTemporaryId();
    return [assignment('video-0', ['tag-1']), creation('Day', id), assignment('video-1', [id, 'tag-1'])];
  };

  test('leaves what the next one finishes, with nothing lost or doubled', async () => {
    let steps = 0;
    for (let deadline = 1; ; deadline += 1) {
      fakeIndexedDb();
      const server = withTag(new FakeOutboxServer());
      const first = newStore();
      await addAll(first, drafts());
      const deps = dying(depsOf(first, server), deadline);
      const isWhole = await replay('ana', deps).then(
        () => true,
        () => false,
      );
      await replayToEnd(newStore(), server);
      expect(server.done).toEqual(['assignTags video-0 tag-1', 'createTag Day', 'assignTags video-1 tag-2 tag-1']);
      steps = deadline;
      if (isWhole) break;
    }
    // Three changes: begun, sent, finished, each before and after.
    expect(steps).toBeGreaterThan(18);
  });

  /** Ends before or after the given step. */
  function dying(deps: ReplayDeps, deadline: number): ReplayDeps {
    let step = 0;
    const tick = () => {
      step += 1;
      if (step >= deadline) throw new Error('The page ended');
    };
    const mortal =
      <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        tick();
        const result = await run(...args);
        tick();
        return result;
      };
    const { store, network } = deps;
    return {
      ...deps,
      store: {
        startNext: mortal((userId, heldBack) => store.startNext(userId, heldBack)),
        putBack: mortal((number) => store.putBack(number)),
        refuse: mortal((number, sentence) => store.refuse(number, sentence)),
        finish: mortal((entry, id) => store.finish(entry, id)),
      },
      network: { send: mortal((entry) => network.send(entry)), findTag: mortal((entry) => network.findTag(entry)) },
    };
  }
});

test('what the server refuses is kept with its sentence, what needs it is refused too, and the others go on', async () => {
  const server = withTag(new FakeOutboxServer());
  const store = newStore();
  const id = newTemporaryId();
  await addAll(store, [creation('night', id), assignment('video-0', [id]), assignment('video-1', ['tag-1'])]);
  expect(await replay('ana', depsOf(store, server))).toEqual({ kind: 'drained' });
  expect(server.done).toEqual(['assignTags video-1 tag-1']);
  expect((await store.list('ana')).map(({ state, refusal }) => [state, refusal])).toEqual([
    ['refused', 'Refused with 409'],
    ['refused', 'The channel that it needs was not created.'],
  ]);
});

test('a change that the server fails at holds up what depends on it, and nothing else', async () => {
  const server = withTag(new FakeOutboxServer());
  const answer = server.send.bind(server);
  let isBroken = true;
  vi.spyOn(server, 'send').mockImplementation((entry) =>
    isBroken && entry.call === 'createTag'
      ? Promise.resolve({ kind: 'answered', status: 500, body: null, sentence: 'At fault', retryAfterMs: null })
      : answer(entry),
  );
  const store = newStore();
  const id = newTemporaryId();
  const drafts = [creation('Day', id), assignment('video-0', [id]), assignment('video-0', ['tag-1'])];
  await addAll(store, [...drafts, assignment('video-1', ['tag-1'])]);
  expect(await replay('ana', depsOf(store, server))).toEqual({ kind: 'later', askedMs: null, hasProgressed: true });
  expect(server.done).toEqual(['assignTags video-1 tag-1']);
  expect(await replay('ana', depsOf(store, server))).toMatchObject({ kind: 'later', hasProgressed: false });
  isBroken = false;
  expect(await replay('ana', depsOf(store, server))).toEqual({ kind: 'drained' });
  expect(server.done.slice(1)).toEqual(['createTag Day', 'assignTags video-0 tag-2', 'assignTags video-0 tag-1']);
});

test('a server that fails at everything is not asked for every change again and again', async () => {
  const server = withTag(new FakeOutboxServer(() => 'fails'));
  const send = vi.spyOn(server, 'send');
  const store = newStore();
  await addAll(store, assignments(50));
  expect(await replay('ana', depsOf(store, server))).toMatchObject({ kind: 'later', hasProgressed: false });
  expect(send).toHaveBeenCalledTimes(4);
});

test('a creation that is tried again by hand uses the tag of its name, and what needed it follows', async () => {
  const server = withTag(new FakeOutboxServer());
  const store = newStore();
  const id = newTemporaryId();
  await addAll(store, [creation('night', id), assignment('video-0', [id])]);
  await replay('ana', depsOf(store, server));
  const [, needing] = await store.list('ana');
  await store.retry(needing!, () => 'another key');
  await replay('ana', depsOf(store, server));
  expect([server.done, await store.list('ana')]).toEqual([['assignTags video-0 tag-1'], []]);
});

describe('of changes that are older than the server remembers their keys', () => {
  const old = { createdAt: 0 };
  const late = (server: FakeOutboxServer) => {
    server.time = dayMs;
    return withTag(server);
  };

  test('a removal of what is gone counts as done', async () => {
    const server = late(new FakeOutboxServer());
    const store = newStore();
    await addAll(store, [removal('tag-9', old)]);
    await replay('ana', depsOf(store, server));
    expect(await store.list('ana')).toEqual([]);
  });

  test('a creation whose name is taken uses the tag that exists, and assignments follow it', async () => {
    const server = late(new FakeOutboxServer());
    const store = newStore();
    const id = newTemporaryId();
    await addAll(store, [creation('NIGHT', id, old), assignment('video-0', [id], old)]);
    await replay('ana', depsOf(store, server));
    expect([server.done, await store.list('ana')]).toEqual([['assignTags video-0 tag-1'], []]);
  });

  test('an assignment of what is gone is shown as refused', async () => {
    const server = late(new FakeOutboxServer());
    const store = newStore();
    await addAll(store, [assignment('video-0', ['tag-9'], old)]);
    await replay('ana', depsOf(store, server));
    expect((await store.list('ana')).map(({ state, refusal }) => [state, refusal])).toEqual([
      ['refused', 'Refused with 404'],
    ]);
  });

  test('one that was done, and whose answer was lost a day ago, is not done twice', async () => {
    const rest: Fate[] = ['loses its answer'];
    const server = new FakeOutboxServer(() => rest.shift() ?? 'arrives');
    const store = newStore();
    const id = newTemporaryId();
    await addAll(store, [creation('Day', id), assignment('video-0', [id])]);
    expect((await replay('ana', depsOf(store, server))).kind).toBe('later');
    server.time = 2 * dayMs;
    await replay('ana', depsOf(store, server));
    expect(server.done).toEqual(['createTag Day', 'assignTags video-0 tag-1']);
  });

  test('a list that cannot be asked for leaves the creation waiting', async () => {
    const server = late(new FakeOutboxServer());
    vi.spyOn(server, 'findTag').mockRejectedValueOnce(new Error('away'));
    const store = newStore();
    await addAll(store, [creation('Night', newTemporaryId(), old)]);
    expect(await replay('ana', depsOf(store, server))).toMatchObject({ kind: 'later' });
    expect((await store.list('ana')).map(({ state }) => state)).toEqual(['waiting']);
  });
});

test('the changes of one person are never sent for another', async () => {
  const server = withTag(new FakeOutboxServer());
  const store = newStore();
  await addAll(store, [...assignments(2), ...assignments(1, { userId: 'bob' })]);
  await replay('bob', depsOf(store, server));
  expect([[...server.senders], server.done]).toEqual([['bob'], ['assignTags video-0 tag-1']]);
  expect(await store.list('ana')).toHaveLength(2);
});

test('a refused sign-in leaves everything waiting', async () => {
  const server = withTag(new FakeOutboxServer());
  vi.spyOn(server, 'send').mockResolvedValue({ kind: 'not-signed-in' });
  const store = newStore();
  await addAll(store, assignments(2));
  expect(await replay('ana', depsOf(store, server))).toEqual({ kind: 'not-signed-in' });
  expect((await store.list('ana')).map(({ state }) => state)).toEqual(['waiting', 'waiting']);
});

test('a change that is discarded while it is under way is not sent again', async () => {
  const server = withTag(new FakeOutboxServer(() => 'loses its answer'));
  const store = newStore();
  await addAll(store, assignments(1));
  const sending = replay('ana', depsOf(store, server));
  const [entry] = await store.list('ana');
  await store.discard(entry!.number);
  await sending;
  expect(await replay('ana', depsOf(store, server))).toEqual({ kind: 'drained' });
  expect(server.seen).toHaveLength(1);
});

test('a server that asks for a wait is told on', async () => {
  const server = withTag(new FakeOutboxServer(() => 'is too early'));
  const store = newStore();
  await addAll(store, assignments(1));
  expect(await replay('ana', depsOf(store, server))).toEqual({ kind: 'later', askedMs: 3_000, hasProgressed: false });
});
