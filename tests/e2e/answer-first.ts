import type { Page, Route } from '@playwright/test';

type Fulfilment = Parameters<Route['fulfill']>[0];

/**
 * Answers the first request of these addresses in the server's place, and lets the others pass. The route stays: where
 * the last one goes, the browser may lose what is on its way at that moment.
 * @param due it is answered then; absent: at once
 */
export async function answerFirst(
  page: Page,
  addresses: string,
  answer: Fulfilment,
  due?: Promise<void>,
): Promise<void> {
  let isAnswered = false;
  await page.route(addresses, async (route) => {
    if (isAnswered) return route.fallback();
    isAnswered = true;
    await due;
    return route.fulfill(answer);
  });
}
