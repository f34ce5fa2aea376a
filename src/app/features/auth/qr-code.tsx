import { encode } from 'uqr';

interface Props {
  text: string;
  /** What those hear who do not see it. */
  label: string;
  className?: string | undefined;
}

/** Dark on light with its quiet zone, as every reader takes it. */
export function QrCode({ text, label, className }: Props) {
  const { size, data } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg className={className} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={`M0 0h${size}v${size}H0z`} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
