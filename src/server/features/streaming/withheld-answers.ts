import type { FastifyRequest } from 'fastify';
import type { IdentifyCaller } from '../../http/pipeline/guards.ts';
import { anonymous, rankOf } from '../../http/pipeline/guards.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { ByteResponse } from './chunk-reader.ts';
import { cut } from './chunk-reader.ts';

/** The bytes of a video on their way to a viewer. */
interface RunningAnswer {
  request: FastifyRequest;
  response: ByteResponse;
  videoNumber: number;
}

const checkMs = 1_000;

/**
 * Cuts the answers to viewers from whom a video is withheld by now: one answer can take as long as
 * the video, and a viewer may lose a plan, or the channel its other viewers, meanwhile.
 */
export class WithheldAnswers {
  private readonly restrictedTags: Pick<RestrictedTags, 'isWithheld' | 'listShown'>;
  private readonly identify: IdentifyCaller;
  private readonly running = new Set<RunningAnswer>();
  private timer: Repetition | null = null;

  constructor(restrictedTags: Pick<RestrictedTags, 'isWithheld' | 'listShown'>, identify: IdentifyCaller) {
    this.restrictedTags = restrictedTags;
    this.identify = identify;
  }

  /** @returns a function to call when the answer has ended */
  begin(answer: RunningAnswer): () => void {
    this.running.add(answer);
    this.timer ??= repeat(() => this.check(), checkMs);
    return () => {
      this.running.delete(answer);
      if (this.running.size > 0) return;
      this.timer?.stop();
      this.timer = null;
    };
  }

  private async check(): Promise<void> {
    const numbers = [...this.running].map(({ videoNumber }) => videoNumber);
    const open = await this.restrictedTags.listShown(0, numbers);
    for (const { request, response, videoNumber } of [...this.running]) {
      if (open.has(videoNumber)) continue;
      // A caller whose session cannot be read counts as signed out.
      const caller = await this.identify(request).catch(() => anonymous);
      if (await this.restrictedTags.isWithheld(rankOf(caller), videoNumber)) cut(response);
    }
  }
}
