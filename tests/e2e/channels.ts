import type { TagList } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { Site } from '#tests/support/product.ts';
import { send } from './accounts.ts';

/** The ids of the videos that channels of the demo have. */
export async function videosOf(product: Site, names: string[], mode: FilterMode = 'OR'): Promise<string[]> {
  const { tags } = await send<TagList>(product, 'GET', '/api/tags', null);
  const ids = names.map((name) => tags.find((tag) => tag.name === name)?.id ?? '').join();
  const { videos } = await send<VideoList>(
    product,
    'GET',
    `/api/videos/by-tags?tag_ids=${ids}&filter_mode=${mode}`,
    null,
  );
  return videos.map((video) => video.id);
}
