import { mix, wave } from '../drawing/motion.ts';
import { createRandom, drawBetween } from '../drawing/seeded.ts';
import type { Loop } from './loop-noise.ts';
import {
  addLoops,
  createNoise,
  keepBand,
  keepHigh,
  keepLow,
  level,
  roundEnds,
  SAMPLE_RATE,
  swell,
} from './loop-noise.ts';

/** Builds one channel; `side` is 0 for left and 1 for right, which differ a little so that the sound has width. */
type Soundscape = (length: number, side: number) => Loop;

/** Two long waves in the loop, hissing as they run out; the loop starts in the quiet between them. */
const waves: Soundscape = (length, side) => {
  const surge = (t: number) => (0.5 - 0.5 * Math.cos(2 * Math.PI * (t * 2 - side * 0.02))) ** 2;
  const rumble = swell(level(keepLow(createNoise(length, 11 + side), 260), 0.05), (t) => 0.4 + 0.6 * surge(t));
  const hiss = swell(
    level(keepBand(createNoise(length, 21 + side), 900, 5200), 0.034),
    (t) => 0.12 + 0.88 * surge(t - 0.04),
  );
  return addLoops(rumble, hiss);
};

const wind: Soundscape = (length, side) => {
  const low = swell(
    level(keepBand(createNoise(length, 31 + side), 120, 480), 0.03),
    (t) => 0.65 + 0.35 * wave(t, 1, side * 0.08),
  );
  const leaves = swell(
    level(keepBand(createNoise(length, 41 + side), 1800, 6000), 0.009),
    (t) => 0.5 + 0.3 * wave(t, 2, 0.3) + 0.2 * wave(t, 3, side * 0.1),
  );
  return addLoops(low, leaves, singBirds(length, side));
};

const rain: Soundscape = (length, side) => {
  const fall = level(keepHigh(keepLow(createNoise(length, 51 + side), 7000), 700), 0.022);
  const roof = level(keepBand(createNoise(length, 61 + side), 150, 700), 0.016);
  return addLoops(fall, roof, scatterDrops(length, side));
};

/**
 * A slow chord of whole-cycle tones, each breathing in its own time; all of it takes a breath where the loop starts.
 */
const chords: Soundscape = (length, side) => {
  const seconds = length / SAMPLE_RATE;
  const tones = [110, 164.8, 220, 277.2, 329.6, 415.3, 554.4].map((tone) => Math.round(tone * seconds));
  const sound = new Float32Array(length);
  for (let index = 0; index < length; index++) {
    const t = index / length;
    for (const [voice, cycles] of tones.entries()) {
      const breath = 0.55 + 0.45 * wave(t, 1 + (voice % 2), voice * 0.23 + side * 0.06);
      sound[index] =
        (sound[index] ?? 0) + (breath * (wave(t, cycles) + 0.4 * wave(t, cycles + 3 + side, 0.2))) / (1 + voice * 0.55);
    }
  }
  const air = level(keepBand(createNoise(length, 71 + side), 300, 1400), 0.004);
  return addLoops(roundEnds(level(sound, 0.045), 0.9), air);
};

/** Soft falling whistles far away, none of them over the seam. */
function singBirds(length: number, side: number): Loop {
  const sound = new Float32Array(length);
  const random = createRandom(5);
  for (let call = 0; call < 5; call++) {
    const start = Math.floor(length * (0.08 + call * 0.17 + random() * 0.06));
    const pitch = drawBetween(random, 2300, 3300);
    const nearness = drawBetween(random, 0.006, 0.014) * (call % 2 === side ? 1 : 0.55);
    for (let note = 0; note < 3; note++) addWhistle(sound, start + note * 7600, pitch * (1 - note * 0.07), nearness);
  }
  return sound;
}

function addWhistle(sound: Loop, start: number, pitch: number, loudness: number): void {
  const span = 5200;
  let turn = 0;
  for (let index = 0; index < span; index++) {
    const share = index / span;
    turn += (2 * Math.PI * pitch * (1 + 0.09 * Math.sin(share * Math.PI))) / SAMPLE_RATE;
    const place = (start + index) % sound.length;
    sound[place] = (sound[place] ?? 0) + loudness * Math.sin(share * Math.PI) ** 2 * Math.sin(turn);
  }
}

/** Single drops on glass: short, each with a pitch of its own, and free to ring over the seam. */
function scatterDrops(length: number, side: number): Loop {
  const sound = new Float32Array(length);
  const random = createRandom(90 + side);
  for (let drop = 0; drop < (length / SAMPLE_RATE) * 26; drop++) {
    const start = Math.floor(random() * length);
    const pitch = drawBetween(random, 900, 3600);
    const loudness = mix(0.004, 0.03, random() ** 3);
    for (let index = 0; index < 1400; index++) {
      const place = (start + index) % length;
      sound[place] =
        (sound[place] ?? 0) + loudness * Math.exp(-index / 190) * Math.sin((2 * Math.PI * pitch * index) / SAMPLE_RATE);
    }
  }
  return sound;
}

export const soundscapes = { waves, wind, rain, chords } satisfies Record<string, Soundscape>;

export type SoundscapeName = keyof typeof soundscapes;
