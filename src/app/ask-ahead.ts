import { pickVideo, readConfig } from '#contract/endpoints.ts';
import type { PickReply } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { quadrantWidth } from './features/feed/quadrant-width.ts';
import { addressOf } from './platform/address.ts';
import type { Answer } from './platform/answer.ts';
import type { AskedAhead } from './platform/asked-ahead.ts';
import { fetchAnswer } from './platform/send.ts';
import { addressOf as streamAddressOf } from './playback/stream-address.ts';
import { createVideo } from './playback/video-element.ts';

/*
 * The build puts this into the page itself: it asks for the first four videos and the configuration, and lets the videos load, while the engine's
 * file is on its way. The engine makes the same calls, and takes answers and elements over; what it does not ask for is dropped. Whoever is signed
 * in asks with a token, so that nothing of this fits: to look for one in the storage would make the page stand still here.
 */
const ahead: AskedAhead = { answers: {}, videos: {}, begun: Promise.resolve() };
const taken = new Set<string>();

if (location.search === '') {
  window.askedAhead = ahead;
  ahead.begun = Promise.all(quadrants.map((quadrant) => startVideo(quadrant).catch(leaveToEngine)));
  ask(addressOf(readConfig.path));
}

async function startVideo(quadrant: Quadrant): Promise<void> {
  const { ok, text } = await ask(addressOf(pickVideo.path, { quadrant }, { exclude: '', width: quadrantWidth() }));
  const { id, url } = ok ? (JSON.parse(text) as PickReply) : { id: null, url: null };
  // No two quadrants start with the same video; the engine asks again for the slower one.
  if (!url || taken.has(id) || !ahead.videos) return;
  taken.add(id);
  const video = createVideo();
  video.src = streamAddressOf(url);
  ahead.videos[quadrant] = video;
}

function ask(address: string): Promise<Answer> {
  const answer = fetchAnswer({ method: 'GET', address }, null);
  answer.catch(leaveToEngine);
  ahead.answers[address] = answer;
  return answer;
}

/** It takes the same answer, and says what failed. */
function leaveToEngine(): void {}
