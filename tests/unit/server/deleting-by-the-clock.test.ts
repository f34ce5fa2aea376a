import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const server = `${import.meta.dirname}/../../../src/server/`;

/** A span that is taken from the wall clock: `clock.now() - keptMs`, `now - day`. */
const spanFromClock = /\bnow(?:\(\))?\s*-\s*[\w.(]/;
const deletes = /\b(?:delete|remove|purge|sweep|forget|evict|expire|unlink|discard|trim|close)[A-Za-z]*|\brm\(/i;

/** Whatever deletes by the time of day asks `SweepTime` for it. These do something else with the clock, or lose nothing. */
const allowed: Readonly<Record<string, string>> = {
  'backup/restore/load-archive.ts': 'gives open uploads the time that the archive has lain',
  'features/auth/sessions/session-credentials.ts': 'forgets answers in memory',
  'features/auth/sessions/sessions.ts': 'compares two uses of one token',
  'features/auth/device-sign-in.ts': 'limits how often a device asks',
  'features/auth/own-account.ts': 'compares how long ago a provider vouched',
  'features/gate/site-gate.ts': 'measures the age of a cookie',
  'features/encodings/demand/demand-repository.ts':
    'forgets what nobody picks any more, which the next pick counts anew',
  'features/encodings/jobs/encoding-job.ts': 'orders work',
  'features/encodings/room/uses.ts': 'forgets in memory what has been written',
  'features/performance/alerts/alert-repository.ts': 'rounds to a step',
  'features/performance/alerts/alert-watch.ts': 'lists, and tells whether an alarm goes on',
  'features/performance/record/viewing-sessions.ts': 'forgets in memory',
  'features/performance/stats/open-slots.ts': 'forgets in memory what has been written',
  'features/streaming/resting-files.ts': 'closes files, by a clock that never jumps',
  'features/subtitles/conversions.ts': 'forgets in memory what was asked for',
  'features/tags/changes/undo-change.ts': 'lists',
  'features/tags/changes/undo-person.ts':
    'takes back what a person has done since a moment that an administrator names',
  'features/uploads/address/body-places.ts': 'measures how fast a body comes',
  'features/uploads/session/start-session.ts': 'counts',
  'http/protection/token-buckets.ts': 'forgets in memory, by a clock that never jumps',
  'http/sent-bytes/sent-bytes.ts': 'forgets in memory, by a clock that never jumps',
  'http/signing/signing-keys.ts': 'chooses the key to sign with',
  'media/ffmpeg/work-folders.ts': 'removes temporary folders of work that goes on nowhere',
};

function deletesByClock(source: string): boolean {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|^import .*$/gm, '');
  return spanFromClock.test(code) && deletes.test(code);
}

test('whoever deletes by the time of day asks for the time of the sweeps', () => {
  const found = globSync('**/*.ts', { cwd: server }).filter((file) =>
    deletesByClock(readFileSync(server + file, 'utf8')),
  );
  expect(found.filter((file) => !(file in allowed))).toEqual([]);
  expect(Object.keys(allowed).filter((file) => !found.includes(file))).toEqual([]);
});

test('a span that is subtracted from the clock beside a deletion is found', () => {
  const planted = [
    'const before = clock.now() - keptMs;\nawait deleteOld(transaction, before);',
    'await purgeRemoved(now - limits.uploadKeptDays * dayMs);',
    'if (facts.mtimeMs < deps.clock.now() - keptMs) await rm(file);',
    'await sql`delete from demand where picked_at <= ${' + 'now - day}`;',
  ];
  expect(planted.filter((source) => !deletesByClock(source))).toEqual([]);
  expect(deletesByClock('/** clock.now() - keptMs */\nawait deleteOld(await sweepTime.read());')).toBe(false);
});
