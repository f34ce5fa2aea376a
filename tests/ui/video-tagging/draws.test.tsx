import type { ComponentProps } from 'react';
import { subscribe } from 'valtio/vanilla';
import { beforeEach, expect, test, vi } from 'vitest';
import { connection } from '#app/state/connection.ts';
import { session } from '#app/state/session.ts';
import type { Preview } from '#app/ui/media/preview.tsx';
import { press, settle } from '../draw.tsx';
import { chips, drawTagging, pressCard, toggle, withTagging } from './draw-tagging.tsx';

/** The posters of the cards that were drawn, once for each time. */
const drawn = vi.hoisted(() => [] as (string | null | undefined)[]);

vi.mock('#app/ui/media/preview.tsx', async (original) => {
  const real = await original<{ Preview: typeof Preview }>();
  return {
    ...real,
    Preview: (props: ComponentProps<typeof Preview>) => {
      drawn.push(props.posterUrl);
      return <real.Preview {...props} />;
    },
  };
});

withTagging();

beforeEach(() => {
  drawn.length = 0;
});

test('one tag that is added draws one card again', async () => {
  await drawTagging();
  await pressCard('kelp');
  await toggle('Night');
  drawn.length = 0;
  await press('Assign 1 Tag');
  expect(chips('kelp')).toContain('Night');
  expect([...new Set(drawn)]).toEqual(['/posters/kelp']);
});

test('one tag that is added without a network draws one card again, and nobody who reads the user', async () => {
  await drawTagging();
  await pressCard('kelp');
  await settle(() => {
    connection.isReachable = false;
  });
  await toggle('Night');
  drawn.length = 0;
  const listener = vi.fn();
  const stop = subscribe(session, listener);
  await press('Assign 1 Tag');
  await vi.waitFor(() => expect(chips('kelp')).toContain('Night'));
  stop();
  expect([...new Set(drawn)]).toEqual(['/posters/kelp']);
  expect(listener).not.toHaveBeenCalled();
});
