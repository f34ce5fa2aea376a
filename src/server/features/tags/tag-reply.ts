import type { Tag as TagReply } from '#contract/entities/tag.ts';
import type { Tag } from './tag.ts';

export function toTagReply(tag: Tag & { aliases: readonly string[] }, videoCount: number): TagReply {
  return {
    id: tag.id,
    name: tag.name,
    description: tag.description,
    color: tag.color,
    video_count: videoCount,
    created_at: new Date(tag.createdAt).toISOString(),
    active: tag.isActive,
    aliases: tag.aliases,
  };
}
