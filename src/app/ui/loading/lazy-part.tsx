import type { ComponentType } from 'react';
import { lazy, useEffect, useState } from 'react';
import { recovered } from '../../platform/http/recovery.ts';
import { loadWithinLimit } from '../../platform/http/time-limit.ts';
import { createSignal } from '../../platform/signal.ts';

/**
 * A part of the app that is loaded when it is first rendered. `Missing` is rendered instead when its file cannot be
 * loaded in time; a file that arrives later replaces it. It is requested again when the network recovers, and when the
 * part is next rendered.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Missing: ComponentType<Props>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let wasMissing = false;
  const arrived = createSignal();
  const loadPart = async () => {
    Loaded = await load();
    arrived.emit();
  };
  const loadMissing = () => void (Loaded ?? loadPart().catch(ignoreFailure));

  function Placeholder(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props>>(() => Loaded ?? Missing);
    useEffect(() => arrived.listen(() => setPart(() => Loaded ?? Missing)), []);
    useEffect(() => recovered.listen(loadMissing), []);
    useEffect(() => {
      // The first time is right after the failure.
      if (wasMissing) loadMissing();
      wasMissing = true;
    }, []);
    return <Part {...props} />;
  }

  return lazy(async () => {
    await loadWithinLimit(loadPart).catch(ignoreFailure);
    return { default: Loaded ?? Placeholder };
  }) as ComponentType<Props>;
}

/** A failure or timeout is what `Missing` stands for. */
function ignoreFailure(): void {}
