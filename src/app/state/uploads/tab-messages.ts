import { broadcastChannel } from '#app/platform/capabilities.ts';
import type { UploadRow } from './uploads-state.ts';

export interface RowsReport {
  userId: string;
  rows: UploadRow[];
  secondsLeft: number | null;
}

/** What the tabs of a browser tell each other about uploads. */
export type TabMessage =
  /** What is stored has changed: the tab that sends reads it again. */
  | { kind: 'changed' }
  /** A tab asks for the list. */
  | { kind: 'ask' }
  | { kind: 'rows'; report: RowsReport }
  /** A file was chosen, or may be read now. Null: its handle is stored. */
  | { kind: 'source'; id: string; file: File | null }
  /** Whoever has this file at hand passes it on. */
  | { kind: 'want'; id: string }
  | { kind: 'refused'; sentence: string };

/** Without channels between tabs, what the others do is read from the store. */
export class TabMessages {
  private readonly channel = broadcastChannel('fourfold.uploads');

  constructor(onMessage: (message: TabMessage) => void) {
    this.channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => onMessage(data));
  }

  post(message: TabMessage): void {
    try {
      this.channel?.postMessage(message);
    } catch {
      // A file that cannot be passed on: the tab that chose it sends it when its turn comes.
    }
  }

  close(): void {
    this.channel?.close();
  }
}
