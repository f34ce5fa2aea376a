import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { toRefusal } from '#server/http/pipeline/errors.ts';

const systemError = (fields: Record<string, unknown>) => Object.assign(new Error('planted'), fields);

describe('whatever a call does when the system has nothing left, its answer is 503', () => {
  test.each([
    ['a file that cannot be opened', systemError({ code: 'EMFILE', errno: -24 })],
    ['a machine without descriptors', systemError({ code: 'ENFILE', errno: -23 })],
    ['network interfaces that cannot be listed', systemError({ code: 'ERR_SYSTEM_ERROR', errno: 24 })],
    ['a process that cannot be started', systemError({ code: 'EAGAIN', errno: -11 })],
    ['memory that cannot be had', systemError({ code: 'ENOMEM', errno: -12 })],
    ['a socket without memory', systemError({ code: 'ENOBUFS' })],
    ['a database file that cannot be opened', systemError({ code: 'SQLITE_CANTOPEN' })],
    ['a request to elsewhere', new TypeError('fetch failed', { cause: systemError({ code: 'EMFILE' }) })],
    ['several addresses tried', new AggregateError([systemError({ code: 'EMFILE' })])],
    [
      'a thread that cannot be started',
      Object.assign(new Error('Worker initialization failure: EMFILE'), { code: 'ERR_WORKER_INIT_FAILED' }),
    ],
  ])('%s', (_, error) => {
    const refusal = toRefusal(error);
    expect([refusal.code, refusal.headers]).toEqual(['unavailable', { 'retry-after': '5' }]);
  });

  test('also for the error that Node itself gives for the interfaces, by which a TV is told where to go', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { networkInterfaces } from 'node:os';
      const { isSystemExhausted } = await import(${JSON.stringify(pathToFileURL('src/server/storage/disk-space.ts').href)});
      const caught = (work) => { try { for (;;) work(); } catch (error) { return error; } };
      caught(() => openSync('/dev/null', 'r'));
      process._rawDebug(isSystemExhausted(caught(networkInterfaces)));`;
    const command = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1" 2>&1';
    expect(execFileSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' })).toBe('true\n');
  });
});

test.each(['ENOSPC', 'EDQUOT'])('a file that finds no room (%s) is answered like a full database: 507', (code) => {
  expect(toRefusal(systemError({ code })).code).toBe('out_of_space');
});

test('an error of ours stays one', () => {
  for (const error of [new Error('EMFILE'), systemError({ code: 'EACCES', errno: -13 }), 'EMFILE'])
    expect(toRefusal(error).code).toBe('internal');
});
