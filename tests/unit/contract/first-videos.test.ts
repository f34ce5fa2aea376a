import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillFirstVideos, firstVideosId } from '#contract/first-videos.ts';

const page = readFileSync(new URL('../../../index.html', import.meta.url), 'utf8');

test('the page has a place for the first videos, and they stand there as they were given', () => {
  const answer = JSON.stringify({ filename: "a </script><script>alert('b')</script> $& $1.mp4" });
  const filled = fillFirstVideos(page, answer);
  const [, text = ''] = new RegExp(`id="${firstVideosId}">(.*?)</script>`).exec(filled) ?? [];
  expect(JSON.parse(text)).toEqual(JSON.parse(answer));
  expect(filled.replace(text, '')).toBe(page);
});

test('a page without a place for them stays as it is', () => {
  expect(fillFirstVideos('<!doctype html><title>Old</title>', '{}')).toBe('<!doctype html><title>Old</title>');
});
