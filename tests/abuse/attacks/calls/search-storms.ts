import { limits } from '#contract/limits.ts';
import type { RandomBelow } from '#server/ids.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { fieldsOf, repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

/** What searches are made of: parts of names, other scripts, signs that patterns and queries have. */
const pieces = [
  ...['v', 'vi', 'video', 'mp4', '1', '-', '.', ' ', '  '],
  ...['é', 'ß', 'Ａ', '東', '京', 'ไ', '\u0301', '\u200d', '👩‍👩‍👧', '\u202e', '\ud800'],
  ...['%', '_', '*', '?', '\\', "'", '"', '--', ';', '(', ')', '[', '$', 'NEAR', 'OR', '\u0001', '\ufffe'],
];
const sorts = ['newest', 'name'];

/** Searches without end, from many addresses, while others watch. */
export const searchStorms: Attack = {
  name: 'search-storms',
  databases: bothDatabases,
  short: ['sqlite'],
  setting: 'home',
  async run(target, random, budget) {
    const findings = createFindings();
    const clients = Array.from({ length: budget.count(8, 64) }, () => target.stranger());
    const statuses = await repeat(budget.count(120, 20_000), clients.length, async (index) => {
      const path = toPath(random, index);
      const { status } = await (clients[index % clients.length] as Client).get(path);
      findings.expect(
        // Busy is an answer, also to one who has used up what an address may ask for.
        [200, 400, 429, 503].includes(status),
        `a search is answered with ${status}: ${path}`,
      );
      return status;
    });
    findings.expect(statuses.includes(200), 'no search is answered');
    const calm = await target.stranger().get('/api/videos/by-tags?sort_by=name');
    findings.expect(Number(fieldsOf(calm).total) > 0, 'nothing is listed by name after many searches');
    return findings.list();
  },
};

/** A search of one character, of as many as there may be, or of any number in between. */
function toPath(random: RandomBelow, index: number): string {
  const longest = index % 3 === 0 ? 1 : index % 3 === 1 ? limits.searchCharacters : random(limits.searchCharacters);
  let search = '';
  while (search.length < longest) search += pieces[random(pieces.length)];
  const query = new URLSearchParams({
    search: search.slice(0, longest),
    sort_by: sorts[random(sorts.length)] ?? '',
    page: String(1 + random(60)),
    limit: String(1 + random(limits.pageLimitMax)),
  });
  if (index % 5 > 0) return `/api/videos/by-tags?${query}`;
  query.delete('sort_by');
  return `/api/tags?${query}`;
}
