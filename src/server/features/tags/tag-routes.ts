import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { tagCreationSchema, tagListQuerySchema, tagUpdateSchema } from '#contract/entities/tag.ts';
import { tagAliasesUpdateSchema } from '#contract/entities/tag-change.ts';
import { limits } from '#contract/limits.ts';
import type { Env } from '../../env.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import { sendWithEtag } from '../../http/pipeline/etag.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { route } from '../../http/pipeline/route.ts';
import type { RateLimits, Try } from '../../http/protection/rate-limits.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { TagEditDeps } from './edit-tags.ts';
import { changeAliases, changeTag, createTag } from './edit-tags.ts';
import { readOneTag, readTagPage } from './list-tags.ts';
import { removeTag } from './remove-tags.ts';
import { tagEditor } from './tag-editor.ts';
import type { TagRemoval } from './tag-removal.ts';

export interface TagServices extends TagEditDeps {
  env: Env;
  attempts: RateLimits;
  jobs: JobQueue;
  revisions: Pick<Revisions, 'forget'>;
  tagRemoval: Pick<TagRemoval, 'remove'>;
}

export function tagRoutes(app: FastifyInstance, services: TagServices): void {
  const { env, attempts, revisions, tagRemoval } = services;

  route(app, endpoints.listTags, { query: tagListQuerySchema }, async ({ query, caller, request, reply }) => {
    if (!query.active) requireAdmin(caller);
    return sendWithEtag(request, reply, await readTagPage(services, query));
  });

  route(app, endpoints.readTag, { params: idParamsSchema }, async ({ params, caller, request, reply }) => {
    const isAdmin = caller.user?.isAdmin === true;
    return sendWithEtag(request, reply, { tag: await readOneTag(services, params.id, isAdmin) });
  });

  route(app, endpoints.createTag, { body: tagCreationSchema }, async ({ body, caller, reply }) => {
    const { userId, isAdmin } = tagEditor(env, caller);
    // One person alone must not fill the site.
    if (!isAdmin) await attempts.consume(creationTry(userId));
    const created = await createTag(services, body, userId);
    reply.code(201);
    return created;
  });

  route(
    app,
    endpoints.updateTag,
    { params: idParamsSchema, body: tagUpdateSchema },
    async ({ params, body, caller }) => {
      const { userId } = tagEditor(env, caller);
      return changeTag(services, params.id, body, userId);
    },
  );

  route(app, endpoints.deleteTag, { params: idParamsSchema }, async ({ params, caller }) => {
    await removeTag(services, params.id, tagEditor(env, caller).userId);
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
    async ({ params, body, caller }) => changeAliases(services, params.id, body.aliases, signedIn(caller).userId),
  );
}

/** Deleted tags are for administrators. @throws Refusal 401, 403 */
function requireAdmin(caller: Caller): void {
  if (!signedIn(caller).isAdmin) throw new Refusal('forbidden');
}

function creationTry(userId: string): Try {
  return {
    name: 'create-tag',
    subject: userId,
    policy: { kind: 'window', most: limits.dailyTags, windowMs: 86_400_000 },
  };
}
