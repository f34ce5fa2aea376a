import type { BrowserContext, Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Site } from '#tests/support/product.ts';
import { signInAt } from './accounts.ts';

/** The sign-in dialog as someone who uses it sees it, and what tells of its success. */
export class SignIn {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get box(): Locator {
    return this.page.getByRole('dialog');
  }

  get menu(): Locator {
    return this.page.getByRole('navigation', { name: 'Menu', exact: true });
  }

  async fill(values: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(values)) await this.box.getByLabel(label, { exact: true }).fill(value);
  }

  async submit(label: string): Promise<void> {
    await this.box.locator('form').getByRole('button', { name: label, exact: true }).click();
  }

  /** Who the profile names. */
  nameOnProfile(name: string): Locator {
    return this.page.getByRole('main').getByText(name, { exact: true }).first();
  }

  /** Opens the menu with the mouse: its foot says who is here. */
  async expectInMenu(words: string): Promise<void> {
    // A move counts only once the page listens: it may be loading anew.
    await expect(async () => {
      await this.page.mouse.move(300, 400);
      await this.page.mouse.move(5, 400);
      await expect(this.menu.getByText(words, { exact: true })).toBeVisible({ timeout: 3_000 });
    }).toPass();
  }

  /** Leaves tokens in the browser, as a sign-in of before did. Stands on a page of the product then. */
  async enterAs(product: Site, username: string): Promise<void> {
    const tokens = await signInAt(product, username);
    await this.page.goto(`${product.address}/robots.txt`);
    await this.page.evaluate(({ access_token, refresh_token }) => {
      localStorage.setItem('fourfold.access-token', access_token);
      localStorage.setItem('fourfold.refresh-token', refresh_token);
    }, tokens);
  }
}

/** What any page of this browser does from now on against a content security policy. */
export function violationsIn(context: BrowserContext): string[] {
  const violations: string[] = [];
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) violations.push(message.text());
  });
  return violations;
}
