import { Info, LayoutGrid, Share2 } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { copyTextOf, shareSheet } from '#app/platform/later-capabilities.ts';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import { navigation } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { shownVideos } from '#app/state/unsent.ts';
import { openDetails, playInQuadrant, requestVideoAct, titleChanged } from '#app/state/view-requests.ts';
import { watchedLog } from '#app/state/watched-log.ts';
import { IconButton } from '#app/ui/button.tsx';
import { OptionsDialog } from '#app/ui/form/select.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { PlayerModal, VideoActButtons } from '#app/ui/media/player-modal.tsx';
import { readVideo } from '#contract/endpoints.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { startFailures } from '#contract/start.ts';
import { now } from '#device/timers.ts';
import type { VideoCard } from './browse-store.ts';
import { channels, videos } from './browse-store.ts';
import { FavouriteButton } from './favourite-button.tsx';
import styles from './video-player.module.css';

const places = quadrants.map((value) => ({ value, label: quadrantNames[value] }));

/** Plays the chosen video over the view, with buttons to send it to the feed and to share it. */
export function VideoPlayer() {
  const { video, isChoosing } = useSnapshot(player);
  const viewer = useSnapshot(session);
  const own = useSnapshot(settings);
  useEffect(() => titleChanged.listen(retitle), []);
  if (!video) return <PlaceMenu />;
  const named = { id: video.id, title: video.title ?? video.filename };
  const actions = (
    <>
      <IconButton label="Play in..." icon={<LayoutGrid aria-hidden="true" />} onPress={() => chooseQuadrant(true)} />
      <IconButton label="Details" icon={<Info aria-hidden="true" />} onPress={() => openDetails(video.id)} />
      <FavouriteButton video={named} />
      <ShareButton address={addressOf(video)} />
      <VideoActButtons
        onReport={() => requestVideoAct({ kind: 'report', video: named })}
        onHide={
          may('admin_panel', viewer) ? () => requestVideoAct({ kind: 'hide', video: named, onHidden: leave }) : null
        }
      />
      <Suspense fallback={null}>
        <KeepButton video={video as VideoCard} />
      </Suspense>
    </>
  );
  return (
    <>
      <PlayerModal
        title={named.title}
        url={video.url}
        posterUrl={video.poster_url}
        seekStepSeconds={stepSeconds(viewer, own)}
        actions={actions}
        onPlaying={() => noteShown(video.id)}
        onClose={closePlayer}
      />
      {isChoosing && (
        <OptionsDialog
          title="Play in..."
          options={places}
          value={null}
          onChoose={(quadrant) => playIn(quadrant)}
          onClose={() => chooseQuadrant(false)}
        />
      )}
    </>
  );
}

const menuPlaces = quadrants.map((value) => ({ value, label: `Play ${quadrantNames[value].toLowerCase()}` }));

/** The menu of a card: the quadrants in which its video can play. */
function PlaceMenu() {
  const { placed } = useSnapshot(player) as typeof player;
  if (!placed) return null;
  return (
    <OptionsDialog
      title={placed.title ?? placed.filename}
      options={menuPlaces}
      value={null}
      onChoose={(quadrant) => playIn(quadrant, placed)}
      onClose={closePlayer}
    />
  );
}

/** Comes late, behind buttons that it may not move; if the file does not load, nothing is kept. */
const KeepButton = lazyPart(
  async () => (await import('./keep-button.tsx')).KeepButton,
  () => null,
);

const outcomes = { copied: 'Link copied.', 'not-copied': 'The link could not be copied.' };

/** Shares the address through the system's dialog, or copies it where there is none. */
function ShareButton({ address }: { address: string }) {
  const text = useRef<HTMLSpanElement>(null);
  const [outcome, setOutcome] = useState<keyof typeof outcomes | null>(null);
  const share = async () => {
    const sheet = shareSheet();
    if (sheet) await sheet({ url: address });
    else if (text.current) setOutcome((await copyTextOf(text.current)) ? 'copied' : 'not-copied');
  };
  return (
    <>
      <span role="status" className={styles.outcome}>
        {outcome && outcomes[outcome]}
      </span>
      <span ref={text} className="visually-hidden" aria-hidden="true">
        {address}
      </span>
      <IconButton label="Share" icon={<Share2 aria-hidden="true" />} onPress={() => void share()} />
    </>
  );
}

