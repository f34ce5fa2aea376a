import { limits } from '#contract/limits.ts';
import { checkEmail } from '#contract/rules/credentials.ts';
import { cleanName } from '#contract/rules/text.ts';
import type { ProviderProfile } from './provider.ts';
import { ProviderFailed } from './provider.ts';

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
