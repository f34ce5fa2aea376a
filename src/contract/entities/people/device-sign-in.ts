import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkUserCode, normalizeUserCode } from '#contract/rules/device-code.ts';
import { checkedText } from '../fields.ts';

/** A TV's request to be signed in from another device (RFC 8628). Both times are seconds. */
export const deviceRequestSchema = z.strictObject({
  device_code: z.string(),
  user_code: z.string(),
  verification_url: z.string(),
  expires_in: z.int().positive(),
  interval: z.int().positive(),
});
export type DeviceRequest = z.infer<typeof deviceRequestSchema>;

export const devicePollSchema = z.object({
  device_code: z
    .string({ error: 'A device code is needed' })
    .min(1, 'A device code is needed')
    .max(limits.textCharacters),
});
export type DevicePoll = z.input<typeof devicePollSchema>;

export const deviceApprovalSchema = z.object({ user_code: checkedText(checkUserCode).transform(normalizeUserCode) });
export type DeviceApproval = z.input<typeof deviceApprovalSchema>;

/** What waits behind a code, for whoever is about to approve it. */
export const waitingDeviceSchema = z.strictObject({
  /** In words: 'Chrome on an LG TV'. */
  device: z.string(),
  /** Where it asked from. */
  address: z.string(),
  /** Whether that is in the network that the question comes from; null where it cannot be told. */
  is_same_network: z.boolean().nullable(),
  asked_at: z.iso.datetime(),
});
export type WaitingDevice = z.infer<typeof waitingDeviceSchema>;
