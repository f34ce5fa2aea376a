import type { Tag } from '#contract/entities/tag.ts';
import { rebaseList } from '#contract/rules/text.ts';
import { fakeServer } from '../admin/fake-server.ts';

export const tag = (name: string, facts: Partial<Tag> = {}): Tag => ({
  id: `id-${name.toLowerCase()}`,
  name,
  description: '',
  color: '#35D39A',
  video_count: 3,
  created_at: '2026-11-02T12:00:00.000Z',
  active: true,
  aliases: [],
  ...facts,
});

type AliasChange = Pick<Tag, 'aliases'> & { known?: string[] };

type Routes = Parameters<typeof fakeServer>[0];

const refusal = { status: 500, json: { error: 'internal', message: 'Internal' } };

/** A server that stores tags as the real one does, as far as the screens can see. */
export class TagServer {
  tags: Tag[];
  /** On pages that are not sent. */
  more = 0;
  readonly routes: Routes;
  readonly calls: string[];
  readonly bodies: unknown[] = [];

  constructor(...tags: Tag[]) {
    this.tags = tags;
    this.routes = { 'GET /api/tags': () => this.list(), 'POST /api/tags': (body) => this.create(body as Tag) };
    for (const { id } of tags) this.add(id);
    this.calls = fakeServer(this.routes).calls;
  }

  refuse(route: string): void {
    this.routes[route] = () => refusal;
  }

  private add(id: string): void {
    this.routes[`GET /api/tags/${id}`] = () => ({ json: { tag: this.tags.find((one) => one.id === id) } });
    this.routes[`PUT /api/tags/${id}`] = (body) => this.change(id, body as Partial<Tag>);
    this.routes[`PUT /api/tags/${id}/aliases`] = (body) => this.changeAliases(id, body as AliasChange);
    this.routes[`DELETE /api/tags/${id}`] = () => this.remove(id);
    this.routes[`DELETE /api/tags/${id}/hard-delete`] = () => this.remove(id);
    this.routes[`POST /api/tags/${id}/merge`] = (body) => {
      this.bodies.push(body);
      this.remove(id);
      return { status: 202, json: { change: { id: 'c1' } } };
    };
  }

  private list() {
    const { tags, more } = this;
    return { json: { tags, total: tags.length + more, total_pages: 1 + more / 20, page: 1, limit: 20 } };
  }

  private create(body: Pick<Tag, 'name' | 'description' | 'color'>) {
    this.bodies.push(body);
    const created = tag(body.name, body);
    this.tags = [...this.tags, created];
    return { status: 201, json: { tag: created } };
  }

  private change(id: string, changes: Partial<Tag>) {
    this.bodies.push(changes);
    this.tags = this.tags.map((one) => (one.id === id ? { ...one, ...changes } : one));
    return { json: { tag: this.tags.find((one) => one.id === id) } };
  }

  private changeAliases(id: string, body: AliasChange) {
    this.bodies.push(body);
    const changed = (one: Tag) => ({ ...one, aliases: rebaseList(one.aliases, body.aliases, body.known) });
    this.tags = this.tags.map((one) => (one.id === id ? changed(one) : one));
    return { json: { tag: this.tags.find((one) => one.id === id) } };
  }

  private remove(id: string) {
    this.tags = this.tags.filter((one) => one.id !== id);
    return { status: 204 };
  }
}
