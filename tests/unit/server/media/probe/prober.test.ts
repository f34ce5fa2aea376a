import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createProber, ProberClosed, proberIdleMs } from '#server/media/prober.ts';
import { putFile, smallVideo } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** @param script what the thread runs instead of its own code */
function openProber(script?: string, silenceMs = 60_000) {
  const made = createProber(
    script === undefined
      ? {}
      : { script: new URL(`file://${putFile(temporaryFolder(), 'thread.mjs', script)}`), silenceMs },
  );
  onTestFinished(() => made.close());
  return made;
}

const reasonsOf = async (reading: ReturnType<ReturnType<typeof createProber>['read']>) =>
  (await reading).map(({ probe }) => probe.reason);

describe('the probing thread', () => {
  test('reads several files at once, and answers in their order', async () => {
    const [first, missing, second, copy] = await openProber().read([
      smallVideo(),
      '/no/such/file.mp4',
      smallVideo(1),
      Buffer.from(smallVideo()),
    ]);
    expect([first, missing, second].map((reading) => reading?.probe.reason)).toEqual([null, 'unreadable', null]);
    expect(copy).toEqual(first);
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
    expect(missing?.fingerprint).toBeNull();
  });

  test('answers several calls at once', async () => {
    const prober = openProber();
    const answers = await Promise.all([
      prober.read([smallVideo()]),
      prober.read([]),
      prober.read(['/no/such/file.mp4', smallVideo(1)]),
    ]);
    expect(answers.map((readings) => readings.map(({ probe }) => probe.reason))).toEqual([
      [null],
      [],
      ['unreadable', null],
    ]);
  });

  test('opens no pipe, folder or device for a video', async () => {
    const folder = temporaryFolder();
    execFileSync('mkfifo', [join(folder, 'pipe.mp4')]);
    mkdirSync(join(folder, 'folder.mp4'));
    const files = [join(folder, 'pipe.mp4'), join(folder, 'folder.mp4'), '/dev/zero'];
    expect(await reasonsOf(openProber().read(files))).toEqual(['not_a_video', 'not_a_video', 'not_a_video']);
  });

  test('reads a name that is no text', async () => {
    const name = Buffer.concat([Buffer.from(`${temporaryFolder()}/`), Buffer.of(0x61, 0xff), Buffer.from('.mp4')]);
    copyFileSync(smallVideo(), name);
    expect(await reasonsOf(openProber().read([name]))).toEqual([null]);
  });

  test('reads files in a process that is watched for changes', async () => {
    vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await reasonsOf(openProber().read([smallVideo()]))).toEqual([null]);
  });
});

/** A thread that works gets as far as the next file within this time, also where others keep the machine busy. */
const silenceMs = 1_000;

/** A thread that answers for every file, but does `harm` at one that is called so. */
const thread = (harm: string) => `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ files, done }) => {
    parentPort.postMessage(files.map(({ path }) => {
      if (path === 'harm') { ${harm} }
      Atomics.add(done, 0, 1);
      return { probe: { reason: null }, fingerprint: 'f' };
    }));
  });
  parentPort.postMessage('up');`;

describe('a probing thread', () => {
  test('that hangs is given up, and the other files get a new one', async () => {
    expect(await reasonsOf(openProber(thread('for (;;);'), silenceMs).read(['a', 'harm', 'b', 'harm']))).toEqual([
      null,
      'unreadable',
      null,
      'unreadable',
    ]);
  });

  test('that hangs again and again is not asked for the rest', async () => {
    expect(
      await reasonsOf(openProber(thread('for (;;);'), silenceMs).read(['a', 'harm', 'harm', 'harm', 'b'])),
    ).toEqual([null, ...Array(4).fill('unreadable')]);
  });

  test('that dies takes one file with it', async () => {
    expect(await reasonsOf(openProber(thread("throw new Error('died');")).read(['a', 'b', 'harm', 'c']))).toEqual([
      null,
      null,
      'too_complex',
      null,
    ]);
  });

  test('that eats memory is ended', async () => {
    const eat = 'const all = []; for (;;) all.push(new Array(1e6).fill({}));';
    expect(await reasonsOf(openProber(thread(eat)).read(['harm', 'a']))).toEqual(['too_complex', null]);
  });

  test('that never comes up makes its files unreadable', async () => {
    expect(await reasonsOf(openProber("throw new Error('no code');").read(['a', 'b']))).toEqual([
      'unreadable',
      'unreadable',
    ]);
  });

  test('knows nothing of the environment but where compiled code is kept', () => {
    const folder = temporaryFolder();
    const script = putFile(
      folder,
      'thread.mjs',
      thread('return { probe: { reason: null }, fingerprint: JSON.stringify(process.env) };'),
    );
    const code = `
      const { createProber } = await import(${JSON.stringify(import.meta.resolve('#server/media/prober.ts'))});
      const prober = createProber({ script: new URL(${JSON.stringify(`file://${script}`)}) });
      // The thread alone does not keep a process alive.
      const awake = setInterval(() => {}, 1_000);
      console.log((await prober.read(['harm']))[0].fingerprint);
      clearInterval(awake);
      await prober.close();`;
    const env = { NODE_COMPILE_CACHE: join(folder, 'cache'), SITE_PASSWORD: 'secret' };
    const output = execFileSync(process.execPath, [putFile(folder, 'parent.mjs', code)], { env, encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ NODE_COMPILE_CACHE: join(folder, 'cache') });
  });

  test('that has nothing to read is ended after a while, and a new one reads what comes then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const prober = openProber(
      thread(
        'globalThis.mark ??= String(Math.random()); return { probe: { reason: null }, fingerprint: globalThis.mark };',
      ),
    );
    const markOf = async () => (await prober.read(['harm']))[0]?.fingerprint;
    const first = await markOf();
    vi.advanceTimersByTime(proberIdleMs - 1);
    expect(await markOf()).toBe(first);
    vi.advanceTimersByTime(proberIdleMs);
    expect(await markOf()).not.toBe(first);
  });

  test('that is ended with the server gives no verdict on the files it was reading', async () => {
    const made = openProber(thread('for (;;);'));
    const asked = [made.read(['harm']), made.read(['b'])];
    const refused = Promise.all(asked.map((answer) => expect(answer).rejects.toBeInstanceOf(ProberClosed)));
    await made.close();
    await refused;
  });
});
