import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { playerFacts, playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { controls } from '../controls/controls-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { useDerived } from '../view/derived-hook.ts';
import { overlays } from '../view/overlay-store.ts';
import { CueText } from './cue-text.tsx';
import type { Cue } from './cues.ts';
import { loadCues } from './load-cues.ts';
import { placeSubtitles, watchQuadrant } from './place-subtitles.ts';
import styles from './subtitle-text.module.css';
import { watchCues } from './watch-cues.ts';

interface Props {
  quadrant: Quadrant;
  /** Of the track. */
  url: string;
  language: string | null;
}

/** What is said now, over the video. */
export function SubtitleText({ quadrant, url, language }: Props) {
  const [cues, setCues] = useState<readonly Cue[]>([]);
  const [shown, setShown] = useState<readonly Cue[]>([]);
  const { hasFrame } = useSnapshot(playerFacts[quadrant]);
  useEffect(() => loadCues(url, setCues), [url]);
  useEffect(() => watchCues(playerOf(quadrant), cues, setShown), [quadrant, cues]);
  if (!hasFrame || shown.length === 0) return null;
  return <Lines quadrant={quadrant} cues={shown} language={language} />;
}

function Lines({ quadrant, cues, language }: Omit<Props, 'url'> & { cues: readonly Cue[] }) {
  const box = useRef<HTMLDivElement>(null);
  useDerived(controls, () => (controls.active === quadrant ? (controls.entered ?? 'active') : null));
  useDerived(overlays[quadrant], () => overlays[quadrant].banner);
  useDerived(feed, () => feed.expanded);
  // Also when what stands below it has changed.
  useLayoutEffect(() => placeSubtitles(box.current));
  useEffect(() => watchQuadrant(box.current), []);
  return (
    <div ref={box} className={styles.subtitles} lang={language ?? undefined} data-subtitles>
      {cues.map(({ text }) => (
        <p key={text} className={styles.cue} dir="auto">
          <span className={styles.words}>
            <CueText text={text} />
          </span>
        </p>
      ))}
    </div>
  );
}
