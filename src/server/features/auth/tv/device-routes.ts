import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { deviceApprovalSchema, devicePollSchema } from '#contract/entities/people/device-sign-in.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { claimAfterLimits } from '../../../http/pipeline/repeat-answers.ts';
import { route } from '../../../http/pipeline/route.ts';
import { ensureViewer } from '../../../http/pipeline/viewer-cookie.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { answerSignedIn } from '../sessions/answer-signed-in.ts';
import { siteOriginFor } from '../site-origin.ts';
import { visitorOf } from '../visitor.ts';
import { approveDeviceSignIn, findWaitingDevice, pollDeviceSignIn, startDevice } from './device-sign-in.ts';

/** Sign-in on a TV. */
export function deviceRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(app, endpoints.startDeviceSignIn, {}, async ({ request }) =>
    startDevice(deps, visitorOf(request), siteOriginFor(deps, request)),
  );

  route(app, endpoints.pollDeviceSignIn, { body: devicePollSchema }, async ({ body, request, reply }) => {
    const visitor = visitorOf(request, ensureViewer(request, reply, deps.ids));
    return answerSignedIn(deps, request, reply, await pollDeviceSignIn(deps, visitor, body.device_code));
  });

  route(app, endpoints.findWaitingDevice, { body: deviceApprovalSchema }, async ({ caller, body, request }) =>
    findWaitingDevice(deps, visitorOf(request), signedIn(caller).userId, body.user_code),
  );

  route(
    app,
    endpoints.approveDevice,
    { body: deviceApprovalSchema },
    async ({ caller, body, request, claimKey }) => {
      const attempts = claimAfterLimits(deps.attempts, claimKey);
      await approveDeviceSignIn({ ...deps, attempts }, visitorOf(request), signedIn(caller).userId, body.user_code);
      return null;
    },
    { claimsKey: 'itself' },
  );
}
