import type { SavedVideo } from '#device/saved/saved-video.ts';

/** A row of a whole video of three pieces, with the given fields. */
export function savedRow(fields: Partial<SavedVideo> = {}): SavedVideo {
  const size = fields.size ?? 5_000_000;
  return {
    id: 's1',
    videoId: 'v1',
    path: 'dunes.mp4',
    filename: 'dunes.mp4',
    version: '1-a',
    rendition: 'grid',
    userId: 'ana',
    kind: 'chosen',
    size,
    savedBytes: size,
    state: 'whole',
    reason: null,
    failures: 0,
    tagIds: ['t1'],
    durationSeconds: 16,
    width: 640,
    height: 360,
    type: 'video/mp4',
    needs: 0,
    poster: null,
    storyboard: null,
    subtitles: [],
    hasExtras: true,
    savedAt: 1_000,
    playedAt: null,
    checkedAt: 1_000,
    holdsUntil: 2_000,
    channelId: null,
    lockedAt: null,
    ...fields,
  };
}
