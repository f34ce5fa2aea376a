import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { removedUploadListQuerySchema } from '#contract/entities/upload.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { route } from '../../../http/pipeline/route.ts';
import { deleteUpload } from './delete-upload.ts';
import { purgeUpload } from './purge-upload.ts';
import type { RemovalDeps } from './removal-deps.ts';
import { readRemovedPage } from './removed-list.ts';
import { restoreUpload } from './restore-upload.ts';

/** Uploads that go, and their way back. */
export function removalRoutes(app: FastifyInstance, { uploads }: { uploads: RemovalDeps }): void {
  route(app, endpoints.deleteUploadedFile, { params: idParamsSchema }, async ({ params, caller }) => {
    await deleteUpload(uploads, params.id, signedIn(caller));
    return null;
  });

  route(app, endpoints.listRemovedUploads, { query: removedUploadListQuerySchema }, async ({ query }) =>
    readRemovedPage(uploads.database.reader, query),
  );

  route(app, endpoints.restoreUpload, { params: idParamsSchema }, async ({ params, caller }) => {
    await restoreUpload(uploads, params.id, signedIn(caller).userId);
    return null;
  });

  route(app, endpoints.purgeUpload, { params: idParamsSchema }, async ({ params, caller }) => {
    await purgeUpload(uploads, params.id, signedIn(caller).userId);
    return null;
  });
}
