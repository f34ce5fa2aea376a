import { z } from 'zod';
import { readSubtitles } from '#contract/endpoints.ts';
import type { SubtitleList, SubtitleTrack, UnsupportedTrack } from '#contract/entities/video.ts';
import { unsupportedTrackSchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import { toInnerName, toLanguage } from '../../media/subtitles/track-name.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { findMediaNotes, findSubtitles } from '../videos/subtitle-repository.ts';
import type { Video } from '../videos/video.ts';
import { ConvertedTexts } from './converted-texts.ts';
import { findFilesBeside, readFileBeside } from './files-beside.ts';
import type { InspectVideo } from './inspections.ts';
import { Inspections } from './inspections.ts';
import type { Asker, ShownVideoDeps } from './shown-video.ts';
import { findShownVideo } from './shown-video.ts';
import { SubtitleFolders } from './subtitle-folders.ts';

export interface SubtitleDeps extends ShownVideoDeps {
  clock: Pick<Clock, 'elapsed'>;
  places: PathResolver;
  roots: { active(): readonly { number: number; kind: string }[] };
  derivedFiles: { read(content: string, extension: '.vtt'): Promise<Buffer | null> };
  inspectVideo: InspectVideo;
}

/** A text track, inside a video or beside its file. */
interface Track {
  track: number;
  language: string | null;
  label: string;
  /** Names what is in it: an address with it means the same text for ever. */
  version: string;
  /** Null when it is gone. */
  read(): Promise<Buffer | null>;
}

export interface SubtitleText {
  version: string;
  vtt: string;
}

/** The subtitles of videos: those inside as a job has stored them, those beside them as they lie in their folder. */
export class Subtitles {
  private readonly deps: SubtitleDeps;
  private readonly folders: SubtitleFolders;
  private readonly inspections: Inspections;
  private readonly texts = new ConvertedTexts();

  constructor(deps: SubtitleDeps) {
    this.deps = deps;
    this.folders = new SubtitleFolders(deps.clock);
    this.inspections = new Inspections(deps.inspectVideo);
  }

  /** @throws NotFound */
  async list(videoId: string, asker: Asker): Promise<SubtitleList> {
    const video = await findShownVideo(this.deps, videoId, asker);
    const [tracks, notes] = await Promise.all([
      this.findTracks(video),
      findMediaNotes(this.deps.database.reader, video),
    ]);
    return {
      tracks: toReplies(video.id, tracks),
      unsupported: notes === null ? [] : readUnsupported(notes),
      processing: notes === null ? await this.inspections.request(video) : null,
    };
  }

  /**
   * Null when there is no such track, and when `version` names another one than stands there now.
   * @throws NotFound when there is no such video
   */
  async read(videoId: string, place: string, version: string | undefined, asker: Asker): Promise<SubtitleText | null> {
    const video = await findShownVideo(this.deps, videoId, asker);
    const track = (await this.findTracks(video)).find((candidate) => String(candidate.track) === place);
    if (track === undefined || (version !== undefined && version !== track.version)) return null;
    const vtt = await this.texts.find(track.version, track.read);
    return vtt === null ? null : { version: track.version, vtt };
  }

  /** Those of the folder come behind those inside. */
  private async findTracks(video: Video): Promise<Track[]> {
    const inside = await this.findInside(video);
    const first = (inside.at(-1)?.track ?? -1) + 1;
    const beside = (await this.findBeside(video)).map((track, place) => ({ ...track, track: first + place }));
    return [...inside, ...beside].slice(0, limits.subtitleTracks);
  }

  private async findInside(video: Video): Promise<Track[]> {
    const stored = await findSubtitles(this.deps.database.reader, video);
    return stored.map(({ track, language, label, content }) => ({
      track,
      ...toInnerName({ language, label }),
      version: content,
      read: () => this.deps.derivedFiles.read(content, '.vtt'),
    }));
  }

  /** Nothing lies beside an upload: its folder holds what other people sent. */
  private async findBeside(video: Video): Promise<Omit<Track, 'track'>[]> {
    const root = this.deps.roots.active().find(({ number }) => number === video.rootNumber);
    const file = root === undefined || root.kind === 'uploads' ? null : this.deps.places.fileOf(video);
    if (file === null) return [];
    const found = await findFilesBeside(this.folders, file);
    return found.map((beside) => ({
      language: beside.language,
      label: beside.label,
      version: beside.version,
      read: () => readFileBeside(beside),
    }));
  }
}

/** Equal labels are counted: a person could not tell them apart. */
function toReplies(videoId: string, tracks: readonly Track[]): SubtitleTrack[] {
  const counts = new Map<string, number>();
  return tracks.map(({ track, language, label, version }) => {
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    const path = readSubtitles.path.replace('{id}', encodeURIComponent(videoId)).replace('{track}', String(track));
    return { track, language, label: count === 1 ? label : `${label} ${count}`, url: `${path}?version=${version}` };
  });
}

const notesSchema = z.array(z.unknown());

/** Of all that was noted, what a person could miss. */
function readUnsupported(notes: string): UnsupportedTrack[] {
  return notesSchema
    .parse(JSON.parse(notes))
    .flatMap((note) => unsupportedTrackSchema.safeParse(note).data ?? [])
    .slice(0, limits.subtitleTracks)
    .map(({ kind, language }) => ({ kind, language: language === null ? null : toLanguage(language) }));
}
