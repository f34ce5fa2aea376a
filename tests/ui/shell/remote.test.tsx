import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdFocus } from '#app/platform/input/focus-scopes.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { navigation, openMenu, openView, resetNavigation } from '#app/state/navigation.ts';
import { draw, settle } from '../draw.tsx';
import { type } from '../keys.ts';
import { layOut } from '../laid-out.ts';

const inTabOrder = 0;

let stop: () => void;

beforeEach(() => {
  layOut();
  resetNavigation();
  document.documentElement.dataset.form = 'tv';
  stop = watchRemote();
});

afterEach(async () => {
  stop();
  await settle(resetNavigation);
  vi.restoreAllMocks();
  delete document.documentElement.dataset.input;
});

const press = async (key: string, keyCode = 0, target: EventTarget = document.activeElement ?? document.body) => {
  const event = new KeyboardEvent('keydown', { key, keyCode, bubbles: true, cancelable: true } as KeyboardEventInit);
  await settle(() => target.dispatchEvent(event));
  return event.defaultPrevented;
};

const two = () =>
  draw(
    <main>
      <button type="button">First</button>
      <button type="button">Second</button>
    </main>,
  );

test('the first arrow goes to what the screen starts with, the next ones on from there', async () => {
  await two();
  await press('ArrowDown');
  expect(document.activeElement?.textContent).toBe('First');
  await press('ArrowDown');
  expect(document.activeElement?.textContent).toBe('Second');
  expect(await press('ArrowDown')).toBe(false);
});

test("beyond TVs arrows are the page's, except where a part of it asks for them", async () => {
  document.documentElement.dataset.form = 'desktop';
  await two();
  expect(await press('ArrowDown')).toBe(false);
  const part = await draw(
    <div data-arrows>
      <button type="button">Third</button>
      <button type="button">Fourth</button>
    </div>,
  );
  part.querySelector('button')?.focus();
  expect(await press('ArrowDown')).toBe(true);
  expect(document.activeElement?.textContent).toBe('Fourth');
});

/** Gives elements their places, in CSS pixels. */
const putAt = (element: Element | undefined | null, left: number, top: number, width: number, height: number) => {
  if (element) Object.assign(element, { getBoundingClientRect: () => new DOMRect(left, top, width, height) });
};

test('Right and Left at the ends of the cards lead to no channel of the row above, which goes on beyond the screen; Left opens the menu', async () => {
  const screen = await draw(
    <main>
      <ul data-focus-region>
        {['Cities', 'Forest'].map((name) => (
          <li key={name}>
            <button type="button">{name}</button>
          </li>
        ))}
      </ul>
      <ul data-focus-region>
        {['One', 'Two'].map((name) => (
          <li key={name}>
            <button type="button">{name}</button>
          </li>
        ))}
      </ul>
      <aside data-focus-region>
        <button type="button">Tags</button>
      </aside>
    </main>,
  );
  const [channels, cards] = screen.querySelectorAll('ul');
  const [near, far, first, last, tags] = screen.querySelectorAll('button');
  putAt(channels, 96, 250, 1824, 80);
  putAt(near, 96, 250, 100, 80);
  putAt(far, 1820, 250, 200, 80);
  putAt(cards, 96, 700, 1200, 300);
  putAt(first, 96, 700, 500, 300);
  putAt(last, 700, 700, 500, 300);
  putAt(tags, 0, 0, 0, 0);
  near?.focus();
  await press('ArrowDown');
  expect(document.activeElement).toBe(first);
  await press('ArrowRight');
  expect(document.activeElement).toBe(last);
  expect(await press('ArrowRight')).toBe(false);
  expect(document.activeElement).toBe(last);
  // What stands beside the cards is reached, although it is higher up.
  putAt(screen.querySelector('aside'), 1300, 400, 500, 200);
  putAt(tags, 1300, 400, 200, 80);
  await press('ArrowRight');
  expect(document.activeElement).toBe(tags);
  await press('ArrowLeft');
  expect(document.activeElement).toBe(last);
  await press('ArrowLeft');
  expect(navigation.isMenuOpen).toBe(false);
  await press('ArrowLeft');
  expect(navigation.isMenuOpen).toBe(true);
});

