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
