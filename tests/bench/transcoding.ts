import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#server/clock.ts';
import type { EncodingTools } from '#server/media/encode/encode-arguments.ts';
import { encodeArguments, storyboardArguments } from '#server/media/encode/encode-arguments.ts';
import { createEncoder, encodingThreads } from '#server/media/encode/ffmpeg-encoder.ts';
import type { EncodePlan } from '#server/media/encode/ladder.ts';
import { planEncoding } from '#server/media/encode/ladder.ts';
import { softwareEncoders } from '#server/media/encode/video-encoders.ts';
import { createFfmpeg } from '#server/media/ffmpeg/ffmpeg.ts';
import { makePoster } from '#server/media/ffmpeg/poster.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { ffmpegs, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { alternate } from './alternate.ts';
import { amount } from './form.ts';
import { printAmounts, printDuels } from './table.ts';

const seconds = Number(process.env.SECONDS ?? amount(40, 2));
const rounds = Number(process.env.ROUNDS ?? amount(3, 1));
const posterRounds = 4 * rounds;
const [program = ''] = ffmpegs;
/** How the product runs posters, and encodings: with the processor time that nobody else wants. */
const posterPriority = ['nice', '-n', '19'];
const encodingPriority = ['nice', '-n', '19', 'chrt', '--idle', '0'];
const noAbort = new AbortController().signal;

