import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#server/clock.ts';
import { encodeArguments } from '#server/media/encode/encode-arguments.ts';
import { encodingThreads } from '#server/media/encode/encode-limits.ts';
import { softwareEncoders } from '#server/media/encode/encoders/software-encoders.ts';
import { createEncoder } from '#server/media/encode/ffmpeg-encoder.ts';
import type { EncodePlan } from '#server/media/encode/ladder.ts';
import { planEncoding } from '#server/media/encode/ladder.ts';
import { createFfmpeg } from '#server/media/ffmpeg/ffmpeg.ts';
import { makePoster } from '#server/media/ffmpeg/poster.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { ffmpegs, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { alternate } from './alternate.ts';
import { printAmounts, printDuels } from './table.ts';

const seconds = Number(process.env.SECONDS ?? 40);
const rounds = Number(process.env.ROUNDS ?? 3);
const posterRounds = 4 * rounds;
const [program = ''] = ffmpegs;
/** What the product gives encodings and posters. */
const lowestPriority = ['-n', '19'];
const noAbort = new AbortController().signal;

/** `node tests/bench/transcoding.ts`: what it costs to encode `SECONDS` (40) of full HD, and to make its poster. */
export async function measureTranscoding(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  try {
    // As `npm start` does it.
    enableCompileCache(join(folder, 'compile-cache'));
    console.log(`\nLoad average of the machine: ${loadavg()[0]?.toFixed(1)}`);
    const path = writeSource(folder);
    await using file = await open(path);
    const setting = await prepare(folder, file);
    await measurePipeline(setting);
    await measurePosters(setting, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Moving shapes under noise, as heavy as a camera makes it. */
function writeSource(folder: string): string {
  const input = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=1920x1080:r=30:d=${seconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=d=${seconds}`,
  ];
  const picture = ['-vf', 'noise=alls=6:allf=t', '-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '12M', '-g', '60'];
  return makeWithFfmpeg(join(folder, 'source.mp4'), ...input, ...picture, '-pix_fmt', 'yuv420p', '-c:a', 'aac');
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
  mkdirSync(raw);
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
    () => timed(() => runEach(plan, raw, file)),
  );
  printDuels(`${seconds} s of full HD, as grid and hd, with a sheet of stills`, [
    { what: 'the product against ffmpeg with its arguments', product: ours, peer: together, goal: 1.02, floor: 1.08 },
    { what: 'one decode against one run for each', product: oneDecode, peer: single, goal: 0.75, floor: 1 },
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

async function runEach(plan: EncodePlan, folder: string, file: FileHandle): Promise<void> {
  for (const picture of plan.pictures) await runRaw({ ...plan, pictures: [picture], storyboard: null }, folder, file);
}

/** The same command without a sandbox, a description before it or a look at what came out. */
async function runRaw(plan: EncodePlan, cwd: string, file: FileHandle): Promise<void> {
  const [encoder] = softwareEncoders;
  if (encoder === undefined) throw new Error('There is no encoder.');
  const args = encodeArguments(plan, { encoder, mapsTones: true, threads: encodingThreads() });
  const child = spawn('nice', [...lowestPriority, program, ...args], {
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
        spawnSync('nice', [...lowestPriority, program, '-nostdin', '-v', 'error', ...seek], { stdio: 'inherit' });
      }),
  );
  printDuels('A poster, against a raw fast seek', [{ what: 'time', product, peer, goal: 1.1, floor: 1.5 }]);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
