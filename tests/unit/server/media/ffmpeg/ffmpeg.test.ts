import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { FfmpegOptions } from '#server/media/ffmpeg/ffmpeg.ts';
import { createFfmpeg, FfmpegFailure } from '#server/media/ffmpeg/ffmpeg.ts';
import { describingArguments, stillArguments } from '#server/media/ffmpeg/ffmpeg-arguments.ts';
import { makePoster, posterTime } from '#server/media/ffmpeg/poster.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import type { Confinement } from '#server/media/sandbox/confinement.ts';
import type { SandboxLimits } from '#server/media/sandbox/sandbox.ts';
import { runSandboxed, sandboxedInput } from '#server/media/sandbox/sandbox.ts';
import { confinements, unconfined } from '#tests/support/confinements.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { ffmpegs, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { putFile, smallVideo } from '#tests/support/media/videos.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const noAbort = new AbortController().signal;

function create(configured: string | undefined, more: Partial<FfmpegOptions> = {}, atEnd: AtEnd = onTestFinished) {
  const work = join(temporaryFolder(atEnd), 'work');
  const ffmpeg = createFfmpeg({ configured, searchPath: '', folders: createWorkFolders(work, systemClock), ...more });
  return { ffmpeg, leftOver: () => readdirSync(work) };
}

async function opened(file: string) {
  const handle = await open(file);
  onTestFinished(() => handle.close());
  return handle;
}

type Ready = ReturnType<typeof create>;

/** What the poster of a file looks like: its size and the colour that it has most of. */
async function posterOf({ ffmpeg, leftOver }: Ready, file: string) {
  const source = { file: await opened(file), durationMs: null, videoCodec: null };
  const attempt = await makePoster(ffmpeg, source, noAbort).catch((error: unknown) => error as FfmpegFailure);
  expect(leftOver()).toEqual([]);
  if (attempt instanceof FfmpegFailure) return attempt.fault;
  if (attempt.kind === 'none') return attempt.reason;
  const { format, width, height } = await sharp(attempt.webp).metadata();
  const { dominant } = await sharp(attempt.webp).stats();
  const [color] =
    Object.entries({ red: dominant.r, green: dominant.g, blue: dominant.b }).sort(([, a], [, b]) => b - a)[0] ?? [];
  return { format, width, height, color };
}

const solid = (size: string, seconds = 1, color = 'red') => [
  '-f',
  'lavfi',
  '-i',
  `color=${color}:s=${size}:r=5:d=${seconds}`,
];
const inFolder = (name: string) => join(temporaryFolder(), name);

