import { expect, test } from 'vitest';
import { describePlace } from '#server/database/database-address.ts';

test('a file is told as it is', () => {
  expect(describePlace({ kind: 'sqlite', file: '/data/site.sqlite' })).toBe('/data/site.sqlite');
});

test.each([
  ['postgres://ada:secret@db.lan:5433/videos', 'db.lan:5433/videos'],
  ['postgresql://ada:secret@db.lan/videos?sslmode=require&password=secret', 'db.lan/videos'],
  ['postgres://ada:se%40cret@[fd00::2]:5432/videos', '[fd00::2]:5432/videos'],
  ['postgres://ada:secret@/videos?host=/var/run/postgresql', 'PostgreSQL'],
  ['postgres:///videos?user=ada&password=secret&host=/var/run/postgresql', '/var/run/postgresql/videos'],
  ['postgres://ada:12/secret@db.lan/videos', 'PostgreSQL'],
  ['postgres://ada:secret#x@db.lan/videos', 'PostgreSQL'],
])('%s is told without who opens it, and with what', (url, place) => {
  expect(describePlace({ kind: 'postgres', url })).toBe(place);
  expect(place).not.toMatch(/secret|ada/);
});
