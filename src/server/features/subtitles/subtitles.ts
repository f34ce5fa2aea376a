import { z } from 'zod';
import { readSubtitles } from '#contract/endpoints.ts';
import type {
  AudioTrack,
  Processing,
  SubtitleList,
  SubtitleTrack,
  UnsupportedTrack,
} from '#contract/entities/video.ts';
import { unsupportedTrackSchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { Container } from '../../media/containers/container-sniff.ts';
import { toInnerName, toLanguage } from '../../media/track-name.ts';
import type { LibraryStore } from '../../storage/stores/library-store.ts';
import type { BrowseDeps } from '../browse/list-videos.ts';
import { toSelection } from '../browse/list-videos.ts';
import { posterRepository } from '../videos/poster-repository.ts';
import { readAudioTracks, subtitleRepository } from '../videos/subtitle-repository.ts';
import type { LibraryVideo, PathResolver } from '../videos/video.ts';
import { versionOf } from '../videos/video.ts';
import { StoreSubtitles } from './store-subtitles.ts';
import type { ConversionDeps, FileBeside } from './subtitle-files.ts';
import { Conversions, findFilesBeside, SubtitleFolders } from './subtitle-files.ts';

interface SubtitleDeps extends ShownVideoDeps, ConversionDeps {
  database: ConversionDeps['database'];
  places: PathResolver;
  /** The stores of libraries, by their places. */
  libraryStores: ReadonlyMap<string, LibraryStore>;
  roots: { active(): readonly { number: number; kind: string }[] };
  inspectVideo: InspectVideo;
}

/** A text track inside a video file or beside it. */
interface Track {
  track: number;
  language: string | null;
  label: string;
  /** Identifies the text: a URL with this version always means the same text. */
  version: string;
  /** Identifies the served text; null until a job has converted it. */
  content: string | null;
}

interface SubtitleText {
  version: string;
  vtt: Buffer;
  /** Some viewers may not see the video. */
  isForSome: boolean;
}

/**
 * The subtitles of videos, inside and beside their files, as jobs have converted and stored them.
 */
export class Subtitles {
  private readonly deps: SubtitleDeps;
  private readonly folders: SubtitleFolders;
  private readonly stored: StoreSubtitles;
  private readonly inspections: Inspections;
  private readonly conversions: Conversions;

  constructor(deps: SubtitleDeps) {
    this.deps = deps;
    this.folders = new SubtitleFolders(deps.clock);
    this.stored = new StoreSubtitles(deps.clock);
    this.inspections = new Inspections(deps.inspectVideo, deps.clock);
    this.conversions = new Conversions(deps, (video) => this.findFiles(video));
  }

  /** @throws NotFound */
  async list(videoId: string, asker: Asker): Promise<SubtitleList> {
    const video = await findShownVideo(this.deps, videoId, asker);
    const [tracks, notes] = await Promise.all([
      this.findTracks(video),
      subtitleRepository.findNotes(this.deps.database.reader, video),
    ]);
    const pending = tracks.flatMap(({ content, version }) => (content === null ? version : []));
    const converting = await this.conversions.request(video, pending);
    const inspecting = notes === null ? await this.inspections.request(video) : null;
    return {
      tracks: toReplies(video.id, tracks),
      audio_tracks: notes === null ? [] : numberLabels(readAudioTracks(notes)).map(toAudioReply),
      unsupported: notes === null ? [] : readUnsupported(notes),
      processing: converting ?? inspecting,
    };
  }

  /**
   * Returns null when there is no such track, or when `version` is not its present one.
   * @throws NotFound when there is no such video
   */
  async read(videoId: string, place: string, version: string | undefined, asker: Asker): Promise<SubtitleText | null> {
    const video = await findShownVideo(this.deps, videoId, asker);
    const track = (await this.findTracks(video)).find((candidate) => String(candidate.track) === place);
    if (track?.content == null || (version !== undefined && version !== track.version)) return null;
    const vtt = await this.deps.derivedFiles.read(track.content, '.vtt');
    const isForSome = this.deps.idSets.restricted.isWithheld(0, video.number);
    if (vtt !== null) return { version: track.version, vtt, isForSome };
    await this.forget(video, track.version, track.content);
    return null;
  }

  /** Tracks beside the file are numbered after those inside. */
  private async findTracks(video: LibraryVideo): Promise<Track[]> {
    const inside = await this.findInside(video);
    const first = (inside.at(-1)?.track ?? -1) + 1;
    const beside = (await this.findBeside(video)).map((track, place) => ({ ...track, track: first + place }));
    return [...inside, ...beside].slice(0, limits.subtitleTracks);
  }

  private async findInside(video: LibraryVideo): Promise<Track[]> {
    const stored = await subtitleRepository.find(this.deps.database.reader, video);
    return stored.map(({ track, language, label, content, isConverted }) => ({
      track,
      ...toInnerName({ language, label }),
      version: content,
      content: isConverted ? content : null,
    }));
  }

  private async findBeside(video: LibraryVideo): Promise<Omit<Track, 'track'>[]> {
    const files = await this.findFiles(video);
    if (files.length === 0) return [];
    const stored = await subtitleRepository.findBeside(this.deps.database.reader, video.number);
    return files.map(({ language, label, version }) => ({
      language,
      label,
      version,
      content: stored.get(version) ?? null,
    }));
  }

  /**
   * Forgets a text that is missing on the disk: the next list has it converted again from the file
   * beside the video, or extracted again from the video.
   */
  private forget({ number }: LibraryVideo, version: string, content: string): Promise<void> {
    return this.deps.database.write(async (transaction) => {
      await subtitleRepository.deleteBeside(transaction, number, version);
      await subtitleRepository.delete(transaction, number, content);
    });
  }

  /** Uploads have no files beside them: their folder holds uploads of other people. */
  private async findFiles(video: LibraryVideo): Promise<FileBeside[]> {
    const root = this.deps.roots.active().find(({ number }) => number === video.rootNumber);
    if (root === undefined || root.kind === 'uploads') return [];
    const { places, libraryStores } = this.deps;
    const store = libraryStores.get(places.storeOf(video) ?? '');
    if (store !== undefined) return this.stored.list(store, video.path);
    const file = places.fileOf(video);
    return file === null ? [] : findFilesBeside(this.folders, file);
  }
}

/** Lists the tracks that can be read. */
function toReplies(videoId: string, tracks: readonly Track[]): SubtitleTrack[] {
  return numberLabels(tracks).flatMap(({ track, language, label, version, content }) => {
    if (content === null) return [];
    const path = readSubtitles.path.replace('{id}', encodeURIComponent(videoId)).replace('{track}', String(track));
    return { track, language, label, url: `${path}?version=${version}` };
  });
}

/** Numbers equal labels, so that a person can tell the tracks apart. */
function numberLabels<T extends { label: string }>(tracks: readonly T[]): T[] {
  const counts = new Map<string, number>();
  return tracks.map((track) => {
    const count = (counts.get(track.label) ?? 0) + 1;
    counts.set(track.label, count);
    return count === 1 ? track : { ...track, label: `${track.label} ${count}` };
  });
}

function toAudioReply({ track, language, label, isDefault }: ReturnType<typeof readAudioTracks>[number]): AudioTrack {
  return { track, language, label, is_default: isDefault };
}

const notesSchema = z.array(z.unknown());

/** The tracks among the notes that a person could miss. */
function readUnsupported(notes: string): UnsupportedTrack[] {
  return notesSchema
    .parse(JSON.parse(notes))
    .flatMap((note) => unsupportedTrackSchema.safeParse(note).data ?? [])
    .slice(0, limits.subtitleTracks)
    .map(({ kind, language }) => ({ kind, language: language === null ? null : toLanguage(language) }));
}

type ShownVideoDeps = Pick<BrowseDeps, 'database' | 'favourites' | 'idSets' | 'restrictedTags' | 'tagCatalogue'>;

/** The person who asks for subtitles. */
export interface Asker {
  /** The account whose stored blocklist applies; null for none. */
  userId: string | null;
  /** Administrators also see hidden videos. */
  isAdmin: boolean;
  rank: number;
}

/**
 * @throws NotFound for a video that this person is not shown: gone, hidden, withheld, or in a
 * blocked channel
 */
async function findShownVideo(
  deps: ShownVideoDeps,
  id: string,
  { userId, isAdmin, rank }: Asker,
): Promise<LibraryVideo> {
  const video = await posterRepository.findVideo(deps.database.reader, id);
  if (video === null) throw new NotFound('video');
  if (video.isHidden && isAdmin) return video;
  const tags = await deps.tagCatalogue.readFor(rank);
  const all = { tagIds: [], blockedTagIds: [], mode: 'OR', userId, rank } as const;
  const selection = await toSelection(deps, tags, all);
  if (selection === null || !deps.idSets.matches(selection, video.number)) throw new NotFound('video');
  return video;
}

/**
 * Queues an inspection of a video by ffmpeg, before other work, so that its subtitles are stored.
 * @returns null when no inspection is possible
 */
type InspectVideo = (videoNumber: number) => Promise<Processing | null>;

const withTextTracks: readonly (Container | null)[] = ['matroska', 'webm', 'mp4', 'mov'];
/**
 * An inspection that was requested this long ago is requested again: its job may have been
 * cancelled, or it was not possible then.
 */
const askedForMs = 30_000;
/** At most this many requests are remembered, the latest ones. */
const rememberedMax = 5_000;

interface AskedInspection {
  version: string;
  processing: Processing | null;
  /** Measured by `clock.elapsed()`. */
  at: number;
}

/** Requests the inspection of each version of a file, again only after a while. */
export class Inspections {
  private readonly inspect: InspectVideo;
  private readonly clock: Pick<Clock, 'elapsed'>;
  private readonly asked = new Map<number, AskedInspection>();

  constructor(inspect: InspectVideo, clock: Pick<Clock, 'elapsed'>) {
    this.inspect = inspect;
    this.clock = clock;
  }

  /** Requests the inspection of a video without findings. Returns null when there will be none. */
  async request(video: LibraryVideo): Promise<Processing | null> {
    if (!withTextTracks.includes(video.container)) return null;
    const version = versionOf(video);
    const known = this.asked.get(video.number);
    const now = this.clock.elapsed();
    if (known?.version === version && now - known.at < askedForMs) return known.processing;
    const processing = await this.inspect(video.number);
    this.asked.delete(video.number);
    this.asked.set(video.number, { version, processing, at: now });
    const [oldest] = this.asked.size > rememberedMax ? this.asked.keys() : [];
    if (oldest !== undefined) this.asked.delete(oldest);
    return processing;
  }
}
