import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { tagExportQuerySchema, tagImportStartSchema } from '#contract/entities/tag.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import { readChangeReply } from '../tags/changes/undo-change.ts';
import { beginSidecars } from './sidecars.ts';
import type { TagTransferDeps } from './tag-files.ts';
import { exportTagFile, importTagFile } from './tag-files.ts';

const mediaTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const;

export function tagTransferRoutes(app: FastifyInstance, deps: TagTransferDeps): void {
  route(app, endpoints.exportTags, { query: tagExportQuerySchema }, async ({ query: { format }, reply }) => {
    reply.type(mediaTypes[format]).header('content-disposition', `attachment; filename="channels.${format}"`);
    await reply.send(exportTagFile(deps, format));
    return answered;
  });

  route(app, endpoints.importTags, { body: tagImportStartSchema }, async ({ body, caller, reply }) => {
    const answer = await importTagFile(deps, body, signedIn(caller).userId);
    if (answer.change !== null) reply.code(202);
    return answer;
  });

  route(app, endpoints.importSidecars, {}, async ({ caller, reply }) => {
    const number = await beginSidecars(deps, signedIn(caller).userId);
    const started = await readChangeReply(deps.database, number);
    reply.code(202);
    return started;
  });
}