/** `node tests/bench/transcoding.ts`: what it costs to encode `SECONDS` (40) of full HD, and to make its poster. */
export async function measureTranscoding(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  try {
    // As `npm start` does it.
    enableCompileCache(join(folder, 'compile-cache'));
    console.log(`\nLoad average of the machine: ${loadavg()[0]?.toFixed(1)}`);
    const paths = { light: writeSource(folder, 'light'), heavy: writeSource(folder, 'heavy') };
    await using light = await open(paths.light);
    await using heavy = await open(paths.heavy);
    await measurePipeline(await prepare(folder, heavy));
    await measurePosters(await prepare(folder, light), paths.light);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What takes little to decode, and what a camera writes: High profile with CABAC. */
const qualities = { light: ['-preset', 'ultrafast', '-b:v', '12M'], heavy: ['-preset', 'superfast', '-b:v', '32M'] };

/** Moving shapes under noise. */
function writeSource(folder: string, quality: keyof typeof qualities): string {
  const shapes = ['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=30:d=${seconds},noise=alls=6:allf=t`];
  const tone = ['-f', 'lavfi', '-i', `sine=d=${seconds}`];
  const output = ['-c:v', 'libx264', ...qualities[quality], '-g', '60', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  return makeWithFfmpeg(join(folder, `${quality}.mp4`), ...shapes, ...tone, ...output);
}

type Setting = Awaited<ReturnType<typeof prepare>>;

async function prepare(folder: string, file: FileHandle) {
  const folders = createWorkFolders(join(folder, 'work'), systemClock);
  const ffmpeg = createFfmpeg({ configured: program, searchPath: '', folders });
  const encoder = createEncoder({ ffmpeg, folders, devices: '/nowhere' });
  // Found once, before anything is measured.
  await encoder.facts();
  const description = await ffmpeg.describe(file);
  const { videoTrack } = description;
  if (videoTrack === null) throw new Error('The source has no picture.');
  const ordered = { renditions: ['grid', 'hd'], copy: 'none', durationMs: seconds * 1000 } as const;
  const plan = planEncoding({ container: 'mp4', description, videoTrack }, ordered);
  const raw = join(folder, 'raw');
  mkdirSync(raw, { recursive: true });
  return { folder, file, ffmpeg, encoder, plan, raw };
}

async function measurePipeline({ folder, file, encoder, plan, raw }: Setting): Promise<void> {
  const grid = join(folder, 'grid.mp4');
  const order = {
    file,
    renditions: ['grid', 'hd'],
    durationMs: seconds * 1000,
    maxBytes: 2 ** 31,
    signal: noAbort,
  } as const;
  const keepGrid = async ({ files }: { files: { rendition: string; file: string }[] }) =>
    copyFileSync(files.find(({ rendition }) => rendition === 'grid')?.file ?? '', grid);
  const product = () => timed(() => encoder.encode({ ...order, report: () => {} }, keepGrid));
  const [ours, together] = await alternate(rounds, product, () => timed(() => runRaw(plan, raw, file)));
  const [oneDecode, single] = await alternate(
    rounds,
    () => timed(() => runRaw(plan, raw, file)),
    () => timeEach(plan, raw, file),
  );
  printDuels(`${seconds} s of full HD at 32 Mbit/s, as grid and hd, with a sheet of stills`, [
    { what: 'the product against ffmpeg with its arguments', product: ours, peer: together, goal: 1.02, floor: 1.08 },
    {
      what: 'one decode for all three, against one for each',
      product: oneDecode,
      peer: single.map(({ pictures, sheet }) => pictures + sheet),
      goal: 0.75,
      floor: 1,
    },
    {
      what: 'the same, against runs of which that of the sheet decodes key frames alone',
      product: oneDecode,
      peer: single.map(({ pictures, keySheet }) => pictures + keySheet),
      goal: 0.75,
      floor: 1,
    },
  ]);
  printAmounts('Grid at the size of a tile', [
    {
      what: 'structural difference from the source',
      value: difference(grid, file) * 100,
      unit: '%',
      goal: 4,
      floor: 8,
    },
  ]);
}

/** Milliseconds. A sheet from key frames is what the product makes where there is no picture to encode. */
async function timeEach(plan: EncodePlan, folder: string, file: FileHandle) {
  const { storyboard } = plan;
  if (storyboard === null) throw new Error('No sheet is planned.');
  const fromKeyFrames = storyboardArguments(plan, storyboard, tools());
  const fromAll = fromKeyFrames.filter((word) => !['-skip_frame', 'nokey'].includes(word));
  return {
    pictures: await timed(async () => {
      for (const picture of plan.pictures)
        await runRaw({ ...plan, pictures: [picture], storyboard: null }, folder, file);
    }),
    sheet: await timed(() => runFfmpeg(fromAll, folder, file)),
    keySheet: await timed(() => runFfmpeg(fromKeyFrames, folder, file)),
  };
}

/** The same command without a sandbox, a description before it or a look at what came out. */
const runRaw = (plan: EncodePlan, folder: string, file: FileHandle) =>
  runFfmpeg(encodeArguments(plan, tools()), folder, file);

function tools(): EncodingTools {
  const [encoder] = softwareEncoders;
  if (encoder === undefined) throw new Error('There is no encoder.');
  return { encoder, mapsTones: true, threads: encodingThreads() };
}

async function runFfmpeg(args: readonly string[], cwd: string, file: FileHandle): Promise<void> {
  const [wrapper = '', ...others] = [...encodingPriority, program, ...args];
  const child = spawn(wrapper, others, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit', 'ignore', file.fd],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}.`);
}

/** 1 − SSIM of all planes, of the encoding and of the source as large as it. */
function difference(encoding: string, { fd }: FileHandle): number {
  const graph = '[1]scale=960:540:flags=area[small];[0][small]ssim';
  const args = ['-nostdin', '-i', encoding, '-i', 'file:/dev/fd/3', '-lavfi', graph, '-f', 'null', '-'];
  const { stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe', fd] });
  const [, ssim] = /SSIM .*All:([\d.]+)/.exec(stderr) ?? [];
  if (ssim === undefined) throw new Error('ffmpeg did not compare.');
  return 1 - Number(ssim);
}

async function measurePosters({ ffmpeg, file, raw }: Setting, path: string): Promise<void> {
  const source = { file, durationMs: seconds * 1000, videoCodec: 'avc' };
  const at = String(Math.min(10, seconds / 2));
  const seek = ['-ss', at, '-i', path, '-frames:v', '1', '-vf', 'scale=640:360', '-y', join(raw, 'poster.webp')];
  const [product, peer] = await alternate(
    posterRounds,
    () => timed(() => makePoster(ffmpeg, source, noAbort)),
    () =>
      timed(async () => {
        const [wrapper = '', ...others] = [...posterPriority, program, '-nostdin', '-v', 'error', ...seek];
        spawnSync(wrapper, others, { stdio: 'inherit' });
      }),
  );
  printDuels('A poster, against a raw fast seek', [{ what: 'time', product, peer, goal: 1.1, floor: 1.5 }]);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
