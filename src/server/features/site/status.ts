import type { Status } from '#contract/entities/feed.ts';
import type { Database } from '../../database/connection.ts';
import { countVideos } from '../library/library-repository.ts';
import type { Scanner } from '../library/scan/scanner.ts';

export async function readStatus(database: Database, scanner: Scanner): Promise<Status> {
  const { total, available } = await countVideos(database.reader);
  const scan = scanner.facts();
  const playlist = { PlaylistLength: available };
  return {
    TotalVideos: total,
    AvailableVideos: available,
    total_videos: total,
    available_videos: available,
    QuadrantStatus: { 'top-left': playlist, 'top-right': playlist, 'bottom-left': playlist, 'bottom-right': playlist },
    ScanningStatus: {
      FullScanComplete: scan.isComplete,
      BackgroundScanning: scan.isRunning,
      InitialScanComplete: scan.isInitialComplete,
    },
  };
}
