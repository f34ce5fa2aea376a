import type { ReactNode } from 'react';
import { createElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { session } from '#app/state/session.ts';
import { useDerived, watchSize } from '#app/ui/store-hooks.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { controls } from '../controls/controls-store.ts';
import { feed } from '../feed-state.ts';
import { overlays } from '../quadrant/overlays.ts';
import { areWanted, chosenTracks, languageState, subtitleLanguage, trackOf } from './chosen-tracks.ts';
import type { Cue } from './cues.ts';
import { loadCues, watchCues } from './cues.ts';
import styles from './quadrant-subtitles.module.css';
import { useSubtitleList } from './subtitle-tracks.ts';

/** The subtitles of the video on screen, if the viewer wants them and the video has them. */
export function QuadrantSubtitles({ quadrant }: { quadrant: Quadrant }) {
  const { shown } = useSnapshot(feed.quadrants[quadrant]);
  const language = subtitleLanguage(useSnapshot(session), useSnapshot(languageState));
  const chosen = useSnapshot(chosenTracks);
  const isWanted = shown !== null && areWanted(shown.id, language, chosen);
  return isWanted ? <VideoSubtitles key={shown.id} quadrant={quadrant} videoId={shown.id} language={language} /> : null;
}

interface VideoSubtitlesProps {
  quadrant: Quadrant;
  videoId: string;
  language: string | null;
}

function VideoSubtitles({ quadrant, videoId, language }: VideoSubtitlesProps) {
  const { value } = useSnapshot(useSubtitleList(videoId).state);
  const track = trackOf(value?.tracks ?? [], videoId, language, useSnapshot(chosenTracks));
  return track && <SubtitleText key={track.url} quadrant={quadrant} url={track.url} language={track.language} />;
}

interface SubtitleTextProps {
  quadrant: Quadrant;
  /** URL of the track. */
  url: string;
  language: string | null;
}

/** The cues of the current position, over the video. */
function SubtitleText({ quadrant, url, language }: SubtitleTextProps) {
  const [cues, setCues] = useState<readonly Cue[]>([]);
  const [shown, setShown] = useState<readonly Cue[]>([]);
  const { hasFrame } = useSnapshot(playerFacts[quadrant]);
  useEffect(() => loadCues(url, setCues), [url]);
  useEffect(() => watchCues(playerOf(quadrant), cues, setShown), [quadrant, cues]);
  if (!hasFrame || shown.length === 0) return null;
  return <Lines quadrant={quadrant} cues={shown} language={language} />;
}

function Lines({ quadrant, cues, language }: Omit<SubtitleTextProps, 'url'> & { cues: readonly Cue[] }) {
  const box = useRef<HTMLDivElement>(null);
  useDerived(controls, () => (controls.active === quadrant ? (controls.entered ?? 'active') : null));
  useDerived(overlays[quadrant], () => overlays[quadrant].banner);
  useDerived(feed, () => feed.expanded);
  // Runs after every render, because the controls or the filename below may have changed.
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

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

interface Level {
  tag: string | null;
  children: ReactNode[];
}

/** The text of a cue: emphasis becomes elements, everything else is text. */
function CueText({ text }: { text: string }) {
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

/**
 * The font size as a share of the quadrant's height; in a portrait quadrant, as a share of a 16:9
 * picture of its width.
 */
const lineShare = 1 / 18;
/** CSS pixels. */
const smallestFont = 12;
const gap = 6;

/**
 * Sizes the text by its quadrant, and lifts it above the controls or the filename while they are
 * shown. Their height depends on the form, the window and the font, so it is measured.
 */
function placeSubtitles(box: HTMLElement | null): void {
  const quadrant = quadrantOf(box);
  if (!box || !quadrant) return;
  const { bottom, width, height } = quadrant.getBoundingClientRect();
  const tops = listObstacles(quadrant).map((obstacle) => bottom - obstacle.getBoundingClientRect().top);
  // On a phone in portrait the controls are below the videos, so nothing is lifted.
  const lift = Math.max(0, ...tops);
  box.style.fontSize = `${Math.max(smallestFont, Math.min(height, width * (9 / 16)) * lineShare)}px`;
  box.style.bottom = lift > 0 ? `${lift + gap}px` : '';
}

/** Places the text again whenever its quadrant is resized. Returns a function that stops it. */
function watchQuadrant(box: HTMLElement | null): (() => void) | undefined {
  const quadrant = quadrantOf(box);
  return quadrant ? watchSize(quadrant, () => placeSubtitles(box)) : undefined;
}

function quadrantOf(box: HTMLElement | null): HTMLElement | null {
  return box?.closest<HTMLElement>('[data-quadrant]') ?? null;
}

function listObstacles(quadrant: HTMLElement): Element[] {
  const { active } = quadrant.dataset;
  const words = active === 'true' ? quadrant.querySelector('[data-controls]')?.firstElementChild : null;
  const filename = quadrant.querySelector(':scope > p > bdi');
  return [words, filename].filter((obstacle): obstacle is Element => Boolean(obstacle));
}
