import { useEffect, useMemo } from 'react';
import { subscribeKey } from 'valtio/vanilla/utils';
import { localStore } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { syncWithFront } from '#app/playback/quality/quality-control.ts';
import { applyUser } from '#app/state/account.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { session } from '#app/state/session.ts';
import { announceAudioLanguage, changeSettings } from '#app/state/settings.ts';
import { Resource } from '#app/ui/resource.ts';
import { languageName } from '#app/ui/texts.ts';
import { listSubtitles, resolveVideoUrl } from '#contract/endpoints.ts';
import type { VideoUrl } from '#contract/entities/feed.ts';
import type { AudioTrack, SubtitleList, SubtitleTrack, UnsupportedTrack } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { feed } from '../feed-state.ts';
import { showWords } from '../filter/channel-keys.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { isSaved } from '../quadrant/quadrant.ts';
import { machines } from '../quadrant/quadrant-machine.ts';
import { deviceKey, languageState, setChosenTrack, undetermined } from './chosen-tracks.ts';
import { isTemporary } from './cues.ts';

/** Interval of requests while the server still extracts the tracks of a file. */
const processingRefreshMs = 3_000;

/** The tracks of a video, shared by the menus and quadrants that need them. */
class SharedList {
  readonly resource: Resource<SubtitleList>;
  private readonly forget: () => void;
  private users = 0;
  private close = () => {};

  constructor(videoId: string, forget: () => void) {
    this.forget = forget;
    this.resource = new Resource({
      load: (signal) => call(listSubtitles, { params: { id: videoId }, signal }),
      toSentence: failures.loadSubtitles,
      isTemporary,
      refreshMs: (list) => (isProcessing(list) ? processingRefreshMs : null),
    });
  }

  /** Returns a function that closes it once all users have closed it. */
  open(): () => void {
    this.users += 1;
    if (this.users === 1) this.close = this.resource.open();
    return () => {
      this.users -= 1;
      if (this.users > 0) return;
      this.close();
      this.forget();
    };
  }
}

const lists = new Map<string, SharedList>();

/** The list of a video, open while the component is mounted. */
export function useSubtitleList(videoId: string): Resource<SubtitleList> {
  const list = useMemo(() => listOf(videoId), [videoId]);
  useEffect(() => list.open(), [list]);
  return list.resource;
}

/** Whether the server may still find further tracks. */
export function isProcessing({ processing }: { readonly processing: SubtitleList['processing'] }): boolean {
  return processing !== null && processing.state !== 'failed';
}

function listOf(videoId: string): SharedList {
  const known = lists.get(videoId);
  if (known) return known;
  const list = new SharedList(videoId, () => lists.delete(videoId));
  lists.set(videoId, list);
  return list;
}

/** Shows a track of a video, or none, and uses its language for the following videos. */
export function chooseSubtitles(videoId: string, track: Pick<SubtitleTrack, 'language' | 'url'> | null): void {
  setChosenTrack(videoId, track?.url ?? null);
  void rememberLanguage(track === null ? '' : (track.language ?? undetermined));
}

/** Applies a language at once, and stores it in the account or on this device. */
export async function rememberLanguage(language: string): Promise<void> {
  const chosen = { userId: session.user?.id ?? null, language };
  languageState.chosen = chosen;
  if (chosen.userId === null) {
    storeOnDevice(language);
    return;
  }
  try {
    const sent = await sendOrStore('updateProfile', { body: { settings: { subtitle_language: language } } });
    if (sent.isStored) return;
    applyUser(sent.reply);
    if (languageState.chosen?.language === language) languageState.chosen = null;
  } catch {
    // The call was refused and could not be queued: the choice lasts until the page is closed.
  }
}

function storeOnDevice(language: string): void {
  languageState.ofDevice = language;
  try {
    localStore()?.setItem(deviceKey, language);
  } catch {
    // Storage is full or blocked: the choice lasts until the page is closed.
  }
}

/** Interval of questions while an encoding with another audio track is being made. */
const audioRefreshMs = 3_000;
/** An encoding takes about this long to load, so it is requested this far ahead. */
const audioLeadSeconds = 2;
/** A player that has not shown the encoding by then has given it up. */
const audioShownMs = 20_000;
const maxAudioTries = 3;

/** For each video id, the chosen audio track that has no language or has not played yet. */
const chosenAudio = new Map<string, AudioTrack>();
/** The oldest choices are dropped: their videos have long gone. */
const rememberedAudioMax = 50;

/** The change in progress in each quadrant. The next one there ends it. */
const audioChanges = byQuadrant(() => ({ ended: new AbortController(), videoId: '' }));

/**
 * Plays the video with one of its audio tracks, as soon as there is an encoding with it. The
 * language holds for the next videos of this device, too. A track without one holds for its video
 * alone, until the page is closed: its number means something else in other videos.
 */
