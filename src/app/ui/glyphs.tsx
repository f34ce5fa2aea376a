import type { Quadrant } from '#contract/quadrants.ts';

interface Corner {
  place: string;
  flap: string;
}

const corners: Corner[] = [
  { place: 'translate(1 1)', flap: '#F26B5C' },
  { place: 'translate(47 1) scale(-1 1)', flap: '#74E8CF' },
  { place: 'translate(1 47) scale(1 -1)', flap: '#F8DC45' },
  { place: 'translate(47 47) scale(-1 -1)', flap: '#5B97F3' },
];

const tilePath = 'M4 0H22V9L9 22H0V4A4 4 0 0 1 4 0Z';

/** Four tiles with folded inner corners. The parent's style sheet sets the size. */
export function Logo({ className }: { className?: string | undefined }) {
  return (
    <svg className={className} viewBox="0 0 48 48" role="img" aria-label="Fourfold">
      {corners.map(({ place, flap }) => (
        <g key={flap} transform={place}>
          <path d={tilePath} fill="#F4F1EA" />
          <path d="M9 22V11a2 2 0 0 1 2-2H22Z" fill={flap} />
        </g>
      ))}
    </svg>
  );
}

/** The outlines of the logo's tiles, for empty states. */
export function LogoOutline({ className }: { className?: string | undefined }) {
  return (
    <svg
      className={className}
      viewBox="0 0 48 48"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {corners.map(({ place, flap }) => (
        <path key={flap} transform={place} d={tilePath} />
      ))}
    </svg>
  );
}

/** The quadrants' names for viewers. */
export const quadrantNames: Record<Quadrant, string> = {
  'top-left': 'Top left',
  'top-right': 'Top right',
  'bottom-left': 'Bottom left',
  'bottom-right': 'Bottom right',
};
