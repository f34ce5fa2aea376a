import { useEffect, useMemo } from 'react';
import { call } from '#app/platform/http/call.ts';
import { Resource } from '#app/ui/resource.ts';
import { listSubtitles } from '#contract/endpoints.ts';
import type { SubtitleList } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';

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
