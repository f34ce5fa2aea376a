import { encode } from 'uqr';

interface Props {
  text: string;
  /** The accessible name. */
  label: string;
  className?: string | undefined;
}

/** Draws dark on light with a quiet zone, which every reader accepts. */
export function QrCode({ text, label, className }: Props) {
  const { size, data } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={`M0 0h${size}v${size}H0z`} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
