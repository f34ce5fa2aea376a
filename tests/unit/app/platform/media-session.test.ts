import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearMediaSession, showInMediaSession } from '#app/platform/media-session.ts';

let handlers: Record<string, (() => void) | null>;
let session: {
  metadata: unknown;
  playbackState: string;
  setActionHandler: (name: string, handler: (() => void) | null) => void;
};

beforeEach(() => {
  handlers = {};
  session = {
    metadata: null,
    playbackState: 'none',
    setActionHandler: (name, handler) => {
      if (name === 'seekforward') throw new TypeError('unknown action');
      handlers[name] = handler;
    },
  };
  vi.stubGlobal('navigator', { mediaSession: session });
  vi.stubGlobal('window', { MediaMetadata: true });
  vi.stubGlobal(
    'MediaMetadata',
    class {
      readonly init: unknown;
      constructor(init: unknown) {
        this.init = init;
      }
    },
  );
});

afterEach(() => vi.unstubAllGlobals());

test('what is heard is named with its still and driven by the keys that it has', () => {
  const next = vi.fn();
  showInMediaSession({ title: 'north-pier.mp4', artworkUrl: '/api/poster/1' }, true, {
    nexttrack: next,
    seekforward: next,
  });
  expect(session.metadata).toEqual({
    init: { title: 'north-pier.mp4', artist: 'Fourfold', artwork: [{ src: '/api/poster/1' }] },
  });
  expect(session.playbackState).toBe('playing');
  handlers.nexttrack?.();
  expect(next).toHaveBeenCalledTimes(1);
  expect(handlers.previoustrack).toBeNull();
});

test('when nothing is heard any more nothing is named and no key is taken', () => {
  showInMediaSession({ title: 'north-pier.mp4' }, false, { play: () => {} });
  expect(session.playbackState).toBe('paused');
  clearMediaSession();
  expect([session.metadata, session.playbackState, handlers.play]).toEqual([null, 'none', null]);
});

test('a browser without media sessions shows none', () => {
  vi.stubGlobal('navigator', {});
  expect(() => showInMediaSession({ title: 'x' }, true, {})).not.toThrow();
  expect(clearMediaSession).not.toThrow();
});
