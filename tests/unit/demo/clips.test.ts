import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { describe, expect, test } from 'vitest';

const CLIP_FOLDER = new URL('../../../src/demo/clips/', import.meta.url);
const CHANNELS_FILE = new URL('../../../src/demo/channels.json', import.meta.url);
const MEGABYTE = 1_000_000;

type Channels = { channels: { name: string; description: string; color: string }[]; videos: Record<string, string[]> };

type Clip = {
  name: string;
  bytes: Buffer;
  seconds: number;
  width: number;
  height: number;
  codec: string | null;
  hasSound: boolean;
};

const names = readdirSync(fileURLToPath(CLIP_FOLDER)).filter((name) => name.endsWith('.mp4'));
const library = await Promise.all(names.map(readClip));
const { channels, videos } = JSON.parse(readFileSync(CHANNELS_FILE, 'utf8')) as Channels;

async function readClip(name: string): Promise<Clip> {
  const bytes = readFileSync(new URL(name, CLIP_FOLDER));
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(new Uint8Array(bytes)) });
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new Error(`${name} has no picture.`);
  const seconds = await input.computeDuration();
  const sound = await input.getPrimaryAudioTrack();
  const [width, height, codec] = await Promise.all([
    track.getDisplayWidth(),
    track.getDisplayHeight(),
    track.getCodec(),
  ]);
  return { name, bytes, seconds, width, height, codec, hasSound: sound !== null };
}

/** Types of the boxes at the top of an MP4 file, in their order. */
function listBoxes(bytes: Buffer): string[] {
  const boxes: string[] = [];
  for (let place = 0; place + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(place);
    boxes.push(bytes.toString('latin1', place + 4, place + 8));
    if (size < 8) break;
    place += size;
  }
  return boxes;
}

describe('the demo clips', () => {
  test('there are twelve, small enough to keep in the repository', () => {
    expect(library).toHaveLength(12);
    expect(library.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(12 * MEGABYTE);
  });

  test.each(library)('$name plays at once everywhere', ({ bytes, seconds, codec }) => {
    expect(bytes.length).toBeGreaterThanOrEqual(0.5 * MEGABYTE);
    expect(bytes.length).toBeLessThanOrEqual(1.5 * MEGABYTE);
    expect(seconds).toBeGreaterThanOrEqual(10);
    expect(seconds).toBeLessThanOrEqual(20);
    expect(codec).toBe('avc');
    const boxes = listBoxes(bytes);
    expect(boxes).toContain('moov');
    expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
  });

  test('two are upright, and some have sound', () => {
    expect(library.filter(({ width, height }) => height > width)).toHaveLength(2);
    expect(library.filter(({ hasSound }) => hasSound).length).toBeGreaterThanOrEqual(3);
    expect(library.some(({ hasSound }) => !hasSound)).toBe(true);
  });
});

describe('the demo channels', () => {
  test('name every clip, and no other', () => {
    expect(Object.keys(videos).sort()).toEqual([...names].sort());
  });

  test('each clip is in one to three channels that exist', () => {
    const known = channels.map(({ name }) => name);
    for (const chosen of Object.values(videos)) {
      expect(chosen.length).toBeGreaterThanOrEqual(1);
      expect(chosen.length).toBeLessThanOrEqual(3);
      expect(known).toEqual(expect.arrayContaining(chosen));
    }
  });

  test.each(channels)('$name has a colour, a description and at least two clips', ({ name, description, color }) => {
    expect(color).toMatch(/^#[0-9A-F]{6}$/);
    expect(description).not.toBe('');
    expect(Object.values(videos).filter((chosen) => chosen.includes(name)).length).toBeGreaterThanOrEqual(2);
  });
});
