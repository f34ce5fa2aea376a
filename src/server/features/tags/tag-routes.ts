import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import {
  tagAliasesUpdateSchema,
  tagChangeListQuerySchema,
  tagCreationSchema,
  tagListQuerySchema,
  tagMergeStartSchema,
  tagPersonUndoStartSchema,
  tagUpdateSchema,
} from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import type { Env } from '../../env.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { rankOf, signedIn } from '../../http/pipeline/guards.ts';
import { sendWithEtag } from '../../http/pipeline/representation.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { route } from '../../http/pipeline/route.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Attempt, RateLimits } from '../../limits/rate-limits.ts';
import type { TagChangeDeps } from './changes/change-jobs.ts';
import { mergeTag } from './changes/merge-tags.ts';
import { readChangePage, readChangeReply, undoChange } from './changes/undo-change.ts';
import { undoPerson } from './changes/undo-person.ts';
import type { TagEditDeps } from './edit-tags.ts';
import { tagEdits } from './edit-tags.ts';
import { readOneTag, readTagPage } from './tag-catalogue.ts';
import { tagEditor } from './write-tags.ts';

interface TagServices extends TagEditDeps, TagChangeDeps {
  env: Env;
  rateLimits: RateLimits;
  jobs: JobQueue;
  revisions: Pick<Revisions, 'forget'>;
}

/** The endpoints for tags, and for their changes that can be undone. */
export function tagRoutes(app: FastifyInstance, services: TagServices): void {
  const { env, rateLimits, revisions, tagRemoval } = services;
  changeRoutes(app, services);

  route(app, endpoints.listTags, { query: tagListQuerySchema }, async ({ query, caller, request, reply }) => {
    if (!query.active) requireAdmin(caller);
    return sendWithEtag(request, reply, await readTagPage(services, query, rankOf(caller)));
  });

  route(app, endpoints.readTag, { params: idParamsSchema }, async ({ params, caller, request, reply }) => {
    return sendWithEtag(request, reply, { tag: await readOneTag(services, params.id, rankOf(caller)) });
  });

  route(app, endpoints.createTag, { body: tagCreationSchema }, async ({ body, caller, reply }) => {
    const { userId, isAdmin } = tagEditor(env, caller);
    // The limit keeps a single person from filling the site.
    if (!isAdmin) await rateLimits.consume(creationAttempt(userId));
    const created = await tagEdits.create(services, body, userId);
    reply.code(201);
    return created;
  });

  route(
    app,
    endpoints.updateTag,
    { params: idParamsSchema, body: tagUpdateSchema },
    async ({ params, body, caller }) => {
      const { userId } = tagEditor(env, caller);
      return tagEdits.change(services, params.id, body, { userId, rank: rankOf(caller) });
    },
  );

  route(app, endpoints.deleteTag, { params: idParamsSchema }, async ({ params, caller }) => {
    const { userId } = tagEditor(env, caller);
    await tagEdits.delete(services, params.id, { userId, rank: rankOf(caller) });
    return null;
  });

  route(app, endpoints.deleteTagPermanently, { params: idParamsSchema }, async ({ params, caller }) => {
    if (!(await tagRemoval.remove(params.id, signedIn(caller).userId))) throw new NotFound('tag');
    revisions.forget();
    return null;
  });

  route(
    app,
    endpoints.updateTagAliases,
    { params: idParamsSchema, body: tagAliasesUpdateSchema },
    async ({ params, body, caller }) => tagEdits.changeAliases(services, params.id, body, signedIn(caller).userId),
  );
}

/**
 * Only administrators may read deleted tags.
 * @throws Refusal 401, 403
 */
function requireAdmin(caller: Caller): void {
  if (!signedIn(caller).isAdmin) throw new Refusal('forbidden');
}

function creationAttempt(userId: string): Attempt {
  return {
    name: 'create-tag',
    holder: userId,
    policy: { kind: 'window', most: limits.dailyTags, windowMs: 86_400_000 },
  };
}

function changeRoutes(app: FastifyInstance, deps: TagChangeDeps): void {
  route(
    app,
    endpoints.mergeTag,
    { params: idParamsSchema, body: tagMergeStartSchema },
    async ({ params, body, caller, reply }) => {
      const merge = { fromId: params.id, intoId: body.into, actorId: signedIn(caller).userId };
      const started = await readChangeReply(deps.database, await mergeTag(deps, merge));
      reply.code(202);
      return started;
    },
  );

  route(app, endpoints.listTagChanges, { query: tagChangeListQuerySchema }, async ({ query }) =>
    readChangePage(deps, query),
  );

  route(app, endpoints.undoTagChange, { params: idParamsSchema }, async ({ params, caller, reply }) => {
    const number = await undoChange(deps, params.id, signedIn(caller).userId);
    const started = await readChangeReply(deps.database, number);
    reply.code(202);
    return started;
  });

  route(app, endpoints.undoPersonTagChanges, { body: tagPersonUndoStartSchema }, async ({ body, caller, reply }) => {
    const number = await undoPerson(deps, { ...body, actorId: signedIn(caller).userId });
    const started = await readChangeReply(deps.database, number);
    reply.code(202);
    return started;
  });
}
