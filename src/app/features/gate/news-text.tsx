import type { ReactNode } from 'react';
import { useEffect } from 'react';
import Markdown from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import styles from './news-text.module.css';

/** §2 Password page: links to these only, and no pictures. Raw HTML is no part of it: it is left out before this. */
const schema = {
  ...defaultSchema,
  tagNames: ['h1', 'h2', 'h3', 'h4', 'p', 'ul', 'ol', 'li', 'a', 'strong', 'em', 'code', 'pre', 'blockquote', 'hr', 'br'],
  protocols: { href: ['http', 'https', 'irc', 'ircs', 'mailto', 'xmpp'] },
};

/** Its titles stand below the panel's own. */
const components = { h1: 'h3', h2: 'h3', h3: 'h4' } as const;

export interface NewsTextProps {
  text: string;
  /** The text stands on the page now. */
  onDraw: () => void;
}

/** News as Markdown. */
export function NewsText({ text, onDraw }: NewsTextProps) {
  useEffect(onDraw);
  return (
    <div className={styles.news}>
      <Markdown skipHtml rehypePlugins={[[rehypeSanitize, schema]]} components={{ ...components, a: Link }}>
        {text}
      </Markdown>
    </div>
  );
}

/** The page stays: its form may be half filled in. An address that was taken out leaves its words. */
function Link({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
