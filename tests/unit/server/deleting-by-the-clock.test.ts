import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const server = `${import.meta.dirname}/../../../src/server/`;

/** A span that is taken from the wall clock: `clock.now() - keptMs`, `now - day`. */
const spanFromClock = /\bnow(?:\(\))?\s*-\s*[\w.(]/;
const deletes = /\b(?:delete|remove|purge|sweep|forget|evict|expire|unlink|discard|trim|close)[A-Za-z]*|\brm\(/i;

/** Whatever deletes by the time of day asks `SweepTime` for it. These do something else with the clock, or lose nothing. */
const allowed: Readonly<Record<string, string>> = {
  'backup/load-archive.ts': 'gives open uploads the time that the archive has lain',
  'database/replica.ts': 'forgets positions in memory, by a clock that never jumps',
  'features/auth/device-sign-in.ts': 'limits how often a device asks',
  'features/auth/own-account.ts': 'compares how long ago a provider vouched',
  'features/auth/sessions/session-credentials.ts': 'forgets answers in memory',
  'features/auth/sessions/sessions.ts': 'compares two uses of one token',
  'features/encodings/demand.ts': 'forgets answers in memory, by a clock that never jumps',
  'features/encodings/encodable-repository.ts': 'forgets what nobody picks any more, which the next pick counts anew',
  'features/encodings/encoding-jobs.ts': 'orders work',
  'features/encodings/planner.ts': 'orders work',
  'features/encodings/room.ts': 'makes room of what can be made again, by when it was played last',
  'features/encodings/running-encodings.ts': 'pauses, by a clock that never jumps',
  'features/gate/site-gate.ts': 'measures the age of a cookie',
  'features/performance/alert-repository.ts': 'rounds to a step',
  'features/performance/alert-watch.ts': 'lists, and tells whether an alarm goes on',
  'features/performance/playback-health.ts': 'counts',
  'features/performance/samples.ts': 'forgets in memory',
  'features/performance/slots.ts': 'forgets in memory what has been written',
  'features/performance/venues.ts': 'compares how long ago a venue has reported',
  'features/site/measured-share.ts': 'compares how long ago the share was changed, and forgets in memory',
  'storage/stores/store-calls.ts': 'measures how long calls take, by a clock that never jumps',
  'storage/shared-files.ts': 'closes files, by a clock that never jumps',
  'features/subtitles/subtitle-files.ts': 'forgets in memory what was asked for',
  'features/subtitles/subtitles.ts': 'forgets in memory what was asked for, by a clock that never jumps',
  'features/tags/changes/undo-change.ts': 'lists',
  'features/tags/changes/undo-person.ts':
    'takes back what a person has done since a moment that an administrator names',
  'features/uploads/receiving/upload-receiver.ts': 'measures how fast a body comes',
  'features/uploads/receiving/upload-room.ts': 'measures how fast a body comes',
  'features/uploads/upload-session.ts': 'counts',
  'id-sets/draw-unseen.ts': 'forgets a count in memory, by a clock that never jumps',
  'limits/token-buckets.ts': 'forgets in memory, by a clock that never jumps',
  'http/connections/sent-bytes.ts': 'forgets in memory, by a clock that never jumps',
  'http/signing.ts': 'chooses the key to sign with',
  'services/metric-services.ts': 'counts the uploads that are open',
  'nodes/node-repository.ts': 'measures how long ago a server was seen, by the clock of the database',
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
