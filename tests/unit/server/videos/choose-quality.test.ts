import { expect, test } from 'vitest';
import { qualityAnswerSchema, qualityQuestionSchema } from '#contract/entities/feed.ts';
import { toNeedBits, usualClass } from '#contract/rules/media-needs.ts';
import { recommendQuality } from '#server/features/videos/quality.ts';

const desktop = { device: toNeedBits(['over-1080-lines']), lines: Number.POSITIVE_INFINITY };
const plain = { device: usualClass, lines: 540 };
const large = { width: 1920, height: 1080 };
const huge = { width: 3840, height: 2160 };

test.each([
  ['a quadrant', { width: 960, height: 540 }, desktop, 'grid', 'It fills a quadrant of this size.'],
  [
    'a quadrant of a dense screen',
    { width: 960, height: 540, device_pixel_ratio: 2 },
    desktop,
    'hd',
    'It fills a quadrant of this size.',
  ],
  ['a whole screen', large, desktop, 'hd', 'It fills a quadrant of this size.'],
  ['a 4K screen', huge, desktop, 'source', 'It fills a quadrant of this size.'],
  [
    'a 4K screen whose device decodes 1080 lines',
    huge,
    { ...desktop, device: usualClass },
    'hd',
    'It fills a quadrant of this size.',
  ],
  ['who saves data', { ...huge, save_data: true }, desktop, 'grid', 'The smallest is given to who saves data.'],
  [
    'a device that drops frames',
    { ...huge, dropped_frames_percent: 30 },
    desktop,
    'hd',
    'A larger one drops frames on this device.',
  ],
  ['a thin network', { ...huge, bandwidth_mbps: 2 }, desktop, 'grid', 'The network carries no larger one.'],
  ['no network at all', { ...huge, bandwidth_mbps: 0 }, desktop, 'grid', 'The network carries no larger one.'],
  ['a plan without HD', large, plain, 'grid', 'A larger one needs a plan with HD.'],
] as const)('%s gets what fits it, and why', (_, question, audience, quality, reason) => {
  const asked = qualityQuestionSchema.parse({ quadrant: 'top-left', ...question });
  expect(qualityAnswerSchema.parse(recommendQuality(asked, audience))).toMatchObject({ quality, reason });
});

test('each quality says how many lines and bits a second it takes, and a source takes what it takes', () => {
  const answer = (size: object) =>
    recommendQuality(qualityQuestionSchema.parse({ quadrant: 'top-left', ...size }), desktop);
  expect(answer({ width: 100, height: 100 })).toMatchObject({ max_height: 540, max_bitrate_bps: 1_200_000 });
  expect(answer(large)).toMatchObject({ max_height: 1080, max_bitrate_bps: 4_500_000 });
  expect(answer(huge)).toMatchObject({ max_height: null, max_bitrate_bps: null });
});
