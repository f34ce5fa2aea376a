import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { openReports } from '#app/state/video-sets.ts';
import type { Outcome } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Resource } from '#app/ui/resource.ts';
import { sizeText } from '#app/ui/texts.ts';
import { clearCache as clearCacheCall, listReports, readLibrary, rescanLibrary } from '#contract/endpoints.ts';
import type { Library, ReportedVideo } from '#contract/entities/library.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { now } from '#device/timers.ts';

interface LibraryActions {
  isStartingScan: boolean;
  isClearing: boolean;
  /** Why no scan could be started. */
  scanNotice: Outcome | null;
  cacheNotice: Outcome | null;
}

const atRest: LibraryActions = { isStartingScan: false, isClearing: false, scanNotice: null, cacheNotice: null };

export const libraryActions = proxy<LibraryActions>({ ...atRest });

/** How often the progress of a scan is requested. */
const progressMs = 2_000;
/** A requested scan starts within this time. */
const scanBeginsWithinMs = 10_000;

/** The time of the last request for a scan, in epoch milliseconds. */
let scanAskedAt = Number.NEGATIVE_INFINITY;

export const library = new Resource<Library>({
  load: (signal) => call(readLibrary, { signal }),
  toSentence: failures.loadLibrary,
  refreshMs: ({ scan }) => (scan.is_running || now() - scanAskedAt < scanBeginsWithinMs ? progressMs : null),
});

/** The videos with open reports. */
export const reportedVideos = createPagedList<ReportedVideo, object>({
  limit: limits.reportsPerPage,
  filters: {},
  load: async ({ page }, signal) => {
    const query = { page, limit: limits.reportsPerPage };
    const { videos, total } = await call(listReports, { query, signal });
    openReports.videos = total;
    return { items: videos, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadReports,
});

/** Starts a scan of all folders. The list is reloaded while the scan runs. */
export async function rescan(): Promise<void> {
  if (libraryActions.isStartingScan) return;
  Object.assign(libraryActions, { isStartingScan: true, scanNotice: null });
  try {
    await call(rescanLibrary);
    scanAskedAt = now();
    await library.reload();
  } catch (error) {
    libraryActions.scanNotice = { kind: 'danger', sentence: readRefusal(error) };
  } finally {
    libraryActions.isStartingScan = false;
  }
}

/** Deletes generated files. The site makes them again when they are needed. */
export async function clearCache(): Promise<void> {
  if (libraryActions.isClearing) return;
  Object.assign(libraryActions, { isClearing: true, cacheNotice: null });
  try {
    const { freed_bytes } = await call(clearCacheCall);
    const sentence = `${sizeText(freed_bytes)} freed. Posters come back by themselves.`;
    libraryActions.cacheNotice = { kind: 'ok', sentence };
    void library.reload();
  } catch (error) {
    libraryActions.cacheNotice = { kind: 'danger', sentence: readRefusal(error) };
  } finally {
    libraryActions.isClearing = false;
  }
}

export function resetLibraryActions(): void {
  scanAskedAt = Number.NEGATIVE_INFINITY;
  Object.assign(libraryActions, atRest);
}
