import type { TabMessage } from '#app/state/uploads/upload-display.ts';

/** A channel whose other end is the test. */
export class FakeChannel extends EventTarget {
  static readonly posted: TabMessage[] = [];
  static readonly open = new Set<FakeChannel>();

  constructor() {
    super();
    FakeChannel.open.add(this);
  }

  /** As another tab. */
  static say(data: TabMessage): void {
    for (const channel of FakeChannel.open) channel.dispatchEvent(new MessageEvent('message', { data }));
  }

  postMessage(message: TabMessage): void {
    FakeChannel.posted.push(structuredClone(message));
  }

  close(): void {
    FakeChannel.open.delete(this);
  }
}
