import * as failures from '#contract/failures.ts';

const sentences: Record<string, string> = {
  access_denied: failures.providerDenied,
  provider_unavailable: failures.providerUnavailable,
  account_exists: failures.providerAccountExists,
  already_linked: failures.providerAlreadyLinked,
  email_unverified: failures.providerEmailUnverified,
  registration_closed: failures.providerRegistrationClosed,
  invitation_invalid: failures.providerInvitationInvalid,
  setup_required: failures.providerSetupRequired,
};

/** The sentence for the code of an `OAUTH_ERROR` (§3 Sign-in). */
export function providerRefusal(code: string): string {
  return sentences[code] ?? failures.providerSignIn;
}
