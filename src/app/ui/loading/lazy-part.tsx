import type { ComponentType } from 'react';
import { lazy, useEffect, useState } from 'react';
import { loadWithinLimit } from '../../platform/http/time-limit.ts';
import { createSignal } from '../../platform/signal.ts';

/**
 * A part of the app that is loaded when it is first rendered. `Missing` is rendered instead when its file cannot be
 * loaded in time; a file that arrives later replaces it.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Missing: ComponentType<Props>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const arrived = createSignal();
  const store = (part: ComponentType<Props>) => {
    Loaded = part;
    arrived.emit();
  };

  function Placeholder(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props>>(() => Loaded ?? Missing);
    useEffect(() => arrived.listen(() => setPart(() => Loaded ?? Missing)), []);
    return <Part {...props} />;
  }

  return lazy(async () => {
    // A failure or timeout is what `Missing` stands for.
    await loadWithinLimit(() => load().then(store)).catch(() => {});
    return { default: Loaded ?? Placeholder };
  }) as ComponentType<Props>;
}