describe.each(ffmpegs)('with %s, a poster', (program) => {
  // It looks for a sandbox once, which takes as long as a poster.
  const ready = create(program, {}, afterFile);

  test.each([
    ['avi', 'a.avi', ['-c:v', 'mpeg4']],
    ['wmv', 'a.wmv', ['-c:v', 'wmv2']],
    ['flv', 'a.flv', ['-c:v', 'flv1']],
    ['matroska', 'a.mkv', ['-c:v', 'libx264']],
    ['webm', 'a.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime']],
    ['transport stream', 'a.mp4', ['-c:v', 'mpeg2video', '-f', 'mpegts']],
  ])('is made of %s', async (_, name, args) => {
    const file = makeWithFfmpeg(inFolder(name), ...solid('1280x720'), ...args);
    expect(await posterOf(ready, file)).toEqual({ format: 'webp', width: 640, height: 360, color: 'red' });
  });

  test('shows pixels as squares, and small or odd pictures in their own size', async () => {
    const wide = makeWithFfmpeg(inFolder('a.mkv'), ...solid('720x576'), '-vf', 'setsar=16/11', '-c:v', 'libx264');
    expect(await posterOf(ready, wide)).toMatchObject({ width: 640, height: 352 });
    const tall = makeWithFfmpeg(inFolder('a.mkv'), ...solid('90x3000'), '-c:v', 'ffv1');
    expect(await posterOf(ready, tall)).toMatchObject({ width: 19, height: 640 });
    const odd = makeWithFfmpeg(inFolder('a.mkv'), '-f', 'lavfi', '-i', 'testsrc=s=33x17:d=1', '-c:v', 'ffv1');
    expect(await posterOf(ready, odd)).toMatchObject({ width: 33, height: 17 });
  });

  test('stands upright when the video was filmed on its side', async () => {
    const file = makeWithFfmpeg(inFolder('a.mp4'), ...solid('640x360'), '-c:v', 'libx264');
    writeFileSync(file, turned(readFileSync(file)));
    expect(await posterOf(ready, file)).toMatchObject({ width: 360, height: 640 });
  });

  test('of an HDR video keeps its colours', async () => {
    const hdr = [
      '-pix_fmt',
      'yuv420p10le',
      '-color_primaries',
      'bt2020',
      '-color_trc',
      'smpte2084',
      '-colorspace',
      'bt2020nc',
    ];
    const quick = ['-preset', 'ultrafast', '-x265-params', 'log-level=none:pools=1'];
    const file = makeWithFfmpeg(inFolder('a.mp4'), ...solid('320x180', 1, 'blue'), ...hdr, '-c:v', 'libx265', ...quick);
    expect(await posterOf(ready, file)).toEqual({ format: 'webp', width: 320, height: 180, color: 'blue' });
  });

  test('shows the middle of a short video', async () => {
    const parts = [...solid('64x64', 1), ...solid('64x64', 2, 'blue'), '-filter_complex', '[0][1]concat'];
    expect(await posterOf(ready, makeWithFfmpeg(inFolder('a.avi'), ...parts, '-c:v', 'mpeg4'))).toMatchObject({
      color: 'blue',
    });
  });

  test('is not there for a file that has only sound', async () => {
    const file = makeWithFfmpeg(inFolder('a.mp4'), '-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac');
    expect(await posterOf(ready, file)).toBe('no_picture');
  });

  test('is not there for a file that breaks off before its first picture', async () => {
    const whole = readFileSync(makeWithFfmpeg(inFolder('a.avi'), ...solid('64x64'), '-c:v', 'mpeg4'));
    const file = putFile(temporaryFolder(), 'a.avi', whole.subarray(0, whole.indexOf('movi') + 4));
    expect(['no_picture', 'unreadable']).toContain(await posterOf(ready, file));
  });

  test('of a picture that would fill the memory is refused at once', async () => {
    const bytes = readFileSync(makeWithFfmpeg(inFolder('a.mkv'), ...solid('64x64'), '-frames:v', '1', '-c:v', 'png'));
    const header = bytes.indexOf('IHDR');
    bytes.writeUInt32BE(60_000, header + 4);
    bytes.writeUInt32BE(60_000, header + 8);
    // Else it would be ended for its time.
    expect(['no_picture', 'unreadable', 'memory']).toContain(
      await posterOf(ready, putFile(temporaryFolder(), 'a.mkv', bytes)),
    );
  });

  test('writes nothing that a file wants to have written', async () => {
    const folder = temporaryFolder();
    const attached = putFile(folder, 'note.txt', 'attached');
    const named = [
      '-attach',
      attached,
      '-metadata:s:t',
      'mimetype=text/plain',
      '-metadata:s:t',
      'filename=../../../written',
    ];
    const file = makeWithFfmpeg(join(folder, 'a.mkv'), ...solid('64x64'), '-c:v', 'libx264', ...named);
    expect(await posterOf(ready, file)).toMatchObject({ color: 'red' });
    expect(readdirSync(folder).sort()).toEqual(['a.mkv', 'note.txt']);
  });
});

test('a poster is taken at 10 s, or in the middle of a shorter video', () => {
  expect([null, 0, 3_000, 20_000, 7_200_000].map(posterTime)).toEqual([0, 0, 1.5, 10, 10]);
});

