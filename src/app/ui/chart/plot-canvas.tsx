import { useEffect, useRef } from 'react';
import styles from './chart.module.css';
import { Plot } from './plot.ts';
import type { PlotModel } from './plot-model.ts';

/** What can be seen of a chart. Screen readers have its table instead, and a remote passes it by. */
export function PlotCanvas({ model, className }: { model: PlotModel; className: string | undefined }) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(null);
  useEffect(() => {
    if (!host.current) return;
    const made = new Plot(host.current);
    plot.current = made;
    return () => made.close();
  }, []);
  useEffect(() => plot.current?.show(model), [model]);
  return <div ref={host} className={`${styles.plot} ${className}`} aria-hidden="true" />;
}