interface PlayerState {
  /** The video that plays over the view. */
  video: VideoCard | null;
  /** Whether the choice of a quadrant is open over the player. */
  isChoosing: boolean;
  /** The video whose card's menu is open. */
  placed: VideoCard | null;
  /** Why the requested video does not play. */
  failure: string | null;
}

export const player = proxy<PlayerState>({ video: null, isChoosing: false, placed: null, failure: null });

/** Aborted when another video is chosen or the view closes. */
let asking = new AbortController();

/**
 * Plays the video of a card. The list may be outdated, so an expired URL and a video listed as not
 * playable are read again.
 */
export async function play(video: VideoCard): Promise<void> {
  const { signal } = forgetAsked();
  const current = await withValidAddress(video, signal);
  if (current) await show(current, signal);
}

/** Plays the rendition that fits the window. */
async function show(video: VideoCard, signal: AbortSignal): Promise<void> {
  const url = await fittingAddress(video, settings.quality, signal);
  if (signal.aborted) return;
  notedId = null;
  player.video = { ...video, url };
}

/** The video of the player, once it has come to the screen. */
let notedId: string | null = null;

function noteShown(id: string): void {
  if (id === notedId) return;
  notedId = id;
  watchedLog.start();
  shownVideos.untold.push(id);
}

/** Plays the video of a shared link, once. */
export async function playShared(): Promise<void> {
  const id = navigation.sharedVideoId;
  navigation.sharedVideoId = null;
  if (id === null) return;
  const { signal } = forgetAsked();
  const video = await readAgain(id, signal);
  if (video) await show(video, signal);
}

export function dismissFailure(): void {
  player.failure = null;
}

export function closePlayer(): void {
  asking.abort();
  Object.assign(player, { video: null, isChoosing: false, placed: null });
}

/** Leaves a video that was hidden, which its channels do not count any more. */
export function leave(id: string): void {
  if (player.video?.id === id) closePlayer();
  for (const list of [channels, videos]) if (list.state.total !== null) void list.reload();
}

function retitle({ id, title }: { id: string; title: string }): void {
  if (player.video?.id === id) player.video.title = title;
}

function chooseQuadrant(isChoosing: boolean): void {
  player.isChoosing = isChoosing;
}

export function openPlaces(video: VideoCard): void {
  player.placed = video;
}

/** Plays a video, that of the player unless told, in a quadrant of the feed from its start. */
export async function playIn(quadrant: Quadrant, wanted = player.video): Promise<void> {
  const video = wanted && (await withValidAddress(wanted, forgetAsked().signal));
  if (!video) return closePlayer();
  closePlayer();
  playInQuadrant({ quadrant, video: toPlayableVideo(video, renditionOf(video.url)) });
}

async function withValidAddress(video: VideoCard, signal: AbortSignal): Promise<VideoCard | null> {
  return video.available && canStart(video.url, now()) !== false ? video : readAgain(video.id, signal);
}

/**
 * @returns the video, or null when it cannot be read or played, which is shown, or the request was
 * aborted
 */
async function readAgain(id: string, signal: AbortSignal): Promise<VideoCard | null> {
  try {
    const { video } = await call(readVideo, { params: { id }, signal });
    if (signal.aborted) return null;
    if (video.available) return video;
    player.failure = video.message ?? startFailures.loadVideo;
    return null;
  } catch {
    if (!signal.aborted) player.failure = startFailures.loadVideo;
    return null;
  }
}

function forgetAsked(): AbortController {
  asking.abort();
  asking = new AbortController();
  player.failure = null;
  return asking;
}

/** The address of the site that opens this video (§2). */
function addressOf({ id }: Pick<VideoCard, 'id'>): string {
  return `${location.origin}/?video=${encodeURIComponent(id)}`;
}
