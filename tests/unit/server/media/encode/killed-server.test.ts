import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { confinements } from '#tests/support/confinements.ts';
import { ffmpegs, longVideo, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { isStopped, processesIn } from '#tests/support/processes/processes.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../../../support/processes/encoding-process.ts', import.meta.url));
const [program = ''] = ffmpegs;
let video = '';

beforeAll(() => {
  video = longVideo(temporaryFolder(afterFile));
});

function start(command: readonly string[], input: string, ...words: string[]): ChildProcessWithoutNullStreams {
  const [file = '', ...args] = [...command, process.execPath, script, program, input, ...words];
  const server = spawn(file, args);
  onTestFinished(() => void server.kill('SIGKILL'));
  return server;
}

async function firstLine(server: ChildProcessWithoutNullStreams): Promise<string> {
  const [line] = await once(createInterface(server.stdout), 'line');
  return String(line);
}

/** Ends the server as the kernel does it when memory runs out, and waits until nothing of its work is left. */
async function kill(server: ChildProcessWithoutNullStreams, work: string): Promise<void> {
  expect(processesIn(work).length).toBeGreaterThan(0);
  server.kill('SIGKILL');
  await once(server, 'exit');
  await vi.waitFor(() => expect(processesIn(work)).toEqual([]));
}

test('an ffmpeg that encodes ends with its server', async () => {
  const work = join(temporaryFolder(), 'work');
  const server = start([], video, work);
  expect(await firstLine(server)).toBe('running');
  await kill(server, work);
});

test('an ffmpeg that stands still ends with its server, too', async () => {
  const work = join(temporaryFolder(), 'work');
  const server = start([], video, work, 'pause');
  expect(await firstLine(server)).toBe('paused');
  await vi.waitFor(() => expect(processesIn(work).some(isStopped)).toBe(true));
  await kill(server, work);
});

/** A file system of a given size needs a namespace of its own. */
const canMount = confinements.some(({ kind }) => kind === 'bubblewrap');
const smallDisk = (folder: string) => ['bwrap', '--dev-bind', '/', '/', '--size', '524288', '--tmpfs', folder];

test.each(canMount ? [smallDisk] : [])('a disk that is full is named', async (mount) => {
  const folder = temporaryFolder();
  const pattern = ['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=30:d=8'];
  const busyVideo = makeWithFfmpeg(join(temporaryFolder(), 'busy.avi'), ...pattern, '-c:v', 'mpeg4');
  const server = start(mount(folder), busyVideo, join(folder, 'work'));
  const lines: string[] = [];
  for await (const line of createInterface(server.stdout)) lines.push(line);
  expect(lines.at(-1)).toBe('ffmpeg: disk_full');
});
