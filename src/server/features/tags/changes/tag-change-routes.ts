import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import {
  tagChangeListQuerySchema,
  tagMergeStartSchema,
  tagPersonUndoStartSchema,
} from '#contract/entities/tag-change.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { route } from '../../../http/pipeline/route.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { mergeTag } from './merge-tags.ts';
import { readChangePage, readChangeReply } from './tag-changes.ts';
import { undoChange } from './undo-change.ts';
import { undoPerson } from './undo-person.ts';

export function tagChangeRoutes(app: FastifyInstance, deps: TagChangeDeps): void {
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