test('what a component has used is left alone', async () => {
  const screen = await two();
  screen.querySelector('button')?.focus();
  screen.addEventListener('keydown', (event) => event.preventDefault(), { once: true });
  await press('ArrowDown');
  expect(document.activeElement?.textContent).toBe('First');
});

test('a slider keeps left and right while OK holds it, a text field its caret, and up and down lead on', async () => {
  const screen = await draw(
    <main>
      <input type="range" />
      <input type="text" />
      <button type="button">Save</button>
    </main>,
  );
  const [slider, text] = screen.querySelectorAll('input');
  slider?.focus();
  expect(await press('ArrowRight'), 'nothing moves the thumb yet').toBe(true);
  expect(await press('Enter')).toBe(true);
  expect(await press('ArrowRight')).toBe(false);
  await press('Enter');
  expect(await press('ArrowRight')).toBe(true);
  await press('Enter');
  expect(await press('ArrowDown')).toBe(true);
  expect(slider?.hasAttribute('data-held')).toBe(false);
  expect(document.activeElement).toBe(text);
  expect(await press('ArrowLeft')).toBe(false);
  await press('ArrowDown');
  expect(document.activeElement?.textContent).toBe('Save');
});

test('a text field opens the keyboard of a TV by OK alone, and Back closes it before anything else', async () => {
  document.documentElement.dataset.input = 'remote';
  const screen = await draw(
    <main>
      <button type="button">First</button>
      <form onSubmit={(event) => event.preventDefault()}>
        <input type="text" inputMode="search" defaultValue="Aurora" />
        <input type="password" />
      </form>
    </main>,
  );
  const [name, password] = screen.querySelectorAll('input');
  const submit = vi.fn();
  screen.querySelector('form')?.addEventListener('submit', submit);
  screen.querySelector('button')?.focus();
  await press('ArrowDown');
  expect([document.activeElement, name?.inputMode]).toEqual([name, 'none']);
  expect(await press('ArrowRight'), 'the caret has nothing to move yet').toBe(false);
  await press('ArrowDown');
  expect([document.activeElement, name?.inputMode, password?.inputMode]).toEqual([password, 'search', 'none']);
  await press('ArrowUp');
  expect(await press('Enter')).toBe(true);
  expect([document.activeElement, name?.inputMode]).toEqual([name, 'search']);
  expect(await press('Enter'), 'the next one is the form’s').toBe(false);
  openView('profile');
  expect(await press('Escape')).toBe(true);
  expect([document.activeElement, name?.inputMode, navigation.view]).toEqual([name, 'none', 'profile']);
  await press('Escape');
  expect(navigation.view).toBe('feed');
  expect(submit).not.toHaveBeenCalled();
});

test('OK submits a field at once in which somebody types with real keys, and Back closes what is around it', async () => {
  document.documentElement.dataset.input = 'remote';
  const screen = await draw(
    <main>
      <input type="text" inputMode="search" />
      <button type="button">Save</button>
    </main>,
  );
  const field = screen.querySelector('input');
  field?.focus();
  await type('Aurora');
  expect(field?.inputMode).toBe('search');
  expect(await press('Enter'), 'it is the form’s').toBe(false);
  openView('profile');
  await press('Escape');
  expect([document.activeElement, navigation.view]).toEqual([field, 'feed']);
  await press('ArrowDown');
  await press('ArrowUp');
  expect([document.activeElement, field?.inputMode]).toEqual([field, 'none']);
  expect(await press('Enter'), 'it opens the keyboard again').toBe(true);
});

