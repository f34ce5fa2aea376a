import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { tagListQuerySchema } from '#contract/entities/tag.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import { sendWithEtag } from '../../http/pipeline/etag.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { readTagPage } from './list-tags.ts';
import type { TagCatalogue } from './tag-catalogue.ts';
import { toTagReply } from './tag-reply.ts';
import { readTag } from './tag-repository.ts';

export interface TagServices {
  database: Database;
  idSets: IdSets;
  tagCatalogue: TagCatalogue;
}

export function tagRoutes(app: FastifyInstance, services: TagServices): void {
  const { database, idSets } = services;

  route(app, endpoints.listTags, { query: tagListQuerySchema }, async ({ query, caller, request, reply }) => {
    if (!query.active) requireAdmin(caller);
    return sendWithEtag(request, reply, await readTagPage(services, query));
  });

  route(app, endpoints.readTag, { params: idParamsSchema }, async ({ params, caller, request, reply }) => {
    const tag = await readTag(database.reader, params.id);
    if (tag === null || !(tag.isActive || caller.user?.isAdmin)) throw new NotFound('tag');
    return sendWithEtag(request, reply, { tag: toTagReply(tag, idSets.countOnTag(tag.number)) });
  });
}

/** Deleted tags are for administrators. @throws Refusal 401, 403 */
function requireAdmin(caller: Caller): void {
  if (!signedIn(caller).isAdmin) throw new Refusal('forbidden');
}
