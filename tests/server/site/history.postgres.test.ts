import { describe, expect, onTestFinished, test } from 'vitest';
import type { Violation } from '#tests/bench/nodes/check-history.ts';
import { checkHistory, measureHistory } from '#tests/bench/nodes/check-history.ts';
import { runHistory } from '#tests/bench/nodes/run-history.ts';
import { isWholeSoak, soakCases, soakSeed } from '#tests/support/soak.ts';
import { openStore } from '#tests/support/storage/swift-store.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const store = await openStore(afterFile);
const seed = soakSeed;

/** `npm run soak` takes ten minutes, and freezes nodes for up to half a minute. */
const form = isWholeSoak
  ? { lastsMs: 600_000, faultMs: 30_000, hasLargeFiles: true }
  : { lastsMs: 20_000, faultMs: 3_000, hasLargeFiles: false };

describe.runIf(store !== null)('a site on three nodes', () => {
  test('keeps what it has acknowledged while nodes are killed, frozen, cut off and restarted', async () => {
    if (store === null) return;
    const history = await runHistory({ ...form, store, seed }, onTestFinished);
    console.log(`A history of nodes (SOAK_SEED=${seed}): ${JSON.stringify(measureHistory(history))}`);
    expect(checkHistory(history)).toEqual([]);
  });

  type Planted = Pick<
    Parameters<typeof runHistory>[0],
    'lastsMs' | 'clients' | 'planted' | 'switchFaults' | 'isEnough'
  >;
  const plantedFaults: [string, Violation['rule'][], Planted][] = [
    ['believes to have every lease', ['leases'], { lastsMs: 1_000, planted: ['./planted/all-leases.ts'] }],
    [
      'answers before the commit',
      ['links', 'sessions', 'picks'],
      {
        lastsMs: 180_000,
        // Nothing can be said of changes that overlap, and others would wait for each commit.
        clients: 1,
        planted: ['./planted/early-answers.ts'],
        switchFaults: 'SIGUSR2',
        // A node has answered as before a change. Tags that nobody has given may be those of a merge under way.
        isEnough: (history) =>
          checkHistory(history).some(({ what }) => /^node .* (lacks|accepted|deleted) /.test(what)),
      },
    ],
  ];
  test.each(soakCases(plantedFaults, 2))('is accused where each node %s', async (_, rules, fault) => {
    if (store === null) return;
    const calm = { faultMs: 0, hasLargeFiles: false, clearMs: 0 };
    const history = await runHistory({ ...calm, ...fault, store, seed }, onTestFinished);
    expect(checkHistory(history).filter(({ rule }) => rules.includes(rule))).not.toEqual([]);
  });
});