test.each([
  ['a mouse', 'tv', 'pointer'],
  ['a desk', 'desktop', 'key'],
])('with %s a text field is as it is', async (_, form, input) => {
  Object.assign(document.documentElement.dataset, { form, input });
  const screen = await draw(<input type="text" />);
  const field = screen.querySelector('input');
  field?.focus();
  expect(field?.hasAttribute('inputmode')).toBe(false);
  expect(await press('Enter')).toBe(false);
});

test('a slider that handles the arrows itself has no use for OK', async () => {
  const screen = await draw(<input type="range" data-keeps-arrows />);
  const slider = screen.querySelector('input');
  slider?.focus();
  expect(await press('Enter')).toBe(false);
  expect(slider?.hasAttribute('data-held')).toBe(false);
});

test('beyond TVs a slider keeps left and right without OK', async () => {
  document.documentElement.dataset.form = 'desktop';
  const screen = await draw(
    <main data-arrows>
      <input type="range" />
      <button type="button">Save</button>
    </main>,
  );
  screen.querySelector('input')?.focus();
  expect(await press('ArrowRight')).toBe(false);
  expect(await press('ArrowUp'), 'nothing stands above it').toBe(false);
  expect(await press('Enter')).toBe(false);
});

test('on a level arrows go past what it holds, inside they stay inside', async () => {
  const screen = await draw(
    <main>
      <section data-focus-level tabIndex={inTabOrder} id="one">
        <button type="button">Pin</button>
        <button type="button">Skip</button>
      </section>
      <section data-focus-level tabIndex={inTabOrder} id="two" />
    </main>,
  );
  screen.querySelector<HTMLElement>('#one')?.focus();
  await press('ArrowDown');
  expect(document.activeElement?.id).toBe('two');
  screen.querySelector('button')?.focus();
  await press('ArrowDown');
  expect(document.activeElement?.textContent).toBe('Skip');
  await press('ArrowDown');
  expect(document.activeElement?.textContent).toBe('Skip');
});

test('Left where nothing is further left opens the menu, and not from inside a level', async () => {
  const screen = await draw(
    <main>
      <section data-focus-level tabIndex={inTabOrder}>
        <button type="button">Pin</button>
      </section>
    </main>,
  );
  screen.querySelector('button')?.focus();
  await press('ArrowLeft');
  expect(navigation.isMenuOpen).toBe(false);
  screen.querySelector('section')?.focus();
  await press('ArrowLeft');
  expect(navigation.isMenuOpen).toBe(true);
});

test('neither Left nor the Menu key opens the menu beneath what holds the focus', async () => {
  const screen = await two();
  screen.querySelector('button')?.focus();
  const release = holdFocus(screen);
  for (const key of ['ArrowLeft', 'ContextMenu']) {
    await press(key);
    expect(navigation.isMenuOpen, key).toBe(false);
  }
  release();
  await press('ArrowLeft');
  expect(navigation.isMenuOpen).toBe(true);
});

test('the Menu key opens the menu and closes it, on a TV alone', async () => {
  await press('ContextMenu');
  expect(navigation.isMenuOpen).toBe(true);
  await press('ContextMenu');
  expect(navigation.isMenuOpen).toBe(false);
  document.documentElement.dataset.form = 'desktop';
  expect(await press('ContextMenu')).toBe(false);
});

test.each([
  ['webOS', 'GoBack', 461],
  ['Tizen', 'XF86Back', 10_009],
  ['a keyboard', 'Escape', 27],
  ['VIDAA', 'Backspace', 8],
])('Back of %s is taken while a layer is open, and left to the browser otherwise', async (_, key, keyCode) => {
  // happy-dom knows no way back in its history.
  const go = vi.spyOn(history, 'go').mockImplementation((delta = 0) => {
    history.replaceState({ layers: history.state.layers + delta }, '');
    window.dispatchEvent(new PopStateEvent('popstate'));
  });
  expect(await press(key, keyCode)).toBe(false);
  await settle(() => openMenu());
  expect(await press(key, keyCode)).toBe(true);
  expect(navigation.isMenuOpen).toBe(false);
  expect(go).toHaveBeenCalledExactlyOnceWith(-1);
});

