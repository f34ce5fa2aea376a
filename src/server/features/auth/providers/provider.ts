import { limits } from '#contract/limits.ts';
import { checkEmail } from '#contract/rules/credentials.ts';
import { cleanName } from '#contract/rules/text.ts';

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

/** OpenID Connect Core, section 2: at most 255 ASCII characters. */
const subjectCharacters = 255;

/**
 * What a provider says of somebody, by the rules for what people type here: names without characters that are not seen,
 * and an address that would be refused in a form is none.
 * @throws ProviderFailed without a subject, which would make everybody the same person
 */
export function checkProfile(profile: ProviderProfile): ProviderProfile {
  const { subject, email } = profile;
  if (subject.trim() === '' || subject.length > subjectCharacters) throw new ProviderFailed('oauth_failed');
  const isUsable = email !== null && checkEmail(email) === null;
  return {
    ...profile,
    email: isUsable ? email.trim() : null,
    isEmailVerified: isUsable && profile.isEmailVerified,
    displayName: cleanOrNone(profile.displayName, limits.displayNameCharacters),
    username: cleanOrNone(profile.username, limits.emailCharacters),
  };
}

function cleanOrNone(name: string | null, maxCharacters: number): string | null {
  const cleaned = Array.from(cleanName(name ?? ''))
    .slice(0, maxCharacters)
    .join('');
  return cleaned === '' ? null : cleaned;
}

/** Where a provider of plain OAuth 2.0 answers. */
export interface OAuthAddresses {
  issuer: string;
  authorization: string;
  token: string;
  /** Says who somebody is. */
  person: string;
  /** Host of avatars. */
  avatars: string;
}

/** As documented by each (GitHub: 'Authorizing OAuth apps'; Discord: 'OAuth2', 'User resource'). */
export const oauthAddresses = {
  github: {
    issuer: 'https://github.com',
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    person: 'https://api.github.com/user',
    avatars: 'avatars.githubusercontent.com',
  },
  discord: {
    issuer: 'https://discord.com',
    authorization: 'https://discord.com/oauth2/authorize',
    token: 'https://discord.com/api/oauth2/token',
    person: 'https://discord.com/api/users/@me',
    avatars: 'cdn.discordapp.com',
  },
} satisfies Record<string, OAuthAddresses>;
