import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { deviceApprovalSchema, devicePollSchema } from '#contract/entities/device-sign-in.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { claimAfterLimits } from '../../../http/pipeline/repeat-answers.ts';
import { route } from '../../../http/pipeline/route.ts';
import { ensureViewer } from '../../../http/pipeline/viewer-cookie.ts';
import type { AuthParts } from '../auth-deps.ts';
import { answerSignedIn } from '../sessions/answer-signed-in.ts';
import { visitorOf } from '../visitor.ts';
import { approveDeviceSignIn, lookUpDevice, pollDeviceSignIn, startDevice } from './device-sign-in.ts';

/** Sign-in on a TV. */
export function deviceRoutes(app: FastifyInstance, parts: AuthParts): void {
  route(app, endpoints.startDeviceSignIn, {}, async ({ request }) => {
    // A proxy that is believed may pass on what a client says of the scheme.
    const scheme = request.protocol === 'https' ? 'https' : 'http';
    return startDevice(parts, visitorOf(request), parts.originForOthers(parts.publicOrigin ?? `${scheme}://${request.host}`));
  });

  route(app, endpoints.pollDeviceSignIn, { body: devicePollSchema }, async ({ body, request, reply }) => {
    const visitor = visitorOf(request, ensureViewer(request, reply, parts.ids));
    return answerSignedIn(parts, request, reply, await pollDeviceSignIn(parts, visitor, body.device_code));
  });

  route(app, endpoints.findWaitingDevice, { body: deviceApprovalSchema }, async ({ caller, body, request }) =>
    lookUpDevice(parts, visitorOf(request), signedIn(caller).userId, body.user_code),
  );

  route(
    app,
    endpoints.approveDevice,
    { body: deviceApprovalSchema },
    async ({ caller, body, request, claimKey }) => {
      const attempts = claimAfterLimits(parts.attempts, claimKey);
      await approveDeviceSignIn({ ...parts, attempts }, visitorOf(request), signedIn(caller).userId, body.user_code);
      return null;
    },
    { claimsKey: 'itself' },
  );
}
