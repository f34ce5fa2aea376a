import type { CSSProperties } from 'react';
import type { Sheet } from './tiles.ts';
import { placeTile } from './tiles.ts';

interface Props {
  sheet: Sheet;
  tile: number;
  className?: string | undefined;
  style?: CSSProperties;
}

/** One still of a sheet that is loaded. Screen readers have the time instead. */
export function Still({ sheet, tile, className, style }: Props) {
  const { size, position } = placeTile(sheet, tile);
  const picture: CSSProperties = {
    backgroundImage: `url(${JSON.stringify(sheet.url)})`,
    backgroundSize: size,
    backgroundPosition: position,
  };
  return <div className={className} style={{ ...style, ...picture }} aria-hidden="true" />;
}
