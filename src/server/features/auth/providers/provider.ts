/** What a provider says of somebody. */
export interface ProviderProfile {
  /** Who says so; with `subject`, who somebody is. */
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  /** As others read it. */
  displayName: string | null;
  /** A name to begin with. */
  username: string | null;
  /** Where the avatar is; null when there is none, or it lies with somebody else. */
  avatar: URL | null;
}

/** What only this server knows of somebody who is away at a provider. */
export interface VisitSecrets {
  state: string;
  nonce: string;
  /** PKCE (RFC 7636). */
  verifier: string;
}

/** Somebody else who can say who a person is. */
export interface Provider {
  /** Part of its addresses. */
  name: string;
  displayName: string;
  /** Where a visit begins. @throws ProviderFailed */
  start(redirectUrl: string, secrets: VisitSecrets): Promise<URL>;
  /** @param callback the address that the provider has sent the browser to. @throws ProviderFailed */
  finish(callback: URL, secrets: VisitSecrets): Promise<ProviderProfile>;
}

/** Why a visit came to nothing; travels in `OAUTH_ERROR`. */
export type ProviderFailure =
  /** The visit is not one that began in this browser, or it took too long, or it ended already. */
  | 'oauth_state'
  | 'oauth_failed'
  /** The person said no. */
  | 'access_denied'
  | 'provider_unavailable'
  /** The address belongs to an account that has to be opened in its own way first. */
  | 'account_exists'
  /** That account at the provider is somebody else's here, or there is one of that provider already. */
  | 'already_linked'
  | 'email_unverified'
  | 'registration_closed'
  /** The invitation that the browser came with was used, was revoked, has run out, or never was. */
  | 'invitation_invalid'
  /** The first account needs the machine itself, or the set-up code. */
  | 'setup_required';

export class ProviderFailed extends Error {
  readonly code: ProviderFailure;

  constructor(code: ProviderFailure, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
