import type { SampleFormat, VideoTrack } from '../tracks.ts';
import { toShown, unknownFormat } from '../tracks.ts';
import type { ByteWindow } from './byte-window.ts';
import { readSampleFormat, readVpFormat } from './codec-configuration.ts';
import type { Box } from './iso-box.ts';
import { boxesIn, findBox } from './iso-box.ts';

/**
 * By the type of the sample entry. Encrypted video tracks (`encv`) are left out on purpose: nobody here has their key.
 */
const videoCodecs = new Map([
  ...['avc1', 'avc2', 'avc3', 'avc4', 'dva1', 'dvav'].map((type) => [type, 'avc'] as const),
  ...['hvc1', 'hev1', 'dvh1', 'dvhe'].map((type) => [type, 'hevc'] as const),
  ...['apch', 'apcn', 'apcs', 'apco', 'ap4h', 'ap4x', 'aprn', 'aprh'].map((type) => [type, 'prores'] as const),
  ['vp08', 'vp8'] as const,
  ['vp09', 'vp9'] as const,
  ['av01', 'av1'] as const,
]);

const audioCodecs = new Map<string, string | null>([
  ['opus', 'opus'],
  ['flac', 'flac'],
  ['alac', 'alac'],
  ['ac-3', 'ac3'],
  ['ec-3', 'eac3'],
  ['.mp3', 'mp3'],
  ['ulaw', 'ulaw'],
  ['alaw', 'alaw'],
  ['enca', null],
  ...['dtsc', 'dtsh', 'dtsl', 'dtse'].map((type) => [type, 'dts'] as const),
  ...['lpcm', 'sowt', 'twos', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ipcm', 'fpcm'].map(
    (type) => [type, 'pcm'] as const,
  ),
]);

/** The fields that all video tracks have, from the start of the entry's content; boxes follow. */
const videoFields = { width: 24, height: 26, boxes: 78 };

/** ISO 14496-12 section 12.1.3. */
export function readVideoTrack(
  file: ByteWindow,
  entry: Box,
  isTurned: boolean,
): Omit<VideoTrack, 'isDefault' | 'secondsEach'> {
  const codedWidth = file.u16(entry.start + videoFields.width);
  const codedHeight = file.u16(entry.start + videoFields.height);
  const aspect = findBox(file, entry, 'pasp', entry.start + videoFields.boxes);
  const stretch = aspect === null ? 1 : file.u32(aspect.start) / file.u32(aspect.start + 4);
  const shown = toShown({ width: codedWidth, height: codedHeight }, stretch, isTurned);
  const codec = videoCodecs.get(entry.type.toLowerCase()) ?? null;
  return { codec, codedWidth, codedHeight, ...shown, ...readFormat(file, entry, codec) };
}

const configurations = new Set(['avcC', 'hvcC', 'vpcC', 'av1C']);

function readFormat(file: ByteWindow, entry: Box, codec: string | null): SampleFormat {
  for (const box of boxesIn(file, entry, entry.start + videoFields.boxes)) {
    if (!configurations.has(box.type)) continue;
    return box.type === 'vpcC' && codec === 'vp9' ? readVpFormat(file, box) : readSampleFormat(file, codec, box);
  }
  return codec === null ? unknownFormat : readSampleFormat(file, codec, null);
}

/** Bytes of fields before the boxes: 28, and more in the two younger versions of QuickTime. */
const soundFields = [28, 44, 64];

/** The codec of an `AudioTrack`. `mp4a` is a family, whose member is named further inside. */
export function readAudioTrack(file: ByteWindow, entry: Box): string | null {
  if (entry.type !== 'mp4a') return nameOf(entry.type.toLowerCase(), audioCodecs);
  const boxes = entry.start + (soundFields[file.u16(entry.start + 8)] ?? 28);
  const description = findBox(file, entry, 'esds', boxes) ?? findBox(file, findBox(file, entry, 'wave', boxes), 'esds');
  return description === null ? null : nameOf(readObjectType(file, description), mp4aCodecs);
}

function nameOf<Key>(key: Key, names: ReadonlyMap<Key, string | null>): string | null {
  const name = names.get(key);
  return name === undefined ? 'other' : name;
}

/** By the object type of ISO 14496-1; the last two are widely used and belong to nobody. */
const mp4aCodecs = new Map([
  [0x40, 'aac'],
  [0x66, 'aac'],
  [0x67, 'aac'],
  [0x68, 'aac'],
  [0x69, 'mp3'],
  [0x6b, 'mp3'],
  [0xa5, 'ac3'],
  [0xa6, 'eac3'],
  [0xa9, 'dts'],
  [0xdd, 'vorbis'],
]);

/** An elementary stream descriptor, and in it that of the decoder: ISO 14496-1 sections 7.2.6.5 and 7.2.6.6. */
function readObjectType(file: ByteWindow, esds: Box): number {
  const stream = skipDescriptorHead(file, esds.start + 4);
  const flags = file.u8(stream + 2);
  const dependsOn = flags & 0x80 ? 2 : 0;
  const address = flags & 0x40 ? 1 + file.u8(stream + 3 + dependsOn) : 0;
  const clock = flags & 0x20 ? 2 : 0;
  return file.u8(skipDescriptorHead(file, stream + 3 + dependsOn + address + clock));
}

/** A tag, then a length of up to four bytes, each but the last marked by its top bit. */
function skipDescriptorHead(file: ByteWindow, at: number): number {
  let last = at + 1;
  while (last < at + 4 && file.u8(last) & 0x80) last += 1;
  return last + 1;
}