describe('ffmpeg', () => {
  const still = { atSeconds: 0, side: 640, isHdr: false };

  test.each([
    ['exits 1', 'exit 1', 'unreadable'],
    ['dies by SIGSEGV', 'kill -SEGV $$', 'crashed'],
    ['hangs', 'exec sleep 600', 'time'],
    ['eats memory', 'exec tail /dev/zero', 'memory'],
    ['writes without end', 'exec cat /dev/zero', 'output'],
    ['says that a program is missing', 'exit 127', 'no_ffmpeg'],
  ])('that %s fails with a short reason and leaves nothing behind', async (_, script, fault) => {
    const limits: Partial<SandboxLimits> = { seconds: fault === 'time' ? 0.5 : 20, memoryMegabytes: 200 };
    const { ffmpeg, leftOver } = create(fakeTool(temporaryFolder(), script), { limits });
    await expect(ffmpeg.extractFrame(await opened(smallVideo()), still)).rejects.toMatchObject({ fault });
    expect(leftOver()).toEqual([]);
  });

  test.each([
    ['a playlist', '#EXTM3U\n#EXTINF:1,\n/etc/passwd\n'],
    ['a list of files', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
    ['a DASH manifest', '<?xml version="1.0"?><MPD><Period/></MPD>'],
    ['a session description', 'v=0\no=- 0 0 IN IP4 127.0.0.1\n'],
    ['a page', '<!doctype html><p>'],
  ])('never sees %s', async (_, content) => {
    const folder = temporaryFolder();
    const { ffmpeg } = create(fakeTool(folder, 'echo seen'));
    const file = await opened(putFile(folder, 'innocent.mp4', content));
    await expect(ffmpeg.extractFrame(file, still)).rejects.toMatchObject({ fault: 'not_a_video' });
    await expect(ffmpeg.describe(file)).rejects.toMatchObject({ fault: 'not_a_video' });
  });

  test('that was taken away is missed', async () => {
    const fake = fakeTool(temporaryFolder(), 'exit 0');
    const { ffmpeg } = create(fake);
    expect(await ffmpeg.locate()).toBe(fake);
    rmSync(fake);
    const fault = (await ffmpeg.confinement()).kind === 'bubblewrap' ? 'unreadable' : 'no_ffmpeg';
    await expect(ffmpeg.extractFrame(await opened(smallVideo()), still)).rejects.toMatchObject({ fault });
  });

  test('finds a process missing when there are no descriptors left, and works again afterwards', () => {
    const script = fileURLToPath(new URL('../../../../support/processes/without-descriptors.ts', import.meta.url));
    const fake = fakeTool(temporaryFolder(), 'echo picture');
    // A limit of its own, far above what Node opens to start.
    const said = execFileSync(
      '/bin/sh',
      ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, script, fake, smallVideo()],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(said)).toEqual({
      exhausted: ['not_started', 'not_started'],
      afterwards: 'picture\n',
      unhandled: 0,
      leftOver: [],
    });
  });

  test('that was configured is taken or none; else the first that works', async () => {
    const folder = temporaryFolder();
    const fake = fakeTool(folder, 'exit 1');
    expect(await create('/nowhere/ffmpeg').ffmpeg.locate()).toBeNull();
    expect(await create(folder).ffmpeg.locate()).toBeNull();
    expect(await create('/bin/true').ffmpeg.locate()).toBeNull();
    expect(await create(fake).ffmpeg.locate()).toBe(fake);
    const [last] = ffmpegs.slice(-1);
    expect(await create(undefined, { searchPath: '/nowhere:relative' }).ffmpeg.locate()).toBe(
      last?.includes('node_modules') ? last : null,
    );
  });
});

