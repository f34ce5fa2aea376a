import type { z } from 'zod';
import type { QualityAnswer, qualityQuestionSchema } from '#contract/entities/quality.ts';
import { limits } from '#contract/limits.ts';
import type { PictureDemand, PlayableEncoding } from '#contract/rules/media/choose-rendition.ts';
import { chooseRendition } from '#contract/rules/media/choose-rendition.ts';
import { lackingNeeds, toNeedBits } from '#contract/rules/media/needs.ts';
import type { Audience } from '../audience.ts';

const grid: PlayableEncoding = {
  name: 'grid',
  width: null,
  height: limits.gridRenditionLines,
  kbps: limits.gridKbps,
};
const hd: PlayableEncoding = { name: 'hd', width: null, height: limits.hdRenditionLines, kbps: limits.hdKbps };
/** As large as a 4K recording: four times the pixels. */
const source: PlayableEncoding = { name: 'source', width: null, height: null, kbps: 4 * limits.hdKbps };

const tall = toNeedBits(['over-1080-lines']);

/** What fits a quadrant, whatever video it plays: as if there were all encodings of it. */
export function chooseQuality(
  question: z.output<typeof qualityQuestionSchema>,
  { device, lines }: Pick<Audience, 'device' | 'lines'>,
): QualityAnswer {
  const ladder = lackingNeeds(tall, device) === 0 ? [grid, hd, source] : [grid, hd];
  const demand = toDemand(question, lines);
  const { name, height, kbps } = chooseRendition(ladder, demand) ?? grid;
  return {
    quality: name,
    max_height: height,
    max_bitrate_bps: name === 'source' || kbps === null ? null : kbps * 1000,
    reason: explain(ladder, demand),
  };
}

function toDemand(
  {
    width,
    height,
    device_pixel_ratio: ratio,
    bandwidth_mbps: mbps,
    save_data: savesData,
    dropped_frames_percent: dropped,
  }: z.output<typeof qualityQuestionSchema>,
  lines: number,
): PictureDemand {
  return {
    width: width * ratio,
    height: height * ratio,
    kbps: mbps === undefined ? null : mbps * 1000,
    savesData,
    droppedPercent: dropped ?? null,
    lines,
  };
}

/** What has kept a larger encoding from being chosen, and otherwise that it fits. */
const reasons: readonly (readonly [Partial<PictureDemand>, string])[] = [
  [{ savesData: false }, 'The smallest is given to who saves data.'],
  [{ droppedPercent: null }, 'A larger one drops frames on this device.'],
  [{ kbps: null }, 'The network carries no larger one.'],
  [{ lines: Number.POSITIVE_INFINITY }, 'A larger one needs a plan with HD.'],
];

function explain(ladder: readonly PlayableEncoding[], demand: PictureDemand): string {
  const chosen = chooseRendition(ladder, demand);
  const found = reasons.find(([without]) => chooseRendition(ladder, { ...demand, ...without }) !== chosen);
  return found?.[1] ?? 'It fills a quadrant of this size.';
}
