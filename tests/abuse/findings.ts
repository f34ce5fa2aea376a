import type { Finding } from './attack.ts';

/** What an attack has found so far; the same thing counts once, with how often it was seen. */
export interface Findings {
  expect(isAsPromised: boolean, what: string, kind?: Finding['kind']): void;
  list(): Finding[];
}

/** A thousand different answers are no better to read than twenty. */
const mostListed = 20;

export function createFindings(): Findings {
  const seen = new Map<string, { finding: Finding; times: number }>();
  return {
    expect(isAsPromised, what, kind = 'answer') {
      if (isAsPromised) return;
      const known = seen.get(what);
      if (known !== undefined) known.times += 1;
      else if (seen.size < mostListed) seen.set(what, { finding: { kind, what }, times: 1 });
    },
    list: () =>
      [...seen.values()].map(({ finding, times }) =>
        times === 1 ? finding : { ...finding, what: `${finding.what} (${times} times)` },
      ),
  };
}
