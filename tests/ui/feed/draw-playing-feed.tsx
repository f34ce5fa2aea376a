import { act } from 'react';
import { vi } from 'vitest';
import { showControls } from '#app/features/feed/controls/controls-store.ts';
import { FeedScreen } from '#app/features/feed/feed-screen.tsx';
import { feed } from '#app/features/feed/feed-state.ts';
import { openFeed, startAll } from '#app/features/feed/feed-store.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { draw, settle } from '../draw.tsx';

/** The feed with a video in each quadrant, named after it, and a mouse over the top left one. On fake timers. */
export async function drawPlayingFeed(): Promise<void> {
  openFeed();
  startAll();
  await draw(<FeedScreen />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  await settle(() => {
    for (const quadrant of quadrants) {
      feed.quadrants[quadrant].shown = feedVideo(quadrant);
      feed.quadrants[quadrant].activity = { kind: 'settled' };
    }
    showControls('top-left', 'pointer');
  });
}
