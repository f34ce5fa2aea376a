import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { qualityQuestionSchema, videoUrlQuestionSchema } from '#contract/entities/quality.ts';
import { route } from '../../../http/pipeline/route.ts';
import type { Ids } from '../../../ids.ts';
import { audienceOf, deviceOf, linesOf } from '../audience.ts';
import { chooseQuality } from './choose-quality.ts';
import type { VideoUrlDeps } from './resolve-video-url.ts';
import { resolveVideoUrl } from './resolve-video-url.ts';

export interface QualityServices extends VideoUrlDeps {
  ids: Ids;
}

export function qualityRoutes(app: FastifyInstance, services: QualityServices): void {
  route(app, endpoints.chooseQuality, { body: qualityQuestionSchema }, async ({ body, request }) =>
    chooseQuality(body, { device: deviceOf(request), lines: linesOf(request) }),
  );

  route(app, endpoints.resolveVideoUrl, { body: videoUrlQuestionSchema }, async ({ body, request, reply }) =>
    resolveVideoUrl(services, body, audienceOf(request, reply, services.ids)),
  );
}