describe('a fake in the place of ffmpeg', () => {
  /** Prints what it could do, one word each. Bash connects by itself. */
  function writeFake(folder: string, { library, database, port }: { library: string; database: string; port: number }) {
    return fakeTool(
      folder,
      `try() { word=$1; shift; "$@" >/dev/null 2>&1 && echo "$word"; }
try input cat /dev/fd/4
try folder mkdir own
try database cat ${database}
try passwords cat /etc/shadow
try environment cat /proc/$PPID/environ
try list ls ${library}
try rename mv ${library}/renamed.mp4 ${library}/renamed.avi
try delete rm ${library}/deleted.mp4
try connect bash -c ': </dev/tcp/127.0.0.1/${port}'
exit 0`,
    );
  }

  async function attack(among: readonly Confinement[]) {
    const library = temporaryFolder();
    for (const name of ['renamed.mp4', 'deleted.mp4']) putFile(library, name, 'a video');
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const database = putFile(temporaryFolder(), 'fourfold.sqlite', 'rows');
    const program = writeFake(temporaryFolder(), { library, database, port: (server.address() as AddressInfo).port });
    const { ffmpeg } = create(program, { confinements: among });
    const said = await ffmpeg.extractFrame(await opened(smallVideo()), { atSeconds: 0, side: 640, isHdr: false });
    return { done: said?.toString().trim().split('\n'), left: readdirSync(library).sort() };
  }

  test.each(confinements)(
    'reads its input, writes into its folder, and does nothing else, confined by $kind',
    async (confinement) => {
      const { done, left } = await attack([confinement]);
      expect(done).toEqual(['input', 'folder']);
      expect(left).toEqual(['deleted.mp4', 'renamed.mp4']);
    },
  );

  test('does to the library what the server may, where nothing confines it', async () => {
    const { done, left } = await attack([]);
    expect(done).toEqual(expect.arrayContaining(['input', 'folder', 'database', 'list', 'rename', 'delete']));
    expect(left).toEqual(['renamed.avi']);
  });
});

describe.each(ffmpegs)('should the sniffer ever err, %s', (program) => {
  /** A server that counts who comes, and a pipe that holds whoever opens it. */
  async function setTrap() {
    const folder = temporaryFolder();
    const pipe = join(folder, 'canary.ts');
    execFileSync('mkfifo', [pipe]);
    let hits = 0;
    const server = createServer((_, response) => {
      hits += 1;
      response.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    return { folder, pipe, address: `http://127.0.0.1:${port}/canary.ts`, hits: () => hits };
  }

  const bait = (format: string, target: string) =>
    format === 'hls'
      ? `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${target}\n#EXT-X-ENDLIST\n`
      : `ffconcat version 1.0\nfile '${target}'\n`;

  async function run(folder: string, content: string, args: string[], seconds = 20) {
    const file = await opened(putFile(folder, 'bait.mp4', content));
    const limits = { seconds, processorSeconds: 20, memoryMegabytes: 1_500, outputBytes: 1_000 };
    return runSandboxed({
      program,
      args,
      executable: [],
      folder: temporaryFolder(),
      input: file.fd,
      limits,
      confinement: unconfined,
    });
  }

  test.each(['hls', 'concat'])('the trap for %s works: without the sandbox it is walked into', async (format) => {
    const { folder, pipe, address, hits } = await setTrap();
    const free = [
      '-protocol_whitelist',
      'file,http,tcp',
      '-f',
      format,
      ...(format === 'concat' ? ['-safe', '0'] : []),
      '-i',
      `file:${sandboxedInput}`,
    ];
    await run(folder, bait(format, address), free);
    expect(hits()).toBeGreaterThan(0);
    expect(await run(folder, bait(format, pipe), free, 1)).toEqual({ kind: 'limit', limit: 'time' });
  });

  test.each(['hls', 'concat'])('with the arguments of the product opens nothing that %s names', async (format) => {
    const { folder, pipe, address, hits } = await setTrap();
    const asBuilt = (['mp4', 'matroska', 'avi', 'asf', 'flv', 'mpeg-ts', 'mpeg-ps'] as const).flatMap((container) => [
      describingArguments(container),
      stillArguments(container, { atSeconds: 0, side: 640, isHdr: false }),
    ]);
    // The forced demuxer taken away as well: what remains are the two whitelists.
    const [first = []] = asBuilt;
    const unforced = first.map((word, at) => (first[at - 1] === '-f' ? format : word));
    for (const target of [address, pipe]) {
      for (const args of [unforced, ...asBuilt.slice(0, target === address ? undefined : 4)]) {
        expect(await run(folder, bait(format, target), args)).toMatchObject({ kind: 'ended' });
      }
    }
    expect(hits()).toBe(0);
  });
});

/** Turns the picture by 90° in the header of its track: the matrix stands 40 bytes into a `tkhd` of version 0. */
function turned(bytes: Buffer): Buffer {
  const matrix = bytes.indexOf('tkhd') + 4 + 40;
  for (const [place, value] of [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000].entries())
    bytes.writeInt32BE(value, matrix + place * 4);
  return bytes;
}
