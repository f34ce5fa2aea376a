import type { Setting } from './attack.ts';

export const sitePassword = 'the tide is out at nine';
export const publicName = 'videos.example.org';

/** What is set for each kind of attack. Posters are proven by the server's tests, so there is no ffmpeg. */
export const environments: Readonly<Record<Setting, Readonly<Record<string, string>>>> = {
  home: {},
  /** Behind a proxy on this machine, closed by a password, under one name. */
  proxied: {
    TRUST_PROXY: 'on',
    SITE_PASSWORD: sitePassword,
    PUBLIC_URL: `https://${publicName}`,
    ALLOWED_HOSTS: publicName,
  },
  /** With TLS, and so with HTTP/2. */
  secure: { TLS: 'local', HTTP_PORT: '0' },
};
