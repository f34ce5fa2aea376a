import type { Tag, TagLabel, VideoTag } from '#contract/entities/tag.ts';
import type { Video } from '#contract/entities/video.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { video } from '../videos/library.ts';

export const labelOf = ({ id, name, color }: Tag): TagLabel => ({ id, name, color });

type Routes = Parameters<typeof fakeServer>[0];

/** A server that stores which tags its videos have, as far as the screen can see. */
export class TaggingServer {
  readonly tags: Tag[];
  readonly videos: { video: Video; tags: VideoTag[] }[];
  /** Untagged videos on pages that are not sent. */
  more = 0;
  private readonly given = new Set<string>();
  readonly routes: Routes;
  readonly calls: string[];
  readonly bodies: unknown[] = [];

  constructor(tags: Tag[], videos: Record<string, Tag[]>) {
    this.tags = tags;
    this.videos = Object.entries(videos).map(([id, has]) => ({ video: video(id), tags: has.map(labelOf) }));
    this.routes = {
      'GET /api/tags': () => ({ json: { tags, total: tags.length, total_pages: 1, page: 1, limit: 100 } }),
      'GET /api/videos/tagging': () => this.list(),
    };
    for (const { video } of this.videos) {
      this.routes[`GET /api/videos/${video.id}`] = () => ({ json: { video } });
      this.add(video.path);
    }
    this.calls = fakeServer(this.routes).calls;
  }

  refuse(route: string): void {
    this.routes[route] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  }

  tagsOf(id: string): string[] {
    return this.find(`${id}.mp4`).tags.map(({ name }) => name);
  }

  /** The folder of a video gives it a tag. */
  giveByFolder(id: string, tag: Tag): void {
    const item = this.find(`${id}.mp4`);
    item.tags = [...item.tags, { ...labelOf(tag), by_folder: true }];
    this.given.add(`${id}.mp4 ${tag.id}`);
  }

  private add(path: string): void {
    const address = `/api/videos/${encodeURIComponent(path)}/tags`;
    this.routes[`GET ${address}`] = () => ({ json: { tags: this.find(path).tags } });
    this.routes[`POST ${address}`] = (body) => this.assign(path, body as { tag_ids: string[]; by_folder?: boolean });
    for (const { id } of this.tags) this.routes[`DELETE ${address}/${id}`] = () => this.remove(path, id);
  }

  private find(path: string) {
    return this.videos.find((item) => item.video.path === path) as { video: Video; tags: VideoTag[] };
  }

  private list() {
    const { videos, more } = this;
    const untagged = videos.filter(({ tags }) => tags.every((tag) => tag.by_folder)).length + more;
    const total = videos.length + more;
    const counts = { untagged, tagged: total - untagged, total };
    return {
      json: { videos: structuredClone(videos), total, total_pages: Math.ceil(total / 12), page: 1, limit: 12, counts },
    };
  }

  private assign(path: string, body: { tag_ids: string[]; by_folder?: boolean }) {
    this.bodies.push(body);
    const item = this.find(path);
    const changed = this.tags.filter(({ id }) => body.tag_ids.includes(id));
    const isKept = ({ id }: TagLabel) => !changed.some((one) => one.id === id);
    const after = (tag: Tag): VideoTag => {
      const isByFolder = body.by_folder === true && this.given.has(`${path} ${tag.id}`);
      return { ...labelOf(tag), ...(isByFolder && { by_folder: true }) };
    };
    const replaced = item.tags.map((tag) =>
      isKept(tag) ? tag : after(this.tags.find(({ id }) => id === tag.id) as Tag),
    );
    const added = changed.filter(({ id }) => !item.tags.some((one) => one.id === id));
    item.tags = [...replaced, ...added.map(after)];
    return { json: { tags: item.tags } };
  }

  private remove(path: string, id: string) {
    const item = this.find(path);
    const isThere = item.tags.some((one) => one.id === id);
    item.tags = item.tags.filter((one) => one.id !== id);
    return isThere ? { status: 204 } : { status: 404, json: { error: 'not_found', message: 'Not found' } };
  }
}
