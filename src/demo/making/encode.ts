import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type FrameShape = { readonly width: number; readonly height: number; readonly fps: number };

export type Encoding = FrameShape & {
  readonly seconds: number;
  readonly megabytes: number;
  readonly sound: string | undefined;
};

const SOUND_BITS = 80_000;

const TO_VIDEO_COLORS =
  'scale=out_color_matrix=bt709:out_range=tv:flags=lanczos+accurate_rnd+full_chroma_int,format=yuv420p';

/** Keeps the frames as they are, so that the passes of the encoder read them without painting them again. */
export function openMaster(file: string, { width, height, fps }: FrameShape) {
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', String(fps), '-i', '-'];
  const ffmpeg = startFfmpeg([...input, '-c:v', 'libx264rgb', '-preset', 'ultrafast', '-qp', '0', file]);
  return {
    async addFrame(frame: Buffer): Promise<void> {
      if (ffmpeg.stdin && !ffmpeg.stdin.write(frame)) await once(ffmpeg.stdin, 'drain');
    },
    async close(): Promise<void> {
      ffmpeg.stdin?.end();
      await finish(ffmpeg);
    },
  };
}

/** Two passes towards a size: H.264 high profile with the index in front, and AAC where there is sound. */
export async function encodeClip(master: string, target: string, folder: string, encoding: Encoding): Promise<void> {
  const log = join(folder, 'passes');
  const video = listVideoOptions(encoding);
  await finish(startFfmpeg(['-i', master, ...video, '-pass', '1', '-passlogfile', log, '-an', '-f', 'null', '-']));
  const sound = encoding.sound
    ? ['-i', encoding.sound, '-map', '0:v', '-map', '1:a', '-c:a', 'aac', '-b:a', String(SOUND_BITS)]
    : ['-an'];
  await finish(
    startFfmpeg([
      '-i',
      master,
      ...sound,
      ...video,
      '-pass',
      '2',
      '-passlogfile',
      log,
      '-movflags',
      '+faststart',
      target,
    ]),
  );
}

function listVideoOptions({ fps, seconds, megabytes, sound }: Encoding): string[] {
  const bits = Math.floor((megabytes * 8_000_000) / seconds - (sound ? SOUND_BITS : 0) - 4_000);
  const rate = ['-b:v', String(bits), '-maxrate', String(bits * 3), '-bufsize', String(bits * 4)];
  const codec = [
    '-c:v',
    'libx264',
    '-profile:v',
    'high',
    '-level:v',
    '4.0',
    '-preset',
    'slower',
    '-g',
    String(fps * 2),
    '-bf',
    '3',
    '-refs',
    '4',
  ];
  const tuning = ['-x264-params', 'aq-mode=3:aq-strength=1.0:deblock=-1,-1:psy-rd=0.8,0.1'];
  const colors = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
  return [
    '-vf',
    TO_VIDEO_COLORS,
    '-r',
    String(fps),
    ...codec,
    ...rate,
    ...tuning,
    ...colors,
    '-map_metadata',
    '-1',
    '-fflags',
    '+bitexact',
  ];
}

function startFfmpeg(options: readonly string[]): ChildProcess {
  return spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...options], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
}

async function finish(ffmpeg: ChildProcess): Promise<void> {
  const [code] = ffmpeg.exitCode === null ? await once(ffmpeg, 'exit') : [ffmpeg.exitCode];
  if (code !== 0) throw new Error(`ffmpeg stopped with ${code}.`);
}