test('Backspace in a text field deletes', async () => {
  await settle(() => openView('profile'));
  const screen = await draw(<input type="text" />);
  const field = screen.querySelector('input') as HTMLInputElement;
  expect(await press('Backspace', 8, field)).toBe(false);
});

/** Holds Down on the first of forty buttons, for thirty repeats in a second. @returns the number of steps */
async function holdDown(onRepeat: (repeats: number) => void = () => {}): Promise<number> {
  vi.useFakeTimers();
  const screen = await draw(
    <main>
      {Array.from({ length: 40 }, (_, at) => (
        <button type="button" key={String(at)}>
          {at}
        </button>
      ))}
    </main>,
  );
  screen.querySelector('button')?.focus();
  for (let repeats = 0; repeats < 30; repeats += 1) {
    vi.advanceTimersByTime(1000 / 30);
    onRepeat(repeats);
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ArrowDown', repeat: true, bubbles: true, cancelable: true }),
    );
  }
  vi.useRealTimers();
  return Number(document.activeElement?.textContent);
}

test('a held arrow takes eight steps a second at most', async () => {
  const steps = await holdDown();
  expect(steps).toBeGreaterThanOrEqual(6);
  expect(steps).toBeLessThanOrEqual(8);
});

test('a held arrow goes on when the clock is set back', async () => {
  const steps = await holdDown((repeats) => repeats === 5 && vi.setSystemTime(Date.now() - 3_600_000));
  expect(steps).toBeGreaterThanOrEqual(6);
});

test('what vanishes under the focus hands it to its neighbour, for keys and remotes alone', async () => {
  const screen = await two();
  const [first, second] = screen.querySelectorAll('button');
  document.documentElement.dataset.input = 'remote';
  second?.focus();
  await settle(() => second?.remove());
  await press('ArrowUp');
  expect(document.activeElement).toBe(first);

  document.documentElement.dataset.input = 'touch';
  document.documentElement.dataset.form = 'phone';
  await settle(() => first?.remove());
  await press('ArrowUp');
  expect(document.activeElement).toBe(document.body);
});

/** A move of the pointing remote to a place of its own. */
function pointAt(element: Element | null): Promise<void> {
  place += 1;
  return raise('pointermove', element);
}

let place = 0;

const raise = (type: string, element: Element | null) =>
  settle(() => element?.dispatchEvent(new PointerEvent(type, { pointerType: 'mouse', bubbles: true, screenX: place })));

test("what a TV's pointing remote is moved onto has the focus, a level instead of what it holds", async () => {
  const screen = await draw(
    <main>
      <button type="button">
        <span>Videos</span>
      </button>
      <section data-focus-level tabIndex={inTabOrder}>
        <button type="button">Pin</button>
      </section>
      <input type="text" />
    </main>,
  );
  await pointAt(screen.querySelector('span'));
  expect(document.activeElement?.textContent).toBe('Videos');
  await pointAt(screen.querySelector('section button'));
  expect(document.activeElement).toBe(screen.querySelector('section'));
  await pointAt(screen.querySelector('input'));
  expect(document.activeElement).toBe(screen.querySelector('section'));
  await pointAt(screen);
  expect(document.activeElement).toBe(screen.querySelector('section'));

  document.documentElement.dataset.form = 'desktop';
  await pointAt(screen.querySelector('span'));
  expect(document.activeElement).toBe(screen.querySelector('section'));
});

test('a pointing remote that lies still takes no focus when the page changes under it', async () => {
  const [first, second] = (await two()).querySelectorAll('button');
  await pointAt(first ?? null);
  await press('ArrowDown');
  expect(document.activeElement).toBe(second);
  first?.append(document.createElement('span'));
  for (const type of ['pointerover', 'pointermove']) await raise(type, first?.querySelector('span') ?? null);
  expect(document.activeElement).toBe(second);
  await pointAt(first?.querySelector('span') ?? null);
  expect(document.activeElement).toBe(first);
});