export async function chooseAudioTrack(quadrant: Quadrant, { id }: FeedVideo, track: AudioTrack): Promise<void> {
  rememberAudioTrack(id, track);
  if (track.language !== null) {
    changeSettings({ audioLanguage: track.language });
    announceAudioLanguage();
  }
  await changeAudio(quadrant, id, track, (words) => showWords(quadrant, words));
}

function rememberAudioTrack(videoId: string, track: AudioTrack): void {
  watchShownVideos();
  chosenAudio.delete(videoId);
  chosenAudio.set(videoId, track);
  const [oldest] = chosenAudio.keys();
  if (oldest !== undefined && chosenAudio.size > rememberedAudioMax) chosenAudio.delete(oldest);
}

let isWatching = false;

/** A pick knows nothing of the choice, so the track is changed once its video is on screen. */
function watchShownVideos(): void {
  if (isWatching) return;
  isWatching = true;
  for (const quadrant of quadrants)
    subscribeKey(feed.quadrants[quadrant], 'shown', (shown) => {
      const track = shown && !isSaved(shown) && chosenAudio.get(shown.id);
      if (track && audioChanges[quadrant].videoId !== shown.id) void changeAudio(quadrant, shown.id, track);
    });
}

/** @param say absent: the viewer has not just asked for it, so nothing is said */
async function changeAudio(quadrant: Quadrant, id: string, track: AudioTrack, say?: (words: string) => void) {
  audioChanges[quadrant].ended.abort();
  const change = { ended: new AbortController(), videoId: id };
  audioChanges[quadrant] = change;
  const words = await playWithTrack(quadrant, id, track, say);
  change.videoId = '';
  const isHere = audioChanges[quadrant] === change && feed.quadrants[quadrant].shown?.id === id;
  if (isHere && track.language !== null) chosenAudio.delete(id);
  if (words !== null) say?.(words);
}

/** @returns why it cannot be played; null when it plays, or something else is wanted by now */
async function playWithTrack(
  quadrant: Quadrant,
  id: string,
  track: AudioTrack,
  say?: (words: string) => void,
): Promise<string | null> {
  const { signal } = audioChanges[quadrant].ended;
  const wanted = track.is_default ? undefined : track.track;
  let isAnnounced = false;
  let tries = 0;
  while (!signal.aborted) {
    const { shown } = feed.quadrants[quadrant];
    if (shown?.id !== id || shown.audioTrack === wanted) return null;
    const { path, rendition: quality } = shown;
    const body = { path, quadrant, quality, ...(wanted !== undefined && { audio_track: wanted }) };
    const reply = await call(resolveVideoUrl, { body, signal }).catch(failures.changeAudio);
    if (typeof reply === 'string') return signal.aborted ? null : reply;
    if (reply.audio_track === wanted) {
      tries += 1;
      if (await replaceAudio(quadrant, id, reply)) return null;
      if (tries < maxAudioTries) continue;
    }
    if (reply.audio_track === wanted || !reply.processing || !isProcessing(reply)) return failures.audioNotMade;
    if (!isAnnounced) say?.(notices.audioPrepared);
    isAnnounced = true;
    await new Promise<void>((resolve) => after(audioRefreshMs, resolve));
  }
  return null;
}

/** @returns whether the encoding is on screen, or no longer wanted there */
function replaceAudio(quadrant: Quadrant, id: string, { url, rendition, audio_track }: VideoUrl): Promise<boolean> {
  const { shown, isPaused } = feed.quadrants[quadrant];
  if (shown?.id !== id) return Promise.resolve(true);
  const player = playerOf(quadrant);
  return new Promise((resolve) => {
    const cancel = after(audioShownMs, () => resolve(false));
    player.replaceSource(url, {
      // A paused picture never reaches a later second.
      ...(isPaused ? { at: player.position } : { at: player.position + audioLeadSeconds, meet: syncWithFront }),
      shown: () => {
        cancel();
        const video = feed.quadrants[quadrant].shown;
        if (video?.id === id)
          machines[quadrant].send({ type: 'addressed', video: { ...video, url, rendition, audioTrack: audio_track } });
        resolve(true);
      },
    });
  });
}

/** Describes the tracks that cannot be chosen; null when all can. */
export function unsupportedWords(tracks: readonly UnsupportedTrack[]): string | null {
  const pictures = tracks.filter(({ kind }) => kind === 'picture-subtitles');
  const audio = tracks.filter(({ kind }) => kind === 'audio');
  const parts = [
    ...(pictures.length > 0 ? [`picture subtitles${languagesOf(pictures)}`] : []),
    ...(audio.length > 0
      ? [`${audio.length} more audio ${audio.length === 1 ? 'track' : 'tracks'}${languagesOf(audio)}`]
      : []),
  ];
  return parts.length > 0 ? `Not supported: ${parts.join(', ')}` : null;
}

function languagesOf(tracks: readonly UnsupportedTrack[]): string {
  const names = tracks.map(({ language }) => (language === null ? null : languageName(language)));
  const known = names.filter((name, at): name is string => name !== null && names.indexOf(name) === at);
  return known.length > 0 ? ` (${known.join(', ')})` : '';
}
