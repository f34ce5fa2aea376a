import { readRevision } from '../../../http/pipeline/revision.ts';
import type { Alignment } from './align-folder-channels.ts';
import { alignFolderChannels, alignTouched } from './align-folder-channels.ts';
import type { FolderChannelTools } from './create-channels.ts';
import type { TouchedVideos } from './touched-videos.ts';

interface Scanned {
  touched: TouchedVideos;
}

/**
 * Makes folder channels after each scan. All videos are compared with their folders when a scan was cut off, in this
 * process or in one before it, and when a tag has changed meanwhile; otherwise those that the scan has touched.
 */
export class AlignmentAfterScan {
  private readonly tools: FolderChannelTools;
  /** The counter of the tags when everything was last in line; null when it may not be. */
  private alignedAt: number | null = null;

  constructor(tools: FolderChannelTools) {
    this.tools = tools;
  }

  /** Around a scan of all roots. */
  async aroundAll<Outcome extends Scanned>(scan: () => Promise<Outcome>, alignment: Alignment): Promise<Outcome> {
    const { alignedAt, tools } = this;
    this.alignedAt = null;
    const outcome = await scan();
    const revision = await readRevision(tools.reader, 'tags');
    if (outcome.touched.isAll || alignedAt === revision) await alignTouched(tools, outcome.touched, alignment);
    else await alignFolderChannels(tools, alignment);
    this.alignedAt = revision;
    return outcome;
  }

  /** Around a scan of some places. */
  async aroundSome<Outcome extends Scanned>(scan: () => Promise<Outcome>, alignment: Alignment): Promise<Outcome> {
    const { alignedAt, tools } = this;
    this.alignedAt = null;
    const outcome = await scan();
    await alignTouched(tools, outcome.touched, alignment);
    this.alignedAt = alignedAt;
    return outcome;
  }
}
