import { savesData } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { chooseRendition } from '#contract/rules/media/choose-rendition.ts';
import { readLearned } from '../budget/learned-device.ts';
import type { AnsweredVideo } from './playable-video.ts';
import { renditionOf, toPlayableVideo } from './playable-video.ts';
import { encodingsOf } from './quadrant-demand.ts';

/** The address of a video that fills the window alone: of a better encoding than that of its list, where one fits. */
export async function fittingAddress(video: AnsweredVideo, signal: AbortSignal): Promise<string> {
  const { path, url } = video;
  const listed = renditionOf(url);
  const { innerWidth, innerHeight, devicePixelRatio: ratio } = window;
  const chosen = chooseRendition(encodingsOf(toPlayableVideo(video, listed)), {
    width: innerWidth * ratio,
    height: innerHeight * ratio,
    kbps: readLearned('kbps'),
    savesData: savesData(),
    droppedPercent: null,
    lines: Number.POSITIVE_INFINITY,
  });
  if (chosen === null || chosen.name === listed) return url;
  const body = { path, quadrant: 'top-left', quality: chosen.name } as const;
  // That of the list plays as well.
  const reply = await call(resolveVideoUrl, { body, signal, limitSeconds: limits.unansweredSeconds }).catch(() => null);
  return reply?.url ?? url;
}
