import type { ComponentType } from 'react';
import { lazy, useEffect, useState } from 'react';
import { loadWithinLimit } from '../../platform/http/time-limit.ts';
import { createSignal } from '../../platform/signal.ts';

/**
 * A part of the app that is loaded when it is first drawn. `Missing` stands in its place once its file cannot be had or is waited for too long; a file
 * that comes later still takes the place.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>, Missing: ComponentType<Props>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const arrived = createSignal();
  const keep = (part: ComponentType<Props>) => {
    Loaded = part;
    arrived.emit();
  };

  function Place(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props>>(() => Loaded ?? Missing);
    useEffect(() => arrived.listen(() => setPart(() => Loaded ?? Missing)), []);
    return <Part {...props} />;
  }

  return lazy(async () => {
    await loadWithinLimit(() => load().then(keep)).catch(() => {});
    return { default: Loaded ?? Place };
  }) as ComponentType<Props>;
}
