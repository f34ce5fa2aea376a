import { measureUploadHeap } from './browser-upload-heap.ts';
import { measureBrowserUploads } from './browser-uploads.ts';
import { measureBytes } from './bytes.ts';
import { measureChannels } from './channels.ts';
import { measureCurating } from './curating.ts';
import { measureEncodeAndPlay } from './encode-and-play.ts';
import { measureMemory } from './memory.ts';
import { measureNodes } from './nodes.ts';
import { measurePerformance } from './performance.ts';
import { measurePick } from './pick.ts';
import { measureSampler } from './sampler.ts';
import { measureSaved } from './saved.ts';
import { measureScan } from './scan.ts';
import { measureServers } from './servers/servers.ts';
import { measureSetWrites } from './set-writes.ts';
import { measureSkip } from './skip.ts';
import { measureSmoothness } from './smoothness.ts';
import { measureStart } from './start.ts';
import { measureStreaming } from './streaming.ts';
import { measureThrottle } from './throttle.ts';
import { measureTiles } from './tiles.ts';
import { measureTranscoding } from './transcoding.ts';
import { measureUploads } from './uploads.ts';
import { measureVenue } from './venue.ts';
import { measureWatched } from './watched.ts';

/** What each name on the command line measures. */
export const figures: Readonly<Record<string, () => Promise<void>>> = {
  start: measureStart,
  saved: measureSaved,
  skip: measureSkip,
  smoothness: measureSmoothness,
  sampler: measureSampler,
  throttle: measureThrottle,
  memory: measureMemory,
  venue: measureVenue,
  bytes: measureBytes,
  pick: measurePick,
  watched: measureWatched,
  channels: measureChannels,
  curating: measureCurating,
  'set-writes': measureSetWrites,
  nodes: measureNodes,
  servers: measureServers,
  streaming: measureStreaming,
  tiles: measureTiles,
  'encode-and-play': measureEncodeAndPlay,
  transcoding: measureTranscoding,
  scan: measureScan,
  performance: measurePerformance,
  uploads: measureUploads,
  'browser-uploads': measureBrowserUploads,
  'browser-upload-heap': measureUploadHeap,
};

/** `node tests/bench/bench.ts [name …]`: all figures, or those that are named. */
async function measureAsked(asked: readonly string[]): Promise<void> {
  const unknown = asked.filter((name) => !(name in figures));
  if (unknown.length > 0)
    throw new Error(`No figure is called ${unknown.join(', ')}. There are: ${Object.keys(figures).join(', ')}.`);
  for (const [name, measure] of Object.entries(figures)) {
    if (asked.length === 0 || asked.includes(name)) await measure();
  }
}

if (import.meta.main) await measureAsked(process.argv.slice(2));
