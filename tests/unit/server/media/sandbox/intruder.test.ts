import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import type { Confinement } from '#server/media/sandbox/confinement.ts';
import { sandboxUser } from '#server/media/sandbox/confinement.ts';
import { programFiles, systemFolders } from '#server/media/sandbox/find-confinement.ts';
import { runSandboxed } from '#server/media/sandbox/sandbox.ts';
import { confinements, unconfined } from '#tests/support/confinements.ts';
import { putFile } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const limits = { seconds: 240, processorSeconds: 40, memoryMegabytes: 16_000, outputBytes: 100_000 };
const intruder = fileURLToPath(new URL('../../../../support/intruder.cjs', import.meta.url));
const isRoot = process.getuid?.() === 0;
const ownTargets = ['read the input', 'write a file of its own'];

/** A server's data, a library, and whatever listens on this machine. */
async function prepareTargets() {
  const [data, library] = [temporaryFolder(), temporaryFolder()];
  const videos = Object.fromEntries(
    ['otherVideo', 'deleted', 'renamed', 'truncated'].map((name) => [name, putFile(library, `${name}.mp4`, 'a video')]),
  );
  const listener = await listenOn({ host: '127.0.0.1', port: 0 });
  const socket = join(data, '.s.PGSQL.5432');
  const abstractSocket = `\0fourfold-${process.pid}-${performance.now()}`;
  await listenOn({ path: socket });
  await listenOn({ path: abstractSocket });
  const database = putFile(data, 'fourfold.sqlite', 'the database');
  const { port } = listener.address() as AddressInfo;
  return {
    ...videos,
    library,
    database,
    socket,
    abstractSocket,
    port,
    server: process.pid,
    input: putFile(library, 'input.mp4', 'the input'),
  };
}

async function listenOn(where: object): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).end()).listen(where);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

async function intrude(confinement: Confinement, targets: Awaited<ReturnType<typeof prepareTargets>>) {
  const input = await open(targets.input);
  onTestFinished(() => input.close());
  const call = {
    program: process.execPath,
    args: [intruder, JSON.stringify(targets)],
    executable: [...systemFolders, intruder, '/etc/ssl/openssl.cnf'],
    limits,
    confinement,
  };
  const end = await runSandboxed({ ...call, folder: temporaryFolder(), input: input.fd });
  if (end.kind !== 'ended' || end.code !== 0) throw new Error(JSON.stringify(end.kind === 'ended' ? end.said : end));
  return JSON.parse(end.output.toString()) as { user: number; outcomes: Record<string, string> };
}

describe('a program in the place of ffmpeg', () => {
  test('without a sandbox does to the machine whatever the server may do', async () => {
    const { outcomes } = await intrude(unconfined, await prepareTargets());
    const { 'read the passwords of the system': passwords, ...others } = outcomes;
    expect(Object.values(others)).toEqual(Object.values(others).map(() => 'done'));
    expect(passwords).toBe(isRoot ? 'done' : 'EACCES');
  });

  test.each(confinements)('confined by $kind sees its input and nothing else', async (confinement) => {
    const targets = await prepareTargets();
    const { user, outcomes } = await intrude(confinement, targets);
    const done = Object.keys(outcomes).filter((name) => outcomes[name] === 'done');
    expect(done).toEqual(ownTargets);
    expect(Object.keys(outcomes).length).toBeGreaterThan(20);
    expect(user).toBe(isRoot || confinement.kind === 'bubblewrap' ? sandboxUser : process.getuid?.());
    expect(readFileSync(targets.input, 'utf8')).toBe('the input');
    expect(['deleted', 'renamed'].map((name) => existsSync(join(targets.library, `${name}.mp4`)))).toEqual([
      true,
      true,
    ]);
    expect(statSync(join(targets.library, 'truncated.mp4')).size).toBe(7);
  });

  test.each(confinements)(
    'confined by $kind finds its own libraries alone, and not the programs of the system',
    async (confinement) => {
      const [narrow = []] = await programFiles(
        '/bin/cat',
        confinement,
        createWorkFolders(temporaryFolder(), systemClock),
      );
      const input = await open(putFile(temporaryFolder(), 'a', 'the input'));
      onTestFinished(() => input.close());
      const call = {
        program: '/bin/cat',
        args: ['/dev/fd/4', '/bin/ls'],
        executable: narrow,
        folder: temporaryFolder(),
        limits,
        confinement,
      };
      const end = await runSandboxed({ ...call, input: input.fd });
      expect(end).toMatchObject({ kind: 'ended', code: 1, output: Buffer.from('the input') });
    },
  );
});
