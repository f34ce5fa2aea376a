/** As much of the package as the tests use; it brings no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    use(middleware: (context: { body?: { id_token?: string } }, next: () => Promise<void>) => Promise<void>): void;
    callback(): RequestListener;
  }
}
