/**
 * The requirements that a file can have of a player, beyond what every player supports: H.264 with
 * 8 bits and 4:2:0 up to 1080 lines, and AAC or MP3, in an MP4. The index of a need is stored and
 * sent: new ones are added at the end.
 */
export const mediaNeeds = [
  // Containers
  'quicktime',
  'matroska',
  'webm',
  // Pictures
  'avc-10-bit',
  'avc-4:2:2',
  'avc-4:4:4',
  'hevc',
  'hevc-10-bit',
  'vp8',
  'vp9',
  'vp9-10-bit',
  'av1',
  'av1-10-bit',
  'over-1080-lines',
  'over-2160-lines',
  // Sound
  'opus',
  'vorbis',
  'flac',
  'alac',
  'ac3',
  'eac3',
  'dts',
  'pcm',
  // Other codecs, such as MP2, TrueHD or AMR: no device plays them.
  'other-sound',
] as const;

export type MediaNeed = (typeof mediaNeeds)[number];

/** A set of needs as one number, as it is stored: bit `n` stands for the need at index `n`. */
export type NeedBits = number;

const soundNeeds: readonly MediaNeed[] = ['opus', 'vorbis', 'flac', 'alac', 'ac3', 'eac3', 'dts', 'pcm', 'other-sound'];

export function toNeedBits(needs: Iterable<MediaNeed>): NeedBits {
  let bits = 0;
  for (const need of needs) bits |= 1 << mediaNeeds.indexOf(need);
  return bits;
}

export function listNeeds(bits: NeedBits): MediaNeed[] {
  return mediaNeeds.filter((_, place) => (bits & (1 << place)) !== 0);
}

/**
 * The needs without which there is no picture. A file of which only the sound is not supported
 * plays silently.
 */
export const pictureNeedBits: NeedBits = toNeedBits(mediaNeeds.filter((need) => !soundNeeds.includes(need)));

/** The needs that a device supports, as one number. */
export type DeviceClass = NeedBits;

/**
 * The needs that nearly every browser supports: assumed for a device that has not reported its own.
 * MKV, HEVC, AV1 and 10 bits are not among them.
 */
export const usualClass: DeviceClass = toNeedBits(['quicktime', 'webm', 'vp8', 'vp9', 'opus', 'vorbis', 'flac']);

/** The needs of a file that the device does not support. */
export function lackingNeeds(needs: NeedBits, device: DeviceClass): NeedBits {
  return needs & ~device;
}

/** Whether the device can show the file's picture. */
export function showsPicture(needs: NeedBits, device: DeviceClass): boolean {
  return (lackingNeeds(needs, device) & pictureNeedBits) === 0;
}

/** The cookie in which a page reports the needs that its device supports. */
export const deviceClassCookie = 'plays';

/** The class in base 36, as the cookie has it. */
export function writeDeviceClass(device: DeviceClass): string {
  return device.toString(36);
}

/** Null when the text is not a class. Needs of a later version are left out. */
export function readDeviceClass(text: string | undefined): DeviceClass | null {
  if (text === undefined || !/^[0-9a-z]{1,6}$/.test(text)) return null;
  return parseInt(text, 36) & ((1 << mediaNeeds.length) - 1);
}

/**
 * The known facts about a file's tracks; null: unknown, or no such track. Codecs have the names
 * that the server's parsers give them.
 */
export interface MediaFacts {
  container: string | null;
  videoCodec: string | null;
  audioCodec: string | null;
  /** Bits of each sample of the picture. */
  bitDepth: number | null;
  chroma: Chroma | null;
  /** Pixels as shown. */
  width: number | null;
  height: number | null;
}

export const chromas = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'] as const;
export type Chroma = (typeof chromas)[number];

export function needsOf(facts: MediaFacts): NeedBits {
  return toNeedBits([...containerNeeds(facts), ...pictureNeeds(facts), ...sizeNeeds(facts), ...soundNeedsOf(facts)]);
}

function containerNeeds({ container }: MediaFacts): MediaNeed[] {
  if (container === 'mov') return ['quicktime'];
  if (container === 'webm' || container === 'matroska') return [container];
  return [];
}

function pictureNeeds({ videoCodec, bitDepth, chroma }: MediaFacts): MediaNeed[] {
  const isDeep = bitDepth !== null && bitDepth > 8;
  switch (videoCodec) {
    case 'avc':
      return [
        ...(isDeep ? (['avc-10-bit'] as const) : []),
        ...(chroma === '4:2:2' || chroma === '4:4:4' ? [`avc-${chroma}` as const] : []),
      ];
    case 'hevc':
    case 'vp9':
    case 'av1':
      return isDeep ? [videoCodec, `${videoCodec}-10-bit`] : [videoCodec];
    case 'vp8':
      return ['vp8'];
    default:
      return [];
  }
}

/** Counts the shorter side: a phone's upright video has as many lines as a landscape one. */
function sizeNeeds({ width, height }: MediaFacts): MediaNeed[] {
  const lines = Math.min(width ?? 0, height ?? 0);
  if (lines > 2_160) return ['over-1080-lines', 'over-2160-lines'];
  return lines > 1_088 ? ['over-1080-lines'] : [];
}

function soundNeedsOf({ audioCodec }: MediaFacts): MediaNeed[] {
  return soundNeeds.filter((need) => need === (audioCodec === 'other' ? 'other-sound' : audioCodec));
}
