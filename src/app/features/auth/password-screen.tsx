import { useCallback, useEffect, useRef, useState } from 'react';
import { proxy, useSnapshot } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { readText } from '#app/platform/http/download.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { recovered } from '#app/platform/link.ts';
import { access, checkConfig } from '#app/state/access.ts';
import { Button } from '#app/ui/button.tsx';
import { createForm, useForm } from '#app/ui/form/form.ts';
import { PasswordField } from '#app/ui/form/text-field.tsx';
import { Logo } from '#app/ui/glyphs.tsx';
import { loadMarkdown, Markdown } from '#app/ui/markdown.tsx';
import { watchSize } from '#app/ui/store-hooks.ts';
import { enterSite, readWhatsNew } from '#contract/endpoints.ts';
import { failures } from '#contract/failures.ts';
import { checkPassword } from '#contract/rules/credentials.ts';
import styles from './password-screen.module.css';

/** §2 Password page: replaces everything while the site is closed to this browser. */
export default function PasswordScreen() {
  const { state, field, formProps } = useForm(gateForm);
  const form = formProps.ref;
  useEffect(() => {
    document.title = 'Fourfold';
    if (form.current) focusStart(form.current);
    return () => gateForm.reset();
  }, [form]);
  return (
    <main className={styles.page}>
      <section className={styles.entrance}>
        <form {...formProps} className={styles.column}>
          <Logo className={styles.logo} />
          <h1>This site is private</h1>
          <AccessSentence />
          <PasswordField label="Password:" name="password" autoComplete="current-password" {...field('password')} />
          <div className={styles.send}>
            <Button
              label={state.isBusy ? 'Authenticating...' : 'Enter Site'}
              submits
              isBlock
              isDisabled={state.isBusy || state.values.password === ''}
            />
          </div>
        </form>
      </section>
      <NewsPanel />
    </main>
  );
}

/**
 * §4 App start: the right password reloads the window without this page, unless the browser did not
 * keep the cookie of the gate. Every failure is shown at the field.
 */
export const gateForm = createForm({
  empty: { password: '' },
  check: ({ password }) => ({ password: checkPassword(password) }),
  send: async (body) => {
    await call(enterSite, { body, quiet: true });
    if ((await checkConfig()) === 'refused') throw new CookieMissing();
    location.reload();
  },
  toProblems: (error) => ({ password: toSentence(error) }),
  staysBusy: true,
});

class CookieMissing extends Error {}

/**
 * §8: the server's message, else 'Invalid password'. A reply of a proxy has neither a code nor a
 * readable message.
 */
function toSentence(error: unknown): string {
  if (error instanceof CookieMissing) return failures.cookieMissing;
  if (!(error instanceof HttpError)) return failures.connection;
  if (error.code !== undefined) return error.message;
  return error.status < 500 ? failures.invalidPassword : failures.connection;
}

/** The sentence that a password is needed, with a way to request it. */
function AccessSentence() {
  const { requestAccess } = useSnapshot(access);
  return (
    <p className={styles.lead}>
      The site currently requires a password.
      {requestAccess === null
        ? ' Please request access from the site owner.'
        : ' Please request access from the site owner on '}
      {requestAccess && <Platform {...requestAccess} />}
      {requestAccess && '.'}
    </p>
  );
}

function Platform({ platform, url }: { platform: string; url: string | null }) {
  if (url === null) return <bdi>{platform}</bdi>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{platform}</bdi>
    </a>
  );
}

/** §2 Password page: 'What's New', beside the form. */
function NewsPanel() {
  const { text } = useSnapshot(news);
  useEffect(() => {
    void loadNews();
    void loadMarkdown();
    return recovered.listen(() => void loadMissingNews());
  }, []);
  const panel = useRef<HTMLElement>(null);
  const [isScrollable, setScrollable] = useState(false);
  const measure = useCallback(
    () => setScrollable(panel.current !== null && panel.current.scrollHeight > panel.current.clientHeight + 1),
    [],
  );
  const column = useRef<HTMLDivElement>(null);
  // A font that loads late or a resized window changes the height.
  useEffect(() => {
    const boxes = [panel.current, column.current].filter((box) => box !== null);
    const stops = boxes.map((box) => watchSize(box, measure));
    return () => {
      for (const stop of stops) stop();
    };
  }, [measure]);
  return (
    // The panel can be focused by keys and remotes while it scrolls.
    <section ref={panel} className={styles.panel} aria-labelledby="news-title" tabIndex={isScrollable ? 0 : undefined}>
      <div ref={column} className={styles.newsPanelColumn}>
        <h2 id="news-title">What's New</h2>
        {text === null ? <Loading /> : <Markdown text={text} onDraw={measure} loading={<Loading />} />}
      </div>
    </section>
  );
}

function Loading() {
  return (
    <p className={styles.loading} role="status">
      Loading updates...
    </p>
  );
}

interface NewsState {
  /** Markdown without its title; null while it loads. */
  text: string | null;
}

export const news = proxy<NewsState>({ text: null });

let isMissing = false;

/** §8: a fixed text is shown when the news cannot be loaded. */
export async function loadNews(): Promise<void> {
  const text = await readText(readWhatsNew).catch(() => null);
  isMissing = text === null;
  news.text = withoutTitle(text?.trim() ? text : failures.whatsNew);
}

/** Loads the news again after a failure. */
async function loadMissingNews(): Promise<void> {
  if (isMissing) await loadNews();
}

export function resetNews(): void {
  isMissing = false;
  news.text = null;
}

/** Removes the title, which the panel shows itself. */
function withoutTitle(text: string): string {
  return text.replace(/^\s*#\s+what['’]s new[ \t]*\r?\n/i, '');
}
