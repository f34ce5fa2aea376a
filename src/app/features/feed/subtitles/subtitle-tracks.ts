import { useEffect, useMemo } from 'react';
import { localStore } from '#app/platform/capabilities.ts';
import { call } from '#app/platform/http/call.ts';
import { applyUser } from '#app/state/account.ts';
import { sendOrStore } from '#app/state/outbox/outbox-actions.ts';
import { session } from '#app/state/session.ts';
import { Resource } from '#app/ui/resource.ts';
import { languageName } from '#app/ui/texts.ts';
import { listSubtitles } from '#contract/endpoints.ts';
import type { SubtitleList, SubtitleTrack, UnsupportedTrack } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { deviceKey, languageState, setChosenTrack, undetermined } from './chosen-tracks.ts';

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
