/** A person as a provider describes them. */
export interface ProviderProfile {
  /** The issuer, which together with `subject` identifies a person. */
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  /** The name shown to others. */
  displayName: string | null;
  /** A suggested username. */
  username: string | null;
  /** URL of the avatar; null when there is none, or its host is not the provider's. */
  avatar: URL | null;
}

/** The secrets of a visit that only this server knows. */
export interface VisitSecrets {
  state: string;
  nonce: string;
  /** PKCE (RFC 7636). */
  verifier: string;
}

/** A service that verifies who a person is. */
export interface Provider {
  /** The name in its URLs. */
  name: string;
  displayName: string;
  /**
   * Starts a visit.
   * @returns the URL to redirect to
   * @throws ProviderFailed
   */
  start(redirectUrl: string, secrets: VisitSecrets): Promise<URL>;
  /**
   * @param callback the URL that the provider redirected the browser to
   * @throws ProviderFailed
   */
  finish(callback: URL, secrets: VisitSecrets): Promise<ProviderProfile>;
}

/** The reason why a visit failed; sent in `OAUTH_ERROR`. */
export type ProviderFailure =
  /** The visit was not started in this browser, took too long or has already ended. */
  | 'oauth_state'
  | 'oauth_failed'
  /** The person declined. */
  | 'access_denied'
  | 'provider_unavailable'
  /** The address belongs to an account that must be signed in to by its own method first. */
  | 'account_exists'
  /**
   * The provider's account is linked to another user, or the user has already linked another
   * account of that provider.
   */
  | 'already_linked'
  | 'email_unverified'
  | 'registration_closed'
  /** The invitation in the browser's cookie was used, revoked, has expired or never existed. */
  | 'invitation_invalid'
  /** The first account requires this machine or the set-up code. */
  | 'setup_required';

export class ProviderFailed extends Error {
  readonly code: ProviderFailure;

  constructor(code: ProviderFailure, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** The endpoints of a provider of plain OAuth 2.0. */
export interface OAuthAddresses {
  issuer: string;
  authorization: string;
  token: string;
  /** The endpoint that describes the person. */
  person: string;
  /** Host of the avatars. */
  avatars: string;
}
