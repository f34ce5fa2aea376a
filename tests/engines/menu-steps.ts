import assert from 'node:assert/strict';
import type { Quadrant } from '#contract/quadrants.ts';
import { password } from '#tests/e2e/accounts.ts';
import { everyView } from '#tests/e2e/every-view.ts';
import { firstButtonIn, timeIn } from './in-page.ts';
import type { Screen } from './screen.ts';
import { menu } from './screen.ts';

/** Who signs in: the first account, an administrator. */
export const username = 'first';

const here: Quadrant = 'top-left';
export const dialog = '[role="dialog"]';

export async function useQuadrantMenu(screen: Screen): Promise<undefined> {
  const before = await screen.look();
  await screen.hover(here);
  await screen.clickPicture(here, 'right');
  await screen.click('Move to bottom right', { within: dialog });
  await screen.until('two videos that changed places', async () => {
    const now = await screen.look();
    return now['bottom-right'].videoId === before[here].videoId && now[here].videoId === before['bottom-right'].videoId;
  });
  await screen.untilAllAdvance();

  await screen.control(here, 'More');
  await screen.click('Pause all', { within: dialog });
  await screen.until('four paused videos', async () =>
    Object.values(await screen.look()).every(({ isPaused }) => isPaused),
  );
  await screen.control(here, 'More');
  await screen.click('Play all', { within: dialog });
  await screen.untilAllAdvance();
}

export async function useSideMenu(screen: Screen): Promise<undefined> {
  await screen.openMenu();
  await screen.page.moveMouse(230, 400);
  await screen.untilGone('Videos', menu);
  await screen.openMenu();
  await screen.click('Videos', { within: menu });
  await screen.untilView('Videos');
  await screen.untilGone('Profile', menu);
  await screen.page.goBack();
  await screen.untilView('Feed');
  await screen.untilAllAdvance();
}

export async function playWatched(screen: Screen): Promise<undefined> {
  const list = '[aria-label="Watched"]';
  await screen.openMenu();
  await screen.click('Videos', { within: menu });
  await screen.untilView('Videos');
  await screen.click('Watched', { within: 'main' });
  let words = '';
  await screen.until('a video that was watched', async () => {
    words = await screen.page.evaluate(firstButtonIn, `${list} li`);
    return words !== '';
  });
  await screen.click(words, { within: list });
  await screen.until('a video that plays', async () => (await screen.page.evaluate(timeIn, dialog)) > 0.3);
  await screen.page.goBack();
  await screen.until('no player', async () => (await screen.page.evaluate(timeIn, dialog)) === 0);
  await screen.click('Channels', { within: 'main' });
  await screen.untilGone(words, list);
  await screen.page.goBack();
  await screen.untilView('Feed');
  await screen.untilAllAdvance();
}

export async function openEveryView(screen: Screen): Promise<string> {
  await screen.openMenu();
  await screen.click('Profile', { within: menu });
  await screen.click('Sign In', { within: 'main' });
  await screen.type('Username or Email', username);
  await screen.type('Password', password);
  await screen.click('Sign In', { within: `${dialog} form` });
  await screen.untilHas('Administration', 'main');
  // Firefox and WebKit load the page anew when Back comes while the dialog's own entry is being left.
  await screen.until('an entry for Profile alone', () =>
    screen.page.evaluate(() => Object(history.state).layers === 1, null),
  );
  await screen.page.goBack();
  await screen.untilView('Feed');
  await screen.untilAllAdvance();

  for (const { path, title } of everyView) {
    await screen.openMenu();
    for (const name of path) await screen.click(name);
    await screen.untilView(title);
    await screen.page.goBack();
    await screen.untilView('Feed');
  }
  await screen.untilAllAdvance();
  return `${everyView.length} views`;
}

export async function goBack(screen: Screen): Promise<undefined> {
  await screen.control(here, 'Expand');
  await screen.until('an expanded quadrant', async () => (await screen.look())[here].isExpanded);
  await screen.control(here, 'More');
  await screen.untilHas('Pause all', dialog);
  await screen.page.goBack();
  await screen.untilGone('Pause all', dialog);
  assert.equal((await screen.look())[here].isExpanded, true, 'Back closes the menu and nothing else');
  await screen.page.goBack();
  await screen.until('the grid', async () => !(await screen.look())[here].isExpanded);
  await screen.untilAllAdvance();
}
