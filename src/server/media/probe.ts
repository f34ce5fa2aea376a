import type { InputVideoTrack } from 'mediabunny';
import { ALL_FORMATS, CustomSource, Input } from 'mediabunny';
import type { Container } from './container-sniff.ts';
import { sniffBytes, sniffContainer } from './container-sniff.ts';
import type { ByteReader } from './file-shape.ts';
import { checkShape } from './file-shape.ts';
import type { UnplayableReason } from './unplayable.ts';

/** What a file turned out to be. `reason` is null when browsers can play it. */
export interface Probe {
  container: Container | null;
  videoCodec: string | null;
  audioCodec: string | null;
  durationMs: number | null;
  /** Pixels as shown: turned and stretched as the file wants it. */
  width: number | null;
  height: number | null;
  reason: UnplayableReason | null;
}

const nothingKnown: Probe = { container: null, videoCodec: null, audioCodec: null, durationMs: null, width: null, height: null, reason: null };

/** A file that was not read, and why. */
export function unread(reason: UnplayableReason): Probe {
  return { ...nothingKnown, reason };
}

/** Reads what a player needs to know from the headers. Whatever the bytes are, the answer is a probe: it never throws for what it reads. */
export async function probe(file: ByteReader): Promise<Probe> {
  if (file.size === 0) return unread('empty');
  const container = sniffContainer(await file.read(0, Math.min(sniffBytes, file.size)));
  if (container === null) return unread('not_a_video');
  const refusal = unplayableContainers[container] ?? (await checkShape(file, container));
  if (refusal !== null) return { ...nothingKnown, container, reason: refusal };
  return { ...(await readTracks(file)), container };
}

const unplayableContainers: Record<Container, UnplayableReason | null> = {
  mp4: null,
  mov: null,
  webm: null,
  matroska: null,
  avi: 'container_avi',
  asf: 'container_asf',
  flv: 'container_flv',
  'mpeg-ts': 'container_mpeg',
  'mpeg-ps': 'container_mpeg',
};

async function readTracks(file: ByteReader): Promise<Probe> {
  const source = new CustomSource({ getSize: () => file.size, read: (start, end) => file.read(start, end), handleUnhandledError: () => {} });
  const input = new Input({ source, formats: ALL_FORMATS });
  try {
    return await describe(input);
  } catch {
    return unread('damaged');
  } finally {
    input.dispose();
  }
}

const mostTracks = 64;

async function describe(input: Input): Promise<Probe> {
  const tracks = await input.getTracks();
  if (tracks.length > mostTracks) return unread('too_complex');
  const picture = await input.getPrimaryVideoTrack();
  if (picture === null) return unread(tracks.length === 0 ? 'no_index' : 'no_picture');
  const sound = await input.getPrimaryAudioTrack();
  const facts = {
    container: null,
    videoCodec: await picture.getCodec(),
    audioCodec: sound === null ? null : await sound.getCodec(),
    durationMs: await readDuration(input),
    width: await picture.getDisplayWidth(),
    height: await picture.getDisplayHeight(),
  };
  return { ...facts, reason: await findFault(picture, facts) };
}

async function readDuration(input: Input): Promise<number | null> {
  const seconds = await input.getDurationFromMetadata();
  return seconds === null || seconds === 0 ? null : Math.round(seconds * 1000);
}

/** 8K and a little: beyond it decoders give up. */
const mostPixelsPerSide = 8_192;
const longestMs = 30 * 24 * 3_600_000;

async function findFault(picture: InputVideoTrack, facts: Omit<Probe, 'reason'>): Promise<UnplayableReason | null> {
  if (facts.durationMs !== null && (facts.durationMs < 0 || facts.durationMs > longestMs)) return 'damaged';
  const sides = [await picture.getCodedWidth(), await picture.getCodedHeight(), facts.width ?? 0, facts.height ?? 0];
  if (!sides.every((side) => side > 0 && side <= mostPixelsPerSide)) return 'picture_size';
  return codecFault(facts.videoCodec);
}

const playableCodecs = new Set(['avc', 'vp8', 'vp9', 'av1']);

/** HEVC is the trap: some browsers play its sound and show black, without any error. */
function codecFault(codec: string | null): UnplayableReason | null {
  if (codec !== null && playableCodecs.has(codec)) return null;
  if (codec === 'hevc') return 'codec_hevc';
  return codec === 'prores' ? 'codec_prores' : 'codec_unknown';
}
