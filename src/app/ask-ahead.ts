import { pickVideo, readConfig } from '#contract/endpoints.ts';
import type { PickReply } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { quadrantWidth } from './features/feed/quadrant-width.ts';
import { addressOf } from './platform/address.ts';
import type { AskedAhead } from './platform/asked-ahead.ts';
import { startRequest } from './platform/send.ts';
import { createLayer } from './playback/layer.ts';
import { addressOf as streamAddressOf } from './playback/stream-address.ts';

/*
 * The build puts this into the page itself: it asks for the first four videos and the configuration, and lets the videos load, while the engine's
 * file is on its way. The engine makes the same calls, and takes answers and elements over; what it does not ask for is dropped. Whoever is signed
 * in asks with a token, so that nothing of this fits: to look for one in the storage would make the page stand still here.
 */
const ahead: AskedAhead = { answers: {}, videos: {} };
const taken = new Set<string>();

if (location.search === '') {
  window.askedAhead = ahead;
  for (const quadrant of quadrants) startVideo(quadrant).catch(leaveToEngine);
  ask(addressOf(readConfig.path));
}

async function startVideo(quadrant: Quadrant): Promise<void> {
  const answer = await ask(addressOf(pickVideo.path, { quadrant }, { exclude: '', width: quadrantWidth() }));
  if (!answer.ok) return;
  const { id, url } = (await answer.clone().json()) as PickReply;
  // No two quadrants start with the same video; the engine asks again for the slower one.
  if (!url || taken.has(id) || !ahead.videos) return;
  taken.add(id);
  const video = createLayer();
  video.src = streamAddressOf(url);
  ahead.videos[quadrant] = video;
}

function ask(address: string): Promise<Response> {
  const answer = startRequest({ method: 'GET', address }, null);
  answer.catch(leaveToEngine);
  ahead.answers[address] = answer;
  return answer;
}

/** It takes the same answer, and says what failed. */
function leaveToEngine(): void {}
