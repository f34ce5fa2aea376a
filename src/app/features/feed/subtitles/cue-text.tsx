import type { ReactNode } from 'react';
import { createElement } from 'react';

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

interface Level {
  tag: string | null;
  children: ReactNode[];
}

/** The text of a cue: emphasis as elements, everything else as text. */
export function CueText({ text }: { text: string }) {
  const root: Level = { tag: null, children: [] };
  let levels = [root];
  for (const [key, part] of text.split(/(<\/?[biu]>)/).entries()) {
    const [level = root] = levels;
    if (/^<[biu]>$/.test(part)) levels = [{ tag: part.charAt(1), children: [] }, ...levels];
    else if (part === `</${level.tag}>`) levels = closeLevel(levels, key);
    else level.children.push(part.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity));
  }
  while (levels.length > 1) levels = closeLevel(levels, 'end');
  return <>{root.children}</>;
}

function closeLevel([level, ...outer]: Level[], key: number | string): Level[] {
  if (level?.tag) outer[0]?.children.push(createElement(level.tag, { key }, ...level.children));
  return outer;
}
