import type { ReactNode } from 'react';
import { useEffect } from 'react';
import Markdown from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import styles from './markdown-text.module.css';

/**
 * Allows links with these protocols only, and no images (§2 Password page). Raw HTML is removed
 * before.
 */
const schema = {
  ...defaultSchema,
  tagNames: [
    'h1',
    'h2',
    'h3',
    'h4',
    'p',
    'ul',
    'ol',
    'li',
    'a',
    'strong',
    'em',
    'code',
    'pre',
    'blockquote',
    'hr',
    'br',
  ],
  protocols: { href: ['http', 'https', 'irc', 'ircs', 'mailto', 'xmpp'] },
};

/** Headings are one level below that of the panel or dialog. */
const components = { h1: 'h3', h2: 'h3', h3: 'h4' } as const;

export interface MarkdownProps {
  text: string;
  /** Called when the text is rendered and its height can be measured. */
  onDraw: () => void;
}

/** The operator's text, rendered from Markdown. */
export function MarkdownText({ text, onDraw }: MarkdownProps) {
  useEffect(onDraw);
  return (
    <div className={styles.text}>
      <Markdown skipHtml rehypePlugins={[[rehypeSanitize, schema]]} components={{ ...components, a: Link }}>
        {text}
      </Markdown>
    </div>
  );
}

/**
 * A link that opens in a new tab, because a form may be partly filled in. A link whose address was
 * removed keeps its text.
 */
function Link({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  if (!href) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
